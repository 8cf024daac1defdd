//! Whatever is asked, in whichever order, and however the boards behave: no limit is broken.

use std::time::Duration;

use proptest::collection::vec;
use proptest::prelude::*;
use tokio::time::{Instant, sleep};

use super::board::{End, Fate, Sent};
use super::*;

/// Boards that are asked at the same time.
const BOARDS: u8 = 5;

/// The longest that anything may take: five seconds for its turn, two tries of five with two in
/// between and five for the turn of the second, and looks before and after, each within five.
const LONGEST: Duration = Duration::from_secs(40);

/// How soon an override is on its way, whatever else goes on.
const AT_ONCE: Duration = Duration::from_millis(50);

/// One thing that is asked.
#[derive(Clone, Debug)]
struct Asked {
    after: Duration,
    board: u8,
    kind: u8,
}

/// Something to ask, with a number of its own where it must not be done twice.
fn request(kind: u8, number: usize) -> Request {
    match kind {
        0 => Request::Status,
        1 => led([u8::try_from(number % 256).unwrap_or_default(), 2, 3]),
        2 => puzzle(Puzzle::Coffre, PuzzleState::Unlocked),
        3 => puzzle(Puzzle::Coffre, PuzzleState::Locked),
        4 => puzzle(Puzzle::Fiole, PuzzleState::Reset),
        5 => camera(),
        6 => event(EventType::Unlock, &format!("UNLOCK_{number}")),
        7 => event(EventType::Button, &format!("BUTTON_{number}")),
        _ => audio(AudioAction::Play, 50),
    }
}

fn schedules() -> impl Strategy<Value = Vec<Asked>> {
    let asked = (0_u64..300, 1..=BOARDS, 0_u8..9).prop_map(|(after, board, kind)| Asked {
        after: Duration::from_millis(after),
        board,
        kind,
    });
    vec(asked, 1..60)
}

