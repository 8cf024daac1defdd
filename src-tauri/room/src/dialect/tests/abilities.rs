//! What families say that they can do, against what they do.

use crate::dialect::{Family, LACKS, of};
use crate::request::{
    AudioAction, EventType, Pattern, Puzzle, PuzzleState, Request, Resolution, Zone,
};

use super::{audio, camera, led, puzzle, scenario};

const FAMILIES: [Family; 4] = [
    Family::Spec,
    Family::Freenove,
    Family::StoryV2,
    Family::Unknown,
];

/// Every request there is, but for names and numbers that make no difference.
fn requests() -> Vec<Request> {
    let mut requests = vec![Request::Status];
    for which in Puzzle::ALL {
        for state in PuzzleState::ALL {
            for effects in [true, false] {
                requests.push(puzzle(which.name(), state.name(), effects));
            }
        }
    }
    for action in AudioAction::ALL {
        for source in ["/music/a.mp3", "http://192.168.0.2/a.mp3"] {
            for looped in [true, false] {
                requests.push(audio(action.name(), source, 70, looped));
            }
        }
    }
    for zone in Zone::ALL {
        for pattern in Pattern::ALL {
            for color in ["off", "#123456"] {
                for duration in [0, 1000] {
                    requests.push(led(zone.name(), color, pattern.name(), 128, duration));
                }
            }
        }
    }
    for resolution in Resolution::ALL {
        requests.push(camera(resolution.name(), 20));
    }
    for event in EventType::ALL {
        for target in [None, Some("STEP_1")] {
            requests.push(scenario(event.name(), "UNLOCK", target));
        }
    }
    requests
}

#[test]
fn what_a_family_refuses_is_what_it_says_it_lacks() {
    for family in FAMILIES {
        let abilities = of(family).abilities();
        for code in &abilities.lacks {
            assert!(LACKS.contains(code), "{code}");
        }
        for request in requests() {
            let knows = abilities.tools.contains(&request.tool());
            match of(family).script(&request, None) {
                Ok(script) => {
                    assert!(knows, "{family} {request:?}");
                    assert!(!script.exchanges.is_empty());
                }
                Err(lack) if knows => {
                    assert!(abilities.lacks.contains(&lack.code), "{family} {lack:?}");
                    assert!(!lack.part.ends_with('.'));
                }
                Err(lack) => assert_eq!(lack.code, "tool", "{family} {request:?}"),
            }
        }
    }
}

#[test]
fn a_family_names_itself() {
    for family in FAMILIES {
        assert_eq!(of(family).family(), family);
    }
}
