//! What doors show of the agents: one plain value, published on every change.

use regie_engine::Fault;
use serde::Serialize;

/// The agents' side of Regie, as of one moment.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct AgentsState {
    /// The HTTP server.
    pub server: ServerState,
    /// Who is connected or has called lately, the latest first.
    pub connected: Vec<ConnectedAgent>,
    /// The latest calls, the newest first.
    pub calls: Vec<CallRecord>,
}

/// How the HTTP server stands.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "state", rename_all = "kebab-case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub enum ServerState {
    /// Switched off.
    Off,
    /// It takes its port.
    Starting,
    /// It answers.
    On {
        /// Where, as addresses of `/mcp`; the first is the one for this computer.
        addresses: Vec<String>,
    },
    /// It finishes the calls it has.
    Stopping,
    /// It was to be on and is not.
    Failed {
        /// Why, and what to do.
        fault: Fault,
    },
}

/// How an agent talks to Regie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub enum Transport {
    /// Over HTTP, with a token.
    Http,
    /// Over its own pipes, started by it.
    Stdio,
}

/// An agent that is connected or has called lately.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct ConnectedAgent {
    /// What it calls itself, with its version; the name of its token where it does not say.
    pub name: String,
    /// How it talks.
    pub transport: Transport,
    /// The name of the token it showed.
    pub token: Option<String>,
    /// The address it comes from.
    pub address: Option<String>,
    /// When it was first heard, RFC 3339.
    pub since: String,
    /// When it last called, RFC 3339.
    pub last_call: Option<String>,
    /// Its calls in this run of Regie.
    pub calls: u32,
}

/// How a call stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub enum CallOutcome {
    /// Under way.
    Running,
    /// Answered.
    Done,
    /// Answered with an error.
    Failed,
    /// Ended early, on the caller's wish.
    Cancelled,
}

/// One call of a tool.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct CallRecord {
    /// Number of the call within this run of Regie.
    pub id: u32,
    /// When it came, RFC 3339.
    pub at: String,
    /// Who called.
    pub agent: String,
    /// How.
    pub transport: Transport,
    /// The tool.
    pub tool: String,
    /// Its arguments as JSON, with long values cut short.
    pub arguments: String,
    /// How it stands.
    pub outcome: CallOutcome,
    /// The code of the contract, such as `INVALID_PARAM`, where it failed.
    pub code: Option<String>,
    /// What it answered or why it failed, in words.
    pub summary: String,
    /// How long it took.
    pub duration_ms: Option<u32>,
}
