//! The test against real BlueZ, in a virtual machine: gets the machine's pieces and runs it.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use crate::kept::{Kept, failed};
use crate::process::{Failure, command, output, run, run_in};
use crate::{front_end, packages, root};

/// Kernels older than this crash when a link is closed before its MTU is agreed.
const OLDEST_KERNEL: (u32, u32) = (6, 12);

/// Packages whose only content is to depend on the newest kernel of a kind.
const KERNELS: &[&str] = &["linux-image-6.12-amd64", "linux-image-amd64"];

/// What the guest needs of its kernel beyond what is built in; what these depend on follows.
const MODULES: &[&str] = &[
    "overlay",
    "9pnet_virtio",
    "9p",
    "bluetooth",
    "hci_vhci",
    "cmac",
];

/// Builds what the test needs, too, then runs it.
///
/// # Errors
/// As [`test`].
pub(crate) fn build_and_test() -> Result<(), Failure> {
    packages::install(packages::Purpose::Build)?;
    front_end::build()?;
    cargo_test(&["--no-run", "--test", "command_line"])?;
    test()
}

/// Runs the test, for which regie is built already.
///
/// # Errors
/// What cannot be had, and how to get it; or the test's failure.
pub(crate) fn test() -> Result<(), Failure> {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        println!("The test against real BlueZ needs Linux on x86-64.");
        return Ok(());
    }
    packages::install(packages::Purpose::Guest)?;
    let pieces = Pieces(Kept::named("guest")?);
    pieces.kernel()?;
    pieces.python()?;
    pieces.initramfs()?;
    let words = ["--test", "guest", "--", "--nocapture", "--test-threads=1"];
    cargo_test(&words)
}

/// `cargo test` with the same packages as in the whole run, so that nothing is built twice.
fn cargo_test(words: &[&str]) -> Result<(), Failure> {
    let packages = ["test", "--workspace", "--exclude", "regie-fake-bluez"];
    run_in(&root(), "cargo", &[&packages[..], words].concat())
}

/// The pieces of the machine. What takes time to get is kept and only made anew when its source
/// has changed.
struct Pieces(Kept);

impl Pieces {
    /// The kernel and its modules, unpacked from the distribution's package and not installed.
    fn kernel(&self) -> Result<(), Failure> {
        let unpacked = self.0.at("kernel");
        // One is as good as the next, so the one that is there stays.
        if self.0.at("kernel.name").exists() {
            return Ok(());
        }
        let download = self.0.at("download");
        let package = match newest_kernel() {
            Some(package) if fetch(&package, &download).is_ok() => package,
            // The package lists are missing, or older than what the servers keep.
            _ => {
                run(packages::apt().arg("update")).map_err(|_| no_kernel())?;
                let package = newest_kernel().ok_or_else(no_kernel)?;
                fetch(&package, &download)?;
                package
            }
        };
        let _gone_before = fs::remove_dir_all(&unpacked);
        fs::create_dir_all(&unpacked).map_err(failed(&unpacked))?;
        let archive = only_entry(&download)?;
        run(command("dpkg-deb").arg("-x").arg(&archive).arg(&unpacked))?;
        let image = format!("boot/vmlinuz-{}", release(&package));
        let (from, to) = (unpacked.join(image), self.0.at("vmlinuz"));
        fs::copy(&from, &to).map_err(failed(&from))?;
        run(command("/usr/sbin/depmod")
            .arg("-b")
            .arg(&unpacked)
            .arg(release(&package)))?;
        let _kept_is_harmless = fs::remove_dir_all(&download);
        self.0.note("kernel.name", &package)
    }

    /// A Python of the pieces' own with the emulated Bluetooth.
    fn python(&self) -> Result<(), Failure> {
        let list = root().join("tests/guest/requirements.txt");
        self.0
            .python(&list, &["--require-hashes"], "the emulated Bluetooth")
    }

