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
}
