//! The COM apartment of the Bluetooth threads.
//!
//! Windows never delivers Bluetooth callbacks to a thread in a single-threaded apartment that does
//! not pump messages (BLE-3), and a library may have put one there before us. So each Bluetooth
//! thread enters the multi-threaded apartment before anything else, and says whether it could.

/// Puts this thread in the multi-threaded apartment, where the system has such a thing.
///
/// # Errors
/// Why not, such as that it is in a single-threaded apartment already.
#[cfg(windows)]
pub(super) fn enter() -> Result<(), String> {
    use windows::Win32::System::WinRT::{RO_INIT_MULTITHREADED, RoInitialize};

    // Never undone: a Bluetooth object may outlive the thread that made it, and the apartment must
    // outlive the object.
    #[expect(
        unsafe_code,
        reason = "there is no safe form of it; it takes no pointer and may be called on any thread"
    )]
    // SAFETY: the call reads and writes no memory of ours.
    let entered = unsafe { RoInitialize(RO_INIT_MULTITHREADED) };
    entered.map_err(|error| super::failure::explain(&format!("{error:?}")))
}

/// Puts this thread in the multi-threaded apartment, where the system has such a thing.
#[cfg(not(windows))]
pub(super) fn enter() -> Result<(), String> {
    Ok(())
}
