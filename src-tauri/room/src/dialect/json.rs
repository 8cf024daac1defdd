//! Bodies whose members keep the order in which they were written, as the contract lists them.

use serde_json::Value;

/// A JSON object under construction.
#[derive(Clone, Debug, Default)]
pub(crate) struct Body(String);

impl Body {
    /// An empty object.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// With a text.
    pub(crate) fn text(self, key: &str, value: &str) -> Self {
        self.member(key, &Value::from(value).to_string())
    }

    /// With a whole number.
    pub(crate) fn number(self, key: &str, value: impl Into<i64>) -> Self {
        self.member(key, &value.into().to_string())
    }

    /// With yes or no.
    pub(crate) fn flag(self, key: &str, value: bool) -> Self {
        self.member(key, if value { "true" } else { "false" })
    }

    /// With an object.
    pub(crate) fn object(self, key: &str, value: &Body) -> Self {
        self.member(key, &value.finish())
    }

    /// The object as JSON text without blanks.
    pub(crate) fn finish(&self) -> String {
        format!("{{{}}}", self.0)
    }

    fn member(mut self, key: &str, json: &str) -> Self {
        if !self.0.is_empty() {
            self.0.push(',');
        }
        self.0.push_str(&Value::from(key).to_string());
        self.0.push(':');
        self.0.push_str(json);
        self
    }
}
