//! Drives the emulated clock from inside the guest: `guest-driver play`, or
//! `guest-driver soak RECONNECTS UPLOADS`.

use std::io::{self, Write};
use std::process::ExitCode;

use regie_guest_test::drive::{Drive, Surprise};
use tracing_subscriber::EnvFilter;

fn main() -> ExitCode {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(false)
        .with_writer(io::stderr)
        .init();
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
        ["play"] => drive.play().await,
        ["soak", reconnects, uploads] => match (reconnects.parse(), uploads.parse()) {
            (Ok(reconnects), Ok(uploads)) => drive.soak(reconnects, uploads).await,
            _ => Err(usage()),
        },
        _ => Err(usage()),
    }
}

fn usage() -> Surprise {
    let text = "usage: guest-driver play | soak RECONNECTS UPLOADS";
    Surprise::Io(io::Error::new(io::ErrorKind::InvalidInput, text))
}
