//! `regie clock`: the clock's jobs without a window.

use std::io::{IsTerminal as _, Write as _};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use regie_engine::{
    Channel, ClockStatus, Composition, CountdownPlan, CountdownStyle, Door, Engine, EngineConfig,
    EngineError, LinkView, Progress, Stage, Submitted, Toggle,
};
use regie_imaging::{Inks, Panel, preview_png};
use serde_json::{Value, json};

use super::image::options;
use super::interruption::Interruption;
use super::output_file::OutputFile;
use super::{Answer, Failure, doctor, words};
use crate::arguments::{Arguments, ClockAction, ClockArguments, PageArguments};
use crate::devices::Devices;
use crate::owning::{self, Stay};
use crate::start::config;

pub(super) fn run(arguments: &Arguments, clock: &ClockArguments) -> Result<ExitCode, Failure> {
    let tool = tool(&clock.action);
    let runtime = super::runtime()?;
    runtime
        .block_on(act(arguments, clock))
        .map_err(|failure| failure.told(tool, clock.json))
}

/// The tool's name in the output contract.
fn tool(action: &ClockAction) -> &'static str {
    match action {
        ClockAction::Scan { .. } => "scan_devices",
        ClockAction::Status => "device_status",
        ClockAction::Show { .. } => "upload_image",
        ClockAction::SetTime { .. } => "set_time",
        ClockAction::Mode { .. } => "set_mode",
        ClockAction::Toggle { .. } => "toggle",
        ClockAction::Sleep { .. } => "set_sleep",
        ClockAction::Countdown { .. } => "countdown",
        ClockAction::CountdownOff => "countdown_off",
        ClockAction::Text { .. } => "show_text",
        ClockAction::Template { .. } => "render_template",
        ClockAction::CalendarText { .. } => "calendar_text",
        ClockAction::Calendar { .. } => "show_calendar",
        ClockAction::Clear => "clear_screen",
        ClockAction::Raw { .. } => "raw_send",
        ClockAction::Doctor { .. } => doctor::TOOL,
    }
}

async fn act(arguments: &Arguments, clock: &ClockArguments) -> Result<ExitCode, Failure> {
    if clock.screen.is_some() && !arguments.demo {
        return Err(Failure::argument(
            "The screen of a real clock cannot be read back.".into(),
            "Use --screen together with --demo.",
        ));
    }
    let screen = OutputFile::wanted(clock.screen.as_deref())?;
    let devices = Devices::asked(arguments);
    let config = EngineConfig {
        clock: clock.mac.clone(),
        ..config(arguments)?
    };
    let source = Arc::new(devices.clone());
    let engine = owning::start_engine(config, source, Stay::Brief).await?;
    for warning in &engine.state().borrow().warnings {
        super::complain(&format!("{} {}", warning.message, warning.hint));
    }
    let answer = perform(&engine, clock).await;
    let chosen = engine.state().borrow().clock.chosen.clone();
    engine.stop().await;
    // What was done is told, whatever becomes of the picture of it.
    let mut answer = answer?;
    if let (Some(file), Some(screen)) = (screen, devices.simulated_screen(chosen.as_ref())) {
        let written = screen
            .png()
            .map_err(Failure::screen)
            .and_then(|png| file.write(&png));
        answer.unwritten = answer.unwritten.or(written.err());
    }
    answer.print(clock.json)?;
    Ok(answer.exit_code())
}

