//! Where log lines go: the error stream, so that answers on the output stream stay clean.

use tracing_subscriber::EnvFilter;

/// Variable that chooses what is logged, in tracing's filter syntax.
const VARIABLE: &str = "REGIE_LOG";

/// Starts logging; warnings and errors only, unless `REGIE_LOG` says otherwise. A panic is a line
/// of the log too: those of a library's background task would go unseen in a tray.
pub(crate) fn start() {
    let filter = EnvFilter::try_from_env(VARIABLE).unwrap_or_else(|_| EnvFilter::new("warn"));
    // A second start within one process, as tests do, keeps the first.
    let _kept = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .try_init();
    std::panic::set_hook(Box::new(|panic| {
        let place = panic
            .location()
            .map(ToString::to_string)
            .unwrap_or_default();
        let what = panic.payload_as_str().unwrap_or("no reason given");
        tracing::error!("a task ended in a panic at {place}: {what}");
    }));
}
