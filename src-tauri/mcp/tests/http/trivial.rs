//! An agents' service of a few trivial tools.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use regie_mcp::{Cancellation, Connection, Gatekeeper, HttpDoor, Protocol, Toolset};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ListToolsResult,
    PaginatedRequestParams, ProgressNotificationParam, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::{Map, json};

/// The token that [`Keys`] knows.
pub(crate) const TOKEN: &str = "a-token-for-tests";

/// Longer than any test runs.
const FOR_EVER: Duration = Duration::from_secs(600);

/// Knows one token, named "Agents".
pub(crate) struct Keys;

impl Gatekeeper for Keys {
    fn recognise(&self, token: &str) -> Option<Arc<str>> {
        (token == TOKEN).then(|| "Agents".into())
    }

    fn has_tokens(&self) -> bool {
        true
    }
}

/// What became of the calls of `wait`.
#[derive(Debug, Default)]
pub(crate) struct Waits {
    pub(crate) begun: AtomicUsize,
    pub(crate) cancelled: AtomicUsize,
    pub(crate) context_cancelled: AtomicUsize,
}

#[derive(Clone)]
pub(crate) struct Trivial {
    pub(crate) toolset: Toolset,
    pub(crate) waits: Arc<Waits>,
}

impl Trivial {
    async fn wait(&self, connection: &Connection, context: &RequestContext<RoleServer>) -> &str {
        self.waits.begun.fetch_add(1, Ordering::SeqCst);
        let token = match &connection.cancellation {
            Cancellation::Context => context.ct.clone(),
            Cancellation::Notice(token) => token.clone(),
        };
        tokio::select! {
            () = token.cancelled() => {
                self.waits.cancelled.fetch_add(1, Ordering::SeqCst);
                if context.ct.is_cancelled() {
                    self.waits.context_cancelled.fetch_add(1, Ordering::SeqCst);
                }
                "cancelled"
            }
            () = tokio::time::sleep(FOR_EVER) => "waited",
        }
    }
}

impl ServerHandler for Trivial {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let schema = Map::from_iter([("type".to_owned(), json!("object"))]);
        Ok(ListToolsResult::with_all_items(vec![Tool::new(
            format!("echo_{}", self.toolset),
            "Says what it was told",
            schema,
        )]))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let connection = context
            .extensions
            .get::<http::request::Parts>()
            .and_then(|parts| parts.extensions.get::<Connection>())
            .ok_or_else(|| ErrorData::internal_error("no connection", None))?;
        let text = match request.name.as_ref() {
            "echo" => json!(request.arguments).to_string(),
            "who" => format!(
                "{}, {:?}, hears {}",
                connection.caller.name.as_deref().unwrap_or("?"),
                connection.reach,
                connection.hears_progress
            ),
            "headers" => {
                let parts = context.extensions.get::<http::request::Parts>();
                format!("{:?}", parts.map(|parts| &parts.headers))
            }
            "wait" => self.wait(connection, &context).await.to_owned(),
            "progress" => {
                if let Some(token) = context.meta.get_progress_token() {
                    let _ = context
                        .peer
                        .notify_progress(ProgressNotificationParam::new(token, 1.0))
                        .await;
                }
                "done".to_owned()
            }
            name => return Err(ErrorData::invalid_params(format!("no tool {name}"), None)),
        };
        Ok(CallToolResponse::Complete(CallToolResult::success(vec![
            ContentBlock::text(text),
        ])))
    }
}

/// A door to the trivial tools.
pub(crate) fn door() -> (Arc<HttpDoor>, Arc<Waits>) {
    let waits = Arc::new(Waits::default());
    let counted = waits.clone();
    let protocol = Protocol::new(move |toolset| Trivial {
        toolset,
        waits: counted.clone(),
    });
    (Arc::new(HttpDoor::new(Arc::new(Keys), protocol)), waits)
}
