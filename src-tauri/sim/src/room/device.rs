//! A simulated device.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::announcer::{Announced, Announcement, Announcer};
use super::board::{Board, Led, LedChange, Record, ServoMove, Sound};
use super::fault::{DeviceFault, Orders};
use super::freenove::{FreenoveConfig, NodeView};
use super::program::{DeviceFirmware, start};
use super::server::{Command, Inside, LogEntry, Server, Shared};
use super::spec::SpecConfig;
use super::story_v2::StoryV2Config;

/// Commands from handle to server that may wait.
const COMMANDS: usize = 8;

/// What a simulated device is like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceConfig {
    /// What it calls itself.
    pub name: String,
    /// What it runs.
    pub firmware: DeviceFirmware,
    /// Where it listens; port 0 is one that is free.
    pub address: SocketAddr,
    /// From a request to its answer, at least.
    pub latency: Duration,
    /// Signal strength about which it wanders, in dBm.
    pub rssi: i16,
    /// How long it has been running at the start.
    pub uptime: Duration,
    /// What its readings wander by.
    pub seed: u64,
}

impl DeviceConfig {
    /// A device that answers at once, on a free port of 127.0.0.1.
    #[must_use]
    pub fn new(name: &str, firmware: DeviceFirmware) -> Self {
        Self {
            name: name.to_owned(),
            firmware,
            address: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            latency: Duration::ZERO,
            rssi: -58,
            uptime: Duration::from_secs(3600),
            seed: 1,
        }
    }

    /// One with the contract's routes.
    #[must_use]
    pub fn spec(name: &str) -> Self {
        Self::new(name, DeviceFirmware::Spec(SpecConfig::default()))
    }

    /// A Freenove all-in-one.
    #[must_use]
    pub fn freenove(name: &str) -> Self {
        Self::new(name, DeviceFirmware::Freenove(FreenoveConfig::default()))
    }

    /// An audio board with "Story V2".
    #[must_use]
    pub fn story_v2(name: &str) -> Self {
        Self::new(name, DeviceFirmware::StoryV2(StoryV2Config::default()))
    }

    /// The token, or `user:password`, that does everything on it.
    fn token(&self) -> Option<String> {
        match &self.firmware {
            DeviceFirmware::Spec(config) => config.token.clone(),
            DeviceFirmware::Freenove(config) => config.web_token.clone(),
            DeviceFirmware::StoryV2(config) => Some(format!("{}:{}", config.user, config.password)),
        }
    }
}

/// How a simulated device is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceView {
    /// The step of its scenario.
    pub step: Option<String>,
    /// Puzzles with their state.
    pub puzzles: BTreeMap<String, String>,
    /// Its LEDs.
    pub led: Led,
    /// When they were told to look otherwise, oldest first.
    pub led_changes: Vec<LedChange>,
    /// When its servos were driven, oldest first.
    pub servo_moves: Vec<ServoMove>,
    /// What it plays.
    pub sound: Option<Sound>,
    /// Its loudness, on the firmware's own scale.
    pub volume: u8,
    /// Pictures taken since it started.
    pub shots: u32,
    /// How often it has restarted.
    pub restarts: u32,
    /// How long it has been running.
    pub uptime: Duration,
    /// Most connections that were open to it at once.
    pub most_connections: usize,
}

/// A simulated device that runs; it is gone when this is dropped.
pub struct SimulatedDevice {
    name: String,
    token: Option<String>,
    shared: Shared,
    address: Mutex<SocketAddr>,
    announced: Mutex<Option<Announced>>,
    commands: mpsc::Sender<Command>,
    task: JoinHandle<()>,
}

impl fmt::Debug for SimulatedDevice {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("SimulatedDevice")
            .field("name", &self.name)
            .field("address", &self.address())
            .finish_non_exhaustive()
    }
}

impl Drop for SimulatedDevice {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl SimulatedDevice {
    /// Starts one on the current tokio runtime.
    ///
    /// # Errors
    /// When it cannot listen at its address.
    pub async fn start(config: DeviceConfig) -> io::Result<Self> {
        let listener = TcpListener::bind(config.address).await?;
        let address = listener.local_addr()?;
        let now = Instant::now();
        let token = config.token();
        let mut board = Board::new(config.seed, config.rssi, config.uptime, address.ip(), now);
        let program = start(config.firmware, &config.name, &mut board, now);
        let shared = Shared::new(Inside {
            program,
            board,
            orders: Orders::default(),
            log: Record::default(),
            requests: 0,
            most_connections: 0,
        });
        let (commands, received) = mpsc::channel(COMMANDS);
        let server = Server {
            shared: shared.clone(),
            commands: received,
            address,
            latency: config.latency,
        };
        Ok(Self {
            name: config.name,
            token,
            shared,
            address: Mutex::new(address),
            announced: Mutex::new(None),
            commands,
            task: tokio::spawn(server.run(listener)),
        })
    }

