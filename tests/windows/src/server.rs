//! The agents' server without a window, and the port it is on.

use std::ffi::OsStr;
use std::io::{self, BufRead as _, BufReader};
use std::process::{Command, Stdio};

use crate::{Machine, Running};

/// A secret that agents show to it.
pub const TOKEN: &str = "a-token-of-these-tests-only-0123456789";

/// A server that runs.
#[derive(Debug)]
pub struct Server {
    /// Its process.
    pub running: Running,
    /// Host and port where it listens.
    pub address: String,
}

impl Server {
    /// The command that serves on a port, 0 for one that is free. `words` go before it.
    pub fn command(
        machine: &Machine,
        program: impl AsRef<OsStr>,
        words: &[impl AsRef<OsStr>],
        port: u16,
    ) -> Command {
        let mut command = machine.command(program);
        command
            .args(words)
            .args([
                "mcp",
                "--transport",
                "http",
                "--host",
                "127.0.0.1",
                "--port",
            ])
            .arg(port.to_string())
            .env("PPCLOCK_MCP_TOKEN", TOKEN);
        command
    }

    /// Starts it, and returns when it serves.
    ///
    /// # Errors
    /// It does not start, or ends with what it says.
    pub fn start(mut command: Command) -> io::Result<Self> {
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()?;
        let said = child.stderr.take().map(BufReader::new);
        let running = Running(child);
        let mut all = String::new();
        for line in said.into_iter().flat_map(BufReader::lines) {
            let line = line?;
            if let Some((_, address)) = line.split_once("http://") {
                let address = address.split('/').next().unwrap_or_default().to_owned();
                return Ok(Self { running, address });
            }
            all.push_str(&line);
        }
        Err(io::Error::other(all))
    }
}
