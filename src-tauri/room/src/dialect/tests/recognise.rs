//! Recognition, with devices that are tables of answers.

use std::sync::Mutex;
use std::time::Duration;

use async_trait::async_trait;

use crate::address::Address;
use crate::dialect::Family;
use crate::dialect::recognise::{Recognised, Unrecognised, recognise};
use crate::exchange::{Exchange, Reply, Target, Transport, TransportError};
use crate::token::Token;

use super::reply;
use super::samples::{FREENOVE, SPEC, STORY_V2, TELEPHONE};

type Answers =
    fn(port: u16, path: &str, authorization: Option<&str>) -> Result<Reply, TransportError>;

/// A host that answers by a function, and remembers what it was asked.
struct Host {
    answers: Answers,
    asked: Mutex<Vec<String>>,
}

impl Host {
    fn new(answers: Answers) -> Self {
        Self {
            answers,
            asked: Mutex::new(Vec::new()),
        }
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }

    async fn recognise(
        &self,
        address: &str,
        token: Option<&str>,
    ) -> Result<Recognised, Unrecognised> {
        let address: Address = address.parse().unwrap();
        let token = token.map(|token| Token::from(token.to_owned()));
        recognise(self, &address, token.as_ref(), Duration::from_secs(5)).await
    }
}

#[async_trait]
impl Transport for Host {
    async fn exchange(
        &self,
        target: &Target,
        exchange: &Exchange,
        deadline: Duration,
    ) -> Result<Reply, TransportError> {
        assert_eq!(target.address.port(), Some(target.port));
        let authorization = target
            .authorization
            .as_ref()
            .map(|header| header.0.as_str());
        let shown = authorization.map_or(String::new(), |header| format!(" {header}"));
        let line = format!("{}{}{shown}", target.port, exchange.path);
        self.asked.lock().unwrap().push(line);
        let answer = (self.answers)(target.port, &exchange.path, authorization);
        if let Err(TransportError::TimedOut { .. }) = answer {
            tokio::time::sleep(deadline).await;
            return Err(TransportError::TimedOut { after: deadline });
        }
        answer
    }
}

fn refused() -> Result<Reply, TransportError> {
    Err(TransportError::NotConnected {
        detail: "refused".to_owned(),
    })
}

fn silent() -> Result<Reply, TransportError> {
    Err(TransportError::TimedOut {
        after: Duration::ZERO,
    })
}

const UNAUTHORIZED: &str = r#"{"ok":false,"error":"unauthorized"}"#;

async fn family(answers: Answers) -> Option<Family> {
    let host = Host::new(answers);
    host.recognise("192.168.0.50", None)
        .await
        .ok()
        .map(|found| found.family)
}

