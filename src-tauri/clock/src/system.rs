//! Which operating system this is, where what a person has to do differs.

/// An operating system that Regie runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum System {
    /// Windows 10 and 11.
    Windows,
    /// Linux with BlueZ; also whatever else has no rules of its own.
    Linux,
    /// macOS.
    MacOs,
}

impl System {
    /// Every system, for tables and tests.
    pub const ALL: [Self; 3] = [Self::Windows, Self::Linux, Self::MacOs];

    /// The one this program was built for.
    pub const HERE: Self = if cfg!(windows) {
        Self::Windows
    } else if cfg!(target_os = "macos") {
        Self::MacOs
    } else {
        Self::Linux
    };

    /// Its name as a key: `windows`, `linux` or `macos`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Windows => "windows",
            Self::Linux => "linux",
            Self::MacOs => "macos",
        }
    }
}
