//! The dialects against simulated boards, over real connections on this computer.

use std::time::Duration;

use async_trait::async_trait;
use regie_sim::room::{
    DeviceConfig, DeviceFirmware, FreenoveConfig, SimulatedDevice, StoryV2Config,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::address::Address;
use crate::answer::Answer;
use crate::dialect::recognise::{Recognised, recognise};
use crate::dialect::{Dialect, Evidence, Family, Refusal, Verdict, of};
use crate::error::TokenFault;
use crate::exchange::{Exchange, Method, Reply, Target, Transport, TransportError};
use crate::mesh;
use crate::request::Request;
use crate::state::Reading;
use crate::token::Token;

use super::{audio, camera, led, puzzle, scenario};

/// One connection for each request, with nothing that tidies up.
struct Wire;

#[async_trait]
impl Transport for Wire {
    async fn exchange(
        &self,
        target: &Target,
        exchange: &Exchange,
        deadline: Duration,
    ) -> Result<Reply, TransportError> {
        let work = async {
            let address = (target.address.host(), target.port);
            let mut stream = TcpStream::connect(address).await?;
            let method = match exchange.method {
                Method::Get => "GET",
                Method::Post => "POST",
            };
            let shown = target.authorization.as_ref();
            let shown = shown.map_or(String::new(), |header| {
                format!("Authorization: {}\r\n", header.0.as_str())
            });
            let body = exchange.body.as_deref().unwrap_or_default();
            let request = format!(
                "{method} {} HTTP/1.1\r\nHost: board\r\n{shown}Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
                exchange.path,
                body.len()
            );
            stream.write_all(request.as_bytes()).await?;
            let mut bytes = Vec::new();
            stream.read_to_end(&mut bytes).await?;
            std::io::Result::Ok(bytes)
        };
        let not_connected = |detail: String| TransportError::NotConnected { detail };
        let bytes = tokio::time::timeout(deadline, work)
            .await
            .map_err(|_| TransportError::TimedOut { after: deadline })?
            .map_err(|error| not_connected(error.to_string()))?;
        let end = bytes
            .windows(4)
            .position(|four| four == b"\r\n\r\n")
            .unwrap();
        let head = String::from_utf8_lossy(bytes.get(..end).unwrap()).to_lowercase();
        let header = |name: &str| {
            let line = head.lines().find(|line| line.starts_with(name))?;
            let value = line.split_once(':')?.1.trim();
            Some(value.split([' ', ';']).next()?.to_owned())
        };
        Ok(Reply {
            status: head.split(' ').nth(1).unwrap().parse().unwrap(),
            content_type: header("content-type"),
            asks_for: header("www-authenticate"),
            retry_after: header("retry-after").and_then(|text| text.parse().ok()),
            body: bytes.get(end + 4..).unwrap().to_vec(),
            ..Reply::default()
        })
    }
}

/// A board with what is known of it.
struct Driven {
    board: SimulatedDevice,
    dialect: &'static dyn Dialect,
    target: Target,
}

async fn found(board: &SimulatedDevice, token: Option<&str>) -> Recognised {
    let address: Address = board.address().to_string().parse().unwrap();
    let token = token.map(|token| Token::from(token.to_owned()));
    recognise(&Wire, &address, token.as_ref(), Duration::from_secs(5))
        .await
        .unwrap()
}

impl Driven {
    async fn start(config: DeviceConfig, family: Family) -> Self {
        let board = SimulatedDevice::start(config).await.unwrap();
        let token = board.token().map(str::to_owned);
        let recognised = found(&board, token.as_deref()).await;
        assert_eq!(recognised.family, family);
        assert!(recognised.asks_for_token);
        let dialect = of(recognised.family);
        dialect.read(&recognised.reply.unwrap()).unwrap();
        let address: Address = board.address().to_string().parse().unwrap();
        Self {
            target: Target {
                port: recognised.port,
                address,
                authorization: token.map(|token| dialect.authorization(&token.into())),
            },
            board,
            dialect,
        }
    }

    async fn exchange(&self, exchange: &Exchange) -> Reply {
        if exchange.method == Method::Post {
            tokio::time::sleep(self.dialect.write_spacing()).await;
        }
        Wire.exchange(&self.target, exchange, Duration::from_secs(5))
            .await
            .unwrap()
    }

    async fn reading(&self) -> Reading {
        let reply = self.exchange(&self.dialect.status()).await;
        let mut reading = self.dialect.read(&reply).unwrap();
        if let Some(more) = self.dialect.more_status() {
            let reply = self.exchange(&more).await;
            self.dialect.read_more(&mut reading, &reply);
        }
        reading
    }

    /// Carries a request out as far as it goes.
    async fn ask(&self, request: &Request) -> (Verdict, Evidence) {
        let before = self.reading().await;
        let script = self.dialect.script(request, Some(&before)).unwrap();
        let mut verdict = None;
        for exchange in &script.exchanges {
            let reply = self.exchange(exchange).await;
            let judged = self.dialect.judge(request, &reply);
            let ends = matches!(judged, Verdict::Refused(_));
            verdict = Some(judged);
            if ends {
                break;
            }
        }
        let after = self.reading().await;
        let evidence = self.dialect.evidence(request, Some(&before), &after);
        (verdict.unwrap(), evidence)
    }

    async fn accepted(&self, request: &Request) -> Evidence {
        match self.ask(request).await {
            (Verdict::Accepted(_), evidence) => evidence,
            other => panic!("{request:?}: {other:?}"),
        }
    }

    async fn confirmed(&self, request: &Request) -> Answer {
        match self.ask(request).await {
            (Verdict::Confirmed(answer), _) => answer,
            other => panic!("{request:?}: {other:?}"),
        }
    }
}

#[tokio::test]
async fn a_board_of_the_contract_does_everything() {
    let driven = Driven::start(DeviceConfig::spec("zacus-main"), Family::Spec).await;
    driven
        .confirmed(&puzzle("PUZZLE_COFFRE", "unlocked", true))
        .await;
    driven
        .confirmed(&led("all", "#00FF00", "pulse", 200, 0))
        .await;
    driven
        .confirmed(&audio("play", "/audio/a.mp3", 40, false))
        .await;
    driven
        .confirmed(&audio("pause", "/audio/a.mp3", 40, false))
        .await;
    driven
        .confirmed(&scenario("manual", "MANUAL_ADVANCE", None))
        .await;
    driven
        .confirmed(&scenario("manual", "GO", Some("STEP_WARNING")))
        .await;
    let Answer::Picture(picture) = driven.confirmed(&camera("QQVGA", 20)).await else {
        panic!("a picture")
    };
    assert_eq!((picture.width, picture.height), (160, 120));
    let reading = driven.reading().await;
    assert_eq!(reading.step.as_deref(), Some("STEP_WARNING"));
    assert_eq!(
        reading.puzzles.get("PUZZLE_COFFRE").map(String::as_str),
        Some("unlocked")
    );
    assert!(reading.uptime_seconds.is_some() && reading.heap_free.is_some());
    assert_eq!(driven.board.state().volume, 40);
    let (verdict, evidence) = driven.ask(&scenario("button", "NOTHING", None)).await;
    assert!(matches!(verdict, Verdict::Refused(Refusal::Said { .. })));
    assert_eq!(evidence, Evidence::NotShown);
}

#[tokio::test]
async fn a_freenove_board_does_what_it_can_and_its_state_shows_it() {
    let driven = Driven::start(DeviceConfig::freenove("U_SON"), Family::Freenove).await;
    let light = led("all", "#102030", "solid", 99, 0);
    assert_eq!(driven.accepted(&light).await, Evidence::Shown);
    assert_eq!(driven.board.state().led.rgb, [0x10, 0x20, 0x30]);
    assert_eq!(driven.board.state().led.pattern, "solid");
    let play = audio("play", "/music/sonar_hint.mp3", 50, false);
    assert_eq!(driven.accepted(&play).await, Evidence::Shown);
    assert_eq!(driven.board.state().volume, 11);
    let pause = audio("pause", "x", 50, false);
    assert_eq!(driven.accepted(&pause).await, Evidence::Shown);
    let resume = audio("resume", "x", 50, false);
    assert_eq!(driven.accepted(&resume).await, Evidence::Shown);
    let stop = audio("stop", "x", 50, false);
    assert_eq!(driven.accepted(&stop).await, Evidence::Shown);
    assert_eq!(driven.accepted(&stop).await, Evidence::Shown);
    let jump = scenario("manual", "GO", Some("SCENE_QR_DETECTOR"));
    assert_eq!(driven.accepted(&jump).await, Evidence::Shown);
    let unlock = scenario("manual", "UNLOCK_QR", None);
    assert_eq!(driven.accepted(&unlock).await, Evidence::Shown);
    assert_eq!(
        driven.board.state().step.as_deref(),
        Some("SCENE_FINAL_WIN")
    );
    let renamed = scenario("manual", "GO", Some("RTC_ESP_ETAPE1"));
    assert_eq!(driven.accepted(&renamed).await, Evidence::Shown);
    let Verdict::Refused(Refusal::CameraBlocked { .. }) = driven.ask(&camera("VGA", 20)).await.0
    else {
        panic!("its memory belongs to what it shows")
    };
    driven
        .accepted(&scenario("manual", "GO", Some("SCENE_QR_DETECTOR")))
        .await;
    let Answer::Picture(picture) = driven.confirmed(&camera("VGA", 20)).await else {
        panic!("a picture")
    };
    assert_eq!((picture.width, picture.height), (640, 480));
    let missing = audio("play", "/audio/hint_01.mp3", 50, false);
    assert!(matches!(
        driven.ask(&missing).await.0,
        Verdict::Refused(Refusal::Said { .. })
    ));
    assert!(driven.reading().await.heap_free.is_some());
}

#[tokio::test]
async fn an_overflowing_board_is_read_all_the_same() {
    let config = DeviceConfig::new(
        "U_SON",
        DeviceFirmware::Freenove(FreenoveConfig {
            overflows: true,
            ..FreenoveConfig::default()
        }),
    );
    let driven = Driven::start(config, Family::Freenove).await;
    let reading = driven.reading().await;
    assert!(reading.step.is_some() && reading.rssi.is_some());
    let next = scenario("manual", "GO", Some("SCENE_QR_DETECTOR"));
    assert_eq!(driven.accepted(&next).await, Evidence::Shown);
}

#[tokio::test]
async fn a_board_with_two_tokens_reads_only() {
    let config = DeviceConfig::new(
        "U_SON",
        DeviceFirmware::Freenove(FreenoveConfig::reading_only()),
    );
    let driven = Driven::start(config, Family::Freenove).await;
    let (verdict, _) = driven.ask(&led("all", "red", "solid", 1, 0)).await;
    assert_eq!(
        verdict,
        Verdict::Refused(Refusal::Token(TokenFault::ReadingOnly))
    );
}

#[tokio::test]
async fn a_gateway_relays_and_shows_the_acknowledgement() {
    let config = DeviceConfig::new(
        "U_SON",
        DeviceFirmware::Freenove(FreenoveConfig {
            nodes: vec!["piano".to_owned()],
            ..FreenoveConfig::default()
        }),
    );
    let driven = Driven::start(config, Family::Freenove).await;
    for (number, request) in [
        led("all", "#0A0B0C", "solid", 7, 0),
        scenario("manual", "GO", Some("SCENE_QR_DETECTOR")),
        scenario("unlock", "UNLOCK_QR", None),
        audio("play", "/music/sonar_hint.mp3", 50, false),
    ]
    .iter()
    .enumerate()
    {
        let relayed = mesh::relay(request, u32::try_from(number).unwrap()).unwrap();
        let reply = driven.exchange(&relayed.exchange).await;
        assert!(matches!(
            driven.dialect.judge(request, &reply),
            Verdict::Accepted(_)
        ));
        let mut acknowledged = None;
        for _ in 0..40 {
            let heard = driven.exchange(&mesh::watch()).await;
            acknowledged = mesh::acknowledged(&heard, &relayed.msg_id);
            if acknowledged.is_some() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        assert_eq!(acknowledged, Some(true), "{request:?}");
    }
    let nodes = driven.board.nodes();
    let node = nodes.first().unwrap();
    assert_eq!(node.led.rgb, [10, 11, 12]);
    assert_eq!(node.step.as_deref(), Some("SCENE_FINAL_WIN"));
    assert!(node.sound.is_some());
}

#[tokio::test]
async fn a_story_v2_board_skips_and_pauses() {
    let driven = Driven::start(DeviceConfig::story_v2("phone"), Family::StoryV2).await;
    driven
        .confirmed(&scenario("manual", "MANUAL_ADVANCE", None))
        .await;
    assert_eq!(driven.board.state().step.as_deref(), Some("STEP_RING"));
    assert_eq!(driven.reading().await.step.as_deref(), Some("STEP_RING"));
    let resume = audio("resume", "x", 70, false);
    assert_eq!(driven.accepted(&resume).await, Evidence::Shown);
    driven.confirmed(&resume).await;
    let pause = audio("pause", "x", 70, false);
    assert_eq!(driven.accepted(&pause).await, Evidence::Shown);
    assert!(driven.board.state().sound.unwrap().paused);
}

#[tokio::test]
async fn boards_that_let_nobody_in_are_recognised() {
    let setup = DeviceFirmware::Freenove(FreenoveConfig {
        setup_mode: true,
        ..FreenoveConfig::default()
    });
    let blank = DeviceFirmware::Freenove(FreenoveConfig {
        web_token: None,
        ..FreenoveConfig::default()
    });
    for firmware in [setup, blank] {
        let board = SimulatedDevice::start(DeviceConfig::new("U_SON", firmware))
            .await
            .unwrap();
        let recognised = found(&board, Some("anything")).await;
        assert_eq!(recognised.family, Family::Freenove);
        assert_eq!(
            of(recognised.family).read(&recognised.reply.unwrap()),
            Err(Refusal::Token(TokenFault::SetupMode))
        );
    }
    let firmware = DeviceFirmware::StoryV2(StoryV2Config::default());
    let board = SimulatedDevice::start(DeviceConfig::new("phone", firmware))
        .await
        .unwrap();
    let recognised = found(&board, Some("wrong")).await;
    assert_eq!(recognised.family, Family::StoryV2);
    assert_eq!(
        of(recognised.family).read(&recognised.reply.unwrap()),
        Err(Refusal::Token(TokenFault::Refused))
    );
}
