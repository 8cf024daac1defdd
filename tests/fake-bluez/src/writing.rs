//! Values written and subscriptions.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use regie_clock::dialect::Delivery;
use regie_clock::link::WriteError;
use regie_clock::{Address, Channel};
use tokio::time::{sleep, timeout};
use zbus::zvariant::OwnedValue;

use crate::call::{Call, Refusal};
use crate::fault::{BusFault, BusWriteFault};
use crate::gatt::Purpose;
use crate::objects::{CHARACTERISTIC, Object};
use crate::world::{Link, World};

/// After this time without an answer, ATT counts the link as broken.
const ATT_LIMIT: Duration = Duration::from_secs(30);

impl World {
    pub(crate) async fn write(
        self: Arc<Self>,
        call: Call,
        (mac, service, handle): (Address, u16, u16),
    ) {
        self.count(|counts| counts.writes += 1);
        let answer = self.written(&call, (&mac, service, handle)).await;
        call.answer(answer).await;
    }

    async fn written(
        self: &Arc<Self>,
        call: &Call,
        (mac, service, handle): (&Address, u16, u16),
    ) -> Result<(), Refusal> {
        let (bytes, options): (Vec<u8>, HashMap<String, OwnedValue>) = call.arguments()?;
        let kind = options
            .get("type")
            .and_then(|kind| kind.downcast_ref::<&str>().ok())
            .unwrap_or("request");
        let (link, channel, flags) = self.occupy(call, (mac, service, handle))?;
        let answer = match (kind == "command", flags.contains(&"write-without-response")) {
            (false, _) => {
                self.send(&link, (channel, Delivery::Answered), &bytes)
                    .await
            }
            (true, true) => {
                self.send(&link, (channel, Delivery::Unanswered), &bytes)
                    .await
            }
            // It goes out all the same, and the device drops it.
            (true, false) => Ok(()),
        };
        let broken = matches!(answer, Err(Undone::Silence));
        if let Some(device) = self.state().devices.get_mut(mac)
            && let Some(link) = device.link.as_mut()
        {
            link.writing.remove(&handle);
        }
        if broken && !link.gone.is_cancelled() {
            self.link_down(mac).await;
        }
        answer.map_err(|undone| match undone {
            Undone::Refused(refusal) => refusal,
            Undone::Silence => Refusal::link_lost(),
        })
    }

    /// Takes a characteristic for one write.
    fn occupy(
        &self,
        call: &Call,
        (mac, service, handle): (&Address, u16, u16),
    ) -> Result<(Link, Channel, &'static [&'static str]), Refusal> {
        let mut state = self.state();
        let device = state
            .devices
            .get_mut(mac)
            .ok_or_else(|| call.unknown_object())?;
        let found = device
            .characteristic(service, handle)
            .ok_or_else(|| call.unknown_object())?;
        let flags = found.flags;
        let Purpose::Write(channel) = found.purpose else {
            return Err(not_permitted());
        };
        let link = device.link.as_mut().ok_or_else(Refusal::not_connected)?;
        if !link.writing.insert(handle) {
            return Err(Refusal::named("org.bluez.Error.InProgress", "In Progress"));
        }
        Ok((link.clone(), channel, flags))
    }

    async fn send(
        &self,
        link: &Link,
        (channel, delivery): (Channel, Delivery),
        bytes: &[u8],
    ) -> Result<(), Undone> {
        let refused = |refusal| Err(Undone::Refused(refusal));
        match self.faults.of_write() {
            Some(BusWriteFault::AttError(error)) => return refused(Refusal::att(error)),
            Some(BusWriteFault::InvalidLength) => return refused(too_long()),
            Some(BusWriteFault::NotPermitted) => {
                return refused(not_permitted());
            }
            Some(BusWriteFault::Slow(delay)) => sleep(delay).await,
            Some(BusWriteFault::Unanswered) => {
                tokio::select! {
                    () = link.gone.cancelled() => {}
                    () = sleep(ATT_LIMIT) => {}
                }
                return Err(Undone::Silence);
            }
            None => {}
        }
        let answer = tokio::select! {
            () = link.gone.cancelled() => return refused(Refusal::link_lost()),
            answer = timeout(ATT_LIMIT, link.clock.write(channel, bytes, delivery)) => answer,
        };
        match answer {
            Ok(Ok(())) => Ok(()),
            Ok(Err(WriteError::Refused(detail))) if detail.contains("ATT error") => {
                refused(Refusal::failed(&format!("Operation failed with {detail}")))
            }
            Ok(Err(WriteError::Refused(_))) => refused(too_long()),
            Ok(Err(WriteError::NotSent(_))) => refused(Refusal::not_connected()),
            Ok(Err(WriteError::AnswerLost(_))) => refused(Refusal::link_lost()),
            Err(_) => Err(Undone::Silence),
        }
    }

    /// The value of a characteristic that holds one.
    pub(crate) async fn read(&self, call: &Call, (mac, service, handle): (Address, u16, u16)) {
        let answer = {
            let state = self.state();
            let found = state
                .devices
                .get(&mac)
                .and_then(|device| device.characteristic(service, handle));
            match found.map(|found| found.purpose) {
                Some(Purpose::Version(version)) => Ok(vec![version]),
                Some(Purpose::Write(_)) => Err(Refusal::named(
                    "org.bluez.Error.NotPermitted",
                    "Read not permitted",
                )),
                None => Err(call.unknown_object()),
            }
        };
        call.answer(answer).await;
    }

    pub(crate) async fn subscribe(
        &self,
        call: &Call,
        (mac, service, handle): (Address, u16, u16),
        on: bool,
    ) {
        let refused = on && self.faults.shows(BusFault::NotifyRefused);
        let answer = {
            let mut state = self.state();
            match state.devices.get_mut(&mac) {
                None => Err(call.unknown_object()),
                Some(_) if refused => Err(Refusal::named(
                    "org.bluez.Error.NotSupported",
                    "Operation is not supported",
                )),
                Some(device) => match device.link.as_mut() {
                    None => Err(Refusal::not_connected()),
                    Some(link) if on => {
                        link.subscribers.insert(call.sender());
                        Ok(())
                    }
                    Some(link) => {
                        if link.subscribers.remove(&call.sender()) {
                            Ok(())
                        } else {
                            Err(Refusal::failed("No notify session started"))
                        }
                    }
                },
            }
        };
        if answer.is_ok() {
            let object = Object::Characteristic(mac, service, handle);
            let values = HashMap::from([("Notifying", on.into())]);
            self.changed(&object, CHARACTERISTIC, values, &[]).await;
        }
        call.answer(answer).await;
    }
}

fn not_permitted() -> Refusal {
    Refusal::named("org.bluez.Error.NotPermitted", "Write not permitted")
}

fn too_long() -> Refusal {
    Refusal::named("org.bluez.Error.InvalidValueLength", "Invalid Length")
}

/// Why a write came to nothing.
enum Undone {
    Refused(Refusal),
    /// No answer, so that the link counts as broken.
    Silence,
}
