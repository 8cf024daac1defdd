//! Tokens in a real Secret Service. `cargo xtask test` gives it a session bus and a data home of its
//! own.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use regie_engine::{Engine, EngineConfig, SecretsPlace, SecretsState};
use zbus::blocking::Connection;
use zbus::zvariant::{ObjectPath, OwnedObjectPath};

mod common;

use common::{NoSource, config, until};

const SERVICE: &str = "org.freedesktop.secrets";
const PATH: &str = "/org/freedesktop/secrets";
const INTERFACE: &str = "org.freedesktop.Secret.Service";

/// Longer than the engine waits for a keyring.
const PATIENCE: Duration = Duration::from_secs(45);

async fn engine(folder: &Path) -> Engine {
    let config = EngineConfig {
        secrets: SecretsPlace::Keyring,
        ..config(folder)
    };
    Engine::start(config, Arc::new(NoSource)).await.unwrap()
}

/// GNOME's keyring, unlocked with a password as a sign-in does it.
fn start_service() {
    let home = std::env::var("XDG_DATA_HOME").expect("a data home of its own is needed");
    let mut daemon = Command::new("gnome-keyring-daemon")
        .args(["--unlock", "--components=secrets"])
        .env("HOME", home)
        .env_remove("DISPLAY")
        .env_remove("WAYLAND_DISPLAY")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .expect("gnome-keyring-daemon is needed");
    daemon.stdin.take().unwrap().write_all(b"pw").unwrap();
    assert!(daemon.wait().unwrap().success());
}

/// Locks the keyring that secrets are kept in.
fn lock() {
    let bus = Connection::session().unwrap();
    let call = |method: &str| (Some(SERVICE), PATH, Some(INTERFACE), method.to_owned());
    let (service, path, interface, method) = call("ReadAlias");
    let collection: OwnedObjectPath = bus
        .call_method(service, path, interface, method.as_str(), &("default",))
        .unwrap()
        .body()
        .deserialize()
        .unwrap();
    assert_ne!(collection.as_str(), "/", "there is no default keyring");
    let objects: Vec<ObjectPath<'_>> = vec![collection.as_ref()];
    let (service, path, interface, method) = call("Lock");
    bus.call_method(service, path, interface, method.as_str(), &(objects,))
        .unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn in_a_keyring_tokens_outlast_a_restart_and_a_locked_one_says_so() {
    start_service();
    let folder = tempfile::tempdir().unwrap();
    let first = engine(folder.path()).await;
    let kept = first.make_token("kept").await.unwrap();
    let gone = first.make_token("gone").await.unwrap();
    assert_eq!(first.state().borrow().secrets, SecretsState::Keyring);
    first.revoke_token(&gone.token.id).await.unwrap();
    first.stop().await;

    let second = engine(folder.path()).await;
    let shown = second.reveal_token(&kept.token.id).await.unwrap();
    assert_eq!(shown.expose(), kept.secret.expose());
    assert!(second.recognise(kept.secret.expose()).is_some());
    assert!(second.recognise(gone.secret.expose()).is_none());
    second.stop().await;

    // KEY-5: nobody is there to be asked.
    lock();
    let third = engine(folder.path()).await;
    let begin = Instant::now();
    let error = third.reveal_token(&kept.token.id).await.unwrap_err();
    assert_eq!(error.code(), "keyring-locked", "{error}");
    assert!(begin.elapsed() < PATIENCE);
    until(&third, "unusable", |state| {
        matches!(state.secrets, SecretsState::Unusable { .. })
    })
    .await;
    third.stop().await;
}
