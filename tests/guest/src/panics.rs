//! Panics of background tasks, which nobody would see otherwise.

use std::panic;
use std::sync::atomic::{AtomicUsize, Ordering};

static PANICS: AtomicUsize = AtomicUsize::new(0);

/// Counts panics from now on; they are told as before, too.
pub fn count() {
    let told = panic::take_hook();
    panic::set_hook(Box::new(move |what| {
        PANICS.fetch_add(1, Ordering::Relaxed);
        told(what);
    }));
}

/// How many there were.
#[must_use]
pub fn counted() -> usize {
    PANICS.load(Ordering::Relaxed)
}
