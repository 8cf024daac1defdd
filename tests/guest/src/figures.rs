//! What a process uses, so that a leak shows.

use std::fmt;
use std::fs;
use std::io;

use tokio::runtime::Handle;

/// What this process uses now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Figures {
    /// Open file descriptors.
    pub descriptors: usize,
    /// Threads.
    pub threads: usize,
    /// Tasks of the current tokio runtime.
    pub tasks: usize,
    /// Resident memory in kB.
    pub resident_kb: usize,
}

impl Figures {
    /// Reads them, from `/proc`.
    ///
    /// # Errors
    /// When `/proc` cannot be read, as outside Linux.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub fn now() -> io::Result<Self> {
        // The one that reads the folder is open too.
        let descriptors = fs::read_dir("/proc/self/fd")?.count() - 1;
        let status = fs::read_to_string("/proc/self/status")?;
        let number = |name: &str| -> usize {
            status
                .lines()
                .find_map(|line| line.strip_prefix(name))
                .and_then(|rest| rest.split_whitespace().next())
                .and_then(|word| word.parse().ok())
                .unwrap_or(0)
        };
        Ok(Self {
            descriptors,
            threads: number("Threads:"),
            tasks: Handle::current().metrics().num_alive_tasks(),
            resident_kb: number("VmRSS:"),
        })
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} descriptors, {} threads, {} tasks, {} kB",
            self.descriptors, self.threads, self.tasks, self.resident_kb
        )
    }
}
