//! The scenario of a Freenove board: its `DEFAULT`, version 2.

/// A step, the scene on the screen with it, and what leads on: event type, event name, step.
struct Step {
    id: &'static str,
    scene: &'static str,
    audio_pack: &'static str,
    leads_on: &'static [(&'static str, &'static str, &'static str)],
}

const STEPS: [Step; 11] = [
    Step {
        id: "SCENE_U_SON_PROTO",
        scene: "SCENE_U_SON_PROTO",
        audio_pack: "",
        leads_on: &[("button", "ANY", "SCENE_LA_DETECTOR")],
    },
    Step {
        id: "SCENE_LA_DETECTOR",
        scene: "SCENE_LA_DETECTOR",
        audio_pack: "",
        leads_on: &[("serial", "BTN_NEXT", "RTC_ESP_ETAPE1")],
    },
    Step {
        id: "RTC_ESP_ETAPE1",
        scene: "SCENE_WIN_ETAPE",
        audio_pack: "",
        leads_on: &[("button", "ANY", "WIN_ETAPE1")],
    },
    Step {
        id: "WIN_ETAPE1",
        scene: "SCENE_WIN_ETAPE1",
        audio_pack: "PACK_WIN",
        leads_on: &[("timer", "WIN_ETAPE1_TO_CREDIT", "SCENE_CREDIT")],
    },
    Step {
        id: "SCENE_CREDIT",
        scene: "SCENE_CREDITS",
        audio_pack: "",
        leads_on: &[("button", "ANY", "STEP_WARNING")],
    },
    Step {
        id: "STEP_WARNING",
        scene: "SCENE_WARNING",
        audio_pack: "",
        leads_on: &[("audio_done", "AUDIO_DONE", "STEP_WARNING")],
    },
    Step {
        id: "SCENE_LEFOU_DETECTOR",
        scene: "SCENE_LEFOU_DETECTOR",
        audio_pack: "",
        leads_on: &[
            ("timer", "ETAPE2_DUE", "STEP_WARNING"),
            ("serial", "BTN_NEXT", "RTC_ESP_ETAPE2"),
            ("unlock", "UNLOCK", "RTC_ESP_ETAPE2"),
            ("serial", "FORCE_WIN_ETAPE2", "RTC_ESP_ETAPE2"),
        ],
    },
    Step {
        id: "RTC_ESP_ETAPE2",
        scene: "SCENE_WIN_ETAPE2",
        audio_pack: "PACK_CONFIRM_WIN_ETAPE2",
        leads_on: &[
            ("espnow", "ACK_WIN2", "SCENE_QR_DETECTOR"),
            ("serial", "FORCE_DONE", "SCENE_QR_DETECTOR"),
        ],
    },
    Step {
        id: "SCENE_QR_DETECTOR",
        scene: "SCENE_QR_DETECTOR",
        audio_pack: "",
        leads_on: &[
            ("serial", "QR_OK", "SCENE_FINAL_WIN"),
            ("unlock", "UNLOCK_QR", "SCENE_FINAL_WIN"),
            ("serial", "BTN_NEXT", "SCENE_FINAL_WIN"),
        ],
    },
    Step {
        id: "SCENE_FINAL_WIN",
        scene: "SCENE_FINAL_WIN",
        audio_pack: "",
        leads_on: &[
            ("timer", "WIN_DUE", "STEP_MEDIA_MANAGER"),
            ("serial", "BTN_NEXT", "STEP_MEDIA_MANAGER"),
            ("unlock", "UNLOCK", "STEP_MEDIA_MANAGER"),
        ],
    },
    Step {
        id: "STEP_MEDIA_MANAGER",
        scene: "SCENE_MEDIA_MANAGER",
        audio_pack: "",
        leads_on: &[],
    },
];

/// The step it starts with.
const FIRST: &str = "RTC_ESP_ETAPE1";

/// Scenes that the screen knows and no step has.
const OTHER_SCENES: [&str; 4] = ["SCENE_LOCKED", "SCENE_BROKEN", "SCENE_READY", "SCENE_WIN"];

/// The scenario as far as it has got.
#[derive(Debug, Clone)]
pub(crate) struct Story {
    /// `None` where no scenario is loaded.
    step: Option<&'static Step>,
    /// A scene that is shown instead of the step's.
    screen: Option<&'static str>,
}

impl std::fmt::Debug for Step {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(self.id)
    }
}

/// The jump that was asked for leads nowhere.
#[derive(Debug)]
pub(crate) struct SceneUnknown;

impl Story {
    pub(crate) fn new(loaded: bool) -> Self {
        let mut story = Self {
            step: None,
            screen: None,
        };
        if loaded {
            story.load();
        }
        story
    }

    pub(crate) fn load(&mut self) {
        self.enter(FIRST);
    }

    pub(crate) fn step(&self) -> Option<&'static str> {
        self.step.map(|step| step.id)
    }

    /// The scene on the screen.
    pub(crate) fn screen(&self) -> &'static str {
        self.screen
            .or_else(|| self.step.map(|step| step.scene))
            .unwrap_or("")
    }

    pub(crate) fn audio_pack(&self) -> &'static str {
        self.step.map_or("", |step| step.audio_pack)
    }

    /// Whether the microphone waits for a tone, which holds up `UNLOCK` and `NEXT`.
    pub(crate) fn listens_for_tone(&self) -> bool {
        self.step() == Some("SCENE_LA_DETECTOR")
    }

    /// An event of a type that is known; whether a transition took it.
    pub(crate) fn event(&mut self, kind: &str, name: &str) -> bool {
        let next = self.step.and_then(|step| {
            step.leads_on.iter().find(|(by, called, _)| {
                *by == kind && (*called == name || (kind == "button" && *called == "ANY"))
            })
        });
        match next {
            Some((.., target)) => {
                self.enter(target);
                true
            }
            None => false,
        }
    }

    /// A named unlock that nothing takes is tried again as a plain one.
    pub(crate) fn unlock(&mut self, name: &str) {
        if !self.event("unlock", name) {
            self.event("unlock", "UNLOCK");
        }
    }

    /// On by the serial line's button, or else by a press of the fifth one.
    pub(crate) fn next(&mut self) {
        if !self.event("serial", "BTN_NEXT") {
            self.event("button", "BTN5");
        }
    }

    /// To the first step with this scene; where there is none, only the screen changes.
    pub(crate) fn go_to_scene(&mut self, scene: &str) -> Result<(), SceneUnknown> {
        if let Some(step) = STEPS.iter().find(|step| step.scene == scene) {
            self.enter(step.id);
            return Ok(());
        }
        let other = OTHER_SCENES
            .iter()
            .find(|known| **known == scene)
            .ok_or(SceneUnknown)?;
        self.screen = Some(other);
        Ok(())
    }

    fn enter(&mut self, id: &str) {
        self.step = STEPS.iter().find(|step| step.id == id);
        self.screen = None;
    }
}

/// The colour of the LEDs with a scene.
pub(crate) fn palette(scene: &str) -> [u8; 3] {
    match scene {
        "SCENE_LOCKED" => [255, 96, 22],
        "SCENE_BROKEN" => [255, 40, 18],
        "SCENE_WARNING" => [255, 154, 74],
        "SCENE_LA_DETECTOR" | "SCENE_LEFOU_DETECTOR" | "SCENE_QR_DETECTOR" => [32, 224, 170],
        scene if scene.contains("WIN") => [245, 205, 62],
        _ => [18, 45, 95],
    }
}
