//! Words on the clock: templates, countdowns, the calendar.

use regie_engine::{Composition, CountdownPlan, CountdownStyle, TemplatePage};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::answer::{Failure, Reply};
use super::call::{Call, Receipt};
use super::{ClockTool, Effect, OF_ALL};
use crate::toolset::Toolset;

/// Show a designed page.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct RenderTemplate {
    /// Which page.
    #[schemars(schema_with = "template_names")]
    name: String,
    /// What to fill in; its fields depend on the template and are told by list_templates and by
    /// the errors, such as {"title": "Dinner", "body": "At eight"} for notice.
    payload: Map<String, Value>,
    /// The slot that keeps the page; set_mode image0 to image3 shows it again.
    #[serde(default)]
    #[schemars(range(min = 0, max = 3))]
    slot: u8,
    /// Accepted for the sake of older callers and without effect: pages are drawn in pure inks.
    #[serde(default = "super::dithering::atkinson")]
    #[schemars(schema_with = "super::dithering::algorithms")]
    #[expect(dead_code, reason = "taken because callers may name it")]
    algo: String,
    /// Address of the clock, such as AA:BB:CC:DD:EE:FF. Without it: the clock in use.
    mac: Option<String>,
}

fn template_names(_: &mut SchemaGenerator) -> Schema {
    let names: Vec<String> = regie_engine::templates()
        .into_iter()
        .map(|template| template.name)
        .collect();
    json_schema!({ "type": "string", "enum": names })
}

/// The page that was sent.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Rendered {
    /// Which page.
    name: String,
    /// The slot that keeps it.
    slot: u8,
    #[serde(flatten)]
    receipt: Receipt,
}

impl ClockTool for RenderTemplate {
    type Data = Rendered;

    const NAME: &'static str = "render_template";
    const TITLE: &'static str = "Show a designed page";
    const ABOUT: &'static str = "Fills one of six designed pages with words, keeps it in a slot and shows it on the clock: notice, todo, weather, quote, metric and qr. Use it rather than drawing a picture of text. A payload that does not fit its template is INVALID_PARAM and names the field. Takes up to 90 s until the clock wakes, some 10 s for sending and 15 s for the redraw. Replaces what the slot held.";
    const EFFECT: Effect = Effect::REPLACES;
    const EXAMPLE: &'static str =
        r#"{"name": "quote", "payload": {"text": "Less, but better.", "author": "Dieter Rams"}}"#;

    async fn call(self, call: &Call) -> Result<Reply<Rendered>, Failure> {
        let page = Composition::Template(TemplatePage {
            template: self.name.clone(),
            payload: Value::Object(self.payload),
            palette: Default::default(),
        });
        let (order, slot) = (call.order(self.mac), self.slot);
        let submission = call.engine.show_composition(order, page, slot);
        let receipt = call.follow(submission).await?;
        let name = self.name;
        Ok(Rendered {
            name,
            slot,
            receipt,
        }
        .into())
    }
}

/// The designed pages.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ListTemplates {
    /// Only this one.
    #[serde(default)]
    #[schemars(schema_with = "template_names")]
    name: Option<String>,
}

/// Designed pages.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Templates {
    /// One for each page.
    templates: Vec<TemplateData>,
}

/// A designed page.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct TemplateData {
    /// What render_template calls it.
    name: String,
    /// What people call it.
    title: String,
    /// What it is for.
    about: String,
    /// JSON schema of its payload.
    #[schemars(schema_with = "any_object")]
    schema: Value,
    /// A payload that shows it at its best.
    #[schemars(schema_with = "any_object")]
    example: Value,
}

fn any_object(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "object" })
}

impl ClockTool for ListTemplates {
    type Data = Templates;

    const NAME: &'static str = "list_templates";
    const TITLE: &'static str = "List the designed pages";
    const ABOUT: &'static str = "Lists the designed pages of render_template, each with what it is for, the JSON schema of its payload and an example to start from. Changes nothing and answers at once.";
    const EFFECT: Effect = Effect::READS;
    const TOOLSETS: &'static [Toolset] = OF_ALL;
    const EXAMPLE: &'static str = r#"{"name": "qr"}"#;

    async fn call(self, _: &Call) -> Result<Reply<Templates>, Failure> {
        let wanted = self.name.as_deref();
        let templates = regie_engine::templates()
            .into_iter()
            .filter(|template| wanted.is_none_or(|wanted| template.name == wanted))
            .map(|template| TemplateData {
                name: template.name,
                title: template.title,
                about: template.about,
                schema: template.schema,
                example: template.example,
            })
            .collect();
        Ok(Templates { templates }.into())
    }
}

