//! An established link.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use btleplug::api::{CharPropFlags, Characteristic, Peripheral as _, WriteType};
use btleplug::platform::{self, Peripheral};
use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::adapter::{QUESTION, in_time, let_go};
use super::runtime::BluetoothRuntime;
use super::services::{Characteristics, discover};
use super::watching::{Seen, Watching};
use super::{failure, native};
use crate::ClockError;
use crate::dialect::{Delivery, Discovered, Family};
use crate::link::{Address, Channel, ClockLink, NOTIFICATION_BACKLOG, WriteError};

/// For one write. BlueZ itself gives up after 30 s; the session does before.
const WRITE: Duration = Duration::from_secs(30);
/// How often a link is asked whether it lives: not every system says when it goes.
const HEARTBEAT: Duration = Duration::from_secs(5);

pub(super) struct BluetoothLink {
    peripheral: Peripheral,
    address: Address,
    runtime: Arc<BluetoothRuntime>,
    characteristics: Arc<Mutex<Option<Characteristics>>>,
    /// To be given back before the link is let go, or it would not end.
    kept: Arc<Mutex<Option<native::Kept>>>,
    life: Arc<Life>,
}

struct Life {
    lost: AtomicBool,
    /// Ends the task that watches the link.
    closed: CancellationToken,
}

/// Watches a fresh connection.
pub(super) async fn establish(
    adapter: &platform::Adapter,
    peripheral: Peripheral,
    address: Address,
    runtime: Arc<BluetoothRuntime>,
) -> Result<(BluetoothLink, mpsc::Receiver<Vec<u8>>), ClockError> {
    // First this, so that its end is not missed.
    let watching = Watching::open(adapter, &peripheral).await?;
    if !in_time("the link", peripheral.is_connected()).await? {
        let detail = "the link went at once".to_owned();
        return Err(ClockError::ConnectFailed { address, detail });
    }
    let kept = timeout(QUESTION, native::Kept::hold(peripheral.address())).await;
    let (sender, receiver) = mpsc::channel(NOTIFICATION_BACKLOG);
    let life = Arc::new(Life {
        lost: AtomicBool::new(false),
        closed: CancellationToken::new(),
    });
    tokio::spawn(watch(
        peripheral.clone(),
        watching,
        sender,
        Arc::clone(&life),
    ));
    let characteristics = Arc::new(Mutex::new(None));
    Ok((
        BluetoothLink {
            peripheral,
            address,
            runtime,
            characteristics,
            kept: Arc::new(Mutex::new(kept.ok().flatten())),
            life,
        },
        receiver,
    ))
}

/// Hands notifications on, and notices when the link goes; the sender's end says so.
async fn watch(
    peripheral: Peripheral,
    mut watching: Watching,
    sender: mpsc::Sender<Vec<u8>>,
    life: Arc<Life>,
) {
    let main = Family::ALL.map(|family| Uuid::from_u128(family.gatt().main.characteristic));
    let mut heartbeat = tokio::time::interval(HEARTBEAT);
    heartbeat.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = life.closed.cancelled() => break,
            seen = watching.next() => match seen {
                // They are optional, so those that nobody takes may be lost.
                Seen::Value(uuid, value) => {
                    if main.contains(&uuid) {
                        let _ = sender.try_send(value);
                    }
                }
                Seen::Gone => break,
            },
            _ = heartbeat.tick() => {
                if is_gone(&peripheral).await {
                    break;
                }
            }
        }
    }
    life.lost.store(true, Ordering::Release);
}

/// Whether the link is known to be gone. No answer is no knowledge.
async fn is_gone(peripheral: &Peripheral) -> bool {
    match timeout(QUESTION, peripheral.is_connected()).await {
        Ok(Ok(connected)) => !connected,
        // With the object, the adapter or the service, the link has gone, too; nothing else says
        // so.
        Ok(Err(error)) => failure::gone(&error),
        Err(_) => false,
    }
}

/// On Linux the MTU is known as of the latest reading of the services, and a link that has come to
/// carry less than that refuses what is longer. Elsewhere it is always the present one.
async fn read_mtu_again(peripheral: &Peripheral) {
    if cfg!(target_os = "linux")
        && let Err(error) = in_time("the link", peripheral.discover_services()).await
    {
        tracing::debug!(%error, "the packet size could not be read again");
    }
}

