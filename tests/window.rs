//! The real window on a virtual desktop, driven as a person does: a file is dragged in, a button
//! pressed, the window closed.
//!
//! Runs only where asked for by name, since it needs an X server of its own:
//! `cargo xtask test` starts it with everything it needs.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod desktop;

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use desktop::{
    Desktop, Process, Tray, agent, app, choose_last_in_tray, close_window, gone, tray_host,
    visible_window, window, window_manager,
};
use image::{ImageFormat, Rgb, RgbImage};
use serde_json::{Value, json};

const TITLE: &str = "^Regie$";

/// A photo-like JPEG: gradients in every channel, a red disc, a dark frame.
fn photo(path: &Path) {
    let picture = RgbImage::from_fn(1200, 900, |x, y| {
        let (dx, dy) = (f64::from(x) - 780.0, f64::from(y) - 380.0);
        if dx.hypot(dy) < 210.0 {
            Rgb([200, 24, 30])
        } else if x < 40 || y < 40 || x > 1160 || y > 860 {
            Rgb([20, 20, 24])
        } else {
            Rgb([(x / 5) as u8, (y * 2 / 9) as u8, ((x + y) / 9) as u8])
        }
    });
    picture.save_with_format(path, ImageFormat::Jpeg).unwrap();
}

async fn outcome(desktop: &Desktop) -> Value {
    desktop
        .until(
            "the operation ends",
            "const operation = document.querySelector(\"[data-testid='operation']\");
             const outcome = operation?.dataset.outcome;
             return outcome && outcome !== 'running' ? outcome : null;",
        )
        .await
}

