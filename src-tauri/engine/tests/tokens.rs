//! The tokens that let agents in, as a door uses them.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use regie_engine::{
    AccessToken, Engine, EngineConfig, GivenDevices, GivenToken, MAX_TOKENS, MadeToken, Secret,
    SecretStore, SecretsError, SecretsPlace, SecretsState,
};

mod common;

use common::{NoSource, PATIENCE, config, until};

/// A keyring that can be locked.
#[derive(Clone, Debug, Default)]
struct Keyring(Arc<Mutex<Contents>>);

#[derive(Debug, Default)]
struct Contents {
    locked: bool,
    /// How long it takes to find a secret.
    search: Duration,
    kept: Vec<(String, Secret)>,
}

impl Keyring {
    fn lock(&self, locked: bool) {
        self.0.lock().unwrap().locked = locked;
    }

    fn search_for(&self, time: Duration) {
        self.0.lock().unwrap().search = time;
    }

    fn count(&self) -> usize {
        self.0.lock().unwrap().kept.len()
    }

    fn open<T>(&self, work: impl FnOnce(&mut Contents) -> T) -> Result<T, SecretsError> {
        let mut contents = self.0.lock().unwrap();
        if contents.locked {
            return Err(SecretsError::Locked);
        }
        Ok(work(&mut contents))
    }
}

impl SecretStore for Keyring {
    fn get(&self, name: &str) -> Result<Option<Secret>, SecretsError> {
        let search = self.0.lock().unwrap().search;
        std::thread::sleep(search);
        self.open(|contents| {
            let kept = contents.kept.iter().find(|kept| kept.0 == name);
            kept.map(|kept| kept.1.clone())
        })
    }
    fn set(&self, name: &str, secret: &Secret) -> Result<(), SecretsError> {
        self.delete(name)?;
        self.open(|contents| contents.kept.push((name.to_owned(), secret.clone())))
    }
    fn delete(&self, name: &str) -> Result<(), SecretsError> {
        self.open(|contents| contents.kept.retain(|kept| kept.0 != name))
    }
}

struct Desk {
    folder: tempfile::TempDir,
    keyring: Keyring,
}

impl Desk {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            keyring: Keyring::default(),
        }
    }

    async fn engine(&self) -> Engine {
        let place = SecretsPlace::Given(Arc::new(self.keyring.clone()));
        start(self.folder.path(), place, Vec::new()).await
    }
}

async fn start(folder: &Path, secrets: SecretsPlace, given_tokens: Vec<GivenToken>) -> Engine {
    let config = EngineConfig {
        secrets,
        given_tokens,
        given_devices: GivenDevices::default(),
        ..config(folder)
    };
    Engine::start(config, Arc::new(NoSource)).await.unwrap()
}

fn given(variable: &str, secret: &str) -> GivenToken {
    GivenToken {
        variable: variable.into(),
        secret: secret.to_owned().into(),
    }
}

fn id(engine: &Engine, made: &MadeToken) -> Option<String> {
    Some(engine.recognise(made.secret.expose())?.id)
}

fn tokens(engine: &Engine) -> Vec<AccessToken> {
    engine.state().borrow().tokens.clone()
}

