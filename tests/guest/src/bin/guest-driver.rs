//! Drives the emulated clock from inside the guest: `guest-driver all REGIE PICTURE` for
//! everything that the test looks at, or one of its parts.

use std::io::{self, Write};
use std::process::ExitCode;

use regie_guest_test::drive::{Drive, Surprise};
use regie_guest_test::panics;
use tracing_subscriber::EnvFilter;

fn main() -> ExitCode {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(false)
        .with_writer(io::stderr)
        .init();
    panics::count();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let end = match tokio::runtime::Runtime::new() {
        Ok(runtime) => runtime.block_on(run(&words)),
        Err(error) => Err(error.into()),
    };
    match end {
        Ok(()) => ExitCode::SUCCESS,
        Err(surprise) => {
            let _unheard = writeln!(io::stdout(), "driver: {surprise}");
            ExitCode::FAILURE
        }
    }
}

async fn run(arguments: &[&str]) -> Result<(), Surprise> {
    let mut drive = Drive::start(io::stdout())?;
    match arguments {
        ["all", program, picture] => {
            drive.play().await?;
            drive.while_the_service_restarts("TERM").await?;
            drive.after_a_killed_process().await?;
            drive.while_the_clock_dozes().await?;
            drive.program(program.as_ref(), picture.as_ref()).await?;
        }
        ["play"] => drive.play().await?,
        ["program", program, picture] => drive.program(program.as_ref(), picture.as_ref()).await?,
        ["killed"] => drive.after_a_killed_process().await?,
        ["hold"] => drive.hold().await?,
        ["doze"] => drive.while_the_clock_dozes().await?,
        ["restart", signal] => drive.while_the_service_restarts(signal).await?,
        ["soak", reconnects, uploads] => {
            let (Ok(reconnects), Ok(uploads)) = (reconnects.parse(), uploads.parse()) else {
                return Err(usage());
            };
            drive.soak(reconnects, uploads).await?;
        }
        _ => return Err(usage()),
    }
    drive.finish().await
}

fn usage() -> Surprise {
    let text = "usage: guest-driver all REGIE PICTURE | play | program REGIE PICTURE | killed | hold | doze \
                | restart SIGNAL | soak RECONNECTS UPLOADS";
    Surprise::Io(io::Error::new(io::ErrorKind::InvalidInput, text))
}