    /// What it calls itself.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        *self.address.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The token, or `user:password`, that it asks for.
    #[must_use]
    pub fn token(&self) -> Option<&str> {
        self.token.as_deref()
    }

    /// How it is.
    #[must_use]
    pub fn state(&self) -> DeviceView {
        let mut inside = self.shared.lock();
        let now = Instant::now();
        inside.board.settle(now);
        let board = &inside.board;
        DeviceView {
            step: inside.program.step(),
            puzzles: inside.program.puzzles(),
            led: board.led.clone(),
            led_changes: board.led_changes.to_vec(),
            servo_moves: board.servo_moves.to_vec(),
            sound: board.sound.clone(),
            volume: board.volume,
            shots: board.shots,
            restarts: board.restarts,
            uptime: board.uptime(now),
            most_connections: inside.most_connections,
        }
    }

    /// The boards that hear it by ESP-NOW.
    #[must_use]
    pub fn nodes(&self) -> Vec<NodeView> {
        self.shared.lock().program.nodes(Instant::now())
    }

    /// The requests that came, oldest first.
    #[must_use]
    pub fn log(&self) -> Vec<LogEntry> {
        self.shared.lock().log.to_vec()
    }

    /// Orders a fault for the next request.
    pub fn order(&self, fault: DeviceFault) {
        self.order_for("", fault, 1);
    }

    /// Orders a fault for the next so many requests; `u32::MAX` is until further notice.
    pub fn order_times(&self, fault: DeviceFault, times: u32) {
        self.order_for("", fault, times);
    }

    /// Orders a fault for the next so many requests whose path begins so.
    pub fn order_for(&self, path: &str, fault: DeviceFault, times: u32) {
        if times > 0 {
            self.shared.lock().orders.add(fault, path, times);
        }
    }

    /// Takes back every fault that was ordered.
    pub fn mend(&self) {
        self.shared.lock().orders.clear();
    }

    /// From now on a puzzle's state cannot be changed (409), or can again.
    pub fn hold_puzzle(&self, puzzle: &str, held: bool) {
        self.shared.lock().program.hold(puzzle, held);
    }

    /// From now on a board does not hear it by ESP-NOW, or does again.
    pub fn deafen(&self, node: &str, deaf: bool) {
        self.shared.lock().program.deafen(node, deaf);
    }

    /// Refuses connections for this time.
    pub async fn close_for(&self, time: Duration) {
        self.tell(Command::Close(time)).await;
    }

    /// Switches it off and, after this time, on again.
    pub async fn reboot(&self, down: Duration) {
        self.tell(Command::Restart(down)).await;
    }

    /// Loses its Wi-Fi for this time: it goes on, but answers nothing.
    pub async fn drop_wifi(&self, time: Duration) {
        self.shared.lock().board.wifi_drops += 1;
        self.tell(Command::Silence(time)).await;
    }

    async fn tell(&self, command: Command) {
        // The server ends only with the handle.
        let _ = self.commands.send(command).await;
    }

    /// Listens at another address from now on, and says so where it was announced.
    ///
    /// # Errors
    /// When it cannot listen there; it stays where it was.
    pub async fn move_to(&self, address: SocketAddr) -> io::Result<SocketAddr> {
        let (told, heard) = oneshot::channel();
        self.tell(Command::Move(address, told)).await;
        let address = heard
            .await
            .map_err(|_| io::Error::other("the device has stopped"))??;
        *self.address.lock().unwrap_or_else(PoisonError::into_inner) = address;
        if let Some(announced) = &mut *self.announced() {
            announced.move_to(address).map_err(io::Error::other)?;
        }
        Ok(address)
    }

    /// Announces it by mDNS under its own name until it is withdrawn or dropped.
    ///
    /// # Errors
    /// When the announcement cannot be made.
    pub fn announce(&self, announcer: &Announcer, with: Announcement) -> io::Result<()> {
        let announced = Announced::start(announcer, &self.name, self.address(), with)
            .map_err(io::Error::other)?;
        // What was announced before is withdrawn.
        *self.announced() = Some(announced);
        Ok(())
    }

    /// Announces it under another name instead.
    ///
    /// # Errors
    /// When the announcement cannot be made.
    pub fn rename(&self, name: &str) -> io::Result<()> {
        match &mut *self.announced() {
            Some(announced) => announced.rename(name).map_err(io::Error::other),
            None => Ok(()),
        }
    }

    /// Says goodbye by mDNS.
    pub fn withdraw(&self) {
        *self.announced() = None;
    }

    /// The full name of its service, such as `zacus-main._zacus._tcp.local.`.
    #[must_use]
    pub fn service_name(&self) -> Option<String> {
        self.announced().as_ref().map(Announced::service_name)
    }

    fn announced(&self) -> std::sync::MutexGuard<'_, Option<Announced>> {
        self.announced
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends it; connections under way end at once.
    pub async fn stop(mut self) {
        self.withdraw();
        self.task.abort();
        // Ended by the line before.
        let _ = (&mut self.task).await;
    }
}