/// Waits until the secret of a token lets in, as it does once secrets were read.
async fn let_in(engine: &Engine, secret: &Secret) -> AccessToken {
    for _ in 0..2000 {
        if let Some(token) = engine.recognise(secret.expose()) {
            return token;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("a token is not recognised");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_lets_in_until_it_is_replaced_or_revoked() {
    let desk = Desk::new();
    let engine = desk.engine().await;
    let made = engine.make_token("  Claude ").await.unwrap();
    assert_eq!(made.token.name, "Claude");
    let text = made.secret.expose();
    assert!(
        text.starts_with("regie_") && text.len() <= 64,
        "{}",
        text.len()
    );
    assert_eq!(id(&engine, &made), Some(made.token.id.clone()));
    let shown = engine.reveal_token(&made.token.id).await.unwrap();
    assert_eq!(shown.expose(), text);

    let other = engine.replace_token(&made.token.id).await.unwrap();
    assert_eq!(other.token.id, made.token.id);
    assert_eq!(id(&engine, &made), None);
    assert_eq!(id(&engine, &other), Some(made.token.id.clone()));

    engine.rename_token(&made.token.id, "Cursor").await.unwrap();
    assert_eq!(tokens(&engine)[0].name, "Cursor");
    engine.revoke_token(&made.token.id).await.unwrap();
    assert_eq!(id(&engine, &other), None);
    assert!(tokens(&engine).is_empty());
    // KEY-2: no credential is left behind.
    assert_eq!(desk.keyring.count(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_whole_secret_lets_in() {
    let desk = Desk::new();
    let engine = desk.engine().await;
    let made = engine.make_token("a").await.unwrap();
    let text = made.secret.expose();
    for wrong in [
        String::new(),
        "\0".into(),
        format!("{text}\0"),
        format!("{text} "),
        format!("{text}{text}"),
        text[..text.len() - 1].into(),
        text[1..].into(),
        text.to_uppercase(),
        text.replace("regie_", "REGIE_"),
    ] {
        assert!(engine.recognise(&wrong).is_none(), "{wrong:?}");
    }
    let huge = "x".repeat(1024 * 1024);
    let begin = Instant::now();
    for _ in 0..100 {
        assert!(engine.recognise(&huge).is_none());
    }
    assert!(begin.elapsed() < Duration::from_millis(500));
}

#[tokio::test(flavor = "multi_thread")]
async fn tokens_and_their_last_use_outlast_a_restart() {
    let desk = Desk::new();
    let engine = desk.engine().await;
    let made = engine.make_token("a").await.unwrap();
    assert!(id(&engine, &made).is_some());
    engine.stop().await;
    let engine = desk.engine().await;
    let listed = tokens(&engine);
    assert_eq!(listed[0].name, "a");
    assert!(listed[0].last_used.is_some());
    let_in(&engine, &made.secret).await;
    engine.stop().await;
}

/// A reboot with a locked keyring: nothing is lost, and the tokens work once it is open.
#[tokio::test(flavor = "multi_thread")]
async fn a_keyring_that_is_locked_at_the_start_costs_no_token() {
    let desk = Desk::new();
    let engine = desk.engine().await;
    let kept = engine.make_token("kept").await.unwrap();
    let gone = engine.make_token("gone").await.unwrap();
    engine.stop().await;

    desk.keyring.lock(true);
    let engine = desk.engine().await;
    assert_eq!(tokens(&engine).len(), 2);
    engine.open_secrets();
    let unusable = |secrets: &SecretsState| matches!(secrets, SecretsState::Unusable { fault } if fault.code == "keyring-locked");
    until(&engine, "locked", |state| unusable(&state.secrets)).await;
    assert_eq!(id(&engine, &kept), None);
    let error = engine.make_token("more").await.unwrap_err();
    assert_eq!(error.code(), "keyring-locked");
    let error = engine.reveal_token(&kept.token.id).await.unwrap_err();
    assert_eq!(error.code(), "keyring-locked");
    // Taking one away needs no keyring.
    engine.revoke_token(&gone.token.id).await.unwrap();

    desk.keyring.lock(false);
    engine.open_secrets();
    until(&engine, "open", |state| {
        state.secrets == SecretsState::Keyring
    })
    .await;
    let_in(&engine, &kept.secret).await;
    assert_eq!(id(&engine, &gone), None);
    // Its secret is deleted behind everybody's back, after the others are read.
    let deleted = async {
        while desk.keyring.count() > 1 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(PATIENCE, deleted)
        .await
        .expect("a revoked secret stays");
    engine.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_that_was_deleted_elsewhere_is_said_and_can_be_replaced() {
    let desk = Desk::new();
    let engine = desk.engine().await;
    let made = engine.make_token("a").await.unwrap();
    engine.stop().await;
    desk.keyring.0.lock().unwrap().kept.clear();
    let engine = desk.engine().await;
    engine.open_secrets();
    until(&engine, "a warning", |state| {
        state
            .warnings
            .iter()
            .any(|fault| fault.code == "token-secret-gone")
    })
    .await;
    let error = engine.reveal_token(&made.token.id).await.unwrap_err();
    assert_eq!(error.code(), "token-secret-gone");
    let again = engine.replace_token(&made.token.id).await.unwrap();
    assert!(id(&engine, &again).is_some());
    engine.stop().await;
}

/// KEY-4: they work without a keyring, and are not listed as if they would work again.
#[tokio::test(flavor = "multi_thread")]
async fn tokens_without_a_keyring_end_with_the_engine() {
    let folder = tempfile::tempdir().unwrap();
    let engine = start(folder.path(), SecretsPlace::Memory, Vec::new()).await;
    let made = engine.first_token().await.unwrap().unwrap();
    assert_eq!(made.token.name, "default");
    assert!(engine.first_token().await.unwrap().is_none());
    assert!(id(&engine, &made).is_some());
    assert!(matches!(
        engine.state().borrow().secrets,
        SecretsState::Memory { .. }
    ));
    engine.stop().await;
    let engine = start(folder.path(), SecretsPlace::Memory, Vec::new()).await;
    assert!(tokens(&engine).is_empty());
    engine.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn tokens_of_the_environment_are_accepted_and_cannot_be_changed() {
    let desk = Desk::new();
    let place = SecretsPlace::Given(Arc::new(desk.keyring.clone()));
    let given = vec![
        given("MASCARADE_API_KEY", "short"),
        given("PPCLOCK_MCP_TOKEN", "with a space"),
    ];
    let engine = start(desk.folder.path(), place, given).await;
    let token = engine.recognise("short").unwrap();
    assert_eq!(token.variable.as_deref(), Some("MASCARADE_API_KEY"));
    assert!(engine.recognise("with a space").is_none());
    let codes: Vec<String> = engine
        .state()
        .borrow()
        .warnings
        .iter()
        .map(|fault| fault.code.clone())
        .collect();
    assert_eq!(codes, ["token-variable-short", "token-variable-unusable"]);
    for error in [
        engine.revoke_token(&token.id).await.unwrap_err(),
        engine.replace_token(&token.id).await.unwrap_err(),
        engine.reveal_token(&token.id).await.unwrap_err(),
        engine.rename_token(&token.id, "x").await.unwrap_err(),
    ] {
        assert_eq!(error.code(), "token-of-variable");
    }
    assert!(engine.first_token().await.unwrap().is_none());
    engine.stop().await;
    assert_eq!(desk.keyring.count(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_that_is_let_in_at_once_is_not_refused_while_a_slow_keyring_is_read() {
    let desk = Desk::new();
    let engine = desk.engine().await;
    let made = engine.make_token("kitchen").await.unwrap();
    engine.stop().await;
    desk.keyring.search_for(Duration::from_millis(300));
    let engine = desk.engine().await;
    assert!(engine.first_token().await.unwrap().is_none());
    assert!(engine.recognise(made.secret.expose()).is_some());
    engine.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn names_are_checked_and_tokens_are_counted() {
    let desk = Desk::new();
    let engine = desk.engine().await;
    for name in ["", "  ", "a\nb", &"x".repeat(65)] {
        let error = engine.make_token(name).await.unwrap_err();
        assert_eq!(error.code(), "token-name-unusable");
    }
    engine.make_token(&"é".repeat(64)).await.unwrap();
    engine.make_token("Claude").await.unwrap();
    let error = engine.make_token("claude").await.unwrap_err();
    assert_eq!(error.code(), "token-name-taken");
    for number in 2..MAX_TOKENS {
        engine.make_token(&number.to_string()).await.unwrap();
    }
    let error = engine.make_token("more").await.unwrap_err();
    assert_eq!(error.code(), "token-too-many");
    assert_eq!(desk.keyring.count(), MAX_TOKENS);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_replacements_at_once_one_secret_is_left() {
    let desk = Desk::new();
    let engine = desk.engine().await;
    let made = engine.make_token("a").await.unwrap();
    let (one, other) = tokio::join!(
        engine.replace_token(&made.token.id),
        engine.replace_token(&made.token.id)
    );
    let (one, other) = (one.unwrap(), other.unwrap());
    assert_eq!(id(&engine, &made), None);
    let valid = [&one, &other].map(|made| id(&engine, made).is_some());
    assert_eq!(valid.iter().filter(|valid| **valid).count(), 1);
    assert_eq!(desk.keyring.count(), 1);
}

/// No byte of a secret is in a file, the state or an error.
#[tokio::test(flavor = "multi_thread")]
async fn no_secret_is_written_or_shown() {
    let desk = Desk::new();
    let place = SecretsPlace::Given(Arc::new(desk.keyring.clone()));
    let given = vec![given("MASCARADE_API_KEY", "environment-secret")];
    let engine = start(desk.folder.path(), place, given).await;
    let made = engine.make_token("a").await.unwrap();
    let other = engine.replace_token(&made.token.id).await.unwrap();
    engine.recognise(other.secret.expose());
    engine.recognise("environment-secret");
    let shown = format!("{:?} {made:?} {other:?}", engine.state().borrow());
    engine.stop().await;
    let hidden = [
        made.secret.expose(),
        other.secret.expose(),
        "environment-secret",
    ];
    for hidden in hidden {
        assert!(!shown.contains(hidden));
    }
    let mut files = 0;
    for folder in ["settings", "data"] {
        for entry in fs::read_dir(desk.folder.path().join(folder)).unwrap() {
            let bytes = fs::read(entry.unwrap().path()).unwrap();
            files += 1;
            for hidden in hidden {
                let found = bytes
                    .windows(hidden.len())
                    .any(|part| part == hidden.as_bytes());
                assert!(!found);
            }
        }
    }
    assert!(files >= 2, "{files}");
}

/// Servers, containers and CI have no session bus, or one that takes nobody in.
#[cfg(target_os = "linux")]
mod without_a_session_bus {
    use std::os::unix::net::UnixListener;
    use std::process::Command;

    use super::*;

    /// Says that this process is one whose environment was prepared.
    const PREPARED: &str = "REGIE_TEST_WITHOUT_BUS";

    /// KEY-4, KEY-5. An environment belongs to a process, hence one for each.
    #[test]
    fn tokens_stay_in_memory_and_that_is_said() {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("bus");
        let listener = UnixListener::bind(&socket).unwrap();
        std::thread::spawn(move || listener.incoming().for_each(drop));
        let hangs_up = format!("unix:path={}", socket.display());
        let nowhere = folder.path().join("nowhere");
        let nobody = format!("unix:path={}", nowhere.display());
        let addresses = [
            None,
            Some(""),
            Some("nonsense"),
            Some("disabled:"),
            Some("autolaunch:"),
            Some(nobody.as_str()),
            Some(hangs_up.as_str()),
        ];
        for address in addresses {
            let mut child = Command::new(std::env::current_exe().unwrap());
            child
                .args(["--exact", "without_a_session_bus::in_a_prepared_process"])
                .args(["--ignored", "--nocapture"])
                .env(PREPARED, "1")
                .env("XDG_RUNTIME_DIR", &nowhere)
                .env_remove("DBUS_SESSION_BUS_ADDRESS");
            if let Some(address) = address {
                child.env("DBUS_SESSION_BUS_ADDRESS", address);
            }
            let output = child.output().unwrap();
            let said = String::from_utf8_lossy(&output.stdout);
            let cause = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{address:?}: {said}{cause}");
            assert!(said.contains("1 passed"), "{address:?}: {said}");
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    #[ignore = "the test above starts it in an environment without a bus"]
    async fn in_a_prepared_process() {
        if std::env::var_os(PREPARED).is_none() {
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let engine = start(folder.path(), SecretsPlace::Keyring, Vec::new()).await;
        let made = engine.first_token().await.unwrap().unwrap();
        assert!(engine.recognise(made.secret.expose()).is_some());
        let shown = engine.reveal_token(&made.token.id).await.unwrap();
        assert_eq!(shown.expose(), made.secret.expose());
        let secrets = engine.state().borrow().secrets.clone();
        let SecretsState::Memory { fault } = secrets else {
            panic!("{secrets:?}");
        };
        assert_eq!(fault.code, "keyring-missing");
        engine.rename_token(&made.token.id, "Cursor").await.unwrap();
        engine.stop().await;
        // What only memory held is not promised by the next start.
        let next = start(folder.path(), SecretsPlace::Keyring, Vec::new()).await;
        assert!(tokens(&next).is_empty());
        next.stop().await;
    }
}
