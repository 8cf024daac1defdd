//! The command line as a person or a script meets it: the real program, its exit code, what it
//! prints where.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use image::{ImageFormat, Rgb, RgbImage};
use serde_json::Value;

struct Desk {
    folder: tempfile::TempDir,
}

impl Desk {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }

    /// A picture in which each ink has something to do.
    fn photo(&self) -> PathBuf {
        let picture = RgbImage::from_fn(800, 600, |x, y| {
            if x > 500 && y < 200 {
                Rgb([210, 20, 25])
            } else {
                Rgb([(x / 4) as u8, (y / 3) as u8, ((x + y) / 6) as u8])
            }
        });
        let path = self.path("photo.png");
        picture.save_with_format(&path, ImageFormat::Png).unwrap();
        path
    }

    fn program(&self, arguments: &[&str]) -> Command {
        let mut program = Command::new(env!("CARGO_BIN_EXE_regie"));
        program
            .args(arguments)
            .args(["--data-dir", self.folder.path().to_str().unwrap()])
            .env_remove("DISPLAY")
            .env_remove("WAYLAND_DISPLAY");
        program
    }

    fn regie(&self, arguments: &[&str]) -> Output {
        self.program(arguments).output().unwrap()
    }

    /// Starts the program with its streams held here.
    fn start(&self, arguments: &[&str]) -> Child {
        self.program(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    /// A pipe with a name, to which nobody listens.
    #[cfg(unix)]
    fn pipe(&self, name: &str) -> PathBuf {
        let path = self.path(name);
        let made = Command::new("mkfifo").arg(&path).status().unwrap();
        assert!(made.success());
        path
    }

    fn refused(&self, arguments: &[&str]) -> String {
        let output = self.regie(arguments);
        assert!(!output.status.success(), "{arguments:?} succeeded");
        assert!(
            output.stdout.is_empty(),
            "{arguments:?} printed an answer: {output:?}"
        );
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(!text.contains("panicked"), "{text}");
        assert!(text.contains('.'), "no sentence: {text}");
        text
    }
}

/// How long a run may take that could hang: many times what it needs.
const RUN_LIMIT: Duration = Duration::from_secs(60);

/// What a program that may hang said; it does not outlive its limit.
fn within_limit(mut program: Child) -> Output {
    let deadline = Instant::now() + RUN_LIMIT;
    while program.try_wait().unwrap().is_none() {
        if Instant::now() > deadline {
            program.kill().unwrap();
            panic!("it hangs");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    program.wait_with_output().unwrap()
}

fn text(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// The one JSON object that was printed.
fn object(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

fn pixels(path: &Path) -> (u32, u32, Vec<[u8; 3]>) {
    let picture = image::load_from_memory(&std::fs::read(path).unwrap())
        .unwrap()
        .to_rgb8();
    let (width, height) = picture.dimensions();
    (
        width,
        height,
        picture.pixels().map(|pixel| pixel.0).collect(),
    )
}

#[test]
fn a_picture_is_rendered_to_a_preview_and_the_planes_behind_it() {
    let desk = Desk::new();
    let (photo, preview, planes) = (desk.photo(), desk.path("p.png"), desk.path("p.bin"));
    let output = Command::new(env!("CARGO_BIN_EXE_regie"))
        .args(["image", photo.to_str().unwrap(), "--algo", "floydsteinberg"])
        .args(["--adjust", "brightness=10", "--adjust", "fit=contain"])
        .args(["--preview", preview.to_str().unwrap()])
        .args(["--planes", planes.to_str().unwrap()])
        .output()
        .unwrap();
    assert!(text(&output).contains("400x300"));
    let bytes = std::fs::read(&planes).unwrap();
    assert_eq!(bytes.len(), 30_000);
    let (width, height, pixels) = pixels(&preview);
    assert_eq!((width, height), (400, 300));
    for (at, pixel) in pixels.iter().enumerate() {
        let bit = |plane: usize| bytes[plane * 15_000 + at / 8] >> (7 - at % 8) & 1;
        let expected = match (bit(0), bit(1)) {
            (_, 1) => [255, 0, 0],
            (1, _) => [255, 255, 255],
            _ => [0, 0, 0],
        };
        assert_eq!(*pixel, expected, "pixel {at}");
    }
}

#[test]
fn what_is_no_picture_is_refused_with_a_sentence_and_a_failing_exit() {
    let desk = Desk::new();
    let folder = desk.folder.path().to_owned();
    let png = std::fs::read(desk.photo()).unwrap();
    let cases = [
        desk.path("missing.png"),
        folder,
        desk.write("empty.png", b""),
        desk.write("notes.txt", b"buy milk"),
        desk.write("paper.pdf", b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"),
        desk.write("cut.png", &png[..png.len() / 2]),
    ];
    for path in cases {
        desk.refused(&["image", path.to_str().unwrap()]);
    }
}

#[test]
fn a_misspelt_adjustment_names_the_nearest_known_one() {
    let desk = Desk::new();
    let photo = desk.photo();
    let photo = photo.to_str().unwrap();
    let text = desk.refused(&["image", photo, "--adjust", "brightnes=10"]);
    assert!(text.contains("brightness"), "{text}");
    desk.refused(&["image", photo, "--adjust", "brightness"]);
    desk.refused(&["image", photo, "--adjust", "brightness=300"]);
    desk.refused(&["image", photo, "--algo", "magic"]);
}

#[test]
fn a_picture_shown_on_the_simulated_clock_is_the_preview_pixel_for_pixel() {
    let desk = Desk::new();
    let (photo, preview, screen) = (desk.photo(), desk.path("p.png"), desk.path("s.png"));
    let photo = photo.to_str().unwrap();
    text(&desk.regie(&["image", photo, "--preview", preview.to_str().unwrap()]));
    let output = desk.regie(&[
        "--demo",
        "clock",
        "show",
        photo,
        "--slot",
        "1",
        "--json",
        "--screen",
        screen.to_str().unwrap(),
    ]);
    let answer = object(&output);
    assert_eq!(answer["ok"], true, "{answer}");
    assert_eq!(answer["tool"], "upload_image");
    assert_eq!(answer["data"]["bytes_bw"], 15_000);
    assert_eq!(answer["data"]["bytes_red"], 15_000);
    assert_eq!(answer["data"]["small"], false);
    assert_eq!(answer["data"]["slot"], 1);
    assert!(pixels(&preview) == pixels(&screen), "the pictures differ");

    // The slot holds the picture; the simulated clock of another run starts blank.
    let output = desk.regie(&[
        "--demo",
        "clock",
        "mode",
        "image1",
        "--screen",
        screen.to_str().unwrap(),
    ]);
    text(&output);
    assert!(pixels(&preview) == pixels(&screen), "the pictures differ");
}

#[test]
fn the_simulated_clock_is_labelled_as_such() {
    let desk = Desk::new();
    let list = text(&desk.regie(&["--demo", "clock", "scan", "--timeout", "3"]));
    assert!(
        list.contains("NRF-") && list.contains("(simulated)"),
        "{list}"
    );
}

/// DI-14
#[test]
fn what_was_left_out_of_a_page_is_said_with_what_is_sent() {
    let desk = Desk::new();
    let sent = text(&desk.regie(&["--demo", "clock", "text", "a\u{e000}b"]));
    assert!(
        sent.starts_with("done") && sent.lines().count() == 2,
        "{sent}"
    );
}

#[test]
fn the_clocks_small_jobs_are_done() {
    let desk = Desk::new();
    for job in [
        &["set-time"][..],
        &["set-time", "--tz", "+05:45"],
        &["mode", "clock1"],
        &["mode", "calendar1"],
        &["toggle", "invert"],
        &["sleep", "on", "23", "6"],
        &["sleep", "off"],
        &["countdown", "9999-12-31"],
        &["countdown", "9999-12-31", "--mode", "calendar"],
        &["countdown", "9999-12-31", "--text", "Xmas"],
        &["countdown-off"],
        &["text", "Back at 14:30"],
        &["template", "notice", "--payload", r#"{"title": "Closed"}"#],
        &["calendar-text", "Closed"],
        &["calendar", "--text", "Sale"],
        &["raw", "E2"],
    ] {
        let arguments = [&["--demo", "clock"], job].concat();
        let answer = text(&desk.regie(&arguments));
        assert!(answer.starts_with("done"), "{job:?}: {answer}");
    }
    let status = text(&desk.regie(&["--demo", "clock", "status"]));
    assert!(
        status.contains("(simulated)") && status.contains("+05:45"),
        "{status}"
    );
}

#[test]
fn what_nobody_has_published_or_what_can_harm_is_refused_with_a_hint() {
    let desk = Desk::new();
    let text = desk.refused(&["--demo", "clock", "mode", "clock2"]);
    assert!(text.contains("profile"), "{text}");
    desk.refused(&["--demo", "clock", "raw", "AA"]);
    desk.refused(&["--demo", "clock", "raw", "E6 0A"]);
    desk.refused(&["--demo", "clock", "raw", "xyz"]);
    desk.refused(&["--demo", "clock", "mode", "sundial"]);
    desk.refused(&["--demo", "clock", "mode", "image7"]);
    desk.refused(&["--demo", "clock", "mode", "mono"]);
    desk.refused(&["--demo", "clock", "template", "sundial"]);
    let wrong = desk.refused(&[
        "--demo",
        "clock",
        "template",
        "notice",
        "--payload",
        "{\"titel\": 1}",
    ]);
    assert!(wrong.contains("titel"), "{wrong}");
    desk.refused(&["--demo", "clock", "countdown", "2026-02-29"]);
    let over = desk.refused(&["--demo", "clock", "countdown", "2026-01-01"]);
    assert!(over.contains("2026-01-01 is over"), "{over}");
    desk.refused(&["--demo", "clock", "mode", "image3"]);
    desk.refused(&["--demo", "clock", "set-time", "--tz", "Mars/Olympus"]);
    desk.refused(&["--demo", "clock", "set-time", "--tz", "15"]);
    desk.refused(&["--demo", "clock", "sleep", "on", "24", "6"]);
    desk.refused(&["clock", "status", "--screen", "screen.png"]);
    desk.refused(&["--demo", "clock", "sleep", "on", "6", "6"]);
    desk.refused(&["--demo", "clock", "set-time", "--mac", "typo"]);
    // What was refused has left no trace.
    let status = self::text(&desk.regie(&["--demo", "clock", "status"]));
    assert!(!status.to_lowercase().contains("typo"), "{status}");
}

#[test]
fn a_failure_is_one_json_object_where_that_was_asked_for() {
    let desk = Desk::new();
    let output = desk.regie(&["--demo", "clock", "mode", "clock2", "--json"]);
    assert!(!output.status.success());
    let answer = object(&output);
    assert_eq!(answer["ok"], false);
    assert_eq!(answer["tool"], "set_mode");
    assert_eq!(answer["error"]["code"], "INVALID_PARAM");
    assert!(
        answer["error"]["hint"]
            .as_str()
            .unwrap()
            .contains("profile")
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_window_without_a_display_is_refused_with_the_ways_out() {
    let text = Desk::new().refused(&["--demo"]);
    assert!(
        text.contains("display") && text.contains("xvfb-run"),
        "{text}"
    );
}

#[test]
fn a_diagnosis_of_the_simulated_clock_finds_everything_well_and_changes_nothing() {
    let desk = Desk::new();
    let report = desk.path("report.txt");
    let output = desk.regie(&[
        "--demo",
        "clock",
        "doctor",
        "--report",
        report.to_str().unwrap(),
    ]);
    let said = text(&output);
    for check in ["program", "radio", "scan", "connect", "services", "write"] {
        let line = said.lines().find(|line| line.contains(check));
        let line = line.unwrap_or_else(|| panic!("no {check} in: {said}"));
        assert!(line.starts_with("ok"), "{line}");
    }
    assert!(said.contains("Everything works."), "{said}");
    let report = std::fs::read_to_string(report).unwrap();
    // BLE-12 and UP-11: what the program is, and what cannot be known.
    for part in [
        std::env::consts::ARCH,
        "btleplug",
        "battery: not known",
        "Log, the last",
        "checked check=write",
    ] {
        assert!(report.contains(part), "{part} is not in: {report}");
    }
    // Looking is not using: no clock was chosen by it.
    let status = self::text(&desk.regie(&["--demo", "clock", "status"]));
    assert!(status.contains("no clock chosen"), "{status}");
}

#[test]
fn a_diagnosis_that_finds_something_wrong_says_so_and_has_an_exit_code_of_its_own() {
    let desk = Desk::new();
    let missing = "SIM:00:00:00:00:77";
    let output = desk.regie(&[
        "--demo",
        "clock",
        "doctor",
        "--clock",
        missing,
        "--timeout",
        "2",
        "--json",
    ]);
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    let answer = object(&output);
    assert_eq!(answer["ok"], false);
    assert_eq!(answer["tool"], "doctor");
    let steps = answer["data"]["steps"].as_array().unwrap();
    let step = |name: &str| steps.iter().find(|step| step["check"] == name).unwrap();
    assert_eq!(step("radio")["verdict"], "ok");
    assert_eq!(step("scan")["verdict"], "failed");
    assert_eq!(step("scan")["fault"]["code"], "clock-not-heard");
    assert_eq!(step("let-go")["verdict"], "not-reached");
    desk.refused(&["--demo", "clock", "doctor", "--clock", "typo"]);
}

/// A bus on which there is no Bluetooth service, as on a machine without BlueZ.
#[cfg(target_os = "linux")]
#[test]
fn ble_8_a_diagnosis_without_bluetooth_says_what_is_missing_and_what_to_do() {
    let desk = Desk::new();
    let output = Command::new(env!("CARGO_BIN_EXE_regie"))
        .args(["clock", "doctor", "--data-dir"])
        .arg(desk.folder.path())
        .env("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=/nonexistent/bus")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("FAILED       service"), "{said}");
    assert!(said.contains("systemctl"), "{said}");
    assert!(said.contains("not reached  radio"), "{said}");
}

#[test]
fn a_payload_comes_from_json_a_plain_file_or_the_standard_input() {
    use std::io::Write as _;

    let desk = Desk::new();
    let preview = desk.path("p.png");
    let notice = |payload: &'static str| {
        [
            "--demo",
            "clock",
            "template",
            "notice",
            "--preview",
            preview.to_str().unwrap(),
            "--payload",
            payload,
        ]
    };
    // As Windows' editors write it.
    let menu = desk.write("2026-menu.json", b"\xEF\xBB\xBF{\"title\": \"Soup\"}");
    let mut from_file = notice("");
    from_file[7] = menu.to_str().unwrap();
    text(&desk.regie(&from_file));

    let mut program = desk.start(&notice("-"));
    let mut stdin = program.stdin.take().unwrap();
    stdin.write_all(b"{\"title\": \"Soup\"}").unwrap();
    drop(stdin);
    text(&within_limit(program));

    for json in ["[]", "\"Soup\"", "12", "null"] {
        let said = desk.refused(&notice(json));
        assert!(!said.contains("cannot be read"), "{json}: {said}");
    }
    let missing = desk.refused(&notice("menu.json"));
    assert!(missing.contains("cannot be read"), "{missing}");
}

#[test]
fn a_payload_without_end_is_not_read_to_its_end() {
    use std::io::Write as _;

    let desk = Desk::new();
    let large = desk.write("large.json", &vec![b' '; 256 * 1024 + 1]);
    let notice = ["--demo", "clock", "template", "notice", "--payload"];
    let said = desk.refused(&[&notice[..], &[large.to_str().unwrap()]].concat());
    assert!(said.contains("too large"), "{said}");

    // The pipe breaks when enough was read.
    let mut program = desk.start(&[&notice[..], &["-"]].concat());
    let mut stdin = program.stdin.take().unwrap();
    while stdin.write_all(&[b' '; 4096]).is_ok() {}
    let output = within_limit(program);
    assert!(!output.status.success());
}

#[cfg(unix)]
#[test]
fn what_is_no_plain_file_is_neither_read_nor_written_and_hangs_nothing() {
    let desk = Desk::new();
    let (photo, pipe) = (desk.photo(), desk.pipe("pipe"));
    let (photo, pipe) = (photo.to_str().unwrap(), pipe.to_str().unwrap());
    let notice = ["--demo", "clock", "template", "notice"];
    let cases: [&[&str]; 9] = [
        &[&notice[..], &["--payload", pipe]].concat(),
        &[&notice[..], &["--payload", "/dev/zero"]].concat(),
        &[&notice[..], &["--preview", pipe]].concat(),
        &["image", photo, "--preview", pipe],
        &["image", photo, "--planes", pipe],
        &["image", photo, "--planes", "/dev/null"],
        &["--demo", "clock", "set-time", "--screen", pipe],
        &["--demo", "clock", "doctor", "--report", pipe],
        &[
            "--demo",
            "clock",
            "doctor",
            "--report",
            "no/such/report.txt",
        ],
    ];
    for case in cases {
        let output = within_limit(desk.start(case));
        assert_eq!(output.status.code(), Some(1), "{case:?}: {output:?}");
        assert!(output.stdout.is_empty(), "{case:?}: {output:?}");
    }
}

/// Whether the tests, and so what they start, were told to outlive their terminal.
#[cfg(unix)]
fn hang_up_is_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    // Bit 0 is signal 1, SIGHUP (proc(5)).
    ignored
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .is_some_and(|mask| mask & 1 != 0)
}

/// BLE-4: a clock that is left held hears nobody else for a minute and more.
#[cfg(unix)]
#[test]
fn what_ends_a_session_or_a_service_is_a_cancellation_and_lets_the_clock_go() {
    use std::io::{BufRead as _, BufReader};

    let desk = Desk::new();
    let photo = desk.photo();
    for signal in ["INT", "TERM", "HUP"] {
        let mut program = desk
            .program(&["--demo", "clock", "show", photo.to_str().unwrap(), "--json"])
            .env("REGIE_LOG", "regie_clock=debug")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // Held open to the end: a log line into a closed pipe must not end it first.
        let mut log = BufReader::new(program.stderr.take().unwrap()).lines();
        let begun = log.find(|line| line.as_ref().unwrap().contains("starting"));
        assert!(begun.is_some(), "nothing was begun");
        let sent = Command::new("kill")
            .args(["-s", signal, &program.id().to_string()])
            .status()
            .unwrap();
        assert!(sent.success());
        let output = within_limit(program);
        if signal == "HUP" && hang_up_is_ignored() {
            // Whoever started this with `nohup` wants what it starts to go on.
            assert_eq!(output.status.code(), Some(0), "SIG{signal}: {output:?}");
            continue;
        }
        assert_eq!(output.status.code(), Some(1), "SIG{signal}: {output:?}");
        let answer = object(&output);
        assert_eq!(answer["error"]["message"], "Stopped.", "{answer}");
    }
}

/// What was found is told although the folder for the report went away meanwhile.
#[cfg(unix)]
#[test]
fn a_report_that_cannot_be_written_in_the_end_costs_neither_diagnosis_nor_exit_code() {
    let desk = Desk::new();
    let folder = desk.path("reports");
    std::fs::create_dir(&folder).unwrap();
    let report = folder.join("report.txt");
    let program = desk.start(&[
        "--demo",
        "clock",
        "doctor",
        "--clock",
        "SIM:00:00:00:00:77",
        "--timeout",
        "2",
        "--report",
        report.to_str().unwrap(),
    ]);
    let deadline = Instant::now() + RUN_LIMIT;
    while std::fs::read_dir(&folder).unwrap().next().is_none() {
        assert!(Instant::now() < deadline, "nothing was prepared");
        std::thread::sleep(Duration::from_millis(5));
    }
    std::fs::remove_dir_all(&folder).unwrap();
    let output = within_limit(program);
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("Something is wrong") && !said.contains("The report is in"));
    let complaint = String::from_utf8(output.stderr).unwrap();
    assert!(complaint.contains("could not be written"), "{complaint}");
}

#[test]
fn a_templates_example_is_found_however_its_name_is_written() {
    let desk = Desk::new();
    let (one, other) = (desk.path("a.png"), desk.path("b.png"));
    for (name, path) in [("notice", &one), ("Notice", &other)] {
        let path = path.to_str().unwrap();
        text(&desk.regie(&["--demo", "clock", "template", name, "--preview", path]));
    }
    assert!(pixels(&one) == pixels(&other), "the pages differ");
}

#[test]
fn a_slot_that_no_clock_has_is_refused_even_where_nothing_is_sent() {
    let desk = Desk::new();
    let preview = desk.path("p.png");
    let said = desk.refused(&[
        "--demo",
        "clock",
        "text",
        "Soup",
        "--slot",
        "4",
        "--preview",
        preview.to_str().unwrap(),
    ]);
    assert!(said.contains("--slot"), "{said}");
    assert!(!preview.exists());
}

#[test]
fn words_over_the_calendar_take_new_lines_as_a_text_does() {
    let desk = Desk::new();
    let output = desk.regie(&["--demo", "clock", "calendar", "--text", r"a\nb", "--json"]);
    assert_eq!(object(&output)["data"]["text"], "a\nb");
}

#[test]
fn a_log_that_no_terminal_shows_has_no_colours_and_no_news_of_the_shaper() {
    let desk = Desk::new();
    let preview = desk.path("p.png");
    let words = [
        "--demo",
        "clock",
        "text",
        "ยินดีต้อนรับสู่ร้านของเรา",
        "--preview",
        preview.to_str().unwrap(),
    ];
    let output = desk.regie(&words);
    let log = String::from_utf8(output.stderr).unwrap();
    assert!(!log.contains("segmentation"), "{log}");

    let output = desk.program(&words).env("REGIE_LOG", "debug").output();
    let log = String::from_utf8(output.unwrap().stderr).unwrap();
    assert!(!log.is_empty() && !log.contains('\x1b'), "{log}");
}

#[test]
fn arguments_that_are_refused_are_one_json_object_too_where_that_was_asked_for() {
    let desk = Desk::new();
    let cases: [&[&str]; 4] = [
        &["--demo", "clock", "sundial", "--json"],
        &["--demo", "clock", "--json", "text", "Soup", "--slot", "9"],
        &["--demo", "clock", "--json"],
        &["image", "--json"],
    ];
    for case in cases {
        let output = desk.regie(case);
        assert_eq!(output.status.code(), Some(2), "{case:?}: {output:?}");
        let answer = object(&output);
        assert_eq!(answer["ok"], false, "{answer}");
        assert_eq!(answer["tool"], "regie", "{answer}");
        assert_eq!(answer["error"]["code"], "INVALID_PARAM", "{answer}");
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(
            message.ends_with('.') && !message.contains('\n'),
            "{message}"
        );
    }
    // Behind -- it is a word.
    let output = desk.regie(&["clock", "text", "--size", "1", "--", "--json"]);
    assert!(output.stdout.is_empty(), "{output:?}");
    // Help is help.
    let help = Command::new(env!("CARGO_BIN_EXE_regie"))
        .args(["image", "--json", "--help"])
        .output()
        .unwrap();
    assert!(text(&help).contains("Usage"));
}
