//! `regie clock doctor`: what keeps a clock from working.

use std::path::{Path, PathBuf};
use std::time::Duration;

use regie_engine::{Diagnosis, Engine};
use serde_json::json;

use super::interruption::Interruption;
use super::output_file::OutputFile;
use super::{Answer, Failure, line};
use crate::logging;

/// The tool's name in the output contract.
pub(super) const TOOL: &str = "doctor";

/// Makes every check, says each as it is made, and writes the report where one is wanted. The answer
/// is not ok when something does not work.
pub(super) async fn run(
    engine: &Engine,
    listen_seconds: u32,
    report: Option<&Path>,
    as_json: bool,
) -> Result<Answer, Failure> {
    let report = OutputFile::wanted(report)?;
    let mut interruption = Interruption::awaited();
    let listen = Duration::from_secs(listen_seconds.into());
    let mut told = Ok(());
    let examining = engine.diagnose(None, Some(listen), |step| {
        if !as_json && told.is_ok() {
            told = line(&step.lines().join("\n"));
        }
    });
    let diagnosis = tokio::select! {
        diagnosis = examining => diagnosis?,
        // Nobody waits for it any more, so that the link is let go.
        () = interruption.comes() => return Err(Failure::interrupted()),
    };
    let written = report.map(|file| write(file, &diagnosis)).transpose();
    told?;
    let (report, unwritten) = match written {
        Ok(report) => (report, None),
        Err(failure) => (None, Some(failure)),
    };
    Ok(Answer {
        ok: diagnosis.is_healthy(),
        tool: TOOL,
        text: summary(&diagnosis, report.as_deref()),
        data: json!(diagnosis),
        unwritten,
    })
}

fn write(file: OutputFile, diagnosis: &Diagnosis) -> Result<PathBuf, Failure> {
    let path = file.path().to_owned();
    let home = std::env::home_dir();
    let home = home.as_ref().and_then(|home| home.to_str());
    file.write(diagnosis.report(&logging::recent(), home).as_bytes())?;
    Ok(path)
}

fn summary(diagnosis: &Diagnosis, report: Option<&Path>) -> String {
    let verdict = match diagnosis.failure() {
        Some(step) => format!("Something is wrong: see {} above.", step.check),
        None => "Everything works.".to_owned(),
    };
    match report {
        Some(path) => format!(
            "\n{verdict} The report is in {}; read it before you attach it to a bug.",
            path.display()
        ),
        None => format!("\n{verdict}"),
    }
}
