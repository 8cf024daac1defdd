//! What the window can ask about agents.

use regie_engine::{AccessToken, Engine, MadeToken};
use regie_mcp::AgentsState;
use regie_mcp::clients::{Client, ClientConfiguration, TOKEN_PLACEHOLDER};
use serde::Serialize;
use tauri::State;

use super::Answer;
use crate::agents::Agents;

/// A token with its secret, for the person who asked for it.
#[derive(Serialize)]
pub(super) struct TokenSecret {
    token: AccessToken,
    secret: String,
}

impl From<MadeToken> for TokenSecret {
    fn from(made: MadeToken) -> Self {
        Self {
            secret: made.secret.expose().to_owned(),
            token: made.token,
        }
    }
}

#[tauri::command]
pub(super) fn agents(agents: State<'_, Agents>) -> AgentsState {
    agents.state().borrow().clone()
}

#[tauri::command]
pub(super) async fn switch_server(agents: State<'_, Agents>, on: bool) -> Answer<()> {
    Ok(agents.switch(on).await?)
}

#[tauri::command]
pub(super) async fn make_token(engine: State<'_, Engine>, name: String) -> Answer<TokenSecret> {
    Ok(engine.make_token(&name).await?.into())
}

#[tauri::command]
pub(super) async fn reveal_token(engine: State<'_, Engine>, id: String) -> Answer<String> {
    Ok(engine.reveal_token(&id).await?.expose().to_owned())
}

#[tauri::command]
pub(super) async fn replace_token(engine: State<'_, Engine>, id: String) -> Answer<TokenSecret> {
    Ok(engine.replace_token(&id).await?.into())
}

#[tauri::command]
pub(super) async fn rename_token(
    engine: State<'_, Engine>,
    id: String,
    name: String,
) -> Answer<()> {
    Ok(engine.rename_token(&id, &name).await?)
}

#[tauri::command]
pub(super) async fn revoke_token(engine: State<'_, Engine>, id: String) -> Answer<()> {
    Ok(engine.revoke_token(&id).await?)
}

#[tauri::command]
pub(super) async fn client_configurations(
    agents: State<'_, Agents>,
) -> Answer<Vec<ClientConfiguration>> {
    let installed = agents.installed();
    let all = Client::ALL.map(|client| client.configuration(&installed));
    Ok(all.into())
}

/// One configuration with the secret of a token in it.
#[tauri::command]
pub(super) async fn client_configuration(
    engine: State<'_, Engine>,
    agents: State<'_, Agents>,
    client: Client,
    token: Option<String>,
) -> Answer<String> {
    let text = client.configuration(&agents.installed()).text;
    Ok(match token {
        Some(id) => {
            let secret = engine.reveal_token(&id).await?;
            text.replace(TOKEN_PLACEHOLDER, secret.expose())
        }
        None => text,
    })
}
