//! What an agent is answered while another program has the engine and no door to it.

use std::time::Duration;

use regie_engine::Fault;
use rmcp::ErrorData;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ListToolsResult, PaginatedRequestParams, ServerConfig,
};
use rmcp::service::{RequestContext, RoleServer};
use tokio::time::sleep;

use crate::connection::Connection;
use crate::local::{Hello, LocalServer, Policy, Talk};
use crate::service::{about, listed, unknown_tool};
use crate::tool::Tool;
use crate::toolset::Toolset;

/// A conversation with nobody, for an agent that is not to wait: it is told who it talks to and
/// which tools there are, and each call fails with `why`. It ends after `lasting`, so that whoever
/// holds it looks for an engine again. Must be called on a tokio runtime.
#[must_use]
pub fn stand_in(version: &str, hello: Hello, why: &Fault, lasting: Duration) -> Talk {
    let (told, why) = (version.to_owned(), why.clone());
    let door = LocalServer::new(version, Policy::Yield, move |connection: Connection| {
        Absence {
            version: told.clone(),
            toolset: connection.toolset,
            why: why.clone(),
        }
    });
    let talk = door.attach(hello).standing_in();
    tokio::spawn(async move {
        sleep(lasting).await;
        door.close().await;
    });
    talk
}

/// A server without an engine.
struct Absence {
    version: String,
    toolset: Toolset,
    why: Fault,
}

impl ServerHandler for Absence {
    fn get_info(&self) -> ServerConfig {
        about(&self.version, self.toolset)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(listed(self.toolset))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        match Tool::named(&request.name, self.toolset) {
            Some(tool) => {
                let arguments = request.arguments.unwrap_or_default();
                let told = tool.refuse(&arguments, self.why.clone().into());
                told.result.map(CallToolResponse::Complete)
            }
            None => Err(unknown_tool(&request.name, self.toolset)),
        }
    }
}
