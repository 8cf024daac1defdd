//! Each place of secrets: what it keeps, what it refuses, and what it says when it cannot.

use std::sync::Arc;

use keyring_core::{Entry, Error, mock};
use tokio::sync::Notify;

use super::{
    Kept, Keyring, MAX_SECRET_BYTES, Secret, SecretStore, Secrets, SecretsError, SecretsPlace,
};

fn secret(text: &str) -> Secret {
    text.to_owned().into()
}

fn text(secret: Option<Secret>) -> Option<String> {
    secret.map(|secret| secret.expose().to_owned())
}

fn start(place: SecretsPlace) -> Secrets {
    Secrets::start(&place, "scope".into(), Arc::new(Notify::new())).unwrap()
}

#[test]
fn a_secret_is_never_shown_by_chance() {
    let secret = secret("regie_abc");
    assert!(!format!("{secret} {secret:?}").contains("abc"));
}

mod keyring {
    use super::*;

    /// Has the next call on a credential fail.
    fn spoil(store: &Arc<mock::Store>, name: &str, error: Error) {
        let store: Arc<keyring_core::CredentialStore> = store.clone();
        let entry = Entry::new_in_store(&store, "regie", name).unwrap();
        let credential: &mock::Cred = entry.as_any().downcast_ref().unwrap();
        credential.set_error(error);
    }

    /// KEY-2: as many credentials as secrets.
    #[test]
    fn each_secret_is_a_credential_of_its_own() {
        let store = mock::Store::new().unwrap();
        let keyring = Keyring::over(store.clone());
        for number in 0..40 {
            keyring
                .set(
                    &format!("name {number}"),
                    &secret(&format!("secret {number}")),
                )
                .unwrap();
        }
        keyring.delete("name 7").unwrap();
        keyring.delete("name 7").unwrap();
        assert_eq!(text(keyring.get("name 7").unwrap()), None);
        assert_eq!(text(keyring.get("name 39").unwrap()).unwrap(), "secret 39");
        assert_eq!(store.inner.lock().unwrap().borrow().len(), 40);
    }

    /// KEY-5: what a person has to do is said for each way to fail, and it fails once.
    #[test]
    fn each_failure_of_a_keyring_says_what_to_do_about_it() {
        let store = mock::Store::new().unwrap();
        let keyring = Keyring::over(store.clone());
        let broken = || Box::new(std::io::Error::other("it is on fire"));
        for (error, code) in [
            (Error::NoDefaultStore, "keyring-missing"),
            (Error::NoStorageAccess(broken()), "keyring-denied"),
            (Error::PlatformFailure(broken()), "keyring-failed"),
            (Error::BadStoreFormat("odd".into()), "keyring-failed"),
            (Error::TooLong("user".into(), 3), "keyring-failed"),
            (
                Error::Invalid("user".into(), "odd".into()),
                "keyring-failed",
            ),
            (Error::BadEncoding(b"hidden".to_vec()), "keyring-failed"),
            (
                Error::BadDataFormat(b"hidden".to_vec(), broken()),
                "keyring-failed",
            ),
        ] {
            spoil(&store, "a", error);
            let error = keyring.set("a", &secret("hidden")).unwrap_err();
            assert_eq!(error.code(), code);
            assert!(!format!("{error} {error:?} {}", error.hint()).contains("hidden"));
            keyring.set("a", &secret("hidden")).unwrap();
        }
    }

    /// KEY-5: how Linux says it.
    #[cfg(target_os = "linux")]
    #[test]
    fn the_secret_service_is_told_apart_missing_locked_and_denied() {
        use secret_service::Error as Service;
        use zbus::fdo;

        let bus = |error: fdo::Error| Service::ZbusFdo(error);
        for (error, code) in [
            (Service::Unavailable, "keyring-missing"),
            (
                bus(fdo::Error::ServiceUnknown("not provided".into())),
                "keyring-missing",
            ),
            (
                bus(fdo::Error::SpawnChildExited("1".into())),
                "keyring-missing",
            ),
            (
                Service::Zbus(zbus::Error::FDO(Box::new(fdo::Error::AccessDenied(
                    "by policy".into(),
                )))),
                "keyring-denied",
            ),
            (
                bus(fdo::Error::AccessDenied("by policy".into())),
                "keyring-denied",
            ),
            (Service::Crypto("odd"), "keyring-failed"),
        ] {
            let told = super::super::keyring::failure(Error::PlatformFailure(Box::new(error)));
            assert_eq!(told.code(), code, "{told}");
        }
        for error in [Service::Locked, Service::Prompt] {
            let told = super::super::keyring::failure(Error::NoStorageAccess(Box::new(error)));
            assert_eq!(told.code(), "keyring-locked");
        }
    }
}

/// What each call does, as a test orders it.
#[derive(Debug)]
struct Odd(fn() -> Result<Option<Secret>, SecretsError>);

impl SecretStore for Odd {
    fn get(&self, _: &str) -> Result<Option<Secret>, SecretsError> {
        (self.0)()
    }
    fn set(&self, _: &str, _: &Secret) -> Result<(), SecretsError> {
        (self.0)().map(|_| ())
    }
    fn delete(&self, _: &str) -> Result<(), SecretsError> {
        (self.0)().map(|_| ())
    }
}