impl BluetoothLink {
    fn of(&self, channel: Channel) -> Option<Characteristic> {
        let found = self
            .characteristics
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()?;
        Some(match channel {
            Channel::Main => found.main,
            Channel::Alt => found.alt?,
        })
    }
}

#[async_trait]
impl ClockLink for BluetoothLink {
    async fn discover(&self) -> Result<Discovered, ClockError> {
        let (peripheral, address) = (self.peripheral.clone(), self.address.clone());
        let (discovered, found) = self
            .runtime
            .run(|abandoned| async move {
                tokio::select! {
                    // Ended here and now: while it reads, the system does not let the link go.
                    () = abandoned.cancelled() => Err(ClockError::LinkLost {
                        detail: "given up while reading the services".to_owned(),
                    }),
                    found = discover(&peripheral, address) => found,
                }
            })
            .await?;
        *self
            .characteristics
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = Some(found);
        Ok(discovered)
    }

    fn mtu(&self) -> u16 {
        self.peripheral.mtu()
    }

    async fn write(
        &self,
        channel: Channel,
        bytes: &[u8],
        delivery: Delivery,
    ) -> Result<(), WriteError> {
        let Some(characteristic) = self.of(channel) else {
            return Err(WriteError::NotSent("the services were not read".to_owned()));
        };
        if self.is_lost() {
            return Err(WriteError::NotSent("the link was lost".to_owned()));
        }
        if bytes.len() > usize::from(self.mtu().saturating_sub(3)) {
            // The system would make a long write of it, which these clocks do not take.
            return Err(WriteError::Refused(
                "longer than the link carries".to_owned(),
            ));
        }
        let (peripheral, bytes) = (self.peripheral.clone(), bytes.to_vec());
        let kind = match delivery {
            Delivery::Answered => WriteType::WithResponse,
            // Where a characteristic does not permit it, it would vanish without a word.
            Delivery::Unanswered
                if characteristic
                    .properties
                    .contains(CharPropFlags::WRITE_WITHOUT_RESPONSE) =>
            {
                WriteType::WithoutResponse
            }
            Delivery::Unanswered => WriteType::WithResponse,
        };
        let life = Arc::clone(&self.life);
        let written = self.runtime.run(|abandoned| async move {
            let write = peripheral.write(&characteristic, &bytes, kind);
            let result = tokio::select! {
                result = timeout(WRITE, write) => match result {
                    Ok(result) => result.map_err(|error| failure::writing(&error)),
                    Err(_) => Err(WriteError::AnswerLost("no answer".to_owned())),
                },
                () = abandoned.cancelled() => Err(WriteError::AnswerLost("given up".to_owned())),
            };
            if result.is_err() {
                if is_gone(&peripheral).await {
                    life.lost.store(true, Ordering::Release);
                } else if matches!(result, Err(WriteError::Refused(_))) {
                    read_mtu_again(&peripheral).await;
                }
            }
            Ok(result)
        });
        written
            .await
            .unwrap_or_else(|error| Err(WriteError::AnswerLost(error.to_string())))
    }

    fn is_lost(&self) -> bool {
        self.life.lost.load(Ordering::Acquire)
    }

    async fn disconnect(&self) {
        self.life.closed.cancel();
        self.life.lost.store(true, Ordering::Release);
        let (peripheral, kept) = (self.peripheral.clone(), Arc::clone(&self.kept));
        let done = self.runtime.run(|_| async move {
            give_back(&kept);
            let_go(&peripheral).await;
            Ok(())
        });
        // The only error is that the task broke off, and then there is nothing left to do.
        let _ = done.await;
    }
}

impl Drop for BluetoothLink {
    /// A link that nobody let go would keep the clock awake and everybody else out.
    fn drop(&mut self) {
        if !self.life.closed.is_cancelled() {
            self.life.closed.cancel();
            let (peripheral, kept) = (self.peripheral.clone(), Arc::clone(&self.kept));
            self.runtime.handle().spawn(async move {
                give_back(&kept);
                let_go(&peripheral).await;
            });
        }
    }
}

/// Lets the system end the link; on a Bluetooth thread, as all its calls.
fn give_back(kept: &Mutex<Option<native::Kept>>) {
    *kept.lock().unwrap_or_else(PoisonError::into_inner) = None;
}