fn fates() -> impl Strategy<Value = Vec<Fate>> {
    let end = prop_oneof![
        6 => Just(End::Answered),
        1 => Just(End::Refused),
        1 => any::<bool>().prop_map(|done| End::Broken { done }),
        1 => any::<bool>().prop_map(|done| End::Silent { done }),
        1 => Just(End::Says(500, "no")),
        1 => Just(End::Says(429, r#"{"error":"too_many_requests"}"#)),
        1 => Just(End::Half),
        1 => Just(End::Says(200, "?")),
    ];
    let fate = (0_u64..6_000, end).prop_map(|(after, end)| Fate {
        // Most boards are quick.
        after: Duration::from_millis(if after > 5_000 { after } else { after % 60 }),
        end,
    });
    vec(fate, 0..40)
}

/// What becomes of exchanges, shared out among the boards.
#[derive(Debug, Default)]
struct Fates {
    acts: Vec<Fate>,
    reads: Vec<Fate>,
}

/// Asks everything, at its time, and returns what reached the boards, what they did, and when
/// overrides were asked.
fn play(schedule: &[Asked], fates: &Fates, overrides: &[(u64, u8)]) -> Played {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap();
    runtime.block_on(async {
        let stage = Stage::new();
        let lanes: Vec<Lane> = (1..=BOARDS).map(|board| stage.lane(board)).collect();
        for lane in &lanes {
            found(lane).await;
        }
        stage.boards.forget();
        for board in 1..=BOARDS {
            let share = |fates: &[Fate]| -> Vec<Fate> {
                let others = usize::from(BOARDS);
                let mine = fates.iter().skip(usize::from(board)).step_by(others);
                mine.cloned().collect()
            };
            stage.boards.at(board, |board| {
                board.acts.extend(share(&fates.acts));
                board.reads.extend(share(&fates.reads));
            });
        }
        let mut asks = tokio::task::JoinSet::new();
        for (number, (at, board)) in overrides.iter().copied().enumerate() {
            let lane = lanes[usize::from(board - 1)].clone();
            asks.spawn(async move {
                sleep(Duration::from_millis(at)).await;
                let asked = Instant::now();
                let step = format!("STEP_OVER_{number}");
                drop(lane.ask(manual(&step)).await);
                (asked, Some(step))
            });
        }
        let mut moment = Duration::ZERO;
        for (number, one) in schedule.iter().enumerate() {
            moment += one.after;
            let lane = lanes[usize::from(one.board - 1)].clone();
            let request = request(one.kind, number);
            asks.spawn(async move {
                sleep(moment).await;
                let asked = Instant::now();
                drop(lane.ask(request).await);
                assert!(asked.elapsed() <= LONGEST, "{:?}", asked.elapsed());
                (asked, None)
            });
        }
        let mut pressed = Vec::new();
        while let Some(ended) = asks.join_next().await {
            if let (asked, Some(step)) = ended.unwrap() {
                pressed.push((asked, step));
            }
        }
        let done = (1..=BOARDS).map(|board| stage.boards.at(board, |board| board.done.clone()));
        Played {
            done: done.flatten().collect(),
            sent: stage.boards.sent(),
            pressed,
        }
    })
}

struct Played {
    sent: Vec<Sent>,
    done: Vec<serde_json::Value>,
    pressed: Vec<(Instant, String)>,
}

/// That no request goes out while `most` others may have reached the board within `window`; overrides
/// may, and are counted.
fn sparse(sent: &[&Sent], most: usize, window: Duration) {
    for (index, one) in sent.iter().enumerate() {
        // It may have reached the board only when its answer came. An override nobody waits for, and
        // of what an override looks at beside it only the start is known while it is on its way.
        let reached = |before: &&&Sent| match before.until {
            Some(until) if until <= one.at && !before.is_override() => until,
            _ => before.at,
        };
        let recent = sent[..index]
            .iter()
            .filter(|before| one.at < reached(before) + window);
        assert!(
            one.is_override() || recent.clone().count() < most,
            "{one:#?} after {:#?}",
            recent.collect::<Vec<_>>()
        );
    }
}

fn check(played: &Played) {
    for board in 1..=BOARDS {
        let host = format!("192.168.0.{board}");
        let all: Vec<&Sent> = played
            .sent
            .iter()
            .filter(|sent| sent.host == host)
            .collect();
        let of = |wanted: &dyn Fn(&Sent) -> bool| -> Vec<&Sent> {
            all.iter().copied().filter(|sent| wanted(sent)).collect()
        };
        sparse(&all, 10, Duration::from_secs(1));
        sparse(
            &of(&|sent| sent.path.starts_with("/api/camera")),
            2,
            Duration::from_secs(1),
        );
        sparse(
            &of(&|sent| sent.path == "/api/led"),
            1,
            Duration::from_millis(100),
        );
        let servo = of(&|sent| sent.path == "/api/puzzle" || sent.body["event_type"] == "unlock");
        sparse(&servo, 1, Duration::from_millis(500));
        let puzzles = of(&|sent| sent.path == "/api/puzzle");
        for (index, one) in puzzles.iter().enumerate() {
            for other in &puzzles[index + 1..] {
                let conflicting =
                    one.body["id"] == other.body["id"] && one.body["state"] != other.body["state"];
                let apart = other.at - one.at;
                assert!(
                    !conflicting || apart >= Duration::from_secs(1),
                    "{apart:?}: {one:?} {other:?}"
                );
            }
        }
        // An override looks at the board in its own time, beside whatever else goes on.
        let quiet = played.pressed.is_empty();
        let ordinary = of(&|sent| !sent.is_override() && (quiet || sent.acts()));
        for pair in ordinary.windows(2) {
            let over = pair[0].until.unwrap();
            assert!(over <= pair[1].at, "two at the same time: {pair:#?}");
        }
    }
    let acting: Vec<&Sent> = played
        .sent
        .iter()
        .filter(|sent| sent.acts() && !sent.is_override())
        .collect();
    for one in &acting {
        let beside = acting
            .iter()
            .filter(|other| other.at <= one.at && other.until.unwrap() > one.at);
        assert!(beside.count() <= 3, "more than three calls at {:?}", one.at);
    }
    for done in &played.done {
        let once = done["event_name"].is_string();
        let times = played.done.iter().filter(|other| *other == done).count();
        assert!(!once || times == 1, "done {times} times: {done}");
    }
    for (asked, step) in &played.pressed {
        let first = played
            .sent
            .iter()
            .find(|sent| sent.body["target"] == **step);
        let at = first.unwrap_or_else(|| panic!("{step} was never sent")).at;
        assert!(
            at - *asked <= AT_ONCE,
            "{step} was held up: {:?}",
            at - *asked
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, max_shrink_iters: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn no_schedule_breaks_a_limit_and_no_override_is_held_up(
        schedule in schedules(),
        acts in fates(),
        reads in fates(),
        overrides in vec((0_u64..8_000, 1..=BOARDS), 0..3),
    ) {
        check(&play(&schedule, &Fates { acts, reads }, &overrides));
    }
}

#[test]
fn a_board_that_is_asked_as_fast_as_can_be_gets_ten_requests_a_second_for_ten_minutes() {
    // ESP-1
    let schedule: Vec<Asked> = (0..3_000)
        .map(|_| Asked {
            after: Duration::from_millis(200),
            board: 1,
            kind: 0,
        })
        .collect();
    let played = play(&schedule, &Fates::default(), &[(300_000, 1)]);
    assert!(played.sent.len() >= 3_000, "{}", played.sent.len());
    check(&played);
}
