//! Designed pages for words: six templates, each one definition.
//!
//! A [`Template`] has a name, the fields of its payload and a drawing. Its JSON schema, the form
//! in a window and the messages about wrong payloads all come from those fields. What it draws
//! leaves as [`Planes`], like pictures do, so a preview shows the bytes that are sent.

mod field;
mod icon;
mod metric;
mod notice;
mod page;
mod qr;
mod quote;
mod record;
mod todo;
mod weather;
mod wifi;

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::{Value, json};

use crate::adjust::{nearest, shortened};
use crate::text::Typesetter;
use crate::{ImagingError, Note, Palette, Planes, Rendered};
use field::Field;
use page::Page;
use record::Record;

/// A page that is drawn from a payload of named fields, for the 400 x 300 panel.
pub struct Template {
    name: &'static str,
    title: &'static str,
    about: &'static str,
    fields: &'static [Field],
    /// A payload, as JSON, that shows the template at its best.
    example: &'static str,
    draw: fn(&Record<'_>, &mut Page<'_>) -> Result<(), ImagingError>,
}

impl Template {
    /// All templates, in the order they are shown.
    pub const ALL: [&'static Self; 6] = [
        &notice::NOTICE,
        &todo::TODO,
        &weather::WEATHER,
        &quote::QUOTE,
        &metric::METRIC,
        &qr::QR,
    ];

    /// The template of a name.
    ///
    /// # Errors
    /// [`ImagingError::UnknownTemplate`] names the nearest one and lists all.
    pub fn named(name: &str) -> Result<&'static Self, ImagingError> {
        let wanted = name.trim().to_ascii_lowercase();
        let names = || Self::ALL.into_iter().map(|template| template.name);
        Self::ALL
            .into_iter()
            .find(|template| template.name == wanted)
            .ok_or_else(|| ImagingError::UnknownTemplate {
                name: shortened(name),
                nearest: nearest(&wanted, &names().collect::<Vec<_>>()),
                known: names().collect::<Vec<_>>().join(", "),
            })
    }

    /// Its name in calls and settings.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Its English title.
    #[must_use]
    pub const fn title(&self) -> &'static str {
        self.title
    }

    /// What it is for, as one English sentence.
    #[must_use]
    pub const fn about(&self) -> &'static str {
        self.about
    }

    /// The JSON schema (draft 2020-12) of its payload.
    ///
    /// Beside the standard words each property has `x-form`: its `order`, the `label` to look up
    /// for a translation, and the `kind` of control. `examples` holds [`example`](Self::example).
    #[must_use]
    pub fn schema(&self) -> Value {
        let mut schema = field::object_schema(self.fields, &format!("template.{}", self.name));
        if let Some(words) = schema.as_object_mut() {
            words.insert(
                "$schema".into(),
                json!("https://json-schema.org/draft/2020-12/schema"),
            );
            words.insert("title".into(), json!(self.title));
            words.insert("description".into(), json!(self.about));
            words.insert("examples".into(), json!([self.example()]));
        }
        schema
    }

    /// A payload that shows the template at its best.
    #[must_use]
    pub fn example(&self) -> Value {
        serde_json::from_str(self.example).unwrap_or_default()
    }

    /// Draws a payload.
    ///
    /// # Errors
    /// [`ImagingError::InvalidField`], [`ImagingError::MissingField`] and
    /// [`ImagingError::UnknownField`] for a payload that is not as the schema says,
    /// [`ImagingError::TextTooLong`] for a text that does not fit even in small type,
    /// [`ImagingError::CharactersMissing`] for a text of which no font has any character.
    pub fn render(
        &self,
        typesetter: &mut Typesetter,
        payload: &Value,
        palette: Palette,
    ) -> Result<Rendered, ImagingError> {
        // Shaping runs on fonts of the system, which may be broken in any way.
        let drawn = catch_unwind(AssertUnwindSafe(|| {
            let record = Record::open(payload, self.fields)?;
            let mut page = Page::new(typesetter, palette);
            (self.draw)(&record, &mut page)?;
            Ok(page.finish())
        }));
        let (map, omitted) = drawn.unwrap_or(Err(ImagingError::TypeFailed))?;
        let notes = if omitted.is_empty() {
            Vec::new()
        } else {
            vec![Note::CharactersOmitted {
                characters: crate::text::listed(&omitted),
            }]
        };
        Ok(Rendered {
            planes: Planes::pack(&map),
            notes,
        })
    }
}

impl fmt::Debug for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Template")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}
