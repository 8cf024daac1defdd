//! The system's keyring: Secret Service, Windows Credential Manager, Keychain.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use keyring_core::{CredentialStore, Entry, Error};

use super::{Secret, SecretStore, SecretsError};

/// What all credentials belong to.
const SERVICE: &str = "regie";

/// The keyring, connected to on first use, and anew after it failed.
pub struct Keyring {
    store: Mutex<Option<Arc<CredentialStore>>>,
    given: bool,
}

impl Keyring {
    /// The system's own.
    #[must_use]
    pub fn of_system() -> Self {
        Self {
            store: Mutex::new(None),
            given: false,
        }
    }

    /// One that is given, for tests.
    pub fn over(store: Arc<CredentialStore>) -> Self {
        Self {
            store: Mutex::new(Some(store)),
            given: true,
        }
    }

    fn with<T>(
        &self,
        name: &str,
        work: impl FnOnce(&Entry) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let mut store = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        let connected = match &*store {
            Some(connected) => Arc::clone(connected),
            None => Arc::clone(store.insert(connect()?)),
        };
        let outcome = connected
            .build(SERVICE, name, None)
            .and_then(|entry| work(&entry));
        if matches!(outcome, Err(Error::PlatformFailure(_))) && !self.given {
            // The service may have ended, and with it the session that this is part of.
            *store = None;
        }
        outcome
    }
}

impl fmt::Debug for Keyring {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Keyring")
    }
}

/// Not by way of `keyring`, which connects once in the life of the process.
#[cfg(target_os = "linux")]
fn connect() -> Result<Arc<CredentialStore>, Error> {
    Ok(zbus_secret_service_keyring_store::Store::new()?)
}

#[cfg(not(target_os = "linux"))]
fn connect() -> Result<Arc<CredentialStore>, Error> {
    // Sets the default store on its first call.
    let _status = ::keyring::v1::Entry::store_status();
    keyring_core::get_default_store().ok_or(Error::NoDefaultStore)
}

impl SecretStore for Keyring {
    fn get(&self, name: &str) -> Result<Option<Secret>, SecretsError> {
        let bytes = match self.with(name, Entry::get_secret) {
            Ok(bytes) => bytes,
            Err(Error::NoEntry) => return Ok(None),
            Err(error) => return Err(failure(error)),
        };
        match String::from_utf8(bytes) {
            Ok(text) => Ok(Some(text.into())),
            Err(_) => Err(SecretsError::Failed {
                detail: format!("the credential {name} is no text"),
            }),
        }
    }

    fn set(&self, name: &str, secret: &Secret) -> Result<(), SecretsError> {
        self.with(name, |entry| entry.set_secret(secret.expose().as_bytes()))
            .map_err(failure)
    }

    fn delete(&self, name: &str) -> Result<(), SecretsError> {
        match self.with(name, Entry::delete_credential) {
            Ok(()) | Err(Error::NoEntry) => Ok(()),
            Err(error) => Err(failure(error)),
        }
    }
}

/// Says which of the three a person has to do something about: none there, locked, refused.
pub(super) fn failure(error: Error) -> SecretsError {
    match error {
        Error::NoDefaultStore => SecretsError::Missing {
            detail: "none was found".into(),
        },
        Error::TooLong(what, limit) => SecretsError::Failed {
            detail: format!("{what} is longer than {limit} characters"),
        },
        Error::PlatformFailure(cause) => of_system(&*cause).unwrap_or(SecretsError::Failed {
            detail: cause.to_string(),
        }),
        Error::NoStorageAccess(cause) => of_system(&*cause).unwrap_or(SecretsError::Denied {
            detail: cause.to_string(),
        }),
        // Their text holds neither bytes nor secrets, unlike their debug form.
        other => SecretsError::Failed {
            detail: other.to_string(),
        },
    }
}

type Cause = dyn std::error::Error + Send + Sync;

#[cfg(target_os = "linux")]
fn of_system(cause: &Cause) -> Option<SecretsError> {
    use secret_service::Error as Service;

    let missing = |detail: String| Some(SecretsError::Missing { detail });
    match cause.downcast_ref::<Service>()? {
        // A question that was dismissed, or that could not be put to anybody.
        Service::Locked | Service::Prompt | Service::PromptDisconnected => {
            Some(SecretsError::Locked)
        }
        Service::Unavailable => missing("no session bus was found".into()),
        Service::NoResult => missing("the secret service has no default keyring".into()),
        Service::Zbus(error) => of_bus(error),
        Service::ZbusFdo(zbus::fdo::Error::ZBus(error)) => of_bus(error),
        Service::ZbusFdo(error) => of_bus_name(&zbus::DBusError::name(error), &error.to_string()),
        _ => None,
    }
}

#[cfg(target_os = "linux")]
fn of_bus(error: &zbus::Error) -> Option<SecretsError> {
    match error {
        zbus::Error::MethodError(name, detail, _) => {
            of_bus_name(name, detail.as_deref().unwrap_or_default())
        }
        zbus::Error::FDO(error) => {
            of_bus_name(&zbus::DBusError::name(&**error), &error.to_string())
        }
        zbus::Error::InputOutput(error) | zbus::Error::Connection(error, _) => {
            Some(SecretsError::Missing {
                detail: format!("the session bus cannot be reached ({error})"),
            })
        }
        // A bus of somebody else, as in a container, or of a kind that is not spoken.
        zbus::Error::Handshake(_) | zbus::Error::Unsupported => Some(SecretsError::Missing {
            detail: "the session bus does not take Regie in".into(),
        }),
        _ => None,
    }
}

#[cfg(target_os = "linux")]
fn of_bus_name(name: &str, detail: &str) -> Option<SecretsError> {
    match name
        .strip_prefix("org.freedesktop.DBus.Error.")
        .unwrap_or(name)
    {
        // Nobody provides the service, or what should be started for it does not start.
        "ServiceUnknown" | "NameHasNoOwner" | "NoServer" | "FileNotFound" => {
            Some(SecretsError::Missing {
                detail: "no secret service runs in this session".into(),
            })
        }
        other if other.starts_with("Spawn.") => Some(SecretsError::Missing {
            detail: "the secret service of this session does not start".into(),
        }),
        "AccessDenied" | "AuthFailed" => Some(SecretsError::Denied {
            detail: detail.to_owned(),
        }),
        "org.freedesktop.Secret.Error.IsLocked" => Some(SecretsError::Locked),
        _ => None,
    }
}

#[cfg(target_os = "macos")]
fn of_system(cause: &Cause) -> Option<SecretsError> {
    let denied = || {
        Some(SecretsError::Denied {
            detail: cause.to_string(),
        })
    };
    match cause
        .downcast_ref::<security_framework::base::Error>()?
        .code()
    {
        // errSecInteractionNotAllowed: locked, and nobody could be asked.
        -25308 => Some(SecretsError::Locked),
        // errSecAuthFailed, errSecUserCanceled.
        -25293 | -128 => denied(),
        // errSecNotAvailable, errSecNoSuchKeychain, errSecNoDefaultKeychain.
        -25291 | -25294 | -25307 => Some(SecretsError::Missing {
            detail: cause.to_string(),
        }),
        _ => None,
    }
}

/// Windows unlocks with the session; without one (a service, a remote shell) there is no access.
#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn of_system(_: &Cause) -> Option<SecretsError> {
    None
}
