//! `regie.com` on Windows: Regie for a console.
//!
//! `regie.exe` is a window program, for which neither `cmd` nor PowerShell waits. They find `.com`
//! before `.exe` (`PATHEXT`), so that `regie` typed there is this: it waits, and passes the exit
//! code on. The program itself joins the console.

use std::env;
use std::io;
use std::process::{Command, ExitCode, ExitStatus};

/// The exit code where the program cannot be started, as shells have it.
const NOT_STARTED: u8 = 127;

fn main() -> ExitCode {
    match run() {
        Ok(status) => status
            .code()
            .and_then(|code| u8::try_from(code).ok())
            .map_or(ExitCode::FAILURE, ExitCode::from),
        Err(_) => ExitCode::from(NOT_STARTED),
    }
}

fn run() -> io::Result<ExitStatus> {
    // Ctrl-C reaches the program too, which ends in its own time. Where it cannot be heard, the
    // console only has its prompt back too early.
    let _unheard = ctrlc::set_handler(|| {});
    let program = env::current_exe()?.with_file_name("regie.exe");
    Command::new(program).args(env::args_os().skip(1)).status()
}
