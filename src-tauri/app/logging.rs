//! Where log lines go: the error stream, so that answers on the output stream stay clean, and the
//! last of them into memory, for a report.

use std::collections::VecDeque;
use std::io::{self, IsTerminal as _};
use std::sync::{Mutex, PoisonError};

use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Layer as _};

/// Variable that chooses what is logged, in tracing's filter syntax.
const VARIABLE: &str = "REGIE_LOG";

/// What is logged otherwise: what is wrong, but for the shaper's missing models of where words of
/// Thai, Lao, Khmer and Burmese end, and for what agents call wrongly, which they are answered.
/// Lines in these languages break at spaces without the models.
const USUAL: &str = "warn,icu_provider=off,icu_segmenter=off,rmcp=error";

/// What is kept for a report: what Bluetooth and the clock say, and what is wrong elsewhere.
const KEPT: &str = "warn,regie_clock=debug,regie_engine=debug,btleplug=debug,bluez_async=debug";

/// Lines kept; a diagnosis makes a few dozen.
const LINES: usize = 400;

/// Characters of a line that are kept; longer ones hold data, not news.
const LENGTH: usize = 500;

static RECENT: Mutex<VecDeque<String>> = Mutex::new(VecDeque::new());

/// Starts logging; warnings and errors only, unless `REGIE_LOG` says otherwise. A panic is a line
/// of the log too: those of a library's background task would go unseen in a tray.
pub(crate) fn start() {
    let filter = EnvFilter::try_from_env(VARIABLE).unwrap_or_else(|_| EnvFilter::new(USUAL));
    // Escape sequences are noise in a file, and some people want none on a terminal either
    // (no-color.org).
    let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let stream = tracing_subscriber::fmt::layer()
        .with_ansi(!plain && io::stderr().is_terminal())
        .with_writer(io::stderr)
        .with_filter(filter);
    let memory = tracing_subscriber::fmt::layer()
        .with_ansi(false)
        .with_writer(|| Memory)
        .with_filter(EnvFilter::new(KEPT));
    // A second start within one process, as tests do, keeps the first.
    let _kept = tracing_subscriber::registry()
        .with(stream)
        .with(memory)
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

/// The lines logged lately, oldest first.
pub(crate) fn recent() -> Vec<String> {
    let recent = RECENT.lock().unwrap_or_else(PoisonError::into_inner);
    recent.iter().cloned().collect()
}

/// Takes lines into memory, each in one call.
struct Memory;

impl io::Write for Memory {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(line);
        let kept = text.trim_end().chars().take(LENGTH).collect();
        let mut recent = RECENT.lock().unwrap_or_else(PoisonError::into_inner);
        if recent.len() == LINES {
            recent.pop_front();
        }
        recent.push_back(kept);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn the_memory_of_the_log_is_bounded() {
        for number in 0..LINES * 2 {
            let line = format!("{number} {}\n", "x".repeat(LENGTH * 2));
            Memory.write_all(line.as_bytes()).unwrap();
        }
        let recent = recent();
        assert_eq!(recent.len(), LINES);
        assert!(recent.iter().all(|line| line.chars().count() <= LENGTH));
        let last = recent.last().unwrap();
        assert!(last.starts_with(&format!("{} ", LINES * 2 - 1)), "{last}");
    }
}
