//! Sets up, runs and tests Regie.
fn main() {}
