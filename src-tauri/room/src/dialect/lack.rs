//! What a family can lack, as a closed list that the catalogues translate.

use super::Lack;

/// The codes of [`Lack`], each with a text in the catalogues (`room.lack.<code>`).
pub const LACKS: &[&str] = &[
    TOOL,
    LED_ZONE,
    LED_PATTERN,
    LED_DURATION,
    AUDIO_LOOP,
    AUDIO_URL,
    AUDIO_SOURCE,
    AUDIO_VOLUME,
    PUZZLE_LOCK,
    PUZZLE_RESET,
    PUZZLE_EFFECTS,
    CAMERA_SIZE,
    SCENARIO_EVENT,
    SCENARIO_MANUAL,
    SCENARIO_TARGET,
];

/// Everything that a tool asks for.
pub(crate) const TOOL: &str = "tool";
/// LEDs by zone.
pub(crate) const LED_ZONE: &str = "led-zone";
/// Some patterns.
pub(crate) const LED_PATTERN: &str = "led-pattern";
/// LEDs that go dark by themselves.
pub(crate) const LED_DURATION: &str = "led-duration";
/// Sound again and again.
pub(crate) const AUDIO_LOOP: &str = "audio-loop";
/// Sound from an HTTP URL.
pub(crate) const AUDIO_URL: &str = "audio-url";
/// A named sound.
pub(crate) const AUDIO_SOURCE: &str = "audio-source";
/// Loudness as it was asked for.
pub(crate) const AUDIO_VOLUME: &str = "audio-volume";
/// Locking a puzzle.
pub(crate) const PUZZLE_LOCK: &str = "puzzle-lock";
/// Resetting a puzzle.
pub(crate) const PUZZLE_RESET: &str = "puzzle-reset";
/// A puzzle without its light and sound.
pub(crate) const PUZZLE_EFFECTS: &str = "puzzle-effects";
/// A picture's size and quality.
pub(crate) const CAMERA_SIZE: &str = "camera-size";
/// Some events of a scenario.
pub(crate) const SCENARIO_EVENT: &str = "scenario-event";
/// The override by any name.
pub(crate) const SCENARIO_MANUAL: &str = "scenario-manual";
/// A jump to a step.
pub(crate) const SCENARIO_TARGET: &str = "scenario-target";

impl Lack {
    /// One of [`LACKS`], with the part for a person.
    pub(crate) fn of(code: &'static str, part: impl Into<String>) -> Self {
        Self {
            code,
            part: part.into(),
        }
    }

    /// Nothing of a tool.
    pub(crate) fn whole(tool: &str) -> Self {
        Self::of(
            TOOL,
            format!("{tool}: its firmware has nothing of the kind"),
        )
    }
}
