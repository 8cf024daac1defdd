//! `regie erase`: what Regie keeps of a person, taken away.

use std::io;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use regie_engine::{Engine, EngineError};
use tokio::time::timeout;

use super::{Failure, line, runtime};
use crate::arguments::{Arguments, EraseArguments};
use crate::devices::Devices;
use crate::folders;
use crate::owning::{self, Stay};
use crate::start::{STOP_WAIT, config};

pub(super) fn run(arguments: &Arguments, erase: &EraseArguments) -> Result<ExitCode, Failure> {
    let config = config(arguments)?;
    let mut paths = vec![config.folders.settings.clone(), config.folders.data.clone()];
    paths.dedup();
    if arguments.data_dir.is_none() {
        paths.extend(folders::of_the_window());
    }
    if !erase.yes {
        line("This would remove the tokens in the system's keyring, and these folders:")?;
        for path in &paths {
            line(&format!("  {}", path.display()))?;
        }
        line("regie erase --yes does it.")?;
        return Ok(ExitCode::SUCCESS);
    }
    // Without data nothing was ever kept, and no engine should begin to.
    if paths.iter().any(|path| path.exists()) {
        let source = Arc::new(Devices::asked(arguments));
        runtime()?.block_on(async {
            let engine = owning::start_engine(config, source, Stay::Brief).await?;
            let forgotten = forget_tokens(&engine).await;
            if timeout(STOP_WAIT, engine.stop()).await.is_err() {
                tracing::warn!("the engine did not stop in time");
            }
            forgotten.map_err(Failure::from)
        })?;
    }
    for path in &paths {
        remove(path).map_err(|error| Failure::unremovable(path, &error))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Takes every token out of the keyring; what the environment gives stays.
async fn forget_tokens(engine: &Engine) -> Result<(), EngineError> {
    let state = engine.state().borrow().clone();
    for token in state.tokens.iter().filter(|token| token.variable.is_none()) {
        engine.revoke_token(&token.id).await?;
    }
    for device in state.settings.room.devices.keys() {
        engine.remove_device(device).await?;
    }
    Ok(())
}

fn remove(folder: &Path) -> io::Result<()> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
