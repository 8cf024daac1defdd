//! The installer, run by wine: silently, over a running copy, and taken away again.
