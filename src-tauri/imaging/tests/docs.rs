//! `docs/templates.md` says what the definitions say.
//!
//! `REGIE_UPDATE_GOLDEN=1 cargo test -p regie-imaging --test docs` writes it anew.
#![allow(clippy::expect_used, reason = "a test fails by panicking")]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use regie_imaging::template::Template;
use serde_json::Value;

#[test]
fn the_page_on_templates_is_what_the_definitions_say() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/templates.md");
    let page = page();
    if std::env::var_os("REGIE_UPDATE_GOLDEN").is_some() {
        fs::write(&path, page).expect("writable");
        return;
    }
    let kept = fs::read_to_string(&path)
        .expect("the page")
        .replace("\r\n", "\n");
    assert!(
        kept == page,
        "docs/templates.md is out of date; this file says how it is written anew"
    );
}

fn page() -> String {
    let mut page = String::from(
        "# Templates\n\nSix pages drawn from a payload of named fields, for the 400 x 300 panel. Texts may be in any script that a font of Regie or of the computer has; what no font has is left out and named. Text is made smaller until it fits, then broken into lines; what does not fit even so is refused. Numbers may be given as numbers or as texts.\n",
    );
    for template in Template::ALL {
        let schema = template.schema();
        let _ = write!(
            page,
            "\n## {}: `{}`\n\n{}\n\n![{}](../src-tauri/imaging/tests/golden/{}.png)\n\n| field | what | |\n|---|---|---|\n",
            template.title(),
            template.name(),
            template.about(),
            template.title(),
            template.name(),
        );
        rows(&mut page, &schema, "");
        let example = serde_json::to_string_pretty(&template.example()).expect("JSON");
        let _ = write!(page, "\n```json\n{example}\n```\n");
    }
    page
}

fn rows(page: &mut String, schema: &Value, parent: &str) {
    let properties = schema["properties"].as_object().expect("properties");
    let mut fields: Vec<(&String, &Value)> = properties.iter().collect();
    fields.sort_by_key(|(_, property)| property["x-form"]["order"].as_u64());
    let required = schema["required"].as_array().expect("a list");
    for (key, property) in fields {
        let name = format!("{parent}{key}");
        let most = &property["maxLength"];
        let kind = property["x-form"]["kind"].as_str().expect("a kind");
        let allowed = match kind {
            "line" | "secret" => format!("text, at most {most} characters"),
            "paragraph" => format!("text of any number of lines, at most {most} characters"),
            "figure" => format!("number, or text of at most {most} characters"),
            "numbers" => format!("list of at most {} numbers", property["maxItems"]),
            "flag" => "true or false".into(),
            "choice" => {
                let options = property["enum"].as_array().expect("options");
                let quoted: Vec<String> = options
                    .iter()
                    .map(|option| format!("`{}`", option.as_str().unwrap_or_default()))
                    .collect();
                quoted.join(", ")
            }
            "list" => format!("list of at most {}", property["maxItems"]),
            _ => "object".into(),
        };
        let needed = if required.contains(&Value::from(key.as_str())) {
            "required"
        } else {
            ""
        };
        let title = property["title"].as_str().expect("a title");
        let _ = writeln!(page, "| `{name}` | {title}: {allowed} | {needed} |");
        match kind {
            "group" => rows(page, property, &format!("{name}.")),
            "list" => {
                let items = &property["items"];
                let group = items["anyOf"].as_array().map_or(items, |kinds| &kinds[1]);
                rows(page, group, &format!("{name}[]."));
            }
            _ => {}
        }
    }
}
