//! A person or the system that wants the program to end, while it holds a clock.

/// The wish that the program ends: Ctrl-C, the end of the terminal or of the session, or what
/// `kill` sends. From [`awaited`](Self::awaited) on, none of them ends the process by itself.
pub(super) struct Interruption(system::Signals);

impl Interruption {
    /// Takes over what would end the process.
    pub(super) fn awaited() -> Self {
        Self(system::Signals::listen())
    }

    /// Ends when the program is to end.
    pub(super) async fn comes(&mut self) {
        self.0.any().await;
    }
}

/// Logs what cannot be heard: it then ends the process, as it did before.
fn heard<T>(name: &str, signal: std::io::Result<T>) -> Option<T> {
    signal
        .inspect_err(|error| tracing::warn!(%error, "{name} cannot be waited for"))
        .ok()
}

#[cfg(unix)]
mod system {
    use std::future::poll_fn;
    use std::task::Poll;

    use tokio::signal::unix::{Signal, SignalKind, signal};

    use super::heard;

    pub(super) struct Signals(Vec<Signal>);

    impl Signals {
        pub(super) fn listen() -> Self {
            let kinds = [
                ("SIGINT", SignalKind::interrupt()),
                ("SIGTERM", SignalKind::terminate()),
                ("SIGHUP", SignalKind::hangup()),
            ];
            let wanted = kinds
                .into_iter()
                // A program started with nohup is to outlive its terminal.
                .filter(|&(_, kind)| kind != SignalKind::hangup() || !is_ignored(kind))
                .filter_map(|(name, kind)| heard(name, signal(kind)));
            Self(wanted.collect())
        }

        pub(super) async fn any(&mut self) {
            poll_fn(|context| {
                let came = self.0.iter_mut().any(|signal| {
                    // A stream that has ended brings nothing any more.
                    matches!(signal.poll_recv(context), Poll::Ready(Some(())))
                });
                if came { Poll::Ready(()) } else { Poll::Pending }
            })
            .await;
        }
    }

    /// Whether whoever started the program had it ignore a signal. Only Linux tells without unsafe
    /// code: bit n-1 of `SigIgn` in `/proc/self/status` is signal n (proc_pid_status(5)).
    fn is_ignored(kind: SignalKind) -> bool {
        let ignored = std::fs::read_to_string("/proc/self/status")
            .ok()
            .and_then(|status| {
                let mask = status
                    .lines()
                    .find_map(|line| line.strip_prefix("SigIgn:"))?;
                u64::from_str_radix(mask.trim(), 16).ok()
            });
        ignored.is_some_and(|mask| mask >> (kind.as_raw_value() - 1) & 1 == 1)
    }
}

#[cfg(windows)]
mod system {
    use tokio::signal::windows::{
        CtrlBreak, CtrlC, CtrlClose, CtrlLogoff, CtrlShutdown, ctrl_break, ctrl_c, ctrl_close,
        ctrl_logoff, ctrl_shutdown,
    };

    use super::heard;

    pub(super) struct Signals {
        key: Option<CtrlC>,
        break_key: Option<CtrlBreak>,
        close: Option<CtrlClose>,
        logoff: Option<CtrlLogoff>,
        shutdown: Option<CtrlShutdown>,
    }

    impl Signals {
        pub(super) fn listen() -> Self {
            Self {
                key: heard("Ctrl-C", ctrl_c()),
                break_key: heard("Ctrl-Break", ctrl_break()),
                close: heard("the window's end", ctrl_close()),
                logoff: heard("the session's end", ctrl_logoff()),
                shutdown: heard("the system's end", ctrl_shutdown()),
            }
        }

        pub(super) async fn any(&mut self) {
            let Self {
                key,
                break_key,
                close,
                logoff,
                shutdown,
            } = self;
            tokio::select! {
                Some(()) = async { key.as_mut()?.recv().await } => {}
                Some(()) = async { break_key.as_mut()?.recv().await } => {}
                Some(()) = async { close.as_mut()?.recv().await } => {}
                Some(()) = async { logoff.as_mut()?.recv().await } => {}
                Some(()) = async { shutdown.as_mut()?.recv().await } => {}
                else => std::future::pending().await,
            }
        }
    }
}