async fn perform(engine: &Engine, clock: &ClockArguments) -> Result<Answer, Failure> {
    match &clock.action {
        ClockAction::Scan { timeout } => scan(engine, *timeout).await,
        ClockAction::Status => Ok(status(&engine.clock_status(None).await?)),
        ClockAction::Show { picture, slot } => {
            let options = options(picture)?;
            let interruption = Interruption::awaited();
            let opened = engine.open_path(&picture.file).await?;
            let submitted = engine.show(Door::Cli, opened.id, options, *slot).await?;
            let planes = engine.slot_planes(*slot).await?;
            let data = json!({
                "bytes_bw": planes.black_white().len(),
                "bytes_red": planes.red().len(),
                "small": planes.panel() == Panel::SMALL,
                "slot": slot,
            });
            follow(engine, interruption, submitted, "upload_image", data).await
        }
        ClockAction::SetTime { tz } => {
            let submission = engine.set_time(Door::Cli, tz.as_deref());
            done(engine, submission, "set_time", json!({})).await
        }
        ClockAction::Mode { mode } => {
            let submission = engine.set_mode(Door::Cli, mode.parse()?);
            done(engine, submission, "set_mode", json!({ "mode": mode })).await
        }
        ClockAction::Toggle { name } => {
            let submission = engine.toggle(Door::Cli, toggle(name)?);
            done(engine, submission, "toggle", json!({ "name": name })).await
        }
        ClockAction::Sleep {
            state,
            start_hour,
            end_hour,
        } => {
            let on = state == "on";
            let submission = engine.quiet_hours(Door::Cli, on, *start_hour, *end_hour);
            let data = json!({ "on": on, "start_h": start_hour, "end_h": end_hour });
            done(engine, submission, "set_sleep", data).await
        }
        ClockAction::Text { page, .. } | ClockAction::Template { page, .. } => {
            let composition = words::composition(&clock.action)?;
            show_page(engine, tool(&clock.action), composition, page).await
        }
        ClockAction::CalendarText { text } => {
            let submission = engine.calendar_text(Door::Cli, text);
            done(engine, submission, "calendar_text", json!({ "text": text })).await
        }
        ClockAction::Calendar { text } => {
            let text = text.as_deref().map(words::lines);
            let data = json!({ "text": text });
            let submission = engine.host_calendar(Door::Cli, text);
            done(engine, submission, "show_calendar", data).await
        }
        ClockAction::Countdown { date, mode, text } => {
            let style = match mode.as_str() {
                "calendar" => CountdownStyle::Calendar,
                _ => CountdownStyle::Clock,
            };
            let plan = CountdownPlan {
                date: date.clone(),
                style,
                text: text.clone(),
            };
            let submission = engine.countdown(Door::Cli, plan);
            let data = json!({ "date": date, "mode": mode });
            done(engine, submission, "countdown", data).await
        }
        ClockAction::CountdownOff => {
            let submission = engine.countdown_off(Door::Cli);
            done(engine, submission, "countdown_off", json!({})).await
        }
        ClockAction::Clear => {
            let submission = engine.clear(Door::Cli);
            done(engine, submission, "clear_screen", json!({})).await
        }
        ClockAction::Raw { hex, channel } => {
            let channel = if channel == "main" {
                Channel::Main
            } else {
                Channel::Alt
            };
            let submission = engine.raw(Door::Cli, channel, bytes(hex)?);
            done(engine, submission, "raw_send", json!({ "data_hex": hex })).await
        }
        ClockAction::Doctor { timeout, report } => {
            doctor::run(engine, *timeout, report.as_deref(), clock.json).await
        }
    }
}

fn toggle(name: &str) -> Result<Toggle, Failure> {
    Toggle::ALL
        .into_iter()
        .find(|toggle| toggle.name() == name)
        .ok_or_else(|| unknown("setting to flip", name, Toggle::ALL.map(|t| t.to_string())))
}

fn unknown(what: &str, name: &str, known: impl IntoIterator<Item = String>) -> Failure {
    let known: Vec<String> = known.into_iter().collect();
    Failure::argument(
        format!("\"{name}\" is no {what}."),
        &format!("Known are: {}.", known.join(", ")),
    )
}

/// Bytes of a hexadecimal text; spaces and colons between them are welcome.
fn bytes(hex: &str) -> Result<Vec<u8>, Failure> {
    let digits: String = hex.chars().filter(|c| !matches!(c, ' ' | ':')).collect();
    let pairs = digits.as_bytes().chunks(2).map(|pair| {
        std::str::from_utf8(pair)
            .ok()
            .filter(|pair| pair.len() == 2)
            .and_then(|pair| u8::from_str_radix(pair, 16).ok())
    });
    pairs.collect::<Option<_>>().ok_or_else(|| {
        Failure::argument(
            format!("\"{hex}\" is not a row of bytes."),
            "Write two hexadecimal digits a byte, such as E2 or DD6A7873F0.",
        )
    })
}

async fn show_page(
    engine: &Engine,
    tool: &'static str,
    composition: Composition,
    page: &PageArguments,
) -> Result<Answer, Failure> {
    if let Some(file) = OutputFile::wanted(page.preview.as_deref())? {
        let rendering = engine.compose(composition).await?;
        let png = preview_png(&rendering.planes, &Inks::IDEAL)?;
        let path = file.path().to_owned();
        file.write(&png)?;
        let notes = rendering
            .notes
            .iter()
            .map(|note| format!("\n{}", note.message));
        return Ok(Answer {
            ok: true,
            tool,
            text: format!("written: {}{}", path.display(), notes.collect::<String>()),
            data: json!({ "preview": path, "notes": rendering.notes }),
            unwritten: None,
        });
    }
    let submission = engine.show_composition(Door::Cli, composition, page.slot);
    done(engine, submission, tool, json!({ "slot": page.slot })).await
}

async fn scan(engine: &Engine, seconds: u32) -> Result<Answer, Failure> {
    let heard = engine.scan_for(Duration::from_secs(seconds.into())).await?;
    let text = if heard.is_empty() {
        format!("No clock was heard in {seconds} s. They wake every 30 to 60 s: try --timeout 60.")
    } else {
        let lines = heard.iter().map(|clock| {
            let strength = clock
                .rssi
                .map_or_else(|| "connected".into(), |rssi| format!("{rssi} dBm"));
            let label = if clock.simulated { "  (simulated)" } else { "" };
            format!("{}  {}  {strength}{label}", clock.address, clock.name)
        });
        lines.collect::<Vec<_>>().join("\n")
    };
    Ok(Answer {
        ok: true,
        tool: "scan_devices",
        text,
        data: json!(heard),
        unwritten: None,
    })
}

