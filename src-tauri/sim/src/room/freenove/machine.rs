//! What a Freenove board does, whoever asks for it: its web server or another board.

use std::time::Duration;

use tokio::time::Instant;

use super::story::{Story, palette};
use crate::room::board::{Board, Led, Sound};
use crate::room::http::truth;

/// The loudest there is, on the firmware's scale.
pub(crate) const MAX_VOLUME: u8 = 21;
/// LEDs are this bright where nothing is said.
pub(crate) const BRIGHTNESS: u8 = 36;
/// Between two operations of the camera, at least.
const CAMERA_PAUSE: Duration = Duration::from_millis(900);

/// Files that it can play.
pub(crate) const MUSIC: [&str; 5] = [
    "/music/boot_radio.mp3",
    "/music/sonar_hint.mp3",
    "/music/morse_hint.mp3",
    "/music/SCENE_WIN.mp3",
    "/music/placeholder.mp3",
];

/// What the processor's time and memory go to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Profile {
    Graphics,
    Microphone,
    Camera,
}

impl Profile {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Graphics => "gfx_focus",
            Self::Microphone => "gfx_plus_mic",
            Self::Camera => "gfx_plus_cam_snapshot",
        }
    }
}

/// The state of a board's functions.
#[derive(Debug)]
pub(crate) struct Machine {
    pub(crate) story: Story,
    pub(crate) led_manual: bool,
    pub(crate) led_follows_scene: bool,
    /// A profile that was set by hand.
    forced_profile: Option<Profile>,
    pub(crate) camera_allowed: u32,
    pub(crate) camera_blocked: u32,
    camera_used: Option<Instant>,
    pub(crate) media_error: &'static str,
    pub(crate) app: Option<String>,
    pub(crate) app_error: &'static str,
}

