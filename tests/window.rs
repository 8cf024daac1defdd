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
    Desktop, Process, Tray, app, choose_last_in_tray, close_window, gone, tray_host,
    visible_window, window, window_manager,
};
use image::{ImageFormat, Rgb, RgbImage};
use serde_json::Value;

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
    desktop.end().await;
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
