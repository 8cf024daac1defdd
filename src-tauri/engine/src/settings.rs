//! What a person sets, kept in `settings.toml`, a file they may edit themselves.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use regie_imaging::Options;
use regie_room::request::Volume;
use regie_room::{DeviceId, InstanceName};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use crate::error::EngineError;
use crate::small_file::read_small_text;

/// Files set aside that are kept beside each other; enough for any number of mistakes.
const MAX_ASIDE: u32 = 1000;

/// The languages of the catalogues, or whatever the system speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub enum Language {
    /// Follow the operating system.
    #[default]
    System,
    /// English.
    En,
    /// French.
    Fr,
    /// Simplified Chinese.
    Zh,
}

/// A language the catalogues hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub enum Locale {
    /// English.
    #[default]
    En,
    /// French.
    Fr,
    /// Simplified Chinese.
    Zh,
}

impl Locale {
    /// The catalogue that serves an operating system's locale such as `fr-CA` or `zh_CN.UTF-8`;
    /// English where none does.
    pub fn of_system(tag: &str) -> Self {
        let language = tag
            .split(['-', '_', '.'])
            .next()
            .unwrap_or_default()
            .to_ascii_lowercase();
        match language.as_str() {
            "fr" => Self::Fr,
            "zh" => Self::Zh,
            _ => Self::En,
        }
    }
}

impl Language {
    /// The catalogue to use, given what the system speaks.
    pub fn resolve(self, system: Locale) -> Locale {
        match self {
            Self::System => system,
            Self::En => Locale::En,
            Self::Fr => Locale::Fr,
            Self::Zh => Locale::Zh,
        }
    }
}

/// The look of the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub enum Theme {
    /// Follow the operating system.
    #[default]
    System,
    /// Ink on paper.
    Light,
    /// For a dark control room.
    Dark,
}

/// Where clocks are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub enum Devices {
    /// This machine's Bluetooth adapter.
    Bluetooth,
    /// Simulated clocks inside the process.
    Simulated,
}

/// How the preview is coloured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub enum InkLook {
    /// Pure black, white and red.
    Ideal,
    /// As the panel's own inks look in daylight.
    #[default]
    Real,
}

/// From where agents may reach Regie.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub enum Reach {
    /// From this computer only.
    #[default]
    ThisComputer,
    /// From every computer on this network too.
    ThisNetwork,
}

/// How agents reach Regie.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct AgentSettings {
    /// The server is switched on when Regie starts.
    pub at_start: bool,
    /// The TCP port the server listens on, 1..=65535.
    #[serde(deserialize_with = "port")]
    pub port: u16,
    /// From where it is reached.
    pub reach: Reach,
    /// Folders that agents may read pictures from, each from its root on; none: any folder for
    /// agents on this computer, and no folder for those on the network.
    #[serde(deserialize_with = "folders")]
    #[cfg_attr(feature = "ts", ts(type = "Array<string>"))]
    pub picture_folders: Vec<PathBuf>,
}

impl Default for AgentSettings {
    fn default() -> Self {
        Self {
            at_start: false,
            port: 8790,
            reach: Reach::default(),
            picture_folders: Vec::new(),
        }
    }
}

fn port<'de, D: Deserializer<'de>>(value: D) -> Result<u16, D::Error> {
    let port = i64::deserialize(value)?;
    match u16::try_from(port) {
        Ok(port) if port > 0 => Ok(port),
        _ => Err(D::Error::custom(format!(
            "{port} is no port; there are 1 to 65535"
        ))),
    }
}

fn folders<'de, D: Deserializer<'de>>(value: D) -> Result<Vec<PathBuf>, D::Error> {
    let folders = Vec::<PathBuf>::deserialize(value)?;
    match folders.iter().find(|folder| !folder.is_absolute()) {
        // What it would be relative to depends on who started Regie.
        Some(folder) => Err(D::Error::custom(format!(
            "the picture folder \"{}\" is not written from its root on",
            folder.display()
        ))),
        None => Ok(folders),
    }
}

/// The devices of the room, and how they are found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct RoomSettings {
    /// Devices are searched for on the network.
    pub search: bool,
    /// Found devices that are not to be shown again, by their service's full name or address.
    pub ignored: Vec<String>,
    /// The devices, by the identifier that agents and the command line use.
    #[cfg_attr(feature = "ts", ts(as = "BTreeMap<String, DeviceSettings>"))]
    pub devices: BTreeMap<DeviceId, DeviceSettings>,
}

impl Default for RoomSettings {
    fn default() -> Self {
        Self {
            search: true,
            ignored: Vec::new(),
            devices: BTreeMap::new(),
        }
    }
}

