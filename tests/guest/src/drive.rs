//! The part of the person: runs inside the guest and drives the clock over the real adapter.

use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;

use regie_clock::dialect::Dialects;
use regie_clock::{
    Address, BluetoothAdapter, ClockError, Face, Job, Operation, Outcome, Profile, Report, Request,
    Session, SessionConfig, Stage,
};
use thiserror::Error;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout};

use crate::figures::Figures;
use crate::panics;
use crate::scene::{self, Scene};

/// Where the clock takes orders.
const ORDERS: &str = "127.0.0.1:3256";
/// For an answer to one; the clock's program may be busy.
const ORDER_LIMIT: Duration = Duration::from_secs(10);
/// Listening for the list. The clock advertises five times a second, but the emulated computer is
/// slow.
const SCAN: Duration = Duration::from_secs(4);
/// For one operation; on an emulated processor an upload takes about ten seconds.
const OPERATION_LIMIT: Duration = Duration::from_secs(90);
/// For the end of the session.
const GRACE: Duration = Duration::from_secs(5);

/// What was not as it has to be.
#[derive(Debug, Error)]
pub enum Surprise {
    /// The list of clocks is another one.
    #[error("the scan heard {0}")]
    Heard(String),
    /// An operation did not end as it has to.
    #[error("{what}: {detail}")]
    Ended {
        /// Which operation.
        what: String,
        /// How it ended.
        detail: String,
    },
    /// The product's program did not do what it was told.
    #[error("{what}: {detail}")]
    Program {
        /// Its arguments.
        what: String,
        /// How it ended and what it said.
        detail: String,
    },
    /// Tasks in the background ended in a panic.
    #[error("{0} tasks ended in a panic")]
    Panicked(usize),
    /// The clock took no order.
    #[error("the clock did not obey: {0}")]
    Order(String),
    /// The session refused.
    #[error("{0}")]
    Clock(#[from] ClockError),
    /// The console, or `/proc`.
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// A session over the computer's own Bluetooth, and where its doings are told.
pub struct Drive<W> {
    session: Session,
    console: W,
    began: Instant,
}

impl<W: Write> Drive<W> {
    /// Starts a session. Nothing is asked of Bluetooth yet.
    ///
    /// # Errors
    /// As [`BluetoothAdapter::new`].
    pub fn start(console: W) -> Result<Self, Surprise> {
        let config = SessionConfig {
            default_target: Some(Address::new(scene::ADDRESS)),
            ..SessionConfig::default()
        };
        let adapter = Arc::new(BluetoothAdapter::new()?);
        let dialects = Dialects::new(Profile::default());
        Ok(Self {
            session: Session::spawn(adapter, dialects, config),
            console,
            began: Instant::now(),
        })
    }

    /// The whole scene: the list, a picture, the time, a face, a picture during which the link is
    /// lost, and the end of the link.
    ///
    /// # Errors
    /// [`Surprise`].
    pub async fn play(&mut self) -> Result<(), Surprise> {
        let scene = Scene::new()?;
        self.list().await?;
        self.job("picture", Job::new(scene.picture), 0).await?;
        self.job("time", Job::new(scene.time), 0).await?;
        self.job("face", Job::new(scene.face), 0).await?;
        order(&format!("lose-link {}", scene::LAST_PACKET)).await?;
        self.job("interrupted picture", Job::new(scene.interrupted), 1)
            .await?;
        Ok(())
    }

    /// `reconnects` links made and let go, then `uploads` pictures, with what the process uses
    /// after each.
    ///
    /// # Errors
    /// [`Surprise`].
    pub async fn soak(&mut self, reconnects: u32, uploads: u32) -> Result<(), Surprise> {
        let time = Scene::new()?.now;
        for round in 1..=reconnects {
            // The one request that does not redraw.
            let job = Job::new(Request::SetFace(Face::Picture, time));
            self.job(&format!("reconnect {round}"), job, 0).await?;
            self.let_go().await?;
        }
        for round in 1..=uploads {
            let picture = scene::picture(u64::from(round))?;
            let job = Job::new(Request::Picture(picture));
            self.job(&format!("upload {round}"), job, 0).await?;
        }
        Ok(())
    }

    /// Listens, and wants the one clock there is, with its name.
    ///
    /// # Errors
    /// [`Surprise::Heard`].
    pub async fn list(&mut self) -> Result<(), Surprise> {
        let heard = self.session.scan(SCAN).await?;
        let names: Vec<_> = heard
            .iter()
            .map(|clock| format!("{} {} {:?} dBm", clock.name, clock.address, clock.rssi))
            .collect();
        let names = names.join(", ");
        self.tell(&format!("heard {names}"))?;
        match heard.as_slice() {
            [clock] if clock.name == scene::NAME && clock.address.as_str() == scene::ADDRESS => {
                Ok(())
            }
            _ => Err(Surprise::Heard(names)),
        }
    }

    /// Runs a job that has to succeed, with this many links made anew.
    ///
    /// # Errors
    /// [`Surprise::Ended`].
    pub async fn job(&mut self, what: &str, job: Job, reconnects: u32) -> Result<Report, Surprise> {
        let operation = self.submit(job);
        self.ended(what, operation, reconnects).await
    }

    /// Begins a job.
    pub(crate) fn submit(&self, job: Job) -> Operation {
        self.session.submit(job)
    }

    /// Waits for the end of a job that has to succeed, with this many links made anew.
    pub(crate) async fn ended(
        &mut self,
        what: &str,
        operation: Operation,
        reconnects: u32,
    ) -> Result<Report, Surprise> {
        let surprise = |detail: String| Surprise::Ended {
            what: what.to_owned(),
            detail,
        };
        let Ok((stages, outcome)) = timeout(OPERATION_LIMIT, follow(&operation)).await else {
            let progress = operation.progress().borrow().clone();
            return Err(surprise(format!("did not end; {progress:?}")));
        };
        let Outcome::Done(report) = outcome else {
            return Err(surprise(format!("{outcome:?} after {stages}")));
        };
        self.tell(&format!(
            "{what}: {stages}; {} packets, {} again, MTU {}, {:.1} s, refresh {:?}, {} reconnects; {}",
            report.packets,
            report.packets_resent,
            report.mtu,
            f64::from(report.duration_ms) / 1000.0,
            report.refresh,
            report.reconnects,
            Figures::now()?,
        ))?;
        if report.reconnects != reconnects || report.mtu != scene::MTU {
            return Err(surprise(format!("{report:?}")));
        }
        Ok(report)
    }

    /// Lets the link go.
    ///
    /// # Errors
    /// As [`Session::disconnect`].
    pub async fn let_go(&mut self) -> Result<(), Surprise> {
        Ok(self.session.disconnect().await?)
    }

    /// Lets the link go and ends the session. Nothing may have panicked until then.
    ///
    /// # Errors
    /// [`Surprise`].
    pub async fn finish(&mut self) -> Result<(), Surprise> {
        self.let_go().await?;
        self.session.shutdown(GRACE).await;
        self.tell(&format!("over; {}", Figures::now()?))?;
        match panics::counted() {
            0 => Ok(()),
            count => Err(Surprise::Panicked(count)),
        }
    }

    pub(crate) fn tell(&mut self, line: &str) -> Result<(), Surprise> {
        let seconds = self.began.elapsed().as_secs_f64();
        writeln!(self.console, "driver {seconds:6.1} s: {line}")?;
        self.console.flush()?;
        Ok(())
    }
}

/// Waits for the end; the stages on the way to it, as text.
async fn follow(operation: &Operation) -> (String, Outcome) {
    let mut progress = operation.progress();
    let mut stages: Vec<Stage> = Vec::new();
    loop {
        let stage = progress.borrow_and_update().stage;
        if stages.last() != Some(&stage) {
            stages.push(stage);
        }
        if stage == Stage::Ended || progress.changed().await.is_err() {
            break;
        }
    }
    let names: Vec<_> = stages.iter().map(|stage| format!("{stage:?}")).collect();
    (names.join(" > "), operation.outcome().await)
}

/// Tells the clock to do something.
pub(crate) async fn order(text: &str) -> Result<(), Surprise> {
    let exchange = async {
        let mut stream = BufReader::new(TcpStream::connect(ORDERS).await?);
        stream.write_all(format!("{text}\n").as_bytes()).await?;
        let mut answer = String::new();
        stream.read_line(&mut answer).await?;
        io::Result::Ok(answer)
    };
    match timeout(ORDER_LIMIT, exchange).await {
        Ok(Ok(answer)) if answer.trim() == "ok" => Ok(()),
        Ok(Ok(answer)) => Err(Surprise::Order(answer.trim().to_owned())),
        Ok(Err(error)) => Err(Surprise::Order(error.to_string())),
        Err(_) => Err(Surprise::Order("no answer".to_owned())),
    }
}