async fn panel_shows_a_picture(desktop: &Desktop) {
    desktop
        .until(
            "the panel shows a picture",
            "const canvas = document.querySelector(\"[data-testid='panel']\");
             if (!canvas) return false;
             const { data } = canvas.getContext('2d')
               .getImageData(0, 0, canvas.width, canvas.height);
             const seen = new Set();
             for (let at = 0; at < data.length; at += 4) {
               seen.add(`${data[at]},${data[at + 1]},${data[at + 2]}`);
             }
             return seen.size >= 3;",
        )
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_photo_dropped_on_the_window_ends_up_on_the_clock_pixel_for_pixel() {
    let desktop = Desktop::start(Tray::With, &[]).await;
    desktop.element("show").await;
    desktop.screenshot("clock-empty").await;

    let jpeg = desktop.folder().join("photo.jpg");
    photo(&jpeg);
    desktop.drop_file(&jpeg).await;
    panel_shows_a_picture(&desktop).await;
    desktop.screenshot("clock-rest").await;
    let (width, height, preview) = desktop.inks("panel").await;
    assert_eq!((width, height), (400, 300));
    for ink in 0..3 {
        assert!(preview.contains(&ink), "the preview has no ink {ink}");
    }

    desktop.click("show").await;
    desktop
        .until(
            "packets are on their way",
            "return /\\d+ of \\d+/.test(document.body.innerText);",
        )
        .await;
    desktop.screenshot("clock-sending").await;
    let end = outcome(&desktop).await;
    desktop.screenshot("clock-done").await;
    assert_eq!(end, "done");

    desktop.click("simulated-label").await;
    desktop.element("simulated-screen").await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    let (width, height, screen) = desktop.inks("simulated-screen").await;
    desktop.screenshot("simulated-clock").await;
    assert_eq!((width, height), (400, 300));
    let different = preview.iter().zip(&screen).filter(|(a, b)| a != b).count();
    assert_eq!(different, 0, "pixels that differ");
    desktop.end().await;
}

/// Every template with its example, in each language, and a page and a text on the clock.
#[tokio::test(flavor = "multi_thread")]
async fn words_written_in_the_window_end_up_on_the_clock_pixel_for_pixel() {
    for (language, words) in [
        ("en", "Back at 14:30"),
        ("fr", "مغلق اليوم"),
        ("zh", "今日休息 \u{1f600}"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(
            folder.path().join("settings.toml"),
            format!("language = \"{language}\"\n"),
        )
        .unwrap();
        let desktop = Desktop::start_in(folder, Tray::With, &[]).await;
        desktop.click("source-template").await;
        for template in ["notice", "todo", "weather", "quote", "metric", "qr"] {
            // The radio button itself is not seen; its label is clicked as a person does.
            desktop.choose(&format!("template-{template}")).await;
            panel_shows_a_picture(&desktop).await;
            tokio::time::sleep(Duration::from_millis(300)).await;
            desktop.screenshot(&format!("{language}-{template}")).await;
        }
        shown_as_previewed(&desktop).await;

        desktop.click("source-text").await;
        let area = desktop.element("text-words").await;
        area.send_keys(words).await.unwrap();
        desktop
            .until(
                "the text can be shown",
                "return !document.querySelector(\"[data-testid='show']\").disabled;",
            )
            .await;
        desktop.screenshot(&format!("{language}-text")).await;
        shown_as_previewed(&desktop).await;
        desktop.click("source-countdown").await;
        desktop.element("countdown-date").await;
        desktop.screenshot(&format!("{language}-countdown")).await;
        desktop.end().await;
    }
}

/// Shows what the panel previews, and looks at the simulated clock's own screen.
async fn shown_as_previewed(desktop: &Desktop) {
    let (_, _, preview) = desktop.inks("panel").await;
    desktop.click("show").await;
    assert_eq!(outcome(desktop).await, "done");
    desktop.click("dismiss").await;
    desktop.click("simulated-label").await;
    desktop.element("simulated-screen").await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    let (_, _, screen) = desktop.inks("simulated-screen").await;
    let different = preview.iter().zip(&screen).filter(|(a, b)| a != b).count();
    assert_eq!(
        (screen.len(), different),
        (preview.len(), 0),
        "pixels that differ"
    );
    desktop.click("peek-close").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_picture_is_refused_with_a_reason_and_the_picture_before_stays() {
    let desktop = Desktop::start(Tray::With, &[]).await;
    desktop.element("show").await;
    let jpeg = desktop.folder().join("photo.jpg");
    photo(&jpeg);
    desktop.drop_file(&jpeg).await;
    panel_shows_a_picture(&desktop).await;
    let before = desktop.inks("panel").await;

    let text = desktop.folder().join("notes.txt");
    std::fs::write(&text, "buy milk").unwrap();
    desktop.drop_file(&text).await;
    let notice = desktop.element("notice").await.text().await.unwrap();
    assert!(!notice.trim().is_empty());
    assert_eq!(desktop.inks("panel").await, before);
    desktop.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn closing_hides_to_the_tray_and_a_second_start_shows_the_window_again() {
    let desktop = Desktop::start(Tray::With, &[]).await;
    desktop.element("show").await;
    window(TITLE).await;

    close_window("Regie");
    gone(TITLE).await;
    // UI-11: the second start ends by itself and hands over to the first.
    let folder = desktop.folder().to_str().unwrap().to_owned();
    let mut second = Process::start(Command::new(app()).args(["--demo", "--data-dir", &folder]));
    assert_eq!(second.ended(), Some(0));
    window(TITLE).await;
    // Still the same process with the same state behind the window.
    desktop.element("show").await;

    // A picture given to a second start, by Open with or on the command line, is in the first one's
    // panel; a relative path begins where the second was started.
    let jpeg = desktop.folder().join("l’été 1.jpg");
    photo(&jpeg);
    close_window("Regie");
    gone(TITLE).await;
    let arguments = ["--demo", "--data-dir", &folder, "l’été 1.jpg"];
    let second = Command::new(app())
        .args(arguments)
        .current_dir(desktop.folder())
        .status();
    assert!(second.unwrap().success());
    window(TITLE).await;
    panel_shows_a_picture(&desktop).await;
    desktop.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_picture_that_regie_is_started_with_is_in_the_panel_and_quit_ends_the_window() {
    let folder = tempfile::tempdir().unwrap();
    let jpeg = folder.path().join("photo.jpg");
    photo(&jpeg);
    let desktop = Desktop::start(Tray::With, &[jpeg.to_str().unwrap()]).await;
    panel_shows_a_picture(&desktop).await;

    // As an installer does before it replaces the program.
    let quit = Command::new(app())
        .arg("--data-dir")
        .arg(desktop.folder())
        .arg("quit")
        .status();
    assert!(quit.unwrap().success());
    gone(TITLE).await;
}

/// UI-4: Quit ends Regie, connected or not, and that is a success.
#[tokio::test(flavor = "multi_thread")]
async fn quit_in_the_trays_menu_ends_regie() {
    let _windows = window_manager();
    let _tray = tray_host();
    let folder = tempfile::tempdir().unwrap();
    let mut regie = Process::start(
        Command::new(app())
            .args(["--demo", "--data-dir"])
            .arg(folder.path()),
    );
    window(TITLE).await;
    choose_last_in_tray().await;
    assert_eq!(regie.ended(), Some(0));
}

/// UI-1: without a tray a hidden window could not be reached any more.
#[tokio::test(flavor = "multi_thread")]
async fn without_a_tray_closing_asks_instead_of_hiding() {
    let desktop = Desktop::start(Tray::Without, &[]).await;
    desktop.element("show").await;
    let main = window(TITLE).await;
    close_window("Regie");
    // The question is a window of its own, with a title of its own.
    window("^Close Regie").await;
    assert_eq!(visible_window(TITLE), Some(main));
    desktop.end().await;
}

/// The server is switched on with the mouse, an agent shows the window's token, and what it does is
/// seen on the clock and in the window.
#[tokio::test]
async fn an_agent_let_in_with_the_switch_shows_a_picture_and_is_seen_at_it() {
    let folder = tempfile::tempdir().unwrap();
    let port = desktop::free_port();
    std::fs::write(
        folder.path().join("settings.toml"),
        format!("language = \"fr\"\n[agents]\nport = {port}\n"),
    )
    .unwrap();
    let desktop = Desktop::start_in(folder, Tray::With, &[]).await;
    let picture = desktop.folder().join("photo.jpg");
    photo(&picture);
    desktop.click("nav-agents").await;
    desktop.click("server-switch").await;
    server_is(&desktop, "on").await;
    desktop.click("token-show").await;
    let token = desktop.element("token-secret").await.text().await.unwrap();
    assert!(token.starts_with("regie_"), "no token is shown");

    let arguments = json!({ "source": picture, "slot": 2 });
    let call = json!({ "name": "upload_image", "arguments": arguments });
    let body = json!({ "jsonrpc": "2.0", "id": "req-001", "method": "tools/call", "params": call });
    let asked = format!("Bearer {token}");
    let answer = tokio::task::spawn_blocking(move || agent::post(port, &asked, &body))
        .await
        .unwrap();
    assert_eq!(answer["id"], "req-001", "{answer}");
    assert_eq!(
        answer["result"]["structuredContent"]["ok"], true,
        "{answer}"
    );
    let seen = "return document.querySelector(\"[data-testid='call']\")?.textContent.includes('upload_image');";
    desktop.until("the call is in the feed", seen).await;
    desktop.screenshot("fr-agents").await;

    // An agent on pipes reaches the same clock through the window.
    let folder = desktop.folder().to_owned();
    let answer = tokio::task::spawn_blocking(move || {
        let mut agent = agent::Piped::start(&folder);
        agent.call("device_status", &json!({}))
    })
    .await
    .unwrap();
    assert_eq!(
        answer["structuredContent"]["data"]["shown_slot"], 2,
        "{answer}"
    );

    desktop.click("server-switch").await;
    server_is(&desktop, "off").await;
    assert!(std::net::TcpStream::connect(("127.0.0.1", port)).is_err());
    desktop.end().await;
}

/// An agent that was there first goes on while the window takes the clock over.
#[tokio::test]
async fn the_window_takes_over_from_an_agent_that_does_not_notice() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_owned();
    let agent = tokio::task::spawn_blocking(move || {
        let mut agent = agent::Piped::start(&data);
        let shown = agent.call("clear_screen", &json!({}));
        assert_eq!(shown["structuredContent"]["ok"], true, "{shown}");
        agent
    });
    let mut agent = agent.await.unwrap();
    let desktop = Desktop::start_in(folder, Tray::With, &[]).await;
    desktop.click("nav-agents").await;
    let answer = tokio::task::spawn_blocking(move || agent.call("device_status", &json!({})))
        .await
        .unwrap();
    assert_eq!(answer["structuredContent"]["ok"], true, "{answer}");
    let seen = "return document.querySelector(\"[data-testid='call']\")?.textContent.includes('device_status');";
    desktop.until("the call came to the window", seen).await;
    desktop.end().await;
}

async fn server_is(desktop: &Desktop, state: &str) {
    let script = format!(
        "return document.querySelector(\"[data-testid='server']\")?.dataset.state === '{state}';"
    );
    desktop.until(state, &script).await;
}

/// The room: lit, photographed, moved on by the override, and a found device taken in, all in the
/// window; what the devices say is asked through the agents' door.
#[tokio::test(flavor = "multi_thread")]
async fn a_room_is_run_from_its_cards_and_a_found_device_joins_it() {
    let desktop = Desktop::start(Tray::With, &[]).await;
    desktop.click("nav-room").await;
    let six = "return document.querySelectorAll(\"[data-testid='device']\").length >= 6;";
    desktop.until("every set device has its card", six).await;
    let answering =
        "return document.querySelector(\"[data-testid='room-count']\")?.textContent.includes('5');";
    desktop.until("the devices answer", answering).await;
    desktop.screenshot("room").await;

    desktop.click("led-green").await;
    deed(&desktop).await;
    desktop.click("override").await;
    desktop.click("event-send").await;
    deed(&desktop).await;
    desktop.screenshot("room-done").await;

    let found = "return document.querySelectorAll(\"[data-testid='found']\").length > 0;";
    desktop.until("a device is found", found).await;
    // Below what the window shows, which the driver cannot scroll to.
    let taken = "document.querySelector(\"[data-testid='found-use']\").click(); return true;";
    desktop.until("it is to be used", taken).await;
    desktop.element("form-id").await;
    desktop.screenshot("room-new-device").await;
    desktop.click("form-save").await;
    let seven = "return document.querySelectorAll(\"[data-testid='device']\").length >= 7;";
    desktop.until("it has a card of its own", seven).await;
    desktop.click("form-close").await;

    let asked = "document.querySelector(\"[data-testid='snapshot']\").click(); return true;";
    desktop.until("a picture is asked for", asked).await;
    let picture =
        "return document.querySelector(\"[data-testid='snapshot-picture']\")?.naturalWidth > 0;";
    desktop.until("the picture is there", picture).await;
    desktop.screenshot("room-snapshot").await;
    desktop.end().await;
}

/// Waits until a card tells that something was done.
async fn deed(desktop: &Desktop) {
    let script = "const deed = document.querySelector(\"[data-testid='deed']\");
         return ['accepted', 'confirmed'].includes(deed?.dataset.outcome);";
    desktop.until("it is told that it was done", script).await;
}
