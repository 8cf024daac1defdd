//! What is read from disk when the engine starts, and the claim on the data folder.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::Path;

use jiff::Timestamp;
use regie_clock::{Address, Profile};

use crate::engine::{EngineConfig, TOKENS_KEY, devices_in_use};
use crate::error::EngineError;
use crate::fault::Fault;
use crate::memory::ClockMemory;
use crate::profile_file;
use crate::settings::{Devices, Settings, SettingsFile};
use crate::state::{KnownClock, SLOTS, Slot};
use crate::store::Store;
use crate::tokens::{GivenToken, TokenBook, new_scope};

/// What was read from disk at start.
pub(crate) struct Opened {
    pub(crate) config: EngineConfig,
    pub(crate) owned: File,
    pub(crate) settings_file: SettingsFile,
    pub(crate) settings: Settings,
    pub(crate) profile: Profile,
    pub(crate) warnings: Vec<Fault>,
    pub(crate) store: Store,
    pub(crate) slots: Vec<Option<Slot>>,
    pub(crate) memory: ClockMemory,
    /// Whether the clock in use is the one that the next start shall use.
    pub(crate) keeps_choice: bool,
    pub(crate) tokens: TokenBook,
    /// What the credentials of this data folder are named after.
    pub(crate) scope: String,
}

impl Opened {
    pub(crate) fn open(config: EngineConfig) -> Result<Self, EngineError> {
        for folder in [&config.folders.settings, &config.folders.data] {
            fs::create_dir_all(folder).map_err(|error| unusable(folder, &error))?;
        }
        let owned = own(&config.folders.data)?;
        let settings_file = SettingsFile::new(config.folders.settings.join("settings.toml"));
        let mut warnings = Vec::new();
        // The file stays as it is until new settings are written.
        let settings = settings_file.read().unwrap_or_else(|error| {
            warnings.push(Fault::from(error));
            Settings::default()
        });
        let profile = profile_file::read(&config.folders.settings).unwrap_or_else(|error| {
            warnings.push(Fault::from(error));
            Profile::default()
        });
        let (store, interrupted) = Store::open(&config.folders.data.join("regie.db"))?;
        let mut slots = vec![None; usize::from(SLOTS)];
        for held in store.slots()? {
            if let Some(place) = slots.get_mut(usize::from(held.slot)) {
                *place = Some(held);
            }
        }
        if interrupted.iter().any(|kind| kind.may_change_screen()) {
            // Nobody saw how far it came, nor perhaps on which clock.
            ClockMemory::forget_shown(&store)?;
        }
        let devices = devices_in_use(&config, &settings);
        let mut memory = ClockMemory::recall_choice(&store, devices)?;
        let given = config.clock.as_deref().map(Address::parse).transpose()?;
        let keeps_choice = match given {
            Some(address) if !memory.is_of(&address) => {
                let fresh = KnownClock {
                    address: address.to_string(),
                    name: address.to_string(),
                    family: None,
                    simulated: devices == Devices::Simulated,
                };
                memory = ClockMemory::recall(&store, fresh)?;
                false
            }
            _ => true,
        };
        warnings.extend(config.given_devices.faults.iter().map(|detail| {
            let detail = detail.clone();
            Fault::from(EngineError::GivenDevices { detail })
        }));
        let given = usable(&config.given_tokens, &mut warnings);
        let remembered = store.recall(TOKENS_KEY)?.unwrap_or_default();
        let tokens = TokenBook::new(remembered, &given, Timestamp::now());
        let scope = scope(&store)?;
        Ok(Self {
            config,
            owned,
            settings_file,
            settings,
            profile,
            warnings,
            store,
            slots,
            memory,
            keeps_choice,
            tokens,
            scope,
        })
    }
}

/// The tokens of the environment that agents can present, with a warning for each that is wrong.
fn usable(given: &[GivenToken], warnings: &mut Vec<Fault>) -> Vec<GivenToken> {
    let faults = given.iter().filter_map(|given| given.check().err());
    warnings.extend(faults.map(|error| Fault::from(EngineError::from(error))));
    given
        .iter()
        .filter(|given| given.usable())
        .cloned()
        .collect()
}

/// What the credentials of this data folder are named after: chosen once, so that the folder can
/// be moved, and another folder has others.
fn scope(store: &Store) -> Result<String, EngineError> {
    const KEY: &str = "secrets.scope";
    if let Some(scope) = store.recall(KEY)? {
        return Ok(scope);
    }
    let scope = new_scope()?;
    store.remember(KEY, Some(&scope))?;
    Ok(scope)
}

/// Takes the data folder for this process; the lock ends with the file handle, however the
/// process ends.
fn own(folder: &Path) -> Result<File, EngineError> {
    let file = File::create(folder.join("regie.lock")).map_err(|error| unusable(folder, &error))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(EngineError::AlreadyRunning {
            folder: folder.to_owned(),
        }),
        Err(TryLockError::Error(error)) => Err(unusable(folder, &error)),
    }
}

fn unusable(folder: &Path, error: &io::Error) -> EngineError {
    EngineError::FolderUnusable {
        path: folder.to_owned(),
        detail: error.to_string(),
    }
}
