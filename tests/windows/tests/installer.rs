//! The installer, run by wine: silently, over a running copy, and taken away again.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use regie_windows_test::{Machine, Running, Server, until};

const UNINSTALL: &str = r"HKCU\Software\Microsoft\Windows\CurrentVersion\Uninstall\Regie";
const RUN: &str = r"HKCU\Software\Microsoft\Windows\CurrentVersion\Run";
const OPEN_WITH: &str = r"HKCU\Software\Classes\Applications\regie.exe\shell\open\command";

/// What an installer or an uninstaller may take: it packs all of the program out, and a running copy
/// ends in its own time.
const LIMIT: Duration = Duration::from_secs(120);

/// The installer's exit codes, as its script has them.
const STILL_RUNS: i32 = 3;
const NEWER: i32 = 4;

/// A place to install to.
struct Place {
    machine: Machine,
    /// On the machine's drive, without the drive.
    folder: String,
}

impl Place {
    /// The default one.
    fn usual() -> Self {
        let machine = Machine::given().unwrap();
        let local = machine.variable("LOCALAPPDATA").unwrap();
        let folder = format!(r"{}\Programs\Regie", &local[2..]);
        Self { machine, folder }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.machine.path(&format!(r"{}\{name}", self.folder))
    }

    fn on_drive(&self, name: &str) -> String {
        format!(r"C:{}\{name}", self.folder)
    }

    /// Runs an installer silently; its exit code.
    fn install(&self, installer: &PathBuf, words: &[&str]) -> i32 {
        let mut command = self.machine.command(installer);
        command.arg("/S").args(words);
        code(&mut command)
    }

    /// Runs the uninstaller silently and waits until it has gone: it goes on from a copy of itself.
    fn uninstall(&self, words: &[&str]) {
        let mut command = self.machine.command(self.on_drive("uninstall.exe"));
        assert_eq!(code(command.arg("/S").args(words)), 0);
        until("the uninstaller is done", LIMIT, || {
            let entry = self.machine.registry(UNINSTALL, "DisplayVersion");
            !self.file("uninstall.exe").exists() && entry.unwrap().is_none()
        })
        .unwrap();
    }

    /// The installed server without a window, on the usual data folder.
    fn serve(&self) -> Running {
        let program = self.on_drive("regie.exe");
        let command = Server::command(&self.machine, program, &["--demo"], 0);
        Server::start(command).unwrap().running
    }

    /// An agent's program, which waits on its input and has the program's file open.
    fn agent(&self) -> Running {
        let child = self
            .machine
            .command(self.on_drive("regie.exe"))
            .args(["--demo", "--data-dir", r"C:\an agent's", "mcp"])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let database = self.machine.path(r"\an agent's\regie.db");
        let running = Running(child);
        until("the agent's program runs", LIMIT, || database.exists()).unwrap();
        running
    }

    fn leftovers(&self) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.file("")) else {
            return Vec::new();
        };
        let names = entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
        names.collect()
    }
}

fn code(command: &mut Command) -> i32 {
    let child = command.stdin(Stdio::null()).spawn().unwrap();
    let status = Running(child).wait(LIMIT).unwrap();
    status.code().unwrap()
}

fn installer() -> PathBuf {
    Machine::installer().unwrap()
}

/// An installer of the same programs under another version.
fn installer_of(version: &str) -> PathBuf {
    let built = std::env::temp_dir().join(format!("Regie-{version}-setup.exe"));
    let script = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../packaging/windows/regie.nsi"
    );
    let status = Command::new("makensis")
        .args(["-V1", "-INPUTCHARSET", "UTF8", "-DQUICK"])
        .arg(format!("-DVERSION={version}"))
        .arg(format!(
            "-DFILES={}",
            Machine::programs().unwrap().display()
        ))
        .arg(format!("-DOUTFILE={}", built.display()))
        .arg(script)
        .status()
        .unwrap();
    assert!(status.success());
    built
}

