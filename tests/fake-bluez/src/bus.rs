//! A D-Bus of one's own.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::FakeError;

/// For the daemon to say where it listens; it takes milliseconds on an idle machine.
const START_LIMIT: Duration = Duration::from_secs(20);
/// For it to end when asked.
const END_LIMIT: Duration = Duration::from_secs(2);
/// How often it is looked at meanwhile.
const END_POLL: Duration = Duration::from_millis(5);

/// Keeps the daemon for as long as its input is open, so that it ends however its owner ends.
const GUARD: &str = r#"
dbus-daemon --config-file="$1" --nofork --nopidfile --print-address &
daemon=$!
trap 'kill $daemon' EXIT
exec >&-
while read -r _; do :; done
"#;

/// A `dbus-daemon` that only this program knows. It ends when dropped, and with this program.
#[derive(Debug)]
pub struct PrivateBus {
    guard: Child,
    address: String,
    _folder: TempDir,
}

impl PrivateBus {
    /// Starts one.
    ///
    /// # Errors
    /// [`FakeError::DaemonMissing`] when `dbus-daemon` is not installed.
    pub fn start() -> Result<Self, FakeError> {
        Command::new("dbus-daemon")
            .arg("--version")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .map_err(FakeError::DaemonMissing)?;
        let folder = tempfile::tempdir()?;
        let configuration = folder.path().join("bus.conf");
        std::fs::write(&configuration, rules(&folder.path().join("bus")))?;
        let complaints = folder.path().join("complaints");
        let mut guard = Command::new("sh")
            .args(["-c", GUARD, "sh"])
            .arg(&configuration)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(std::fs::File::create(&complaints)?)
            .spawn()?;
        let output = guard.stdout.take();
        let (said, saying) = mpsc::channel();
        std::thread::spawn(move || {
            let mut line = String::new();
            if let Some(output) = output {
                // Nothing read is an empty line.
                let _ = BufReader::new(output).read_line(&mut line);
            }
            // Nobody may wait any more.
            let _ = said.send(line.trim().to_owned());
        });
        let address = saying.recv_timeout(START_LIMIT).unwrap_or_default();
        let bus = Self {
            guard,
            address,
            _folder: folder,
        };
        if bus.address.is_empty() {
            let said = std::fs::read_to_string(complaints)?;
            return Err(FakeError::DaemonSilent(said));
        }
        Ok(bus)
    }

    /// Its address, as `DBUS_SYSTEM_BUS_ADDRESS` wants it.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.address
    }
}

impl Drop for PrivateBus {
    fn drop(&mut self) {
        drop(self.guard.stdin.take());
        let end = Instant::now() + END_LIMIT;
        while Instant::now() < end {
            if let Ok(Some(_)) = self.guard.try_wait() {
                return;
            }
            std::thread::sleep(END_POLL);
        }
        // It may have ended this instant.
        let _ = self.guard.kill();
        let _ = self.guard.wait();
    }
}

/// Everybody may do everything; the bounds are those of a system bus.
fn rules(socket: &std::path::Path) -> String {
    format!(
        r#"<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>custom</type>
  <listen>unix:path={}</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow user="*"/>
    <allow own="*"/>
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
  </policy>
  <limit name="max_match_rules_per_connection">512</limit>
</busconfig>
"#,
        socket.display()
    )
}
