//! The clock: what can be asked of it, its dialects, its link and its session.
