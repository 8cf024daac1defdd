use serde_json::{Map, Value, json};

/// One field of a payload: what may be in it, and how a form asks for it.
pub(super) enum Field {
    Text(Text),
    Figure(Figure),
    Numbers(Numbers),
    Choice(Choice),
    Flag(Flag),
    Group(Group),
    List(List),
}

/// Words.
pub(super) struct Text {
    pub(super) key: &'static str,
    title: &'static str,
    /// Most characters.
    pub(super) most: usize,
    kind: TextKind,
    pub(super) required: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum TextKind {
    Line,
    Paragraph,
    Secret,
}

/// A number, or a short text that stands for one.
pub(super) struct Figure {
    pub(super) key: &'static str,
    title: &'static str,
    /// Most characters.
    pub(super) most: usize,
    pub(super) required: bool,
}

/// A series of numbers.
pub(super) struct Numbers {
    pub(super) key: &'static str,
    title: &'static str,
    pub(super) most: usize,
}

/// One of some words. Nothing chosen is the first.
pub(super) struct Choice {
    pub(super) key: &'static str,
    title: &'static str,
    pub(super) options: &'static [&'static str],
}

/// Yes or no; nothing is no.
pub(super) struct Flag {
    pub(super) key: &'static str,
    title: &'static str,
}

/// Fields that belong together. Not required; empty is as good as absent.
pub(super) struct Group {
    pub(super) key: &'static str,
    title: &'static str,
    pub(super) fields: &'static [Field],
}

/// Some groups of the same fields.
pub(super) struct List {
    pub(super) key: &'static str,
    title: &'static str,
    pub(super) most: usize,
    pub(super) fields: &'static [Field],
    /// A text instead of a group stands for the field of this key.
    pub(super) shorthand: Option<&'static str>,
    pub(super) required: bool,
}

impl Text {
    pub(super) const fn line(key: &'static str, title: &'static str, most: usize) -> Self {
        Self {
            key,
            title,
            most,
            kind: TextKind::Line,
            required: false,
        }
    }

    pub(super) const fn paragraph(key: &'static str, title: &'static str, most: usize) -> Self {
        Self {
            kind: TextKind::Paragraph,
            ..Self::line(key, title, most)
        }
    }

    pub(super) const fn secret(key: &'static str, title: &'static str, most: usize) -> Self {
        Self {
            kind: TextKind::Secret,
            ..Self::line(key, title, most)
        }
    }

    pub(super) const fn required(self) -> Self {
        Self {
            required: true,
            ..self
        }
    }

    pub(super) fn allowed(&self) -> String {
        format!("a text of at most {} characters", self.most)
    }
}

impl Figure {
    pub(super) const fn new(key: &'static str, title: &'static str, most: usize) -> Self {
        Self {
            key,
            title,
            most,
            required: false,
        }
    }

    pub(super) const fn required(self) -> Self {
        Self {
            required: true,
            ..self
        }
    }

    pub(super) fn allowed(&self) -> String {
        format!("a number or a text of at most {} characters", self.most)
    }
}

impl Numbers {
    pub(super) const fn new(key: &'static str, title: &'static str, most: usize) -> Self {
        Self { key, title, most }
    }

    pub(super) fn allowed(&self) -> String {
        format!("a list of at most {} numbers", self.most)
    }
}

impl Choice {
    pub(super) const fn new(
        key: &'static str,
        title: &'static str,
        options: &'static [&'static str],
    ) -> Self {
        Self {
            key,
            title,
            options,
        }
    }

    pub(super) fn allowed(&self) -> String {
        self.options.join(", ")
    }
}

impl Flag {
    pub(super) const fn new(key: &'static str, title: &'static str) -> Self {
        Self { key, title }
    }
}

impl Group {
    pub(super) const fn new(
        key: &'static str,
        title: &'static str,
        fields: &'static [Field],
    ) -> Self {
        Self { key, title, fields }
    }
}

