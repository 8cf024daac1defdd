use serde_json::{Map, Value};

use super::field::{Choice, Field, Figure, Flag, Group, List, Numbers, Text};
use crate::ImagingError;
use crate::adjust::{nearest, shortened};

/// A payload, or a part of one, whose keys are known to be those of its fields.
pub(super) struct Record<'a> {
    /// `None` is an object without any keys.
    object: Option<&'a Map<String, Value>>,
    /// The text that stands for a whole group, and the key of its field.
    shorthand: Option<(&'static str, &'a Value)>,
    /// Where it is in the payload: empty, or with a dot at its end.
    path: String,
}

impl<'a> Record<'a> {
    /// A whole payload.
    pub(super) fn open(payload: &'a Value, fields: &[Field]) -> Result<Self, ImagingError> {
        Self::at(payload, fields, "payload", String::new())
    }

    fn at(
        value: &'a Value,
        fields: &[Field],
        name: &str,
        path: String,
    ) -> Result<Self, ImagingError> {
        let keys = || fields.iter().map(Field::key);
        let known = || keys().collect::<Vec<_>>().join(", ");
        let object = match value {
            Value::Null => None,
            Value::Object(object) => Some(object),
            other => {
                return Err(ImagingError::InvalidField {
                    field: name.into(),
                    value: shown(other),
                    allowed: format!("an object with {}", known()),
                });
            }
        };
        for key in object.into_iter().flat_map(Map::keys) {
            if !keys().any(|known| known == key) {
                return Err(ImagingError::UnknownField {
                    field: format!("{path}{}", shortened(key)),
                    nearest: nearest(&key.to_lowercase(), &keys().collect::<Vec<_>>()),
                    known: known(),
                });
            }
        }
        Ok(Self {
            object,
            shorthand: None,
            path,
        })
    }

    fn get(&self, key: &str) -> Option<&'a Value> {
        self.shorthand
            .filter(|(of, _)| *of == key)
            .map(|(_, value)| value)
            .or_else(|| self.object?.get(key))
            .filter(|value| !value.is_null())
    }

    /// The name of a field for a message.
    pub(super) fn name(&self, key: &str) -> String {
        format!("{}{key}", self.path)
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    fn invalid(&self, key: &str, value: &Value, allowed: String) -> ImagingError {
        ImagingError::InvalidField {
            field: self.name(key),
            value: shown(value),
            allowed,
        }
    }

    fn missing(&self, key: &str, allowed: String) -> ImagingError {
        ImagingError::MissingField {
            field: self.name(key),
            allowed,
        }
    }

    /// The text without white space around it; empty when it is absent and may be.
    pub(super) fn text(&self, field: &Text) -> Result<String, ImagingError> {
        let text = match self.get(field.key) {
            None => "",
            Some(Value::String(text)) => text.trim(),
            Some(other) => return Err(self.invalid(field.key, other, field.allowed())),
        };
        if text.is_empty() && field.required {
            return Err(self.missing(field.key, field.allowed()));
        }
        if text.chars().count() > field.most {
            return Err(self.invalid(field.key, &text.into(), field.allowed()));
        }
        Ok(text.into())
    }

    /// The number or text; empty when it is absent and may be.
    pub(super) fn figure(&self, field: &Figure) -> Result<Figures, ImagingError> {
        let figures = match self.get(field.key) {
            None => Figures::Text(String::new()),
            Some(Value::Number(number)) => Figures::Number(number.to_string()),
            Some(Value::String(text)) => Figures::Text(text.trim().into()),
            Some(other) => return Err(self.invalid(field.key, other, field.allowed())),
        };
        if figures.as_str().is_empty() && field.required {
            return Err(self.missing(field.key, field.allowed()));
        }
        if figures.as_str().chars().count() > field.most {
            return Err(self.invalid(field.key, &figures.as_str().into(), field.allowed()));
        }
        Ok(figures)
    }

    pub(super) fn numbers(&self, field: &Numbers) -> Result<Vec<f64>, ImagingError> {
        let Some(value) = self.get(field.key) else {
            return Ok(Vec::new());
        };
        let invalid = || self.invalid(field.key, value, field.allowed());
        let list = value.as_array().ok_or_else(invalid)?;
        if list.len() > field.most {
            return Err(invalid());
        }
        list.iter()
            .map(|entry| {
                entry
                    .as_f64()
                    .filter(|number| number.is_finite())
                    .ok_or_else(invalid)
            })
            .collect()
    }

    /// The place of the chosen word among the options.
    pub(super) fn choice(&self, field: &Choice) -> Result<usize, ImagingError> {
        let Some(value) = self.get(field.key) else {
            return Ok(0);
        };
        let wanted = value.as_str().map(|word| word.trim().to_lowercase());
        field
            .options
            .iter()
            .position(|option| wanted.as_deref() == Some(*option))
            .ok_or_else(|| self.invalid(field.key, value, field.allowed()))
    }

    pub(super) fn flag(&self, field: &Flag) -> Result<bool, ImagingError> {
        match self.get(field.key) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(other) => Err(self.invalid(field.key, other, "true or false".into())),
        }
    }

    pub(super) fn group(&self, field: &Group) -> Result<Self, ImagingError> {
        let value = self.get(field.key).unwrap_or(&Value::Null);
        let name = self.name(field.key);
        let path = format!("{name}.");
        Self::at(value, field.fields, &name, path)
    }

    pub(super) fn list(&self, field: &List) -> Result<Vec<Self>, ImagingError> {
        let Some(value) = self.get(field.key) else {
            return if field.required {
                Err(self.missing(field.key, field.allowed()))
            } else {
                Ok(Vec::new())
            };
        };
        let invalid = || self.invalid(field.key, value, field.allowed());
        let list = value.as_array().ok_or_else(invalid)?;
        if list.len() > field.most || (field.required && list.is_empty()) {
            return Err(invalid());
        }
        list.iter()
            .enumerate()
            .map(|(place, entry)| {
                let name = format!("{}[{place}]", self.name(field.key));
                let path = format!("{name}.");
                match field.shorthand {
                    Some(key) if entry.is_string() => Ok(Self {
                        object: None,
                        shorthand: Some((key, entry)),
                        path,
                    }),
                    _ => Self::at(entry, field.fields, &name, path),
                }
            })
            .collect()
    }
}

/// What a field of figures held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Figures {
    Number(String),
    Text(String),
}

impl Figures {
    pub(super) fn as_str(&self) -> &str {
        match self {
            Self::Number(text) | Self::Text(text) => text,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.as_str().is_empty()
    }
}

/// A value for a message: short, and a text without its quotes.
fn shown(value: &Value) -> String {
    match value {
        Value::String(text) if text.is_empty() => "empty".into(),
        Value::String(text) => shortened(text),
        Value::Array(list) => format!("a list of {} entries", list.len()),
        Value::Object(_) => "an object".into(),
        other => shortened(&other.to_string()),
    }
}