/// Count days down.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct StartCountdown {
    /// The day, as YYYY-MM-DD; today or later.
    #[schemars(length(max = 40))]
    date: String,
    /// Where: on the clock face or on the calendar.
    #[serde(default = "on_clock")]
    #[schemars(schema_with = "styles")]
    mode: String,
    /// Words before the number of days: at most 8 characters on the clock face, 4 on the calendar.
    /// Without it the clock keeps those it has.
    #[schemars(length(max = 100))]
    prefix: Option<String>,
    /// Address of the clock, such as AA:BB:CC:DD:EE:FF. Without it: the clock in use.
    mac: Option<String>,
}

fn on_clock() -> String {
    "clock".into()
}

fn styles(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "enum": ["clock", "calendar"] })
}

/// The countdown that was set.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Counting {
    /// The day.
    date: String,
    /// Where.
    mode: String,
    #[serde(flatten)]
    receipt: Receipt,
}

impl ClockTool for StartCountdown {
    type Data = Counting;

    const NAME: &'static str = "countdown";
    const TITLE: &'static str = "Count days down";
    const ABOUT: &'static str = "Shows the days left until a date, on the clock face or on the calendar, with a few words before the number. End it with countdown_off. A day that is over or that there is not is INVALID_PARAM. Not every clock can do it. Waits up to 90 s for the clock to wake.";
    const EFFECT: Effect = Effect::SETS;
    const EXAMPLE: &'static str = r#"{"date": "2099-12-24", "prefix": "Xmas"}"#;

    async fn call(self, call: &Call) -> Result<Reply<Counting>, Failure> {
        let Self {
            date,
            mode,
            prefix,
            mac,
        } = self;
        let style = match mode.as_str() {
            "calendar" => CountdownStyle::Calendar,
            _ => CountdownStyle::Clock,
        };
        let plan = CountdownPlan {
            date: date.clone(),
            style,
            text: prefix,
        };
        let order = call.order(mac);
        let receipt = call.follow(call.engine.countdown(order, plan)).await?;
        Ok(Counting {
            date,
            mode,
            receipt,
        }
        .into())
    }
}

/// End the countdown.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct CountdownOff {
    /// Address of the clock, such as AA:BB:CC:DD:EE:FF. Without it: the clock in use.
    mac: Option<String>,
}

impl ClockTool for CountdownOff {
    type Data = Receipt;

    const NAME: &'static str = "countdown_off";
    const TITLE: &'static str = "End the countdown";
    const ABOUT: &'static str = "Ends the countdown that the clock shows; harmless where there is none. Waits up to 90 s for the clock to wake.";
    const EFFECT: Effect = Effect::SETS;
    const EXAMPLE: &'static str = "{}";

    async fn call(self, call: &Call) -> Result<Reply<Receipt>, Failure> {
        let order = call.order(self.mac);
        Ok(call.follow(call.engine.countdown_off(order)).await?.into())
    }
}

/// Put a text into the calendar.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct CalendarText {
    /// The text, in any script; short, since it shares the screen with the calendar.
    #[schemars(length(max = 200))]
    text: String,
    /// Address of the clock, such as AA:BB:CC:DD:EE:FF. Without it: the clock in use.
    mac: Option<String>,
}

/// The text that was set.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Written {
    /// The text.
    text: String,
    #[serde(flatten)]
    receipt: Receipt,
}

impl ClockTool for CalendarText {
    type Data = Written;

    const NAME: &'static str = "calendar_text";
    const TITLE: &'static str = "Put a text into the calendar";
    const ABOUT: &'static str = "Writes a short text, Chinese or of any other script, beside the calendar and shows the calendar. A text that does not fit, or of which no font has any character, is INVALID_PARAM. For more words use render_template. Waits up to 90 s for the clock to wake.";
    const EFFECT: Effect = Effect::SETS;
    const EXAMPLE: &'static str = r#"{"text": "生日快乐"}"#;

    async fn call(self, call: &Call) -> Result<Reply<Written>, Failure> {
        let order = call.order(self.mac);
        let submission = call.engine.calendar_text(order, &self.text);
        let receipt = call.follow(submission).await?;
        let text = self.text;
        Ok(Written { text, receipt }.into())
    }
}