/// A device of the room, as a person has set it. Its token is kept with the secrets.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct DeviceSettings {
    /// What people call it; empty: its identifier.
    pub name: String,
    /// The room it stands in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub room: Option<String>,
    /// Where it answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<regie_room::Address>,
    /// What it was found as; it is followed to another address under this name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found_as: Option<InstanceName>,
    /// The device that relays to it by ESP-NOW.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub via: Option<DeviceId>,
    /// The loudest it may be asked to play, in percent; 100 where nothing is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub volume_limit: Option<Volume>,
}

/// Everything a person sets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct Settings {
    /// The language of window, tray and notices.
    pub language: Language,
    /// The look of the window.
    pub theme: Theme,
    /// Where clocks are looked for; `None` until the first-start page was answered.
    pub devices: Option<Devices>,
    /// Seconds an unused link is kept; 0 lets go after each operation.
    pub idle_seconds: u32,
    /// Leave out the parts of a picture that the clock has confirmed to hold since it was
    /// connected.
    pub skip_unchanged: bool,
    /// Start in the tray, without a window.
    pub start_hidden: bool,
    /// How the preview is coloured.
    pub inks: InkLook,
    /// How agents reach Regie.
    pub agents: AgentSettings,
    /// The devices of the room.
    pub room: RoomSettings,
    /// The operator's last choice of method and adjustments.
    pub picture: Options,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            language: Language::default(),
            theme: Theme::default(),
            devices: None,
            idle_seconds: 300,
            skip_unchanged: false,
            start_hidden: false,
            inks: InkLook::default(),
            agents: AgentSettings::default(),
            room: RoomSettings::default(),
            picture: Options::default(),
        }
    }
}

/// The file behind [`Settings`].
#[derive(Debug)]
pub(crate) struct SettingsFile {
    path: PathBuf,
}

impl SettingsFile {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path }
    }

    /// Reads the file; a missing one means the defaults.
    ///
    /// # Errors
    /// [`EngineError::SettingsUnreadable`] names what is wrong with the file and where.
    pub(crate) fn read(&self) -> Result<Settings, EngineError> {
        match read_small_text(&self.path) {
            Ok(text) => toml::from_str(&text).map_err(|error| self.unreadable(error)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Settings::default()),
            Err(error) => Err(self.unreadable(error)),
        }
    }

    fn unreadable(&self, error: impl ToString) -> EngineError {
        EngineError::SettingsUnreadable {
            path: self.path.clone(),
            detail: error.to_string(),
        }
    }

    /// Moves a file that cannot be read out of the way, so that nothing a person wrote is lost.
    fn set_aside(&self) -> io::Result<()> {
        let free = (1..MAX_ASIDE)
            .map(|number| self.path.with_extension(format!("broken-{number}.toml")))
            .find(|aside| !aside.exists())
            .ok_or_else(|| io::Error::other("too many broken files are kept already"))?;
        fs::rename(&self.path, free)
    }

    /// Writes the settings in one step: at every moment the file is whole, the old or the new.
    /// Comments and order of a file that a person edited are kept, and a file that cannot be read
    /// is set aside rather than overwritten.
    ///
    /// # Errors
    /// [`EngineError::SettingsUnwritable`] when the folder cannot be written.
    pub(crate) fn write(&self, settings: &Settings) -> Result<(), EngineError> {
        let unwritable = |detail: String| EngineError::SettingsUnwritable {
            path: self.path.clone(),
            detail,
        };
        if self.read().is_err() {
            self.set_aside()
                .map_err(|error| unwritable(error.to_string()))?;
        }
        let fresh =
            toml_edit::ser::to_document(settings).map_err(|error| unwritable(error.to_string()))?;
        let mut document = read_small_text(&self.path)
            .ok()
            .and_then(|text| text.parse::<toml_edit::DocumentMut>().ok())
            .unwrap_or_default();
        merge(document.as_table_mut(), fresh.as_table());
        replace(&self.path, document.to_string().as_bytes())
            .map_err(|error| unwritable(error.to_string()))
    }
}

/// Makes `kept` say what `fresh` says, touching only values that differ.
fn merge(kept: &mut toml_edit::Table, fresh: &toml_edit::Table) {
    kept.retain(|key, _| fresh.contains_key(key));
    for (key, item) in fresh {
        match (kept.get_mut(key), table_of(item)) {
            (Some(toml_edit::Item::Table(inner)), Some(table)) => merge(inner, &table),
            (_, Some(table)) => {
                let mut inner = toml_edit::Table::new();
                merge(&mut inner, &table);
                kept.insert(key, toml_edit::Item::Table(inner));
            }
            (Some(old), None) if value_text(old) == value_text(item) => {}
            (Some(toml_edit::Item::Value(old)), None) => {
                if let Some(value) = item.as_value() {
                    let decor = old.decor().clone();
                    *old = value.clone();
                    *old.decor_mut() = decor;
                }
            }
            (_, None) => {
                kept.insert(key, item.clone());
            }
        }
    }
}