/// An action that was refused, with the firmware's word for why, where it has one.
#[derive(Debug)]
pub(crate) struct Refusal(pub(crate) &'static str);

/// A camera that may not be used now.
#[derive(Debug)]
pub(crate) struct CameraBlocked;

impl Machine {
    pub(crate) fn new(scenario_loaded: bool, board: &mut Board, now: Instant) -> Self {
        board.volume = MAX_VOLUME;
        let mut machine = Self {
            story: Story::new(scenario_loaded),
            led_manual: false,
            led_follows_scene: true,
            forced_profile: None,
            camera_allowed: 0,
            camera_blocked: 0,
            camera_used: None,
            media_error: "",
            app: None,
            app_error: "",
        };
        machine.follow_scene(board, now);
        machine
    }

    /// Runs a line such as `SC_EVENT unlock UNLOCK_QR`.
    pub(crate) fn run(
        &mut self,
        line: &str,
        board: &mut Board,
        now: Instant,
    ) -> Result<(), Refusal> {
        let mut words = line.split_ascii_whitespace();
        let verb = words.next().unwrap_or_default();
        let words: Vec<&str> = words.collect();
        let word = |index: usize| words.get(index).copied().unwrap_or_default();
        match verb {
            "UNLOCK" => self.unlock(board, now),
            "NEXT" => self.next(board, now),
            "SC_EVENT" => self.event(word(0), word(1), board, now),
            "SCENE_GOTO" if word(0).is_empty() => Err(Refusal("scene_goto_arg")),
            "SCENE_GOTO" => {
                self.story
                    .go_to_scene(word(0))
                    .map_err(|_| Refusal("scene_not_found"))?;
                self.follow_scene(board, now);
                Ok(())
            }
            "STORY_REFRESH_SD" => {
                self.story.load();
                self.follow_scene(board, now);
                Ok(())
            }
            "HW_LED_SET" => {
                let number = |index: usize| word(index).parse::<i64>().ok();
                let (Some(r), Some(g), Some(b)) = (number(0), number(1), number(2)) else {
                    return Err(Refusal("hw_led_set_args"));
                };
                let pulse = truth(word(4)).unwrap_or(true);
                self.set_led([r, g, b], number(3), pulse, board, now);
                Ok(())
            }
            "HW_LED_AUTO" => {
                let on = truth(word(0)).ok_or(Refusal("hw_led_auto_args"))?;
                self.set_led_auto(on, board, now);
                Ok(())
            }
            "MEDIA_PLAY" => self
                .play(word(0), board)
                .map_err(|_| Refusal("media_play_failed")),
            "MEDIA_STOP" => self.stop(board),
            "RESOURCE_PROFILE" => {
                let profile = [Profile::Graphics, Profile::Microphone, Profile::Camera]
                    .into_iter()
                    .find(|profile| profile.name() == word(0));
                self.forced_profile = Some(profile.ok_or(Refusal(""))?);
                Ok(())
            }
            "RESOURCE_PROFILE_AUTO" => {
                let auto = truth(word(0)).ok_or(Refusal(""))?;
                self.forced_profile = if auto { None } else { Some(self.profile()) };
                Ok(())
            }
            // Their answer goes to the serial line alone.
            "STATUS" | "WIFI_STATUS" | "ESPNOW_STATUS" | "UI_SCENE_STATUS" | "ESPNOW_ON" => Ok(()),
            _ => Err(Refusal("unsupported_command")),
        }
    }

    pub(crate) fn unlock(&mut self, board: &mut Board, now: Instant) -> Result<(), Refusal> {
        if self.story.listens_for_tone() {
            return Err(Refusal(""));
        }
        self.story.unlock("UNLOCK");
        self.follow_scene(board, now);
        Ok(())
    }

    pub(crate) fn next(&mut self, board: &mut Board, now: Instant) -> Result<(), Refusal> {
        if self.story.listens_for_tone() {
            return Err(Refusal(""));
        }
        self.story.next();
        self.follow_scene(board, now);
        Ok(())
    }

    pub(crate) fn event(
        &mut self,
        kind: &str,
        name: &str,
        board: &mut Board,
        now: Instant,
    ) -> Result<(), Refusal> {
        let kind = kind.to_ascii_lowercase();
        let taken = match kind.as_str() {
            "unlock" => {
                self.story.unlock(name);
                true
            }
            "audio_done" => {
                self.story.event("audio_done", name);
                true
            }
            "timer" | "serial" | "action" => self.story.event(&kind, name),
            "button" | "btn" => self.story.event("button", name),
            "espnow" | "esp_now" => self.story.event("espnow", name),
            _ => false,
        };
        self.follow_scene(board, now);
        if taken { Ok(()) } else { Err(Refusal("")) }
    }

    /// Red, green and blue are cut to eight bits, the brightness is clamped.
    pub(crate) fn set_led(
        &mut self,
        rgb: [i64; 3],
        brightness: Option<i64>,
        pulse: bool,
        board: &mut Board,
        now: Instant,
    ) {
        let eight_bits = |value: i64| u8::try_from(value.rem_euclid(256)).unwrap_or(0);
        let brightness = brightness.unwrap_or(i64::from(BRIGHTNESS)).clamp(0, 255);
        self.led_manual = true;
        let led = Led {
            rgb: rgb.map(eight_bits),
            brightness: u8::try_from(brightness).unwrap_or(u8::MAX),
            pattern: if pulse { "pulse" } else { "solid" }.to_owned(),
        };
        board.set_led(now, "all", led, None);
    }

    pub(crate) fn set_led_auto(&mut self, on: bool, board: &mut Board, now: Instant) {
        self.led_follows_scene = on;
        if on {
            self.led_manual = false;
            self.follow_scene(board, now);
        }
    }

    fn follow_scene(&mut self, board: &mut Board, now: Instant) {
        let rgb = palette(self.story.screen());
        if self.led_manual || !self.led_follows_scene || board.led.rgb == rgb {
            return;
        }
        let led = Led {
            rgb,
            brightness: BRIGHTNESS,
            pattern: "pulse".to_owned(),
        };
        board.set_led(now, "all", led, None);
    }

    pub(crate) fn play(&mut self, path: &str, board: &mut Board) -> Result<(), Refusal> {
        let path = if path.starts_with('/') {
            path.to_owned()
        } else {
            format!("/music/{path}")
        };
        if !MUSIC.contains(&path.as_str()) {
            self.media_error = "file_missing";
            return Err(Refusal(""));
        }
        self.media_error = "";
        board.sound = Some(Sound {
            source: path,
            looped: false,
            paused: false,
        });
        Ok(())
    }

    pub(crate) fn stop(&mut self, board: &mut Board) -> Result<(), Refusal> {
        board.sound.take().map(|_| ()).ok_or(Refusal(""))
    }

    pub(crate) fn profile(&self) -> Profile {
        self.forced_profile
            .unwrap_or_else(|| match self.story.screen() {
                scene if scene.contains("WIN_ETAPE") => Profile::Graphics,
                "SCENE_LA_DETECTOR" | "SCENE_U_SON_PROTO" => Profile::Microphone,
                _ => Profile::Camera,
            })
    }

    pub(crate) fn profile_is_auto(&self) -> bool {
        self.forced_profile.is_none()
    }

    /// Whether the camera may be used now; if so, it is.
    pub(crate) fn use_camera(&mut self, now: Instant) -> Result<(), CameraBlocked> {
        let rested = self
            .camera_used
            .is_none_or(|used| now.saturating_duration_since(used) >= CAMERA_PAUSE);
        if self.profile() != Profile::Camera || !rested {
            self.camera_blocked += 1;
            return Err(CameraBlocked);
        }
        self.camera_allowed += 1;
        self.camera_used = Some(now);
        Ok(())
    }
}
