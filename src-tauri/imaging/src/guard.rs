use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::ImagingError;

/// Runs work on fonts of the system, which may be broken in any way: a panic in the code that
/// shapes with them is an error and does not end the program.
pub(crate) fn guarded<T>(
    work: impl FnOnce() -> Result<T, ImagingError>,
) -> Result<T, ImagingError> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or(Err(ImagingError::TypeFailed))
}
