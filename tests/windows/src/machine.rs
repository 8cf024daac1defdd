//! Programs for Windows, started from here.

use std::env;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The longest that one program may take which is waited for: wine starts one in a second or two,
/// a busy machine in some more.
const LIMIT: Duration = Duration::from_secs(60);

/// How often it is looked whether something has happened.
const PAUSE: Duration = Duration::from_millis(50);

/// A drive, a registry and a user of its own, made by `cargo xtask windows`.
#[derive(Clone, Debug)]
pub struct Machine {
    prefix: PathBuf,
    wine: PathBuf,
}

/// A program that runs; it is ended with this.
#[derive(Debug)]
pub struct Running(pub Child);

impl Machine {
    /// The machine that `REGIE_WINDOWS_PREFIX` and `REGIE_WINDOWS_WINE` name.
    ///
    /// # Errors
    /// Says what is missing.
    pub fn given() -> io::Result<Self> {
        Ok(Self {
            prefix: given("REGIE_WINDOWS_PREFIX")?,
            wine: given("REGIE_WINDOWS_WINE")?,
        })
    }

    /// The program with its parts beside it, as `REGIE_WINDOWS_PROGRAMS` names their folder here.
    ///
    /// # Errors
    /// Says what is missing.
    pub fn programs() -> io::Result<PathBuf> {
        given("REGIE_WINDOWS_PROGRAMS")
    }

    /// The installer, as `REGIE_WINDOWS_INSTALLER` names it here.
    ///
    /// # Errors
    /// Says what is missing.
    pub fn installer() -> io::Result<PathBuf> {
        given("REGIE_WINDOWS_INSTALLER")
    }

    /// A program, by its path here or on the machine's drive; its streams are those of this process
    /// until something else is asked for.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(&self.wine);
        command
            .arg(program)
            .env("WINEPREFIX", &self.prefix)
            .env("WINEDEBUG", "-all")
            // Neither the .NET nor the HTML engine, which wine would offer to fetch.
            .env("WINEDLLOVERRIDES", "mscoree,mshtml=")
            .env_remove("DISPLAY")
            .env_remove("WAYLAND_DISPLAY");
        command
    }

    /// Waits for the end of a program, with what it said.
    ///
    /// # Errors
    /// It does not start, or does not end in [`LIMIT`].
    pub fn output(command: &mut Command) -> io::Result<Output> {
        let child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let mut running = Running(child);
        // What it says fits into the pipes, or it would wait for a reader: read beside.
        let said = running.0.stdout.take().map(read);
        let complained = running.0.stderr.take().map(read);
        let status = running.wait(LIMIT)?;
        Ok(Output {
            status,
            stdout: said.map(joined).unwrap_or_default(),
            stderr: complained.map(joined).unwrap_or_default(),
        })
    }

    /// Where something on the machine's drive `C:` is here; the path has no drive, and `\`.
    #[must_use]
    pub fn path(&self, on_drive: &str) -> PathBuf {
        let mut path = self.prefix.join("drive_c");
        path.extend(on_drive.split('\\').filter(|part| !part.is_empty()));
        path
    }

    /// What the machine's environment says.
    ///
    /// # Errors
    /// The program that is asked does not start.
    pub fn variable(&self, name: &str) -> io::Result<String> {
        let shown = Self::output(self.command("cmd").args(["/c", &format!("echo %{name}%")]))?;
        Ok(String::from_utf8_lossy(&shown.stdout).trim().to_owned())
    }

    /// What a value of the registry is, the key's own where the name is empty; `None` where there is
    /// none.
    ///
    /// # Errors
    /// The program that is asked does not start.
    pub fn registry(&self, key: &str, name: &str) -> io::Result<Option<String>> {
        let mut query = self.command("reg");
        query.args(["query", key]);
        match name {
            "" => query.arg("/ve"),
            name => query.args(["/v", name]),
        };
        let shown = Self::output(&mut query)?;
        let text = String::from_utf8_lossy(&shown.stdout);
        // A name, four blanks, a type, four blanks, a value.
        let value = text.lines().find_map(|line| {
            let mut parts = line.trim().splitn(3, "    ");
            let (_, kind, value) = (parts.next()?, parts.next()?, parts.next()?);
            kind.starts_with("REG_").then(|| value.trim().to_owned())
        });
        Ok(value.filter(|_| shown.status.success()))
    }
}

impl Running {
    /// Waits for its end.
    ///
    /// # Errors
    /// It does not end in time.
    pub fn wait(&mut self, limit: Duration) -> io::Result<std::process::ExitStatus> {
        let start = Instant::now();
        loop {
            if let Some(status) = self.0.try_wait()? {
                return Ok(status);
            }
            if start.elapsed() > limit {
                return Err(io::Error::new(
                    io::ErrorKind::TimedOut,
                    format!("it did not end in {} s", limit.as_secs()),
                ));
            }
            sleep(PAUSE);
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ended = self.0.kill();
        let _taken = self.0.wait();
    }
}

/// Waits until something is so.
///
/// # Errors
/// It is not so in time.
pub fn until(what: &str, limit: Duration, mut so: impl FnMut() -> bool) -> io::Result<()> {
    let start = Instant::now();
    while !so() {
        if start.elapsed() > limit {
            return Err(io::Error::new(io::ErrorKind::TimedOut, what.to_owned()));
        }
        sleep(PAUSE);
    }
    Ok(())
}

fn given(name: &str) -> io::Result<PathBuf> {
    let path = env::var_os(name).map(PathBuf::from);
    path.filter(|path| Path::exists(path)).ok_or_else(|| {
        io::Error::new(
            io::ErrorKind::NotFound,
            format!("{name} names nothing that is there: `cargo xtask windows` sets it"),
        )
    })
}

fn read(mut from: impl io::Read + Send + 'static) -> std::thread::JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut all = Vec::new();
        // What was read before it broke counts.
        let _read = from.read_to_end(&mut all);
        all
    })
}

fn joined(reader: std::thread::JoinHandle<Vec<u8>>) -> Vec<u8> {
    reader.join().unwrap_or_default()
}
