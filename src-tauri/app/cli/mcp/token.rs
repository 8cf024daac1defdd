//! `regie mcp token`: the tokens that let agents in over HTTP, of whichever process owns the data
//! folder.

use std::fmt::Write as _;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use regie_engine::{AccessToken, Engine, EngineConfig, EngineError};
use regie_mcp::{KeptIn, LocalError, Place, TokenAnswer, TokenOrder, order_tokens};
use tokio::time::{Instant, sleep, timeout};

use super::PAUSE;
use crate::arguments::{Arguments, TokenArguments};
use crate::cli::{Failure, complain, line};
use crate::devices::Devices;
use crate::start::{STOP_WAIT, config};

/// How long the answer may take: the system may ask a person to unlock the keyring.
const PATIENCE: Duration = Duration::from_secs(120);

/// How long an owner may have no door yet: it opens it as soon as its engine runs. One that has
/// none at all is a command, which may take minutes.
const DOORLESS: Duration = Duration::from_secs(5);

pub(super) async fn run(
    arguments: &Arguments,
    token: &TokenArguments,
) -> Result<ExitCode, Failure> {
    let order = order(token);
    let lists = order == TokenOrder::List;
    let answer = carry_out(config(arguments)?, Devices::asked(arguments), order).await?;
    if let Some(secret) = &answer.secret {
        line(secret.expose())?;
    } else if !lists {
        complain("Done: that token is refused from now on.");
    } else if answer.tokens.is_empty() {
        complain("There is no token yet. regie mcp token --new kitchen makes one.");
    } else {
        line(&table(&answer.tokens, answer.kept))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn order(token: &TokenArguments) -> TokenOrder {
    let TokenArguments {
        list: _,
        new,
        show,
        replace,
        revoke,
    } = token;
    let named = |name: &Option<String>, order: fn(String) -> TokenOrder| name.clone().map(order);
    named(new, |name| TokenOrder::Make { name })
        .or_else(|| named(show, |name| TokenOrder::Show { name }))
        .or_else(|| named(replace, |name| TokenOrder::Replace { name }))
        .or_else(|| named(revoke, |name| TokenOrder::Revoke { name }))
        .unwrap_or(TokenOrder::List)
}

/// Has it done by the owner of the data folder, or owns it for that long.
async fn carry_out(
    config: EngineConfig,
    devices: Devices,
    order: TokenOrder,
) -> Result<TokenAnswer, Failure> {
    let start = Instant::now();
    let source = Arc::new(devices);
    loop {
        let owned = match Engine::start(config.clone(), source.clone()).await {
            Ok(engine) => return within(&engine, order).await,
            Err(owned @ EngineError::AlreadyRunning { .. }) => owned,
            Err(error) => return Err(error.into()),
        };
        let place = Place::of(&config.folders.data);
        match order_tokens(&place, order.clone(), PATIENCE).await {
            Ok(answer) => {
                if let Some(why) = answer.forgets.as_ref().filter(|_| answer.secret.is_some()) {
                    complain(&format!(
                        "The token holds until the Regie that runs is ended. {} {}",
                        why.message, why.hint
                    ));
                }
                return Ok(answer);
            }
            Err(LocalError::Nobody) if start.elapsed() < DOORLESS => sleep(PAUSE).await,
            Err(LocalError::Nobody) => return Err(owned.into()),
            Err(error) => return Err(Failure::local(&error)),
        }
    }
}

/// Does it with an engine of its own.
async fn within(engine: &Engine, order: TokenOrder) -> Result<TokenAnswer, Failure> {
    let done = order.carry_out(engine).await;
    if timeout(STOP_WAIT, engine.stop()).await.is_err() {
        tracing::warn!("the engine did not stop in time");
    }
    let answer = done?;
    match answer.forgets {
        // It is forgotten by now.
        Some(why) if answer.secret.is_some() => Err(why.into()),
        _ => Ok(answer),
    }
}

/// The tokens as a person reads them, without their secrets.
fn table(tokens: &[AccessToken], kept: Option<KeptIn>) -> String {
    let width = tokens
        .iter()
        .map(|token| token.name.chars().count())
        .max()
        .unwrap_or_default()
        .max(4);
    let mut table = format!(
        "{:width$}  {:20}  {:20}  KEPT IN",
        "NAME", "MADE", "LAST USED"
    );
    for token in tokens {
        let (made, place) = match &token.variable {
            Some(_) => ("-".to_owned(), "environment"),
            None => (
                to_the_second(&token.created),
                kept.map_or("-", KeptIn::name),
            ),
        };
        let used = token.last_used.as_deref();
        let used = used.map_or_else(|| "never".to_owned(), to_the_second);
        // Writing to a string does not fail.
        let _written = write!(
            table,
            "\n{:width$}  {made:20}  {used:20}  {place}",
            token.name
        );
    }
    table
}

/// A moment of RFC 3339 in UTC without parts of seconds.
fn to_the_second(moment: &str) -> String {
    match moment.split_once('.') {
        Some((whole, _)) => format!("{whole}Z"),
        None => moment.to_owned(),
    }
}
