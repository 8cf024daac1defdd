//! A fake BlueZ to run the program against, with one simulated clock.
#![cfg_attr(not(target_os = "linux"), allow(missing_docs))]

fn main() {}
