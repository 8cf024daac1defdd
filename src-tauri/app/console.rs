//! The console of Windows that a command was typed in.

/// Joins the console of whoever started this program, where there is one. A window program has none
/// of its own: what it prints would be lost, and Ctrl-C not be heard. Streams that were redirected
/// stay so.
#[cfg(windows)]
#[expect(unsafe_code, reason = "no library wraps this one call")]
pub(crate) fn join() {
    use windows_sys::Win32::System::Console::{ATTACH_PARENT_PROCESS, AttachConsole};

    // SAFETY: it takes a number and touches no memory of this process. It fails where whoever
    // started this has no console, or this program has one already, and then nothing is to be done.
    let _joined = unsafe { AttachConsole(ATTACH_PARENT_PROCESS) };
}

/// Joins the console of whoever started this program: a program has it anyway here.
#[cfg(not(windows))]
pub(crate) fn join() {}
