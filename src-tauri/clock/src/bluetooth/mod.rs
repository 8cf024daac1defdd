//! The link over a real radio.
