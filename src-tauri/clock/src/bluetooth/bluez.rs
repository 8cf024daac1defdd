//! What BlueZ says on the bus, over connections of our own.
//!
//! btleplug's streams of events take each subscription back in a background task, which panics
//! when the system says something at that very moment, and leaves the subscription behind; the
//! bus allows so many of them and no more. Here a subscription belongs to a connection that is
//! closed with it, so that nothing has to be taken back. And it is told what btleplug leaves out:
//! that a device, the adapter or the whole service has gone.

use std::sync::Arc;
use std::time::Duration;

use btleplug::Error;
use btleplug::api::Peripheral as _;
use btleplug::platform::Peripheral;
use dbus::Message;
use dbus::arg::prop_cast;
use dbus::channel::MatchingReceiver;
use dbus::message::{MatchRule, MessageType, SignalArgs};
use dbus::nonblock::stdintf::org_freedesktop_dbus::{
    ObjectManagerInterfacesAdded, ObjectManagerInterfacesRemoved, Properties,
    PropertiesPropertiesChanged,
};
use dbus::nonblock::{Proxy, SyncConnection};
use dbus_tokio::connection::IOResource;
use tokio::sync::mpsc;
use tokio::time::sleep;
use tokio_util::sync::{CancellationToken, DropGuard};

/// News that wait. Those of a busy place come in bursts; what does not fit is said again, and the
/// end of a link is asked for besides.
const BACKLOG: usize = 4096;
/// For an answer that may take as long as a connection: BlueZ gives up after 40 s, and whoever
/// waits has a shorter limit.
const CONNECT: Duration = Duration::from_secs(60);
/// For a question that is answered from memory.
const QUESTION: Duration = Duration::from_secs(5);
/// How often a connected device is asked whether its services are known.
const RESOLVE_POLL: Duration = Duration::from_millis(50);

const SERVICE: &str = "org.bluez";
const ADAPTER: &str = "org.bluez.Adapter1";
const DEVICE: &str = "org.bluez.Device1";
const CHARACTERISTIC: &str = "org.bluez.GattCharacteristic1";

/// Something that BlueZ has said. Paths are those of its objects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum News {
    /// A device is new, or something of it has changed.
    Device { path: String },
    /// A device has lost its link.
    Disconnected { path: String },
    /// A characteristic has this value now.
    Value { path: String, value: Vec<u8> },
    /// The adapter was switched off.
    Off,
    /// An object is there no more.
    Removed { path: String },
    /// The service has ended, or the bus.
    ServiceEnded,
}

/// A connection of our own to the system bus. It closes when dropped.
pub(super) struct Bus {
    connection: Arc<SyncConnection>,
    news: mpsc::Receiver<News>,
    _open: DropGuard,
}

impl Bus {
    /// Connects, which may block and so has a thread of its own.
    pub(super) async fn open() -> Result<Self, Error> {
        let runtime = tokio::runtime::Handle::current();
        let opened = tokio::task::spawn_blocking(move || {
            // The connection registers itself with the runtime of the thread.
            let _inside = runtime.enter();
            dbus_tokio::connection::new_system_sync()
        });
        let (driver, connection) = opened.await.map_err(other)?.map_err(other)?;
        let (sender, news) = mpsc::channel(BACKLOG);
        let open = CancellationToken::new();
        tokio::spawn(drive(
            driver,
            Arc::clone(&connection),
            open.clone(),
            sender.clone(),
        ));
        let mut signals = MatchRule::new();
        signals.msg_type = Some(MessageType::Signal);
        connection.start_receive(
            signals,
            Box::new(move |message, _| {
                understand(&message, |news| {
                    let _ = sender.try_send(news);
                });
                true
            }),
        );
        Ok(Self {
            connection,
            news,
            _open: open.drop_guard(),
        })
    }

    /// Has everything said about the object at this path and all below it, and about the service.
    pub(super) async fn listen(&self, path: &str) -> Result<(), Error> {
        let from = format!("type='signal',sender='{SERVICE}'");
        for rule in [
            format!(
                "{from},interface='org.freedesktop.DBus.Properties',member='PropertiesChanged',path_namespace='{path}'"
            ),
            format!("{from},interface='org.freedesktop.DBus.ObjectManager'"),
            format!(
                "type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='{SERVICE}'"
            ),
        ] {
            self.connection
                .add_match_no_cb(&rule)
                .await
                .map_err(other)?;
        }
        Ok(())
    }