/// KEY-4: no keyring is no reason to fail; what was kept is there until the end.
#[tokio::test]
async fn without_a_keyring_secrets_stay_in_memory() {
    let missing = || {
        Err(SecretsError::Missing {
            detail: "none".into(),
        })
    };
    let secrets = start(SecretsPlace::Given(Arc::new(Odd(missing))));
    let kept = secrets.set("a", &secret("x")).await.unwrap();
    assert!(matches!(kept, Kept::Now(SecretsError::Missing { .. })));
    assert_eq!(text(secrets.get("a").await.unwrap()).unwrap(), "x");
    secrets.delete("a").await.unwrap();
    assert_eq!(
        secrets.get("a").await.unwrap_err().code(),
        "keyring-missing"
    );
}

/// KEY-4: a library that panics is a failure like any other, and the next call is made.
#[tokio::test]
async fn a_keyring_that_breaks_down_is_a_failure_and_not_the_end() {
    let secrets = start(SecretsPlace::Given(Arc::new(Odd(|| panic!("expected")))));
    for _ in 0..2 {
        assert_eq!(secrets.get("a").await.unwrap_err().code(), "keyring-failed");
    }
}

/// KEY-1: the narrowest keyring decides, so that a secret fits wherever it is taken.
#[tokio::test]
async fn a_secret_larger_than_windows_takes_is_refused_everywhere() {
    let secrets = start(SecretsPlace::Memory);
    let just = secret(&"x".repeat(MAX_SECRET_BYTES));
    assert!(secrets.set("a", &just).await.is_ok());
    let larger = secret(&"x".repeat(MAX_SECRET_BYTES + 1));
    let error = secrets.set("a", &larger).await.unwrap_err();
    assert_eq!(error.code(), "secret-too-large");
    assert!(error.to_string().contains("2561"), "{error}");
}

mod silence {
    use std::sync::Mutex;
    use std::sync::mpsc::{Receiver, Sender, channel};

    use super::*;

    /// A keyring that asks a person, who takes their time.
    #[derive(Debug)]
    struct Asking {
        begun: Sender<()>,
        answers: Mutex<Receiver<()>>,
        kept: Arc<Mutex<Vec<String>>>,
    }

    impl Asking {
        fn wait(&self) {
            let _gone = self.begun.send(());
            self.answers.lock().unwrap().recv().unwrap();
        }
    }

    impl SecretStore for Asking {
        fn get(&self, _: &str) -> Result<Option<Secret>, SecretsError> {
            self.wait();
            Ok(None)
        }
        fn set(&self, name: &str, _: &Secret) -> Result<(), SecretsError> {
            self.wait();
            self.kept.lock().unwrap().push(name.to_owned());
            Ok(())
        }
        fn delete(&self, name: &str) -> Result<(), SecretsError> {
            self.kept.lock().unwrap().retain(|kept| kept != name);
            Ok(())
        }
    }

    struct Desk {
        secrets: Secrets,
        begun: Receiver<()>,
        person: Sender<()>,
        kept: Arc<Mutex<Vec<String>>>,
        late: Arc<Notify>,
    }

    fn desk() -> Desk {
        let (person, answers) = channel();
        let (begin, begun) = channel();
        let kept = Arc::default();
        let late = Arc::new(Notify::new());
        let place = SecretsPlace::Given(Arc::new(Asking {
            begun: begin,
            answers: Mutex::new(answers),
            kept: Arc::clone(&kept),
        }));
        Desk {
            secrets: Secrets::start(&place, "scope".into(), Arc::clone(&late)).unwrap(),
            begun,
            person,
            kept,
            late,
        }
    }

    /// KEY-5: nobody waits for a question on a screen that nobody looks at.
    #[tokio::test(start_paused = true)]
    async fn a_keyring_that_asks_a_person_is_not_waited_for_beyond_the_deadline() {
        let desk = desk();
        let error = desk.secrets.get("a").await.unwrap_err();
        assert_eq!(error.code(), "keyring-silent");
        // Later calls wait behind it, none of them longer.
        let error = desk.secrets.set("b", &secret("x")).await.unwrap_err();
        assert_eq!(error.code(), "keyring-silent");
    }

    #[tokio::test(start_paused = true)]
    async fn a_late_answer_is_told_and_what_it_kept_is_forgotten_again() {
        let desk = desk();
        let secrets = desk.secrets.clone();
        let first = tokio::spawn(async move { secrets.set("a", &secret("x")).await });
        tokio::task::yield_now().await;
        // The clock stands still until the keyring was really asked.
        desk.begun.recv().unwrap();
        first.await.unwrap().unwrap_err();
        desk.secrets.set("b", &secret("x")).await.unwrap_err();
        desk.person.send(()).unwrap();
        desk.late.notified().await;
        assert!(desk.kept.lock().unwrap().is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn more_callers_than_the_queue_holds_are_refused_at_once() {
        let desk = desk();
        let calls = (0..200).map(|_| {
            let secrets = desk.secrets.clone();
            tokio::spawn(async move { secrets.get("a").await.map(|_| ()) })
        });
        for call in calls.collect::<Vec<_>>() {
            assert_eq!(call.await.unwrap().unwrap_err().code(), "keyring-silent");
        }
    }
}

#[cfg(unix)]
mod file {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    use std::path::PathBuf;

    use super::*;
    use crate::secrets::SecretsFile;

    fn desk() -> (tempfile::TempDir, PathBuf, SecretsFile) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secrets.json");
        let file = SecretsFile::new(path.clone());
        (folder, path, file)
    }

    fn mode(path: &PathBuf) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o7777
    }

