//! One connection of an agent, as the protocol's library serves it.

use http::request::Parts;
use rmcp::ErrorData;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CustomRequest, CustomResult, ErrorCode,
    Implementation, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::Value;

use crate::connection::Connection;
use crate::host::{Asked, Host};
use crate::tool::{Reporter, Tool, nearest};
use crate::toolset::Toolset;

/// What a model is told of the clocks before it calls anything.
const OF_THE_CLOCK: &str = "Regie shows pictures, words and faces on battery-powered e-ink clocks over Bluetooth (400 x 300 pixels; black, white and red). The clocks sleep and wake every 30 to 60 s: a call that reaches one may take 90 s before it begins, and a redraw some 15 s more; this is normal, ask for progress rather than calling again. Calls are carried out one after another, but those that are under way together in any order: wait for an answer before the call that builds on it. Give upload_image the path of a file rather than base64. Where preview_image is offered, look at the dots before you upload them. Every answer is one JSON object: {\"ok\": true, \"tool\", \"data\"} or {\"ok\": false, \"tool\", \"error\": {\"code\", \"message\", \"hint\"}}; the hint says what to do next.";

/// What a model is told of the room before it calls anything.
const OF_THE_ROOM: &str = "Regie drives the ESP32 devices of an escape room over HTTP: puzzles, sound, LEDs, cameras and the scenario, each by its device_id. Ask device_status, or call with any device_id, to hear in data.known which there are. A call ends within some 15 s; \"accepted\" means that the device said yes, \"confirmed\" that its state shows it. A failure is a JSON-RPC error: its message says what happened and what to do, data.retry_after_ms when to try again. Do not repeat scenario_advance or audio_play whose outcome is unknown without reading the status. scenario_advance with event_type manual is the game master's override: nothing holds it up.";

/// How the two are told apart where both are offered.
const OF_BOTH: &str = "device_status with device_id asks a device of the room, without it the clock; list_devices tells all.";

fn instructions(toolset: Toolset) -> String {
    match toolset {
        Toolset::Clock => OF_THE_CLOCK.into(),
        Toolset::Room => OF_THE_ROOM.into(),
        Toolset::All => [OF_THE_CLOCK, OF_THE_ROOM, OF_BOTH].join("\n\n"),
    }
}

/// Characters of an unknown name that an answer repeats.
const SHOWN: usize = 64;

/// Methods that are served, and so are not unknown when their parameters cannot be read.
pub(crate) const SERVED: [&str; 5] = [
    "initialize",
    "ping",
    "server/discover",
    "tools/call",
    "tools/list",
];

/// Those of them that only versions of the protocol with a handshake have.
const OF_THE_HANDSHAKE: [&str; 2] = ["initialize", "ping"];

/// One connection of an agent; over HTTP also one request.
#[derive(Clone, Debug)]
pub struct AgentService {
    host: Host,
    connection: Connection,
}

impl AgentService {
    /// For a caller. A [`Connection`] in the extensions of a request's [`Parts`] overrides this one
    /// for that request.
    #[must_use]
    pub fn new(host: Host, connection: Connection) -> Self {
        Self { host, connection }
    }

    fn connection<'a>(&'a self, context: &'a RequestContext<RoleServer>) -> &'a Connection {
        let parts = context.extensions.get::<Parts>();
        parts
            .and_then(|parts| parts.extensions.get())
            .unwrap_or(&self.connection)
    }
}

impl ServerHandler for AgentService {
    fn get_info(&self) -> ServerConfig {
        about(self.host.version(), self.connection.toolset)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let toolset = self.connection(&context).toolset;
        Ok(listed(toolset))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let connection = self.connection(&context);
        let Some(tool) = Tool::named(&request.name, connection.toolset) else {
            return Err(unknown_tool(&request.name, connection.toolset));
        };
        let reporter = context
            .meta
            .get_progress_token()
            .filter(|_| connection.hears_progress)
            .map(|token| Reporter::new(context.peer.clone(), token));
        let asked = Asked {
            tool,
            arguments: request.arguments.unwrap_or_default(),
            connection: connection.clone(),
            agent: agent(connection, &context),
            id: context.id.clone(),
            notice: context.ct.clone(),
            reporter,
        };
        let told = self.host.call(asked).await;
        told.result.map(CallToolResponse::Complete)
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let CustomRequest { method, params, .. } = request;
        let version = context.meta.protocol_version();
        let gone = version.is_some_and(|version| !version.has_initialize())
            && OF_THE_HANDSHAKE.contains(&method.as_str());
        if gone || !SERVED.contains(&method.as_str()) {
            let shown: String = method.chars().take(SHOWN).collect();
            return Err(ErrorData::new(
                ErrorCode::METHOD_NOT_FOUND,
                format!("There is no method \"{shown}\" here."),
                None,
            ));
        }
        let wrong = match (method.as_str(), params) {
            ("tools/call", Some(Value::Object(params))) => match params.get("name") {
                None => "\"name\" is missing: the name of the tool to call.",
                Some(Value::String(_)) => "\"arguments\" must be an object.",
                Some(_) => "\"name\" must be a text: the name of the tool to call.",
            },
            (_, Some(_)) => "The parameters of this method cannot be read.",
            (_, None) => "The parameters of this method are missing.",
        };
        Err(ErrorData::invalid_params(wrong, None))
    }
}

/// What a caller is called: as its door knows it, else as it calls itself.
fn agent(connection: &Connection, context: &RequestContext<RoleServer>) -> String {
    if let Some(name) = &connection.caller.name {
        return name.clone();
    }
    match context.client_info() {
        Some(client) => format!("{} {}", client.name, client.version),
        None => "agent".into(),
    }
}

/// What an agent is told of the server.
pub(crate) fn about(version: &str, toolset: Toolset) -> ServerConfig {
    let about = Implementation::new("regie", version).with_title("Regie");
    ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
        .with_server_info(about)
        .with_instructions(instructions(toolset))
}

/// The tools as an agent is told them.
pub(crate) fn listed(toolset: Toolset) -> ListToolsResult {
    let tools = Tool::of(toolset).map(|tool| tool.definition.clone());
    ListToolsResult::with_all_items(tools.collect())
}

pub(crate) fn unknown_tool(name: &str, toolset: Toolset) -> ErrorData {
    let names: Vec<&str> = Tool::of(toolset).map(|tool| tool.name).collect();
    let meant = nearest(name, names.iter().copied())
        .map(|meant| format!(" Did you mean {meant}?"))
        .unwrap_or_default();
    let shown: String = name.chars().take(SHOWN).collect();
    ErrorData::invalid_params(
        format!("There is no tool \"{shown}\".{meant}"),
        Some(serde_json::json!({ "known": names })),
    )
}
