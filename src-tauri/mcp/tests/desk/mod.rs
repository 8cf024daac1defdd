//! An agent's client of one simulated clock and of simulated devices of the room, for the tests
//! beside this folder.

// Each test file uses a part of this, and a failure here fails the test.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub(crate) mod web;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use regie_clock::{Adapter, ClockError};
use regie_engine::rooms::{
    DeviceEntry, HttpTransport, Origin, RoomError, Search, Token, request::Volume,
};
use regie_engine::{
    Caller, DeviceSource, Devices, Door, Engine, EngineConfig, Folders, GivenDevices, Locale,
    Reach, RoomSource, SecretsPlace,
};
use regie_mcp::{AgentService, Connection, Host, Transport};
use regie_sim::room::{DeviceConfig, SimulatedDevice};
use regie_sim::{ClockSpec, SimulatedAdapter, SimulatedClock, Timing};
use rmcp::handler::client::ClientHandler;
use rmcp::model::{CallToolRequestParams, CallToolResult, ClientConfig, ProgressNotificationParam};
use rmcp::service::{NotificationContext, Peer, RoleClient, RunningService, ServiceError};
use rmcp::{ErrorData, ServiceExt as _};
use serde_json::Value;

/// Longer than anything here takes, also where time is paused and flies.
pub(crate) const PATIENCE: Duration = Duration::from_secs(900);

struct Source {
    adapter: SimulatedAdapter,
    devices: Vec<(DeviceEntry, Option<Token>)>,
}

#[async_trait]
impl DeviceSource for Source {
    fn adapter(&self, _: Devices) -> Result<Arc<dyn Adapter>, ClockError> {
        Ok(Arc::new(self.adapter.clone()))
    }

    async fn room(&self, _: Devices) -> Result<RoomSource, RoomError> {
        Ok(RoomSource {
            transport: Arc::new(HttpTransport::new()?),
            search: Search::Off,
            devices: self.devices.clone(),
        })
    }
}

/// A simulated device as somebody would have set it.
pub(crate) fn entry(device: &SimulatedDevice) -> (DeviceEntry, Option<Token>) {
    let token = device.token().map(|token| Token::from(token.to_owned()));
    let entry = DeviceEntry {
        id: device.name().parse().unwrap(),
        name: device.name().to_owned(),
        room: Some("Salle 1".into()),
        address: Some(device.address().to_string().parse().unwrap()),
        found_as: None,
        via: None,
        volume_limit: Volume::try_from(100).unwrap(),
        origin: Origin::Simulated,
    };
    (entry, token)
}

/// An engine with one simulated clock and what agents share of it.
pub(crate) struct Desk {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) clock: SimulatedClock,
    pub(crate) adapter: SimulatedAdapter,
    pub(crate) engine: Engine,
    pub(crate) host: Host,
}

impl Desk {
    pub(crate) async fn new() -> Self {
        Self::with(Timing::instant()).await
    }

    pub(crate) async fn with(timing: Timing) -> Self {
        Self::with_clocks(timing, true).await
    }

    /// With a clock that is there, or too far away to be heard.
    pub(crate) async fn with_clocks(timing: Timing, heard: bool) -> Self {
        Self::furnished(timing, heard, Vec::new()).await
    }

    /// With one device in the room, `main-console`, that does all that the contract says.
    pub(crate) async fn with_room() -> (Self, SimulatedDevice) {
        let device = SimulatedDevice::start(DeviceConfig::spec("main-console"))
            .await
            .unwrap();
        let desk = Self::with_devices(vec![entry(&device)]).await;
        (desk, device)
    }

    /// With those devices in the room.
    pub(crate) async fn with_devices(devices: Vec<(DeviceEntry, Option<Token>)>) -> Self {
        Self::furnished(Timing::instant(), true, devices).await
    }

    async fn furnished(
        timing: Timing,
        heard: bool,
        devices: Vec<(DeviceEntry, Option<Token>)>,
    ) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let clock = SimulatedClock::new(ClockSpec {
            timing,
            ..ClockSpec::default()
        });
        let adapter = SimulatedAdapter::new(heard.then(|| clock.clone()).into_iter().collect());
        let config = EngineConfig {
            folders: Folders {
                settings: folder.path().join("settings"),
                data: folder.path().join("data"),
            },
            version: "1.2.3".into(),
            system_locale: Locale::En,
            demo: true,
            clock: None,
            secrets: SecretsPlace::Memory,
            given_tokens: Vec::new(),
            given_devices: GivenDevices::default(),
        };
        let source = Source {
            adapter: adapter.clone(),
            devices,
        };
        let engine = Engine::start(config, Arc::new(source)).await.unwrap();
        Self {
            folder,
            clock,
            adapter,
            host: Host::new(engine.clone()),
            engine,
        }
    }

    /// A client of every tool.
    pub(crate) async fn agent(&self) -> Agent {
        self.agent_with(connection()).await
    }

    pub(crate) async fn agent_with(&self, connection: Connection) -> Agent {
        let (here, there) = tokio::io::duplex(1 << 20);
        let service = AgentService::new(self.host.clone(), connection);
        tokio::spawn(async move {
            if let Ok(running) = service.serve(there).await {
                let _ended = running.waiting().await;
            }
        });
        let listener = Listener::default();
        let heard = listener.heard.clone();
        let client = listener.serve(here).await.unwrap();
        Agent { client, heard }
    }

    /// A picture in which every ink has something to do, as a file.
    pub(crate) fn picture(&self) -> String {
        let path = self.folder.path().join("picture.png");
        std::fs::write(&path, picture()).unwrap();
        path.to_str().unwrap().into()
    }
}

