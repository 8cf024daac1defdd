//! JSON schemas in the one form that every client takes: nothing referred to, one type for each
//! property, nothing that may be null.

use schemars::JsonSchema;
use schemars::generate::{Contract, SchemaSettings};
use serde_json::{Map, Value, json};

/// The schema of an argument type: it takes the properties it names and no others. `example` is
/// the JSON of a typical call.
pub(super) fn of_arguments<T: JsonSchema>(example: &str) -> Map<String, Value> {
    let mut schema = generated::<T>(Contract::Deserialize);
    close(&mut schema);
    let mut words = object(schema);
    if let Ok(example) = serde_json::from_str::<Value>(example) {
        words.insert("examples".into(), json!([example]));
    }
    words
}

/// The schema of what a clock's tool answers with that data.
pub(super) fn of_answer<T: JsonSchema>() -> Map<String, Value> {
    object(json!({
        "type": "object",
        "properties": {
            "ok": { "type": "boolean", "description": "Whether it was done." },
            "tool": { "type": "string", "description": "The tool that answers." },
            "data": generated::<T>(Contract::Serialize),
            "error": {
                "type": "object",
                "description": "Why it was not done; only where ok is false.",
                "properties": {
                    "code": {
                        "type": "string",
                        "enum": super::answer::CODES,
                        "description": "What kind of failure it is.",
                    },
                    "message": { "type": "string", "description": "What happened." },
                    "hint": { "type": "string", "description": "What to do next." },
                },
                "required": ["code", "message", "hint"],
            },
        },
        "required": ["ok", "tool"],
    }))
}

/// The schema of what a tool answers that tells its data as they are.
pub(super) fn of_data<T: JsonSchema>() -> Map<String, Value> {
    object(generated::<T>(Contract::Serialize))
}

/// The schema of what a tool answers that tells the data of a clock's tool, or data as they are.
pub(super) fn of_either<T: JsonSchema, U: JsonSchema>() -> Map<String, Value> {
    let mut schema = of_answer::<T>();
    let other = of_data::<U>();
    if let (Some(Value::Object(properties)), Some(Value::Object(others))) =
        (schema.get_mut("properties"), other.get("properties"))
    {
        properties.extend(others.clone());
    }
    schema.remove("required");
    schema
}

fn generated<T: JsonSchema>(contract: Contract) -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        // What may be left out differs between what is taken and what is given.
        settings.contract = contract;
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings
        .into_generator()
        .into_root_schema_for::<T>()
        .to_value();
    simplify(&mut schema);
    if let Value::Object(words) = &mut schema {
        // The name of a type of this program says nothing to a caller.
        words.remove("title");
        words.entry("properties").or_insert_with(|| json!({}));
    }
    schema
}

fn object(schema: Value) -> Map<String, Value> {
    match schema {
        Value::Object(words) => words,
        _ => Map::new(),
    }
}

/// Every schema within a schema.
fn parts(schema: &mut Map<String, Value>) -> impl Iterator<Item = &mut Value> {
    schema
        .iter_mut()
        .flat_map(|(word, value)| -> Vec<&mut Value> {
            match (word.as_str(), value) {
                ("properties", Value::Object(properties)) => properties.values_mut().collect(),
                ("items" | "additionalProperties", value) => vec![value],
                _ => Vec::new(),
            }
        })
}

fn simplify(schema: &mut Value) {
    let Value::Object(words) = schema else {
        return;
    };
    // Where a comment is broken says nothing to a caller.
    if let Some(Value::String(text)) = words.get_mut("description") {
        *text = text.replace('\n', " ");
    }
    // Formats such as `uint8` are not of the standard.
    words.remove("format");
    // An absent value has no need of a null beside it.
    if words.get("default") == Some(&Value::Null) {
        words.remove("default");
    }
    if let Some(Value::Array(types)) = words.get("type") {
        let first = types.iter().find(|kind| *kind != "null").cloned();
        words.insert("type".into(), first.unwrap_or_default());
    }
    if let Some(Value::Array(kinds)) = words.get("anyOf") {
        let null = json!({ "type": "null" });
        if let Some(Value::Object(kind)) = kinds.iter().find(|kind| **kind != null).cloned() {
            words.remove("anyOf");
            for (word, value) in kind {
                words.entry(word).or_insert(value);
            }
        }
    }
    parts(words).for_each(simplify);
}

/// Characters of a text that says nothing about its length: names, addresses, dates, words.
const USUAL_LENGTH: u32 = 2000;

fn close(schema: &mut Value) {
    let Value::Object(words) = schema else {
        return;
    };
    let is_text = words.get("type").is_some_and(|kind| kind == "string");
    if is_text && !words.contains_key("enum") {
        words.entry("maxLength").or_insert(USUAL_LENGTH.into());
    }
    if words.contains_key("properties") {
        words.insert("additionalProperties".into(), Value::Bool(false));
    }
    parts(words).for_each(close);
}
