//! A picture's way from bytes to the bit planes of an e-ink panel.
