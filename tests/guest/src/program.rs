//! The product's own program, started as a person starts it.

use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use tokio::process::Command;
use tokio::time::timeout;

use crate::drive::{Drive, Surprise};
use crate::scene;

/// Where its settings and data go; the guest forgets them.
const DATA: &str = "/run/regie";
/// For one start; on an emulated processor one takes about ten seconds.
const LIMIT: Duration = Duration::from_secs(90);

impl<W: Write> Drive<W> {
    /// Shows a picture file and sets the time with the program.
    ///
    /// # Errors
    /// [`Surprise`].
    pub async fn program(&mut self, program: &Path, picture: &Path) -> Result<(), Surprise> {
        self.let_go().await?;
        let picture = picture.display().to_string();
        self.command(program, &["show", &picture]).await?;
        self.command(program, &["set-time", "--tz", "+08:00"]).await
    }

    async fn command(&mut self, program: &Path, arguments: &[&str]) -> Result<(), Surprise> {
        let what = format!("regie clock {}", arguments.join(" "));
        let began = Instant::now();
        let call = Command::new(program)
            .args(["--data-dir", DATA, "clock", "--mac", scene::ADDRESS])
            .args(arguments)
            .kill_on_drop(true)
            .output();
        let surprise = |detail: String| Surprise::Program {
            what: what.clone(),
            detail,
        };
        let Ok(ended) = timeout(LIMIT, call).await else {
            return Err(surprise("did not end".to_owned()));
        };
        let ended = ended?;
        let said = String::from_utf8_lossy(&ended.stdout).trim().to_owned();
        let complaint = String::from_utf8_lossy(&ended.stderr);
        if !ended.status.success() || complaint.contains("panic") {
            return Err(surprise(format!("{} {said} {complaint}", ended.status)));
        }
        let seconds = began.elapsed().as_secs_f64();
        self.tell(&format!("{what}: {said}; {seconds:.1} s with its start"))
    }
}
