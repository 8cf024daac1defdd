//! Looking for what keeps a clock from working.

use std::time::Duration;

use jiff::Timestamp;
use regie_clock::Address;
use regie_clock::diagnosis::Search;

use super::Engine;
use crate::diagnosis::{Diagnosis, DiagnosisStep, Program};
use crate::error::EngineError;
use crate::settings::Devices;
use crate::state::Action;

/// Operations of the journal that a report tells of.
const OPERATIONS: u32 = 10;

impl Engine {
    /// Makes every check on the clock with that address, else on the chosen one, else on the first
    /// that is heard within this time (by default a little longer than a
    /// clock sleeps), and tells each as it is made. It may take two minutes, changes nothing that a
    /// clock shows, and lets the link go before and after.
    ///
    /// # Errors
    /// [`EngineError::Clock`] for what is no address or when too much waits for the clock already,
    /// [`EngineError::Store`]. What is wrong with Bluetooth or the clock is the verdict of a step,
    /// not an error.
    pub async fn diagnose(
        &self,
        address: Option<&str>,
        listen: Option<Duration>,
        mut tell: impl FnMut(&DiagnosisStep) + Send,
    ) -> Result<Diagnosis, EngineError> {
        let mut search = Search {
            target: address.map(Address::parse).transpose()?,
            ..Search::default()
        };
        if let Some(listen) = listen {
            search.listen = listen;
        }
        let version = self.shared.config.version.clone();
        let program = tokio::task::spawn_blocking(move || Program::here(&version))
            .await
            .map_err(|_| EngineError::Closing)?;
        let mut steps = vec![DiagnosisStep::of_program(&program)];
        steps.iter().for_each(&mut tell);
        let mut made = self.current().session.diagnose(search)?;
        while let Some(step) = made.recv().await {
            let step = DiagnosisStep::from(&step);
            tell(&step);
            steps.push(step);
        }
        Ok(Diagnosis {
            at: Timestamp::now().to_string(),
            steps,
            details: self.details().await?,
        })
    }

    /// What else may matter to somebody who reads a report.
    async fn details(&self) -> Result<Vec<(String, String)>, EngineError> {
        let mut details = Vec::new();
        let mut add = |name: &str, value: String| details.push((name.to_owned(), value));
        {
            let state = self.shared.state.borrow();
            let devices = match self.devices() {
                Devices::Bluetooth => "bluetooth",
                Devices::Simulated => "simulated",
            };
            add("devices", devices.to_owned());
            add("library", regie_clock::bluetooth::LIBRARY.to_owned());
            let idle = state.settings.idle_seconds;
            add("link kept idle for", format!("{idle} s"));
            let chosen = state.clock.chosen.as_ref();
            let chosen = chosen.map_or_else(
                || "none, the first one heard".to_owned(),
                |clock| format!("{} ({})", clock.name, clock.address),
            );
            add("chosen clock", chosen);
            let folders = &self.shared.config.folders;
            add("settings", folders.settings.display().to_string());
            add("data", folders.data.display().to_string());
            for warning in &state.warnings {
                add("warning", warning.message.clone());
            }
        }
        for entry in self.journal(OPERATIONS).await? {
            let fault = entry.fault.map_or_else(String::new, |fault| {
                format!(", {}: {}", fault.code, fault.message)
            });
            let took = entry
                .duration_ms
                .map_or_else(String::new, |ms| format!(" in {ms} ms"));
            let (what, action) = match entry.action {
                Action::Operation { kind } => ("operation", format!("{kind:?}")),
                Action::Call { tool } => ("call", tool),
                Action::Device { tool } => ("device", format!("{tool} {}", entry.target)),
            };
            add(
                &format!("{what} at {}", entry.at),
                format!("{action} {:?}{took}{fault}", entry.outcome),
            );
        }
        Ok(details)
    }
}