#[test]
fn it_installs_for_one_person_upgrades_over_running_copies_and_goes_without_a_trace() {
    let place = Place::usual();
    let machine = &place.machine;
    assert_eq!(place.install(&installer(), &[]), 0);
    for name in [
        "regie.exe",
        "regie.com",
        "WebView2Loader.dll",
        "LICENSE",
        "uninstall.exe",
    ] {
        assert!(place.file(name).exists(), "{name}");
    }
    let version = machine.registry(UNINSTALL, "DisplayVersion").unwrap();
    assert_eq!(version.as_deref(), Some(env!("CARGO_PKG_VERSION")));
    let opens = machine.registry(OPEN_WITH, "").unwrap();
    assert!(opens.unwrap().ends_with(r#"regie.exe" "%1""#));
    assert_eq!(
        machine.registry(RUN, "Regie").unwrap(),
        None,
        "nobody asked for it"
    );
    let menu = machine.variable("APPDATA").unwrap();
    let shortcut = format!(
        r"{}\Microsoft\Windows\Start Menu\Programs\Regie.lnk",
        &menu[2..]
    );
    assert!(machine.path(&shortcut).exists());

    // What a person has: settings, start at login, a server that runs, and an agent's program.
    let autostart = [RUN, "/v", "Regie", "/d", "\"kept\" --hidden", "/f"];
    assert_eq!(code(machine.command("reg").arg("add").args(autostart)), 0);
    let mut server = place.serve();
    let mut agent = place.agent();
    let data = machine.variable("LOCALAPPDATA").unwrap();
    let database = machine.path(&format!(r"{}\Regie\regie.db", &data[2..]));
    assert!(database.exists());
    assert_eq!(place.install(&installer(), &[]), 0);
    assert!(
        server.wait(LIMIT).unwrap().success(),
        "it was asked to end, and did"
    );
    assert!(
        agent.0.try_wait().unwrap().is_none(),
        "an agent's program goes on"
    );
    assert!(database.exists());
    let starts = machine.registry(RUN, "Regie").unwrap().unwrap();
    assert!(starts.ends_with("--hidden"), "{starts}");
    agent.0.stdin = None;
    agent.wait(LIMIT).unwrap();
    // The file that the agent's program used goes with the next one.
    assert_eq!(place.install(&installer(), &["/AUTOSTART=0"]), 0);
    assert!(
        !place.leftovers().iter().any(|name| name.ends_with(".old")),
        "{:?}",
        place.leftovers()
    );
    assert_eq!(machine.registry(RUN, "Regie").unwrap(), None);

    let newer = installer_of("9.0.0");
    assert_eq!(place.install(&newer, &["/AUTOSTART=1"]), 0);
    assert!(machine.registry(RUN, "Regie").unwrap().is_some());
    assert_eq!(place.install(&installer(), &[]), NEWER);
    let version = machine.registry(UNINSTALL, "DisplayVersion").unwrap();
    assert_eq!(version.as_deref(), Some("9.0.0"), "it changed nothing");
    assert_eq!(place.install(&installer(), &["/DOWNGRADE=1"]), 0);
    fs::remove_file(newer).unwrap();

    place.uninstall(&[]);
    assert_eq!(place.leftovers(), Vec::<String>::new());
    assert!(!machine.path(&shortcut).exists());
    assert_eq!(machine.registry(RUN, "Regie").unwrap(), None);
    assert_eq!(machine.registry(OPEN_WITH, "").unwrap(), None);
    assert!(database.exists(), "data stays unless it is to go");

    assert_eq!(place.install(&installer(), &[]), 0);
    place.uninstall(&["/DATA=remove"]);
    assert!(!database.exists());
}

#[test]
fn a_folder_with_blanks_and_other_scripts_will_do() {
    let machine = Machine::given().unwrap();
    let folder = r"\Programme für Räume 房间".to_owned();
    let place = Place { machine, folder };
    // NSIS wants /D= last and without quotes, which only a shell leaves out.
    let batch = place.machine.path(r"\install.bat");
    fs::write(&batch, "\"%SETUP%\" /S /D=%TO%\r\n").unwrap();
    let mut command = place.machine.command("cmd");
    command.args(["/c", r"C:\install.bat"]);
    command.env(
        "SETUP",
        format!("Z:{}", installer().display().to_string().replace('/', r"\")),
    );
    command.env("TO", format!("C:{}", place.folder));
    assert_eq!(code(&mut command), 0);
    let mut command = place.machine.command(place.on_drive("regie.com"));
    let said = Machine::output(command.arg("--version")).unwrap();
    assert!(said.status.success(), "{said:?}");
    place.uninstall(&[]);
    assert_eq!(place.leftovers(), Vec::<String>::new());
}

#[test]
fn a_copy_that_does_not_end_stops_a_silent_upgrade_before_anything_is_changed() {
    let place = Place::usual();
    assert_eq!(place.install(&installer(), &[]), 0);
    // One that cannot be asked: it does not know the word.
    let program = place.file("regie.exe");
    let kept = place.file("kept.exe");
    fs::rename(&program, &kept).unwrap();
    let stubborn = place.machine.path(r"\windows\system32\regsvr32.exe");
    fs::copy(stubborn, &program).unwrap();
    let before = fs::read(&program).unwrap();
    assert_eq!(place.install(&installer(), &[]), STILL_RUNS);
    assert!(fs::read(&program).unwrap() == before);
    fs::remove_file(&program).unwrap();
    fs::rename(&kept, &program).unwrap();
    place.uninstall(&[]);
}
