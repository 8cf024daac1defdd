//! Colours as boards take them: three numbers.

use crate::request::{Colour, LedChange, NamedColour, Pattern};

/// A colour as red, green and blue. The contract leaves open what its names look like, but for
/// `purple`, which its own example of a voice command sends as `#7B00FF`. `warm` and `cold` are
/// near white at 3000 K and 9000 K.
pub(super) fn rgb(colour: Colour) -> [u8; 3] {
    match colour {
        Colour::Rgb(rgb) => rgb,
        Colour::Named(name) => match name {
            NamedColour::Red => [0xFF, 0x00, 0x00],
            NamedColour::Green => [0x00, 0xFF, 0x00],
            NamedColour::Blue => [0x00, 0x00, 0xFF],
            NamedColour::White => [0xFF, 0xFF, 0xFF],
            NamedColour::Off => [0x00, 0x00, 0x00],
            NamedColour::Warm => [0xFF, 0xB4, 0x6B],
            NamedColour::Cold => [0xD2, 0xDF, 0xFF],
            NamedColour::Purple => [0x7B, 0x00, 0xFF],
            NamedColour::Orange => [0xFF, 0x80, 0x00],
        },
    }
}

/// What the LEDs show once a change is done.
pub(super) fn shown(change: &LedChange) -> [u8; 3] {
    match change.pattern {
        Pattern::Off => [0, 0, 0],
        _ => rgb(change.color),
    }
}

/// `#RRGGBB`.
pub(super) fn hex(rgb: [u8; 3]) -> String {
    Colour::Rgb(rgb).to_string()
}