#[tokio::test]
async fn families_are_told_by_their_status() {
    assert_eq!(
        family(|_, _, _| Ok(reply(200, FREENOVE))).await,
        Some(Family::Freenove)
    );
    assert_eq!(
        family(|_, _, _| Ok(reply(200, STORY_V2))).await,
        Some(Family::StoryV2)
    );
    assert_eq!(
        family(|_, _, _| Ok(reply(200, TELEPHONE))).await,
        Some(Family::Unknown)
    );
    assert_eq!(
        family(|_, _, _| Ok(reply(200, SPEC))).await,
        Some(Family::Spec)
    );
    assert_eq!(
        family(|_, _, _| Ok(reply(200, r#"{"uptime":4,"free_heap":100000}"#))).await,
        Some(Family::Spec)
    );
    assert_eq!(
        family(|_, _, _| Ok(reply(
            200,
            r#"{"auth_enabled":false,"state":"status_warmup"}"#
        )))
        .await,
        Some(Family::Unknown)
    );
    assert_eq!(
        family(|_, _, _| Ok(reply(200, r#"{"lights":[]}"#))).await,
        Some(Family::Unknown)
    );
}

/// The Freenove board leaves out whole sections, the last ones first.
#[tokio::test]
async fn a_status_with_its_end_missing_is_still_told() {
    for end in (450..FREENOVE.len()).step_by(11) {
        let cut = reply(200, FREENOVE.get(..end).unwrap());
        let seen = crate::dialect::recognise::look(&cut);
        assert_eq!(
            seen,
            crate::dialect::recognise::Seen::Is(Family::Freenove),
            "{end}"
        );
    }
}

/// A board announces port 8081, where nothing listens, and answers at 80.
#[tokio::test]
async fn an_announced_port_is_only_the_first_to_be_tried() {
    let host = Host::new(|port, _, _| match port {
        80 => Ok(reply(200, FREENOVE)),
        _ => refused(),
    });
    let found = host.recognise("192.168.0.50:8081", None).await.unwrap();
    assert_eq!((found.port, found.family), (80, Family::Freenove));
    assert!(!found.asks_for_token);
    assert_eq!(host.asked(), ["8081/api/status", "80/api/status"]);
}

#[tokio::test]
async fn each_port_is_tried_once_and_named_in_the_end() {
    let host = Host::new(|_, _, _| refused());
    let missed = host.recognise("192.168.0.50:8080", None).await.unwrap_err();
    assert_eq!(
        host.asked(),
        ["8080/api/status", "80/api/status", "8081/api/status"]
    );
    assert!(!missed.connected);
    assert_eq!(
        missed.detail,
        "port 8080 cannot be reached (refused), port 80 cannot be reached (refused), port 8081 cannot be reached (refused)"
    );
}

#[tokio::test(start_paused = true)]
async fn a_host_that_swallows_everything_takes_no_longer_than_the_limit() {
    let host = Host::new(|_, _, _| silent());
    let start = tokio::time::Instant::now();
    let missed = host.recognise("192.168.0.50", None).await.unwrap_err();
    assert_eq!(start.elapsed().as_secs(), 5);
    assert_eq!(
        missed.detail,
        "port 80 gave no answer in 2.0 s, port 8080 gave no answer in 2.0 s, port 8081 gave no answer in 1.0 s"
    );
}

#[tokio::test]
async fn a_token_is_shown_only_to_a_device_that_asks_for_it() {
    let open = Host::new(|_, _, _| Ok(reply(200, SPEC)));
    open.recognise("192.168.0.50", Some("s3cret"))
        .await
        .unwrap();
    assert_eq!(open.asked(), ["80/api/status"]);

    let board = Host::new(|_, _, authorization| match authorization {
        Some("Bearer s3cret") => Ok(reply(200, FREENOVE)),
        _ => Ok(reply(401, UNAUTHORIZED)),
    });
    let found = board
        .recognise("192.168.0.50", Some("s3cret"))
        .await
        .unwrap();
    assert_eq!(
        board.asked(),
        ["80/api/status", "80/api/status Bearer s3cret"]
    );
    assert!(found.asks_for_token);
    assert_eq!(found.reply.unwrap().status, 200);

    let printer = Host::new(|_, _, _| Ok(reply(401, "<html>Please log in")));
    let missed = printer
        .recognise("192.168.0.50", Some("s3cret"))
        .await
        .unwrap_err();
    assert!(missed.connected);
    assert!(!printer.asked().iter().any(|line| line.contains("s3cret")));
}

#[tokio::test]
async fn with_its_token_a_device_is_known_better() {
    let host = Host::new(|_, _, authorization| match authorization {
        Some(_) => Ok(reply(200, SPEC)),
        None => Ok(reply(401, UNAUTHORIZED)),
    });
    let without = host.recognise("192.168.0.50", None).await.unwrap();
    assert_eq!(
        (without.family, without.asks_for_token),
        (Family::Freenove, true)
    );
    let with = host.recognise("192.168.0.50", Some("t")).await.unwrap();
    assert_eq!((with.family, with.asks_for_token), (Family::Spec, true));
}

#[tokio::test]
async fn each_way_to_ask_for_a_token_is_a_familys() {
    let basic = Host::new(|port, _, authorization| match (port, authorization) {
        (8080, Some("Basic YWRtaW46cHc=")) => Ok(reply(200, STORY_V2)),
        (8080, _) => Ok(Reply {
            asks_for: Some("basic".to_owned()),
            ..reply(401, "")
        }),
        _ => refused(),
    });
    let found = basic.recognise("192.168.0.50", Some("pw")).await.unwrap();
    assert_eq!((found.port, found.family), (8080, Family::StoryV2));
    let bearer: Answers = |_, _, _| {
        Ok(Reply {
            asks_for: Some("bearer".to_owned()),
            ..reply(401, "")
        })
    };
    assert_eq!(family(bearer).await, Some(Family::Spec));
    assert_eq!(
        family(|_, _, _| Ok(reply(401, r#"{"error":"unauthorized"}"#))).await,
        Some(Family::Spec)
    );
}

#[tokio::test]
async fn a_refused_token_leaves_the_family_and_the_refusal() {
    let host = Host::new(|_, _, _| Ok(reply(401, UNAUTHORIZED)));
    let found = host.recognise("192.168.0.50", Some("wrong")).await.unwrap();
    assert_eq!(
        (found.family, found.asks_for_token),
        (Family::Freenove, true)
    );
    assert_eq!(found.reply.unwrap().status, 401);
}

#[tokio::test]
async fn a_board_in_setup_mode_is_recognised() {
    let restricted: Answers = |_, _, _| {
        Ok(reply(
            403,
            r#"{"ok":false,"error":"setup_mode_restricted"}"#,
        ))
    };
    assert_eq!(family(restricted).await, Some(Family::Freenove));
    let missing: Answers = |_, _, _| Ok(reply(503, r#"{"ok":false,"error":"auth_token_missing"}"#));
    assert_eq!(family(missing).await, Some(Family::Freenove));
}

#[tokio::test]
async fn the_master_of_the_puzzles_is_known_by_its_version() {
    let host = Host::new(|_, path, _| match path {
        "/version" => Ok(reply(
            200,
            r#"{"firmware":"zacus_puzzle","version":"1.0.0","idf":"5"}"#,
        )),
        _ => Ok(reply(404, "Nothing matches the given URI")),
    });
    let found = host.recognise("192.168.0.50", None).await.unwrap();
    assert_eq!((found.family, found.reply), (Family::Unknown, None));
    assert_eq!(host.asked(), ["80/api/status", "80/version"]);
}

/// Other things on a network are no devices: a router's page, a redirection, an error in JSON.
#[tokio::test]
async fn what_answers_but_is_no_device_is_not_recognised() {
    let page: Answers = |_, _, _| Ok(reply(200, "<!doctype html><title>HP LaserJet</title>"));
    let elsewhere: Answers = |_, _, _| Ok(reply(302, ""));
    let failing: Answers = |_, _, _| Ok(reply(200, r#"{"error":"unknown command"}"#));
    let missing: Answers = |_, _, _| Ok(reply(404, "<html>"));
    let broken: Answers = |_, _, _| Ok(reply(500, ""));
    for answers in [page, elsewhere, failing, missing, broken] {
        let host = Host::new(answers);
        let missed = host.recognise("192.168.0.1", None).await.unwrap_err();
        assert!(missed.connected);
        assert!(missed.detail.starts_with("port 80 "), "{}", missed.detail);
    }
}

#[tokio::test]
async fn a_name_that_leaves_the_network_ends_it() {
    let host = Host::new(|_, _, _| {
        Err(TransportError::NotPrivate {
            address: "203.0.113.9".to_owned(),
        })
    });
    let missed = host.recognise("zacus.local", None).await.unwrap_err();
    assert_eq!(host.asked().len(), 1);
    assert_eq!(
        missed.detail,
        "its name means 203.0.113.9, which is not an address of this network"
    );
}
