//! The link over a real radio.

mod adapter;
mod apartment;
#[cfg(target_os = "linux")]
mod bluez;
mod chosen;
mod failure;
mod hearing;
mod link;
mod native;
mod runtime;
mod services;
mod watching;

pub use adapter::BluetoothAdapter;

/// The library behind it, for reports.
pub const LIBRARY: &str = "btleplug 0.13.5";

#[cfg(test)]
mod tests {
    #[test]
    fn the_library_is_the_one_that_is_built_in() {
        let workspace: toml::Table = include_str!("../../../../Cargo.toml").parse().unwrap();
        let pinned = &workspace["workspace"]["dependencies"]["btleplug"];
        let version = pinned.as_str().unwrap().trim_start_matches('=');
        assert_eq!(super::LIBRARY, format!("btleplug {version}"));
    }
}
