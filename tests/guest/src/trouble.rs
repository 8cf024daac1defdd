//! What goes wrong on a real computer: a clock that has fallen asleep, a process that was killed, a
//! Bluetooth service that starts anew.

use std::io::Write;
use std::process::Stdio;
use std::time::Duration;

use regie_clock::{Face, Job, Request, Stage};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Command;
use tokio::time::{sleep, timeout};

use crate::drive::{Drive, Surprise, order};
use crate::scene::Scene;

/// How long the clock sleeps: longer than one attempt to connect.
const DOZE_SECONDS: u32 = 20;
/// What a process that holds a link says, and for how long it holds it.
const HOLDING: &str = "holding";
const HOLD: Duration = Duration::from_secs(60);
/// For a second process to get its link.
const HOLD_LIMIT: Duration = Duration::from_secs(60);
/// Packets of an upload after which it is in its midst, and for coming that far.
const MIDST: u32 = 30;
const MIDST_LIMIT: Duration = Duration::from_secs(60);

impl<W: Write> Drive<W> {
    /// BLE-16: a process was killed and its link stays up, so that the clock is not to be heard.
    ///
    /// # Errors
    /// [`Surprise`].
    pub async fn after_a_killed_process(&mut self) -> Result<(), Surprise> {
        self.let_go().await?;
        let mut holder = Command::new(std::env::current_exe()?)
            .arg("hold")
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        let lines = holder.stdout.take().map(BufReader::new);
        let held = timeout(HOLD_LIMIT, async {
            let mut lines = lines?.lines();
            while let Ok(Some(line)) = lines.next_line().await {
                if line.contains(HOLDING) {
                    return Some(());
                }
            }
            None
        });
        let held = held.await.ok().flatten();
        holder.kill().await?;
        if held.is_none() {
            return Err(Surprise::Ended {
                what: "the process to be killed".to_owned(),
                detail: "it got no link".to_owned(),
            });
        }
        self.list().await?;
        self.job("after a killed process", still()?, 0).await?;
        Ok(())
    }

    /// Makes a link and keeps it until it is killed.
    ///
    /// # Errors
    /// [`Surprise`].
    pub async fn hold(&mut self) -> Result<(), Surprise> {
        self.job("hold", still()?, 0).await?;
        self.tell(HOLDING)?;
        sleep(HOLD).await;
        Ok(())
    }

    /// BLE-1, BLE-4, BLE-22: the clock was heard, but sleeps when it is to be connected.
    ///
    /// # Errors
    /// [`Surprise`].
    pub async fn while_the_clock_dozes(&mut self) -> Result<(), Surprise> {
        self.let_go().await?;
        order(&format!("doze {DOZE_SECONDS}")).await?;
        self.job("after a doze", still()?, 0).await?;
        Ok(())
    }

    /// The Bluetooth service is ended by a signal (`TERM`, `KILL`) in mid-upload and starts anew.
    ///
    /// # Errors
    /// [`Surprise`].
    pub async fn while_the_service_restarts(&mut self, signal: &str) -> Result<(), Surprise> {
        self.let_go().await?;
        let what = format!("bluetoothd gets {signal}");
        let operation = self.submit(Job::new(Scene::new()?.restarted));
        let mut progress = operation.progress();
        let midst = progress.wait_for(|now| now.packets_done >= MIDST || now.stage == Stage::Ended);
        if timeout(MIDST_LIMIT, midst).await.is_ok() {
            Command::new("pkill")
                .args(["--exact", "--signal", signal, "bluetoothd"])
                .status()
                .await?;
        }
        self.ended(&what, operation, 1).await?;
        Ok(())
    }
}

/// The one thing that does not make the clock redraw.
fn still() -> Result<Job, Surprise> {
    let time = Scene::new()?.now;
    Ok(Job::new(Request::SetFace(Face::Picture, time)))
}
