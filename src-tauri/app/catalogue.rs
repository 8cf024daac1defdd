//! The texts of tray and notices, from the catalogues that the window uses too.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use regie_engine::Locale;

static ENGLISH: &str = include_str!("../../ui/locales/en.json");
static FRENCH: &str = include_str!("../../ui/locales/fr.json");
static CHINESE: &str = include_str!("../../ui/locales/zh.json");

/// The texts of one language.
#[derive(Debug)]
pub(crate) struct Catalogue {
    texts: BTreeMap<String, String>,
}

impl Catalogue {
    /// The catalogue of a language.
    pub(crate) fn of(locale: Locale) -> &'static Self {
        static CATALOGUES: OnceLock<[Catalogue; 3]> = OnceLock::new();
        let [english, french, chinese] =
            CATALOGUES.get_or_init(|| [ENGLISH, FRENCH, CHINESE].map(Self::parse));
        match locale {
            Locale::En => english,
            Locale::Fr => french,
            Locale::Zh => chinese,
        }
    }

    /// An unreadable catalogue counts as empty here; a test keeps that from being shipped.
    fn parse(json: &str) -> Self {
        Self {
            texts: serde_json::from_str(json).unwrap_or_default(),
        }
    }

    /// The text of a key; the key itself where the catalogue lacks it, so that it is seen.
    pub(crate) fn text(&self, key: &str) -> String {
        self.texts
            .get(key)
            .map_or_else(|| key.to_owned(), Clone::clone)
    }
}

#[cfg(test)]
mod tests {
    use regie_clock::{ClockError, System, Unavailable};

    use super::*;

    #[test]
    fn every_catalogue_can_be_read_and_has_the_texts_used_here() {
        for locale in [Locale::En, Locale::Fr, Locale::Zh] {
            let catalogue = Catalogue::of(locale);
            for key in [
                "tray.set_time",
                "tray.open",
                "tray.quit",
                "tray.simulated",
                "tray.status.asleep",
                "window.hidden_to_tray.title",
                "window.hidden_to_tray.body",
                "window.no_tray.title",
                "window.no_tray.body",
                "window.no_tray.quit",
                "window.no_tray.keep",
            ] {
                assert_ne!(catalogue.text(key), key, "{locale:?}");
            }
        }
    }
    /// The words that a `code()` answers, read from its source: no list beside it can go stale.
    fn codes(source: &str) -> Vec<&str> {
        let body = source.split("fn code(").nth(1).unwrap_or_default();
        let body = body.split("\n    }\n").next().unwrap_or_default();
        body.split('"').skip(1).step_by(2).collect()
    }

    #[test]
    fn every_fault_and_every_note_is_said_in_french_and_chinese() {
        let faults = [
            include_str!("../clock/src/error.rs"),
            include_str!("../clock/src/session/operation.rs"),
            include_str!("../clock/src/diagnosis/concern.rs"),
            include_str!("../engine/src/error.rs"),
            include_str!("../engine/src/secrets/error.rs"),
            include_str!("../engine/src/tokens/error.rs"),
            include_str!("../imaging/src/error.rs"),
            include_str!("../mcp/src/http/listen.rs"),
            include_str!("../room/src/error.rs"),
        ];
        let faults = faults.into_iter().flat_map(codes).flat_map(|code| {
            [
                format!("fault.{code}.message"),
                format!("fault.{code}.hint"),
            ]
        });
        let notes = [
            include_str!("../imaging/src/note.rs"),
            include_str!("../clock/src/diagnosis/finding.rs"),
        ];
        let notes = notes
            .into_iter()
            .flat_map(codes)
            .map(|code| format!("note.{code}"));
        // The next step of these depends on the system.
        let steps = Unavailable::ALL.into_iter().flat_map(|reason| {
            let code = ClockError::BluetoothUnavailable { reason }.code();
            System::ALL.map(|system| format!("fault.{code}.hint.{}", system.name()))
        });
        let own = ["fault.settings-unopenable.message", "note.doctor-program"];
        let own = own.map(ToOwned::to_owned);
        let keys: Vec<String> = faults.chain(notes).chain(steps).chain(own).collect();
        assert!(keys.len() > 100, "the codes were not found: {keys:?}");
        for locale in [Locale::Fr, Locale::Zh] {
            let catalogue = Catalogue::of(locale);
            for key in &keys {
                assert_ne!(&catalogue.text(key), key, "{locale:?}");
            }
        }
    }
}