    #[test]
    fn a_file_of_secrets_is_for_its_owner_alone_and_keeps_them() {
        let (_folder, path, file) = desk();
        assert!(file.get("a").unwrap().is_none());
        file.set("a", &secret("1")).unwrap();
        file.set("b", &secret("2")).unwrap();
        assert_eq!(mode(&path), 0o600);
        file.delete("a").unwrap();
        let again = SecretsFile::new(path.clone());
        assert!(again.get("a").unwrap().is_none());
        assert_eq!(text(again.get("b").unwrap()).unwrap(), "2");
        assert_eq!(mode(&path), 0o600);
    }

    /// As `touch` and `chmod 600` make it.
    #[test]
    fn an_empty_file_holds_nothing_yet() {
        let (_folder, path, file) = desk();
        fs::write(&path, "\n").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        assert!(file.get("a").unwrap().is_none());
        file.set("a", &secret("1")).unwrap();
        assert_eq!(text(file.get("a").unwrap()).unwrap(), "1");
    }

    #[test]
    fn a_file_that_others_may_use_is_refused_and_left_alone() {
        let (_folder, path, file) = desk();
        file.set("a", &secret("1")).unwrap();
        for wide in [0o644, 0o640, 0o602, 0o610] {
            fs::set_permissions(&path, fs::Permissions::from_mode(wide)).unwrap();
            for error in [
                file.get("a").unwrap_err(),
                file.set("a", &secret("2")).unwrap_err(),
                file.delete("a").unwrap_err(),
            ] {
                assert_eq!(error.code(), "secrets-file-open");
                assert!(
                    error.to_string().contains(&format!("{wide:04o}")),
                    "{error}"
                );
            }
        }
        fs::set_permissions(&path, fs::Permissions::from_mode(0o400)).unwrap();
        assert_eq!(text(file.get("a").unwrap()).unwrap(), "1");
    }

    #[test]
    fn a_link_a_folder_and_a_pipe_are_no_files_of_secrets() {
        let (folder, path, file) = desk();
        let elsewhere = folder.path().join("elsewhere.json");
        SecretsFile::new(elsewhere.clone())
            .set("a", &secret("1"))
            .unwrap();
        symlink(&elsewhere, &path).unwrap();
        assert_eq!(file.get("a").unwrap_err().code(), "secrets-file-unusable");
        assert!(file.set("a", &secret("2")).is_err());
        assert!(fs::symlink_metadata(&path).unwrap().is_symlink());
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        assert_eq!(file.get("a").unwrap_err().code(), "secrets-file-unusable");
        fs::remove_dir(&path).unwrap();
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &path,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::from_raw_mode(0o600),
            0,
        )
        .unwrap();
        // A pipe that nobody writes to would hold an opener for ever.
        assert_eq!(file.get("a").unwrap_err().code(), "secrets-file-unusable");
    }

    /// A torn file is neither taken for an empty one nor written over, and not quoted. One without
    /// any content is none: what Regie writes is there whole or not at all.
    #[test]
    fn a_damaged_file_is_named_left_alone_and_not_quoted() {
        let (_folder, path, file) = desk();
        file.set("a", &secret("hidden-one")).unwrap();
        file.set("b", &secret("hidden-two")).unwrap();
        let whole = fs::read_to_string(&path).unwrap();
        let torn = (1..whole.trim_end().len()).map(|end| whole[..end].to_owned());
        let odd = [
            "[\"hidden-one\"]",
            "{\"a\": [\"hidden-one\"]}",
            "\"hidden-one\"",
        ];
        for damaged in torn.chain(odd.map(ToOwned::to_owned)) {
            fs::write(&path, &damaged).unwrap();
            for error in [
                file.get("a").unwrap_err(),
                file.set("c", &secret("hidden-three")).unwrap_err(),
            ] {
                assert_eq!(error.code(), "secrets-file-unusable");
                assert!(!format!("{error} {error:?}").contains("hidden"), "{error}");
            }
            assert_eq!(fs::read_to_string(&path).unwrap(), damaged);
        }
        fs::write(&path, vec![b' '; 2 * 1024 * 1024]).unwrap();
        assert!(file.get("a").unwrap_err().to_string().contains("too large"));
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_said() {
        let (folder, _, _) = desk();
        let blocked = folder.path().join("plain");
        fs::write(&blocked, "").unwrap();
        let file = SecretsFile::new(blocked.join("secrets.json"));
        let error = file.set("a", &secret("1")).unwrap_err();
        assert_eq!(error.code(), "secrets-file-unusable");
    }
}
