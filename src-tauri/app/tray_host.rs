//! Whether anything shows tray icons here. Without, a hidden window could not be reached.

/// Whether a tray shows Regie's icon.
#[cfg(not(target_os = "linux"))]
pub(crate) async fn present() -> bool {
    // Windows and macOS always have one.
    true
}

/// Whether a tray shows Regie's icon: a StatusNotifier host on the session bus, or a system tray
/// of the older kind that owns its selection on the X server.
#[cfg(target_os = "linux")]
pub(crate) async fn present() -> bool {
    linux::status_notifier().await
        || tokio::task::spawn_blocking(linux::system_tray)
            .await
            .unwrap_or(false)
}

#[cfg(target_os = "linux")]
mod linux {
    use std::time::Duration;

    use x11rb::connection::Connection as _;
    use x11rb::protocol::xproto::ConnectionExt as _;

    /// The session bus is local; one that does not answer by then counts as no host, and the
    /// window asks instead of waiting.
    const ANSWER_WAIT: Duration = Duration::from_secs(1);

    /// freedesktop.org's StatusNotifierItem specification, `StatusNotifierWatcher`.
    pub(super) async fn status_notifier() -> bool {
        let asked = async {
            let bus = zbus::Connection::session().await?;
            let watcher: zbus::Proxy<'_> = zbus::proxy::Builder::new(&bus)
                .destination("org.kde.StatusNotifierWatcher")?
                .path("/StatusNotifierWatcher")?
                .interface("org.kde.StatusNotifierWatcher")?
                .cache_properties(zbus::proxy::CacheProperties::No)
                .build()
                .await?;
            watcher
                .get_property::<bool>("IsStatusNotifierHostRegistered")
                .await
        };
        matches!(tokio::time::timeout(ANSWER_WAIT, asked).await, Ok(Ok(true)))
    }

    /// freedesktop.org's System Tray Protocol: a tray owns the selection `_NET_SYSTEM_TRAY_Sn`
    /// of its screen n.
    pub(super) fn system_tray() -> bool {
        let asked = || -> Result<bool, Box<dyn std::error::Error>> {
            let (connection, screen) = x11rb::connect(None)?;
            if screen >= connection.setup().roots.len() {
                return Ok(false);
            }
            let selection = format!("_NET_SYSTEM_TRAY_S{screen}");
            let atom = connection
                .intern_atom(false, selection.as_bytes())?
                .reply()?
                .atom;
            let owner = connection.get_selection_owner(atom)?.reply()?.owner;
            Ok(owner != x11rb::NONE)
        };
        asked().unwrap_or(false)
    }
}