    /// The guest's first file system: its first process, busybox and the modules.
    fn initramfs(&self) -> Result<(), Failure> {
        let tree = self.0.at("initramfs");
        let _gone_before = fs::remove_dir_all(&tree);
        for folder in ["bin", "modules"] {
            let folder = tree.join(folder);
            fs::create_dir_all(&folder).map_err(failed(&folder))?;
        }
        for (from, to) in [
            (PathBuf::from("/bin/busybox"), "bin/busybox"),
            (root().join("tests/guest/init"), "init"),
        ] {
            fs::copy(&from, tree.join(to)).map_err(failed(&from))?;
        }
        let mut order = String::new();
        for module in self.modules()? {
            let name = module
                .file_name()
                .map(|name| name.to_string_lossy().into_owned())
                .unwrap_or_default();
            let name = name.trim_end_matches(".xz");
            let plain = tree.join("modules").join(name);
            if module.extension().is_some_and(|end| end == "xz") {
                let out = File::create(&plain).map_err(failed(&plain))?;
                let unpack = ["--decompress", "--stdout"];
                run(command("xz").args(unpack).arg(&module).stdout(out))?;
            } else {
                fs::copy(&module, &plain).map_err(failed(&module))?;
            }
            order.push_str(name);
            order.push('\n');
        }
        let list = tree.join("modules/order");
        fs::write(&list, order).map_err(failed(&list))?;
        let pack = format!(
            "chmod +x init && find . | cpio --create --format=newc --quiet | gzip -1 > '{}'",
            self.0.at("initramfs.gz").display()
        );
        run_in(&tree, "sh", &["-ec", &pack])
    }

    /// The files of the modules, in the order in which they have to be loaded.
    fn modules(&self) -> Result<Vec<PathBuf>, Failure> {
        let kernel = self.0.at("kernel");
        let name = fs::read_to_string(self.0.at("kernel.name")).map_err(failed(&kernel))?;
        let mut files: Vec<PathBuf> = Vec::new();
        for module in MODULES {
            let base = kernel.display().to_string();
            let asked = output(
                "/usr/sbin/modprobe",
                &["-d", &base, "-S", release(&name), "--show-depends", module],
            );
            let Some(asked) = asked else {
                return Err(Failure::Missing(format!(
                    "the kernel package {name} has no module {module}"
                )));
            };
            for path in asked
                .lines()
                .filter_map(|line| line.strip_prefix("insmod "))
            {
                let path = PathBuf::from(path.trim());
                if !files.contains(&path) {
                    files.push(path);
                }
            }
        }
        Ok(files)
    }
}

/// The name of the kernel package that the distribution offers now.
fn newest_kernel() -> Option<String> {
    KERNELS.iter().find_map(|kind| {
        let depends = output("apt-cache", &["depends", "--important", kind])?;
        depends
            .lines()
            .filter_map(|line| line.trim().strip_prefix("Depends: "))
            .find(|package| version(package).is_some_and(|version| version >= OLDEST_KERNEL))
            .map(str::to_owned)
    })
}

/// Downloads a package into a folder that holds nothing else then.
fn fetch(package: &str, folder: &Path) -> Result<(), Failure> {
    let _gone_before = fs::remove_dir_all(folder);
    fs::create_dir_all(folder).map_err(failed(folder))?;
    run_in(folder, "apt-get", &["download", package])
}

fn no_kernel() -> Failure {
    let (major, minor) = OLDEST_KERNEL;
    let kinds = KERNELS.join(", ");
    Failure::Missing(format!(
        "the test against real BlueZ boots a kernel of version {major}.{minor} or newer, and no \
         package of one is to be had (looked for {kinds}).\n\
         Debian 12 has it in bookworm-security and in bookworm-backports."
    ))
}

/// `6.12.117+deb12-amd64` of `linux-image-6.12.117+deb12-amd64`.
fn release(package: &str) -> &str {
    package.trim_start_matches("linux-image-")
}

fn version(package: &str) -> Option<(u32, u32)> {
    let mut numbers = release(package).split('.');
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

fn only_entry(folder: &Path) -> Result<PathBuf, Failure> {
    let mut entries = fs::read_dir(folder).map_err(failed(folder))?;
    match entries.next() {
        Some(Ok(entry)) => Ok(entry.path()),
        _ => Err(Failure::Missing(format!(
            "nothing was downloaded into {}",
            folder.display()
        ))),
    }
}
