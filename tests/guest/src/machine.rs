//! The virtual machine.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use thiserror::Error;

use crate::record::{Nonsense, Record};

/// Memory of the guest: Python takes 60 MB, the layer over the host's files a few.
const MEMORY_MB: u32 = 768;
/// How often the machine is looked at.
const POLL: Duration = Duration::from_millis(100);
/// What QEMU itself complains about, beside the pieces.
const COMPLAINTS: &str = "qemu.log";
/// Lines of the console that an error shows.
const TAIL: usize = 60;

/// Why a run did not come to its end. `Display` shows what the console showed last.
#[derive(Debug, Error)]
pub enum MachineError {
    /// A piece of the machine is missing.
    #[error("{0} is missing: `cargo xtask guest` gets it")]
    Missing(PathBuf),
    /// The guest is told what to run on its kernel's command line.
    #[error("a path with a space or a comma in it cannot be given to the guest: {0}")]
    Path(PathBuf),
    /// QEMU, or a file.
    #[error("{what}: {error}")]
    Io {
        /// What could not be done.
        what: String,
        /// Why.
        error: io::Error,
    },
    /// The guest did not power off in time.
    #[error("the guest was stopped after {seconds} s\n{tail}")]
    TooLate {
        /// The limit.
        seconds: u64,
        /// The console's last lines.
        tail: String,
    },
    /// The driver did not succeed, or QEMU ended without a word of it.
    #[error("the driver failed\n{tail}")]
    Failed {
        /// The console's last lines.
        tail: String,
    },
    /// The clock's record cannot be read.
    #[error(transparent)]
    Record(#[from] Nonsense),
}

/// A machine with the pieces that `cargo xtask guest` has put into a folder.
#[derive(Debug)]
pub struct Machine {
    pieces: PathBuf,
}

/// What a run left.
#[derive(Debug)]
pub struct Run {
    /// All that the console showed.
    pub console: String,
    /// What reached the clock.
    pub record: Record,
}

impl Machine {
    /// The machine of this folder.
    ///
    /// # Errors
    /// [`MachineError::Missing`].
    pub fn new(pieces: &Path) -> Result<Self, MachineError> {
        for piece in ["vmlinuz", "initramfs.gz", "venv/bin/python"] {
            let path = pieces.join(piece);
            if !path.exists() {
                return Err(MachineError::Missing(path));
            }
        }
        let pieces = pieces.to_owned();
        Ok(Self { pieces })
    }

    /// Boots the guest, runs the driver in it, and waits until it has powered off. The console and
    /// the clock's record stay beside the pieces as `NAME.console.log` and `NAME.record.log`.
    ///
    /// # Errors
    /// [`MachineError`].
    pub fn run(
        &self,
        name: &str,
        driver: &Path,
        arguments: &[&str],
        limit: Duration,
    ) -> Result<Run, MachineError> {
        let inside = Path::new(env!("CARGO_MANIFEST_DIR"));
        let script = inside.join("inside.sh");
        let mut words = Vec::new();
        for path in [&script, inside, &self.pieces, driver] {
            let text = path.to_str().filter(|text| !text.contains([' ', ',']));
            words.push(text.ok_or_else(|| MachineError::Path(path.to_owned()))?);
        }
        words.extend(arguments);
        let console = self.pieces.join(format!("{name}.console.log"));
        let record = self.pieces.join(format!("{name}.record.log"));
        let mut guest = self.start(&words.join(","), &console, &record)?;
        let finished = guest.wait(limit)?;
        drop(guest);
        let console = read(&console)?;
        let complaints = read(&self.pieces.join(COMPLAINTS))?;
        let tail = || {
            let lines: Vec<&str> = console.lines().chain(complaints.lines()).collect();
            lines[lines.len().saturating_sub(TAIL)..].join("\n")
        };
        if !finished {
            let seconds = limit.as_secs();
            return Err(MachineError::TooLate {
                seconds,
                tail: tail(),
            });
        }
        if !console.contains("guest: driver ended with 0 ") {
            return Err(MachineError::Failed { tail: tail() });
        }
        let record = Record::parse(&read(&record)?)?;
        Ok(Run { console, record })
    }

    fn start(&self, run: &str, console: &Path, record: &Path) -> Result<Guest, MachineError> {
        let errors = self.pieces.join(COMPLAINTS);
        let stderr = File::create(&errors).map_err(failed(&errors))?;
        let mut qemu = Command::new("qemu-system-x86_64");
        let accelerator = if hardware_helps() {
            "kvm"
        } else {
            "tcg,thread=multi"
        };
        qemu.args(["-machine", "q35", "-accel", accelerator, "-cpu", "max"])
            .args(["-smp", "2", "-m", &MEMORY_MB.to_string()])
            .args(["-nodefaults", "-display", "none", "-nic", "none"])
            .args(["-no-reboot", "-kernel"])
            .arg(self.pieces.join("vmlinuz"))
            .arg("-initrd")
            .arg(self.pieces.join("initramfs.gz"))
            .args([
                "-append",
                &format!("console=ttyS0 quiet panic=-1 run={run}"),
            ])
            .args(["-serial", &format!("file:{}", console.display())])
            .args(["-device", "virtio-serial-pci", "-chardev"])
            .arg(format!("file,id=record,path={}", record.display()))
            .args(["-device", "virtserialport,chardev=record", "-fsdev"])
            .arg("local,id=host,path=/,security_model=none,readonly=on,multidevs=remap")
            .args(["-device", "virtio-9p-pci,fsdev=host,mount_tag=host"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(stderr);
        let child = qemu
            .spawn()
            .map_err(failed(Path::new("qemu-system-x86_64")))?;
        Ok(Guest(child))
    }
}

/// A guest that runs; it ends with this value.
struct Guest(Child);

impl Guest {
    /// Waits until it has powered off; false at the limit.
    fn wait(&mut self, limit: Duration) -> Result<bool, MachineError> {
        let end = Instant::now() + limit;
        while Instant::now() < end {
            let ended = self.0.try_wait().map_err(failed(Path::new("QEMU")))?;
            if ended.is_some() {
                return Ok(true);
            }
            sleep(POLL);
        }
        Ok(false)
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        // Errors mean that it has ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Whether the processor can run the guest itself. A machine that is virtual in its turn may offer
/// `/dev/kvm` without being able to.
fn hardware_helps() -> bool {
    let flags = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let able = flags
        .split_whitespace()
        .any(|flag| flag == "vmx" || flag == "svm");
    let kvm = OpenOptions::new().read(true).write(true).open("/dev/kvm");
    able && kvm.is_ok()
}

fn read(path: &Path) -> Result<String, MachineError> {
    let bytes = fs::read(path).map_err(failed(path))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn failed(what: &Path) -> impl Fn(io::Error) -> MachineError {
    let what = what.display().to_string();
    move |error| MachineError::Io {
        what: what.clone(),
        error,
    }
}
