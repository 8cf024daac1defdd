//! A diagnosis as a text file to attach to a bug report.

use std::fmt::Write as _;

use super::private::without_private_parts;
use super::{Diagnosis, DiagnosisStep, Verdict};

/// Said at the top, so that nobody has to guess what a report gives away.
const PREAMBLE: &str = "Bluetooth addresses are shortened to their last two bytes (a clock's name may hold the end of its address too), and the home folder is written as ~. There are no pictures and no passwords in it.";

/// Said where a reader would look for it (UP-11).
const BATTERY: &str = "not known: clocks of these families cannot be asked. A picture that arrives but never shows is a sign of a weak battery";

impl Verdict {
    /// The verdict in one or two words, for a person.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warning => "warning",
            Self::Failed => "FAILED",
            Self::NotReached => "not reached",
        }
    }
}

impl DiagnosisStep {
    /// The step as lines for a person: verdict, name and what was found; then what is wrong and
    /// what to do.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let found = self.found.as_ref().map_or("", |found| &found.message);
        let head = format!("{:<11}  {:<10}  {found}", self.verdict.words(), self.check);
        let mut lines = vec![head.trim_end().to_owned()];
        if let Some(fault) = &self.fault {
            lines.push(format!("{:25}{}", "", fault.message));
            lines.push(format!("{:25}{}", "", fault.hint));
        }
        lines
    }
}

impl Diagnosis {
    /// The whole report. `log` is what the program has logged lately, oldest line first; `home` is
    /// the user's folder, which is not named.
    #[must_use]
    pub fn report(&self, log: &[String], home: Option<&str>) -> String {
        let mut text = format!("Regie: diagnosis of {}\n\n{PREAMBLE}\n", self.at);
        text.push_str("\nChecks\n");
        for step in &self.steps {
            for line in step.lines() {
                // Writing to a string does not fail.
                let _ = writeln!(text, "  {line}");
            }
            let _ = writeln!(text, "{:27}took {} ms", "", step.took_ms);
            if let Some(fault) = &step.fault {
                let _ = writeln!(text, "{:27}code {} {:?}", "", fault.code, fault.params);
            }
        }
        text.push_str("\nDetails\n");
        for (name, value) in &self.details {
            let _ = writeln!(text, "  {name}: {value}");
        }
        let _ = writeln!(text, "  battery: {BATTERY}");
        let _ = writeln!(text, "\nLog, the last {} lines", log.len());
        for line in log {
            let _ = writeln!(text, "  {line}");
        }
        without_private_parts(&text, home)
    }
}