    /// The next thing that is said; none when nothing will be any more.
    pub(super) async fn next(&mut self) -> Option<News> {
        self.news.recv().await
    }

    /// What is said already, without waiting.
    pub(super) fn at_hand(&mut self) -> Option<News> {
        self.news.try_recv().ok()
    }

    /// The UUID of a characteristic, as text.
    pub(super) async fn uuid(&self, characteristic: &str) -> Result<String, Error> {
        self.ask(characteristic, QUESTION)
            .get::<String>(CHARACTERISTIC, "UUID")
            .await
            .map_err(other)
    }

    fn ask<'a>(&'a self, path: &'a str, limit: Duration) -> Proxy<'a, &'a SyncConnection> {
        Proxy::new(SERVICE, path, limit, &*self.connection)
    }
}

/// Keeps a connection going until it is not wanted any more, or ends.
async fn drive(
    driver: IOResource<SyncConnection>,
    connection: Arc<SyncConnection>,
    open: CancellationToken,
    sender: mpsc::Sender<News>,
) {
    let mut driver = Box::pin(driver);
    tokio::select! {
        () = open.cancelled() => {}
        error = &mut driver => {
            tracing::debug!(%error, "the connection to the bus has ended");
            // Nobody may listen any more.
            let _ = sender.send(News::ServiceEnded).await;
        }
    }
    // In this order: the driver's end unregisters the file descriptor, which the connection's end
    // gives back to the system; the other way round it may be a new connection's by then.
    drop(driver);
    drop(connection);
}

/// The path of a device's object.
pub(super) fn path_of(peripheral: &Peripheral) -> String {
    format!("/org/bluez/{}", peripheral.id())
}

/// Connects a device and waits until its services are known, for as long as anybody waits for it.
/// Neither an error nor the end of the waiting ends the attempt; disconnecting does.
pub(super) async fn connect(peripheral: &Peripheral) -> Result<(), Error> {
    let bus = Bus::open().await?;
    let path = path_of(peripheral);
    let device = bus.ask(&path, CONNECT);
    device
        .method_call::<(), _, _, _>(DEVICE, "Connect", ())
        .await
        .map_err(other)?;
    loop {
        let connected: bool = device.get(DEVICE, "Connected").await.map_err(other)?;
        if !connected {
            return Err(Error::NotConnected);
        }
        if device
            .get(DEVICE, "ServicesResolved")
            .await
            .map_err(other)?
        {
            return Ok(());
        }
        sleep(RESOLVE_POLL).await;
    }
}

fn other(error: impl std::error::Error + Send + Sync + 'static) -> Error {
    Error::Other(Box::new(error))
}

/// What a signal says, if it is of interest.
fn understand(message: &Message, mut tell: impl FnMut(News)) {
    let path = message.path().map(|path| path.to_string());
    if let Some(changed) = PropertiesPropertiesChanged::from_message(message) {
        let Some(path) = path else { return };
        let values = &changed.changed_properties;
        match changed.interface_name.as_str() {
            DEVICE => {
                if prop_cast::<bool>(values, "Connected") == Some(&false) {
                    tell(News::Disconnected { path });
                } else if !values.is_empty() {
                    tell(News::Device { path });
                }
            }
            CHARACTERISTIC => {
                if let Some(value) = prop_cast::<Vec<u8>>(values, "Value") {
                    let value = value.clone();
                    tell(News::Value { path, value });
                }
            }
            ADAPTER if prop_cast::<bool>(values, "Powered") == Some(&false) => tell(News::Off),
            _ => {}
        }
    } else if let Some(added) = ObjectManagerInterfacesAdded::from_message(message) {
        if added.interfaces.contains_key(DEVICE) {
            let path = added.object.to_string();
            tell(News::Device { path });
        }
    } else if let Some(removed) = ObjectManagerInterfacesRemoved::from_message(message) {
        let whole = [DEVICE, ADAPTER];
        if removed
            .interfaces
            .iter()
            .any(|i| whole.contains(&i.as_str()))
        {
            let path = removed.object.to_string();
            tell(News::Removed { path });
        }
    } else if let Ok((SERVICE, _, "")) = message.read3::<&str, &str, &str>() {
        tell(News::ServiceEnded);
    }
}