fn table_of(item: &toml_edit::Item) -> Option<toml_edit::Table> {
    item.clone().into_table().ok()
}

fn value_text(item: &toml_edit::Item) -> Option<String> {
    item.as_value().map(|value| {
        let mut bare = value.clone();
        bare.decor_mut().clear();
        bare.to_string()
    })
}

pub(crate) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path
        .parent()
        .ok_or_else(|| io::Error::other("the settings file has no folder"))?;
    fs::create_dir_all(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file() -> (tempfile::TempDir, SettingsFile) {
        let folder = tempfile::tempdir().unwrap();
        let file = SettingsFile::new(folder.path().join("settings.toml"));
        (folder, file)
    }

    #[test]
    fn a_missing_file_means_the_defaults() {
        let (_folder, file) = file();
        assert_eq!(file.read().unwrap(), Settings::default());
    }

    #[test]
    fn what_is_written_is_read_again() {
        let (_folder, file) = file();
        let settings = Settings {
            language: Language::Fr,
            devices: Some(Devices::Simulated),
            idle_seconds: 0,
            ..Settings::default()
        };
        file.write(&settings).unwrap();
        assert_eq!(file.read().unwrap(), settings);
    }

    #[test]
    fn how_agents_reach_regie_is_read_as_it_was_written() {
        let (folder, file) = file();
        let settings = Settings {
            agents: AgentSettings {
                at_start: true,
                port: 65535,
                reach: Reach::ThisNetwork,
                picture_folders: vec![folder.path().join("Bilder für 夏"), folder.path().into()],
            },
            ..Settings::default()
        };
        file.write(&settings).unwrap();
        assert_eq!(file.read().unwrap(), settings);
    }

    #[test]
    fn what_is_no_port_and_no_whole_path_is_named_with_its_line() {
        let (_folder, file) = file();
        for (value, sentence) in [
            ("port = 0", "0 is no port; there are 1 to 65535"),
            ("port = 70000", "70000 is no port; there are 1 to 65535"),
            ("port = -1", "-1 is no port; there are 1 to 65535"),
            (
                "picture_folders = [\"pictures\"]",
                "the picture folder \"pictures\" is not written from its root on",
            ),
        ] {
            fs::write(&file.path, format!("theme = \"dark\"\n[agents]\n{value}\n")).unwrap();
            let error = file.read().unwrap_err();
            assert_eq!(error.code(), "settings-unreadable");
            let said = error.to_string();
            assert!(said.contains("line 3") && said.contains(sentence), "{said}");
        }
    }

    #[test]
    fn comments_of_a_person_survive_a_change_of_settings() {
        let (_folder, file) = file();
        fs::write(
            &file.path,
            "# the counter's clock\nidle_seconds = 60 # short\n\n[picture]\n# photos\nalgorithm = \"atkinson\"\n",
        )
        .unwrap();
        let mut settings = file.read().unwrap();
        settings.idle_seconds = 120;
        file.write(&settings).unwrap();
        let text = fs::read_to_string(&file.path).unwrap();
        assert!(text.contains("# the counter's clock"), "{text}");
        assert!(text.contains("idle_seconds = 120 # short"), "{text}");
        assert!(text.contains("# photos"), "{text}");
        assert_eq!(file.read().unwrap(), settings);
    }

    #[test]
    fn a_broken_file_is_named_and_never_overwritten() {
        let (folder, file) = file();
        fs::write(&file.path, "idle_seconds = \"soon\"").unwrap();
        let error = file.read().unwrap_err();
        assert_eq!(error.code(), "settings-unreadable");
        assert!(error.to_string().contains("settings.toml"));
        for (number, text) in [(1, "idle_seconds = \"soon\""), (2, "not even TOML")] {
            fs::write(&file.path, text).unwrap();
            assert!(file.read().is_err());
            file.write(&Settings::default()).unwrap();
            let aside = folder.path().join(format!("settings.broken-{number}.toml"));
            assert_eq!(fs::read_to_string(aside).unwrap(), text);
            assert_eq!(file.read().unwrap(), Settings::default());
        }
    }

    #[test]
    fn a_system_locale_finds_its_catalogue() {
        for (tag, locale) in [
            ("fr-CA", Locale::Fr),
            ("zh_CN.UTF-8", Locale::Zh),
            ("zh-Hant-TW", Locale::Zh),
            ("en-GB", Locale::En),
            ("de-DE", Locale::En),
            ("", Locale::En),
        ] {
            assert_eq!(Locale::of_system(tag), locale, "{tag}");
        }
    }
}
