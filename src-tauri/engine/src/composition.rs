//! Words to be drawn instead of a picture.

use regie_clock::{Channel, CountdownStyle};
use regie_imaging::{Ink, Palette};
use serde::{Deserialize, Serialize};

/// Words to be drawn on the whole panel.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Composition {
    /// A text of one's own.
    Text(TextPage),
    /// A designed page.
    Template(TemplatePage),
}

/// A text that fills the panel.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct TextPage {
    /// The words; line breaks are kept.
    pub text: String,
    /// Their ink.
    pub ink: Ink,
    /// What they stand on, another one than `ink`.
    pub paper: Ink,
    /// Where lines start.
    pub align: Alignment,
    /// Strong strokes.
    pub bold: bool,
    /// Pixels from line to line, 12..=200; as large as fits where nothing is given.
    pub size: Option<u16>,
}

/// Where the lines of a text start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "kebab-case")]
pub enum Alignment {
    /// Where reading starts: on the left, or on the right for Arabic and Hebrew.
    Start,
    /// In the middle.
    #[default]
    Centre,
    /// Where reading ends.
    End,
}

/// A template filled in.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct TemplatePage {
    /// The template's name.
    pub template: String,
    /// What its schema asks for.
    #[cfg_attr(feature = "ts", ts(type = "unknown"))]
    pub payload: serde_json::Value,
    /// The inks it may use.
    pub palette: Palette,
}

/// A template that can be filled in.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct TemplateInfo {
    /// Its name.
    pub name: String,
    /// Its English title; `template.<name>` where there is a translation.
    pub title: String,
    /// What it is for, as one English sentence.
    pub about: String,
    /// JSON schema of its payload. Each property has `x-form` with the `order` of a form, the
    /// `label` to look up for a translation and the `kind` of control.
    #[cfg_attr(feature = "ts", ts(type = "unknown"))]
    pub schema: serde_json::Value,
    /// A payload that shows it at its best.
    #[cfg_attr(feature = "ts", ts(type = "unknown"))]
    pub example: serde_json::Value,
}

/// A countdown that a door asks for.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct CountdownPlan {
    /// The day, `YYYY-MM-DD`.
    pub date: String,
    /// On the clock face or on the calendar.
    pub style: CountdownStyle,
    /// Words before it: at most 8 characters on the clock face, 4 on the calendar; none keeps
    /// those that the clock has.
    pub text: Option<String>,
}

/// A command that a person teaches Regie, for a face or a switch that nobody has published one
/// for.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct Lesson {
    /// The name of the face or switch, such as `clock2` or `hour_format`.
    pub name: String,
    /// Where the bytes go.
    pub channel: Channel,
    /// The bytes as hexadecimal text, spaces allowed.
    pub bytes: String,
    /// Whether the redraw command follows.
    pub refresh: bool,
}
