//! sRGB and linear light (IEC 61966-2-1), both as whole numbers.
//!
//! Linear light is kept in 16 bits: the steps of dark 8-bit sRGB are then still 20 apart.

use std::sync::LazyLock;

/// Full scale of linear light.
pub(crate) const ONE: u16 = u16::MAX;

/// Full scale of the 12-bit encoded values that tone curves work on.
pub(crate) const CODE_MAX: u16 = 4095;

/// Linear light of an sRGB value, both 0..=1.
pub(crate) fn to_linear(encoded: f64) -> f64 {
    if encoded <= 0.04045 {
        encoded / 12.92
    } else {
        ((encoded + 0.055) / 1.055).powf(2.4)
    }
}

/// The sRGB value of linear light, both 0..=1.
pub(crate) fn to_encoded(linear: f64) -> f64 {
    if linear <= 0.003_130_8 {
        linear * 12.92
    } else {
        1.055 * linear.powf(1.0 / 2.4) - 0.055
    }
}

fn scaled(value: f64, full: u16) -> u16 {
    (value * f64::from(full))
        .round()
        .clamp(0.0, f64::from(full)) as u16
}

/// Linear light of each 8-bit sRGB value.
pub(crate) static LINEAR_OF_8: LazyLock<[u16; 256]> =
    LazyLock::new(|| std::array::from_fn(|code| scaled(to_linear(code as f64 / 255.0), ONE)));

/// Linear light of each 16-bit sRGB value.
pub(crate) static LINEAR_OF_16: LazyLock<Box<[u16]>> = LazyLock::new(|| {
    (0..=u16::MAX)
        .map(|code| scaled(to_linear(f64::from(code) / f64::from(ONE)), ONE))
        .collect()
});

/// The 12-bit sRGB value of each linear light.
pub(crate) static CODE_OF_LINEAR: LazyLock<Box<[u16]>> = LazyLock::new(|| {
    (0..=u16::MAX)
        .map(|linear| scaled(to_encoded(f64::from(linear) / f64::from(ONE)), CODE_MAX))
        .collect()
});

/// The 8-bit sRGB value of each linear light.
pub(crate) static BYTE_OF_LINEAR: LazyLock<Box<[u8]>> = LazyLock::new(|| {
    (0..=u16::MAX)
        .map(|linear| scaled(to_encoded(f64::from(linear) / f64::from(ONE)), 255) as u8)
        .collect()
});