pub(crate) fn connection() -> Connection {
    let caller = Caller::from(Door::Agent);
    Connection::new(caller, Transport::Stdio, Reach::ThisComputer)
}

pub(crate) fn picture() -> Vec<u8> {
    let pixels: Vec<u8> = (0..150_u8)
        .flat_map(|y| (0..200_u8).flat_map(move |x| [x, y, if x > y { 20 } else { 200 }]))
        .collect();
    png(200, 150, &pixels)
}

pub(crate) fn png(width: u32, height: u32, pixels: &[u8]) -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(png::ColorType::Rgb);
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(pixels).unwrap();
    writer.finish().unwrap();
    file
}

#[derive(Clone, Default)]
pub(crate) struct Listener {
    heard: Arc<Mutex<Vec<ProgressNotificationParam>>>,
}

impl ClientHandler for Listener {
    async fn on_progress(
        &self,
        notice: ProgressNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        self.heard.lock().unwrap().push(notice);
    }

    fn get_info(&self) -> ClientConfig {
        ClientConfig::default()
    }
}

/// A connected client.
pub(crate) struct Agent {
    pub(crate) client: RunningService<RoleClient, Listener>,
    heard: Arc<Mutex<Vec<ProgressNotificationParam>>>,
}

impl Agent {
    pub(crate) fn peer(&self) -> &Peer<RoleClient> {
        self.client.peer()
    }

    pub(crate) fn heard(&self) -> Vec<ProgressNotificationParam> {
        self.heard.lock().unwrap().clone()
    }

    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> CallToolResult {
        self.try_call(tool, arguments).await.unwrap()
    }

    pub(crate) async fn try_call(
        &self,
        tool: &str,
        arguments: Value,
    ) -> Result<CallToolResult, ServiceError> {
        let Value::Object(arguments) = arguments else {
            panic!("arguments are an object");
        };
        let request = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        tokio::time::timeout(PATIENCE, self.peer().call_tool(request))
            .await
            .expect("a call hangs")
    }

    /// What a tool of the room answers: its text, and what is known as an object.
    pub(crate) async fn answered(&self, tool: &str, arguments: Value) -> (String, Value) {
        let result = self.call(tool, arguments).await;
        assert_eq!(result.is_error, Some(false), "{tool}");
        let text = result.content.iter().find_map(|part| part.as_text());
        (
            text.expect("a text").text.clone(),
            result.structured_content.expect("an object"),
        )
    }

    /// The error of the protocol that a tool of the room answers.
    pub(crate) async fn erred(&self, tool: &str, arguments: Value) -> ErrorData {
        match self.try_call(tool, arguments).await {
            Err(ServiceError::McpError(error)) => error,
            other => panic!("{tool}: {other:?}"),
        }
    }

    /// The data of a call that is done.
    pub(crate) async fn done(&self, tool: &str, arguments: Value) -> Value {
        let result = self.call(tool, arguments).await;
        let answer = object(tool, &result);
        assert_eq!(answer["ok"], true, "{tool}: {answer}");
        answer["data"].clone()
    }

    /// The error of a call that is not done.
    pub(crate) async fn refused(&self, tool: &str, arguments: Value) -> Value {
        let result = self.call(tool, arguments).await;
        let answer = object(tool, &result);
        assert_eq!(answer["ok"], false, "{tool}: {answer}");
        answer["error"].clone()
    }
}

/// The object of an answer, which is that of the contract.
pub(crate) fn object(tool: &str, result: &CallToolResult) -> Value {
    let structured = result.structured_content.clone().expect("an object");
    let text = &result.content[0].as_text().expect("text first").text;
    assert_eq!(serde_json::from_str::<Value>(text).unwrap(), structured);
    assert_eq!(structured["tool"], tool);
    let ok = structured["ok"].as_bool().expect("ok is true or false");
    assert_eq!(result.is_error, Some(!ok));
    assert_eq!(structured.get("data").is_some(), ok);
    if !ok {
        for part in ["code", "message", "hint"] {
            let text = structured["error"][part].as_str().unwrap();
            assert!(!text.is_empty(), "{tool}: no {part}");
        }
    }
    structured
}
