//! What the clock says of itself.

use super::mode;

/// A notification that says something of the clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Saying {
    /// Its configuration, the first thing it says once it is listened to.
    Config {
        /// The model of its panel.
        model: u8,
        /// What it shows; older builds do not say.
        mode: Option<u8>,
    },
    /// The text `mtu=N` or `mtu=N rle=1` after an initialisation.
    Terms {
        /// Most bytes of one write.
        payload: usize,
        /// It takes run lengths.
        run_length: bool,
    },
}

impl Saying {
    /// Reads a notification; none for the text with the time (`t=`) and for what is not known.
    ///
    /// The configuration is a structure of bytes (`EPD/EPD_config.h`): seven pins, the model, two
    /// or three pins more, and in newer builds the mode and the first day of the week; 13 bytes,
    /// or 11 in older builds. No pin has a number as high as a letter, so texts are told from it.
    pub(super) fn read(notification: &[u8]) -> Option<Self> {
        if let Some(text) = notification.strip_prefix(b"mtu=") {
            return Self::terms(std::str::from_utf8(text).ok()?);
        }
        let (model, mode) = match notification {
            [b't', b'=', ..] => return None,
            [_, _, _, _, _, _, _, model, _, _, _] => (*model, None),
            [_, _, _, _, _, _, _, model, _, _, _, shown, _] => (
                *model,
                (mode::PICTURE..=mode::CLOCK)
                    .contains(shown)
                    .then_some(*shown),
            ),
            _ => return None,
        };
        Some(Self::Config { model, mode })
    }

    fn terms(text: &str) -> Option<Self> {
        let mut words = text.trim_end_matches('\0').split_ascii_whitespace();
        let payload = words.next()?.parse().ok()?;
        let run_length = words.any(|word| word == "rle=1");
        Some(Self::Terms {
            payload,
            run_length,
        })
    }
}