impl List {
    pub(super) const fn new(
        key: &'static str,
        title: &'static str,
        most: usize,
        fields: &'static [Field],
    ) -> Self {
        Self {
            key,
            title,
            most,
            fields,
            shorthand: None,
            required: false,
        }
    }

    pub(super) const fn shorthand(self, key: &'static str) -> Self {
        Self {
            shorthand: Some(key),
            ..self
        }
    }

    pub(super) const fn required(self) -> Self {
        Self {
            required: true,
            ..self
        }
    }

    pub(super) fn allowed(&self) -> String {
        let least = usize::from(self.required);
        format!("a list of {least} to {} entries", self.most)
    }
}

impl Field {
    pub(super) const fn key(&self) -> &'static str {
        match self {
            Self::Text(field) => field.key,
            Self::Figure(field) => field.key,
            Self::Numbers(field) => field.key,
            Self::Choice(field) => field.key,
            Self::Flag(field) => field.key,
            Self::Group(field) => field.key,
            Self::List(field) => field.key,
        }
    }

    const fn title(&self) -> &'static str {
        match self {
            Self::Text(field) => field.title,
            Self::Figure(field) => field.title,
            Self::Numbers(field) => field.title,
            Self::Choice(field) => field.title,
            Self::Flag(field) => field.title,
            Self::Group(field) => field.title,
            Self::List(field) => field.title,
        }
    }

    const fn required(&self) -> bool {
        match self {
            Self::Text(field) => field.required,
            Self::Figure(field) => field.required,
            Self::List(field) => field.required,
            Self::Numbers(_) | Self::Choice(_) | Self::Flag(_) | Self::Group(_) => false,
        }
    }

    /// The control of a form.
    const fn control(&self) -> &'static str {
        match self {
            Self::Text(field) => match field.kind {
                TextKind::Line => "line",
                TextKind::Paragraph => "paragraph",
                TextKind::Secret => "secret",
            },
            Self::Figure(_) => "figure",
            Self::Numbers(_) => "numbers",
            Self::Choice(_) => "choice",
            Self::Flag(_) => "flag",
            Self::Group(_) => "group",
            Self::List(_) => "list",
        }
    }

    fn schema(&self, order: usize, parent: &str) -> Value {
        let label = format!("{parent}.{}", self.key());
        let mut schema = match self {
            Self::Text(field) if field.required => {
                json!({"type": "string", "minLength": 1, "maxLength": field.most})
            }
            Self::Text(field) => json!({"type": "string", "maxLength": field.most}),
            Self::Figure(field) => {
                json!({"type": ["string", "number"], "maxLength": field.most})
            }
            Self::Numbers(field) => {
                json!({"type": "array", "items": {"type": "number"}, "maxItems": field.most})
            }
            Self::Choice(field) => {
                json!({"type": "string", "enum": field.options, "default": field.options.first()})
            }
            Self::Flag(_) => json!({"type": "boolean", "default": false}),
            Self::Group(field) => object_schema(field.fields, &label),
            Self::List(field) => {
                let entry = object_schema(field.fields, &label);
                let entry = if field.shorthand.is_some() {
                    json!({"anyOf": [{"type": "string"}, entry]})
                } else {
                    entry
                };
                json!({
                    "type": "array",
                    "items": entry,
                    "minItems": usize::from(field.required),
                    "maxItems": field.most,
                })
            }
        };
        if let Some(words) = schema.as_object_mut() {
            words.insert("title".into(), json!(self.title()));
            words.insert(
                "x-form".into(),
                json!({"order": order, "label": label, "kind": self.control()}),
            );
        }
        schema
    }
}

/// The schema of an object of these fields and no others. Labels are looked up below `parent`.
pub(super) fn object_schema(fields: &[Field], parent: &str) -> Value {
    let properties: Map<String, Value> = fields
        .iter()
        .enumerate()
        .map(|(order, field)| (field.key().into(), field.schema(order, parent)))
        .collect();
    let required: Vec<&str> = fields
        .iter()
        .filter(|field| field.required())
        .map(Field::key)
        .collect();
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}
