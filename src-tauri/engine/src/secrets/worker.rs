//! One thread that alone calls the place of secrets: the calls block, and a keyring that asks a
//! person blocks until they answer. Whoever waits for it has a deadline; the thread has none.
//!
//! A thread of its own and not one of the runtime's, which at its end waits for those.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use tokio::sync::{Notify, mpsc, oneshot};
use tokio::time::timeout;

use super::{
    Keyring, MAX_SECRET_BYTES, Secret, SecretStore, SecretsError, SecretsFile, SecretsPlace,
};

/// How long a call is waited for: enough to type a password into the keyring's question.
const PATIENCE: Duration = Duration::from_secs(30);

/// Calls waiting for the thread; more than all secrets of a start, and behind a keyring that asks
/// a person they only pile up.
const MAX_WAITING: usize = 64;

type Job = Box<dyn FnOnce(&mut Place) + Send>;

/// How long a secret stays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kept {
    /// Until it is deleted.
    Lasting,
    /// Until the engine ends, for this reason.
    Now(SecretsError),
}

/// The handle; clones share the thread, which ends with the last of them.
#[derive(Clone, Debug)]
pub(crate) struct Secrets {
    jobs: mpsc::Sender<Job>,
    late: Arc<Notify>,
}

impl Secrets {
    /// Takes the place for the credentials whose names begin with `scope`. Nothing is asked of it
    /// yet. `late` is told of an answer that nobody waits for any more: the keyring works again.
    pub(crate) fn start(
        place: &SecretsPlace,
        scope: String,
        late: Arc<Notify>,
    ) -> std::io::Result<Self> {
        let store: Option<Arc<dyn SecretStore>> = match place {
            SecretsPlace::Keyring => Some(Arc::new(Keyring::of_system())),
            SecretsPlace::File(path) => Some(Arc::new(SecretsFile::new(path.clone()))),
            SecretsPlace::Memory => None,
            SecretsPlace::Given(store) => Some(Arc::clone(store)),
        };
        let mut place = Place {
            store,
            scope,
            memory: HashMap::new(),
        };
        let (jobs, mut waiting) = mpsc::channel::<Job>(MAX_WAITING);
        thread::Builder::new()
            .name("secrets".into())
            .spawn(move || {
                while let Some(job) = waiting.blocking_recv() {
                    job(&mut place);
                }
            })?;
        Ok(Self { jobs, late })
    }

    /// The secret of that name; `None` where there is none.
    pub(crate) async fn get(&self, name: &str) -> Result<Option<Secret>, SecretsError> {
        let name = name.to_owned();
        self.ask(move |place| place.get(&name), |_, _| {}).await
    }

    /// Keeps a secret under a name, in memory where there is no keyring. One that is kept only
    /// after the caller has given up is forgotten again.
    pub(crate) async fn set(&self, name: &str, secret: &Secret) -> Result<Kept, SecretsError> {
        if secret.len() > MAX_SECRET_BYTES {
            return Err(SecretsError::TooLarge {
                bytes: secret.len(),
            });
        }
        let (name, late, secret) = (name.to_owned(), name.to_owned(), secret.clone());
        self.ask(
            move |place| place.set(&name, secret),
            move |place, _| {
                if let Err(error) = place.delete(&late) {
                    tracing::warn!(%error, "a secret that nobody waits for stays in the keyring");
                }
            },
        )
        .await
    }

    /// Forgets the secret of that name.
    pub(crate) async fn delete(&self, name: &str) -> Result<(), SecretsError> {
        let name = name.to_owned();
        self.ask(move |place| place.delete(&name), |_, ()| {}).await
    }

    /// Has the thread do `work`, and `undo` it where it succeeded too late.
    async fn ask<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Place) -> Result<T, SecretsError> + Send + 'static,
        undo: impl FnOnce(&mut Place, T) + Send + 'static,
    ) -> Result<T, SecretsError> {
        let (answer, answered) = oneshot::channel();
        let late = Arc::clone(&self.late);
        let job = move |place: &mut Place| {
            if answer.is_closed() {
                return;
            }
            let outcome = guarded(|| work(place));
            if let Err(Ok(done)) = answer.send(outcome) {
                undo(place, done);
                late.notify_one();
            }
        };
        let silent = SecretsError::Silent {
            seconds: PATIENCE.as_secs(),
        };
        if self.jobs.try_send(Box::new(job)).is_err() {
            return Err(silent);
        }
        match timeout(PATIENCE, answered).await {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(_)) | Err(_) => Err(silent),
        }
    }
}

/// A keyring library that breaks down must not take the thread along.
fn guarded<T>(work: impl FnOnce() -> Result<T, SecretsError>) -> Result<T, SecretsError> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        Err(SecretsError::Failed {
            detail: "its library broke down".into(),
        })
    })
}

/// What the thread owns.
struct Place {
    store: Option<Arc<dyn SecretStore>>,
    scope: String,
    /// What there is no keyring for.
    memory: HashMap<String, Secret>,
}

impl Place {
    fn full_name(&self, name: &str) -> String {
        format!("{}/{name}", self.scope)
    }

    fn get(&self, name: &str) -> Result<Option<Secret>, SecretsError> {
        match (self.memory.get(name), &self.store) {
            (Some(secret), _) => Ok(Some(secret.clone())),
            (None, Some(store)) => store.get(&self.full_name(name)),
            (None, None) => Err(SecretsError::MemoryOnly),
        }
    }

    fn set(&mut self, name: &str, secret: Secret) -> Result<Kept, SecretsError> {
        let outcome = match &self.store {
            Some(store) => store.set(&self.full_name(name), &secret),
            None => Err(SecretsError::MemoryOnly),
        };
        match outcome {
            Ok(()) => Ok(Kept::Lasting),
            Err(why @ (SecretsError::Missing { .. } | SecretsError::MemoryOnly)) => {
                self.memory.insert(name.to_owned(), secret);
                Ok(Kept::Now(why))
            }
            Err(error) => Err(error),
        }
    }

    fn delete(&mut self, name: &str) -> Result<(), SecretsError> {
        match (self.memory.remove(name), &self.store) {
            (None, Some(store)) => store.delete(&self.full_name(name)),
            _ => Ok(()),
        }
    }
}
