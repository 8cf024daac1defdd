//! Where log lines go: the error stream, so that answers on the output stream stay clean.

use tracing_subscriber::EnvFilter;

/// Variable that chooses what is logged, in tracing's filter syntax.
const VARIABLE: &str = "REGIE_LOG";

/// Starts logging; warnings and errors only, unless `REGIE_LOG` says otherwise.
pub(crate) fn start() {
    let filter = EnvFilter::try_from_env(VARIABLE).unwrap_or_else(|_| EnvFilter::new("warn"));
    // A second start within one process, as tests do, keeps the first.
    let _kept = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .try_init();
}
