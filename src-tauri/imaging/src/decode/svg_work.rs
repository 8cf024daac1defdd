//! Bounds for the work that a drawing may ask for.
//!
//! What can be told from the text is refused at once. What cannot runs in a thread of its own for
//! a limited time; the renderer has no way to be stopped, so a drawing that overruns is left to
//! itself, and while too many are, further ones are refused.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;

use resvg::usvg::roxmltree::{Document, Node};

use crate::{Format, ImagingError};

/// Time for one drawing. Large maps take two or three seconds.
pub(super) const DEADLINE: Duration = Duration::from_secs(10);
/// Drawings past their time that may still be running: one processor's worth of waste, and one.
const MAX_OVERDUE: usize = 2;
/// Stack of the thread that draws, in bytes: parser and renderer call themselves for each level,
/// up to [`MAX_DEPTH`] and [`MAX_USES`] together. It is reserved, not used, by usual drawings.
const STACK: usize = 128 << 20;

/// Deepest nesting of elements.
const MAX_DEPTH: usize = 200;
/// Most `use` elements: each may lead to the next, which nests without being nested.
const MAX_USES: usize = 2_000;
/// Most filter steps, counted once for each element that a filter may be applied to: each goes
/// over the whole canvas.
const MAX_FILTER_STEPS: usize = 500;
/// Layers of noise; each halves the size of the last, so that more than ten change no pixel.
const MAX_OCTAVES: f64 = 10.0;
/// Radius of a morphology filter in its own units; its work grows with the square.
const MAX_RADIUS: f64 = 4.0;
/// Side of a convolution matrix; likewise.
const MAX_ORDER: f64 = 9.0;

static OVERDUE: AtomicUsize = AtomicUsize::new(0);

/// Runs `work` with a deep stack and a deadline.
pub(super) fn within<T: Send + 'static>(
    deadline: Duration,
    work: impl FnOnce() -> Result<T, ImagingError> + Send + 'static,
) -> Result<T, ImagingError> {
    let failed = || ImagingError::DecoderFailed {
        format: Format::Svg.name(),
    };
    if OVERDUE.load(Ordering::Relaxed) >= MAX_OVERDUE {
        return Err(ImagingError::TooComplex {
            detail: "earlier drawings are still at work",
        });
    }
    // Without room in the channel, sending succeeds only while somebody is waiting.
    let (sender, receiver) = sync_channel(0);
    let run = move || {
        let result = catch_unwind(AssertUnwindSafe(work));
        if sender.send(result).is_err() {
            OVERDUE.fetch_sub(1, Ordering::Relaxed);
        }
    };
    // Not joined: when it is over, so is its work, unless it has overrun.
    let _detached = std::thread::Builder::new()
        .stack_size(STACK)
        .spawn(run)
        .map_err(|_| failed())?;
    match receiver.recv_timeout(deadline) {
        Ok(result) => result.map_err(|_| failed())?,
        Err(RecvTimeoutError::Disconnected) => Err(failed()),
        Err(RecvTimeoutError::Timeout) => {
            OVERDUE.fetch_add(1, Ordering::Relaxed);
            Err(ImagingError::TooComplex {
                detail: "it takes too long to draw",
            })
        }
    }
}

/// Refuses what is certain to take too long or to nest too deeply.
pub(super) fn check(document: &Document<'_>) -> Result<(), ImagingError> {
    let refuse = |detail| Err(ImagingError::TooComplex { detail });
    if nesting(document) > MAX_DEPTH {
        return refuse("its elements are nested too deeply");
    }
    let count = |wanted: &dyn Fn(&Node<'_, '_>) -> bool| {
        document.descendants().filter(|node| wanted(node)).count()
    };
    if count(&|node| node.tag_name().name() == "use") > MAX_USES {
        return refuse("it repeats too many elements");
    }
    let filtered = count(&|node| {
        node.has_attribute("filter")
            || node
                .attribute("style")
                .is_some_and(|style| style.contains("filter"))
    });
    let steps = count(&|node| node.tag_name().name().starts_with("fe"));
    if filtered.saturating_mul(steps) > MAX_FILTER_STEPS {
        return refuse("it uses too many filters");
    }
    let costly = document
        .descendants()
        .any(|node| match node.tag_name().name() {
            "feTurbulence" => largest(&node, "numOctaves") > MAX_OCTAVES,
            "feMorphology" => largest(&node, "radius") > MAX_RADIUS,
            "feConvolveMatrix" => largest(&node, "order") > MAX_ORDER,
            _ => false,
        });
    if costly {
        return refuse("one of its filters takes too long");
    }
    Ok(())
}

/// The largest of the numbers in an attribute; 0 without any.
fn largest(node: &Node<'_, '_>, attribute: &str) -> f64 {
    let numbers = node
        .attribute(attribute)
        .unwrap_or_default()
        .split([' ', ',', '\t', '\n']);
    numbers
        .filter_map(|number| number.parse::<f64>().ok())
        .fold(0.0, f64::max)
}

/// How deep elements nest.
fn nesting(document: &Document<'_>) -> usize {
    let mut depths: Vec<usize> = Vec::new();
    for node in document.descendants() {
        let parent = node
            .parent()
            .and_then(|parent| depths.get(parent.id().get_usize()).copied());
        depths.push(parent.map_or(0, |depth| depth + 1));
    }
    depths.into_iter().max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn work_that_overruns_is_left_alone_and_too_much_of_it_is_refused() {
        let code = |result: Result<(), ImagingError>| result.map_err(|error| error.to_string());
        let stuck: Vec<_> = (0..MAX_OVERDUE)
            .map(|_| {
                let (release, wait) = channel::<()>();
                let (over, done) = channel::<()>();
                let result = within(Duration::from_millis(1), move || {
                    let _over = over;
                    let _ = wait.recv();
                    Ok(())
                });
                assert!(code(result).is_err_and(|text| text.contains("takes too long")));
                (release, done)
            })
            .collect();
        assert!(
            code(within(DEADLINE, || Ok(()))).is_err_and(|text| text.contains("earlier drawings"))
        );
        for (release, done) in stuck {
            drop(release);
            let _ = done.recv();
        }
        // The last thing each does is to give its place back.
        while OVERDUE.load(Ordering::Relaxed) > 0 {
            std::thread::yield_now();
        }
        assert_eq!(within(DEADLINE, || Ok(7)), Ok(7));
    }

    #[test]
    fn a_panic_becomes_an_error() {
        let result: Result<(), _> =
            within(DEADLINE, || std::panic::resume_unwind(Box::new("inside")));
        assert_eq!(result, Err(ImagingError::DecoderFailed { format: "SVG" }));
    }
}
