//! (none yet)