fn status(status: &ClockStatus) -> Answer {
    let name = match (&status.name, &status.mac) {
        (Some(name), Some(mac)) => format!("{name} ({mac})"),
        _ => "no clock chosen yet".into(),
    };
    let link = match &status.link {
        LinkView::Unavailable { fault } => fault.message.clone(),
        LinkView::Asleep => "not connected".into(),
        LinkView::Listening { .. } => "listening".into(),
        LinkView::Connecting => "connecting".into(),
        LinkView::Connected => "connected".into(),
        LinkView::Sending => "sending".into(),
        LinkView::Refreshing { .. } => "redrawing".into(),
    };
    let time = status.time_set.as_ref().map_or_else(
        || "never set from here".into(),
        |set| format!("set {} to {}", set.at, set.zone),
    );
    let simulated = if status.simulated { " (simulated)" } else { "" };
    Answer {
        ok: true,
        tool: "device_status",
        text: format!("clock: {name}{simulated}\nlink: {link}\ntime: {time}"),
        data: json!(status),
        unwritten: None,
    }
}

/// Asks for an operation and follows it to its end.
async fn done(
    engine: &Engine,
    submission: impl Future<Output = Result<Submitted, EngineError>>,
    tool: &'static str,
    data: Value,
) -> Result<Answer, Failure> {
    // Before it begins, so that nothing can end the process while the clock is held.
    let interruption = Interruption::awaited();
    follow(engine, interruption, submission.await?, tool, data).await
}

/// Follows an operation to its end; an interruption cancels it and waits for the clock to be let go.
async fn follow(
    engine: &Engine,
    mut interruption: Interruption,
    submitted: Submitted,
    tool: &'static str,
    mut data: Value,
) -> Result<Answer, Failure> {
    let id = submitted.id;
    let watching = tokio::spawn(show_progress(engine.clone(), id));
    let mut ended = submitted.ended;
    let outcome = tokio::select! {
        outcome = &mut ended => outcome,
        () = interruption.comes() => {
            engine.cancel(id);
            ended.await
        }
    };
    watching.abort();
    if std::io::stderr().is_terminal() {
        // Clears the line of progress; a terminal that went away needs none.
        let _unread = write!(std::io::stderr(), "\r\x1b[K");
    }
    let outcome = outcome.map_err(|_| EngineError::Closing)?;
    if let Some(failure) = Failure::of_outcome(&outcome) {
        return Err(failure);
    }
    let report = outcome.report();
    if let (Some(data), Ok(Value::Object(report))) =
        (data.as_object_mut(), serde_json::to_value(report))
    {
        data.extend(report);
        if !submitted.notes.is_empty() {
            data.insert("notes".into(), json!(submitted.notes));
        }
    }
    let notes = submitted.notes.iter();
    let notes: String = notes.map(|note| format!("\n{}", note.message)).collect();
    Ok(Answer {
        ok: true,
        tool,
        text: format!(
            "done: {} bytes in {} packets, {:.1} s{notes}",
            report.bytes,
            report.packets,
            f64::from(report.duration_ms) / 1000.0
        ),
        data,
        unwritten: None,
    })
}

/// Keeps one line of progress on a terminal.
async fn show_progress(engine: Engine, id: u32) {
    if !std::io::stderr().is_terminal() {
        return;
    }
    let mut changes = engine.state();
    while changes.changed().await.is_ok() {
        let line = changes
            .borrow_and_update()
            .clock
            .operation
            .as_ref()
            .filter(|operation| operation.id == id)
            .map(|operation| progress_line(&operation.progress));
        if let Some(line) = line {
            // A terminal that went away needs no progress.
            let _unread = write!(std::io::stderr(), "\r\x1b[K{line}");
        }
    }
}

fn progress_line(progress: &Progress) -> String {
    match (progress.stage, progress.seconds_left) {
        (Stage::Sending, Some(seconds)) => format!(
            "sending {} of {}, about {seconds} s left",
            progress.packets_done, progress.packets_total
        ),
        (Stage::Sending, None) => {
            format!(
                "sending {} of {}",
                progress.packets_done, progress.packets_total
            )
        }
        (Stage::Listening, Some(seconds)) => {
            format!("listening for the clock, {seconds} s at most (it wakes every 30 to 60 s)")
        }
        (stage, _) => format!("{stage:?}").to_lowercase(),
    }
}

#[cfg(test)]
mod tests {
    use super::bytes;

    #[test]
    fn bytes_are_read_with_or_without_gaps_and_nonsense_is_refused() {
        assert_eq!(bytes("E2").unwrap(), [0xE2]);
        assert_eq!(bytes("dd 6a:78").unwrap(), [0xDD, 0x6A, 0x78]);
        for nonsense in ["E", "zz", "E2F", "é2"] {
            assert!(bytes(nonsense).is_err(), "{nonsense}");
        }
    }
}
