//! Pictures: on the clock, and before they are sent.

use regie_engine::{Adjust, Algorithm, Inks, Options, Palette, Panel, preview_png};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::answer::{Failure, Reply};
use super::call::{Call, Receipt, Remark};
use super::dithering::{algorithms, atkinson};
use super::{ClockTool, Effect, OF_ALL};
use crate::toolset::Toolset;

/// How a picture is fitted and its tones are set before it is dithered. Every key may be left out.
#[derive(Debug, Default, Deserialize, Serialize, JsonSchema)]
struct Adjustments {
    /// Lighter or darker; 0 leaves it.
    #[schemars(range(min = -100, max = 100), extend("default" = 0))]
    #[serde(skip_serializing_if = "Option::is_none")]
    brightness: Option<f64>,
    /// Steeper or flatter tones; 0 leaves them.
    #[schemars(range(min = -100, max = 100), extend("default" = 0))]
    #[serde(skip_serializing_if = "Option::is_none")]
    contrast: Option<f64>,
    /// Stronger or weaker colours; 0 leaves them, -100 is grey.
    #[schemars(range(min = -100, max = 100), extend("default" = 0))]
    #[serde(skip_serializing_if = "Option::is_none")]
    saturation: Option<f64>,
    /// Mid-tones; 1 leaves them, more is brighter.
    #[schemars(range(min = 0.2, max = 5.0), extend("default" = 1))]
    #[serde(skip_serializing_if = "Option::is_none")]
    gamma: Option<f64>,
    /// Edge contrast; 0 leaves it.
    #[schemars(range(min = 0, max = 100), extend("default" = 0))]
    #[serde(skip_serializing_if = "Option::is_none")]
    sharpen: Option<f64>,
    /// How much of the dithering error is passed on; 100 is all of it.
    #[schemars(range(min = 0, max = 100), extend("default" = 100))]
    #[serde(skip_serializing_if = "Option::is_none")]
    diffusion: Option<f64>,
    /// cover fills the panel and cuts off what stands over, contain shows all of the picture with
    /// the background beside it, stretch fills the panel out of proportion.
    #[schemars(schema_with = "fits")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    fit: Option<String>,
    /// What is beside a contained picture and under a transparent one.
    #[schemars(schema_with = "backgrounds")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    background: Option<String>,
    /// Degrees clockwise, before the fit.
    #[schemars(schema_with = "turns")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rotate: Option<u16>,
    /// full is 400 x 300 pixels; small is 280 x 100, the picture beside the calendar.
    #[schemars(schema_with = "sizes")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    size: Option<String>,
}

fn fits(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "string", "enum": ["cover", "contain", "stretch"], "default": "cover",
    })
}

fn backgrounds(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "enum": ["white", "black", "red"], "default": "white" })
}

fn turns(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "integer", "enum": [0, 90, 180, 270], "default": 0 })
}

fn sizes(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "enum": ["full", "small"], "default": "full" })
}

fn options(algo: &str, mono: bool, adjust: &Adjustments) -> Result<Options, Failure> {
    let keys = match serde_json::to_value(adjust) {
        Ok(Value::Object(keys)) => keys,
        _ => Map::new(),
    };
    Ok(Options {
        algorithm: Algorithm::parse(algo)?,
        palette: if mono {
            Palette::BlackWhite
        } else {
            Palette::BlackWhiteRed
        },
        adjust: Adjust::from_json(&keys)?,
    })
}

/// Show a picture on the clock.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct UploadImage {
    /// Whole path of a picture on the computer that Regie runs on (best), or the picture itself
    /// as base64 or data URI. No web address.
    #[schemars(length(max = 16_000_000))]
    source: String,
    /// The slot that keeps the picture; set_mode image0 to image3 shows it again.
    #[serde(default)]
    #[schemars(range(min = 0, max = 3))]
    slot: u8,
    /// How the picture becomes dots. atkinson and best suit photographs, none suits drawings and
    /// text.
    #[serde(default = "atkinson")]
    #[schemars(schema_with = "algorithms")]
    algo: String,
    /// Black and white only, without red.
    #[serde(default)]
    mono: bool,
    /// Fit and tones. Its keys may also stand beside source.
    #[serde(default)]
    adjust: Adjustments,
    /// Address of the clock, such as AA:BB:CC:DD:EE:FF. Without it: the clock in use.
    mac: Option<String>,
}

/// The picture that was sent.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Uploaded {
    /// Bytes of the black and white plane.
    bytes_bw: usize,
    /// Bytes of the red plane.
    bytes_red: usize,
    /// Whether it is the small picture beside the calendar.
    small: bool,
    /// The slot that keeps it.
    slot: u8,
    #[serde(flatten)]
    receipt: Receipt,
}

impl ClockTool for UploadImage {
    type Data = Uploaded;

    const NAME: &'static str = "upload_image";
    const TITLE: &'static str = "Show a picture on the clock";
    const ABOUT: &'static str = "Turns a picture into the panel's black, white and red dots (400 x 300), keeps it in a slot and shows it on the clock. It takes JPEG, PNG, GIF (first frame), WebP, BMP, TIFF and SVG up to 64 MiB and 100 megapixels. Give a path where the picture is a file on the computer that Regie runs on: long base64 arguments are cut short by many clients, and a request over HTTP holds 16 MiB at most, so send only small pictures (up to about 10 kB) as base64. Web addresses are refused; download the picture first. Look at the result with preview_image before, where that is offered. Takes up to 90 s until the clock wakes, some 10 s for sending and 15 s for the redraw. Replaces what the slot held. Answers bytes_bw, bytes_red, small, slot and duration_ms.";
    const EFFECT: Effect = Effect::REPLACES;
    const SPREAD: Option<&'static str> = Some("adjust");
    const EXAMPLE: &'static str =
        r#"{"source": "/home/ada/pictures/harbour.jpg", "slot": 1, "adjust": {"contrast": 20}}"#;

    async fn call(self, call: &Call) -> Result<Reply<Uploaded>, Failure> {
        let options = options(&self.algo, self.mono, &self.adjust)?;
        let (order, slot) = (call.order(self.mac), self.slot);
        let shown = call
            .engine
            .show_source(order, &self.source, call.reach, options, slot);
        let (submitted, sizes) = call.read(shown).await?;
        let receipt = call.follow(async { Ok(submitted) }).await?;
        Ok(Uploaded {
            bytes_bw: sizes.bytes_bw,
            bytes_red: sizes.bytes_red,
            small: sizes.small,
            slot,
            receipt,
        }
        .into())
    }
}

/// Look at a picture before it is sent.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct PreviewImage {
    /// Whole path of a picture on the computer that Regie runs on (best), or the picture itself
    /// as base64 or data URI. No web address.
    #[schemars(length(max = 16_000_000))]
    source: String,
    /// How the picture becomes dots.
    #[serde(default = "atkinson")]
    #[schemars(schema_with = "algorithms")]
    algo: String,
    /// Black and white only, without red.
    #[serde(default)]
    mono: bool,
    /// Fit and tones. Its keys may also stand beside source.
    #[serde(default)]
    adjust: Adjustments,
}

/// What the clock would show.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Previewed {
    /// Width in pixels.
    width: u16,
    /// Height in pixels.
    height: u16,
    /// Whether it is the small picture beside the calendar.
    small: bool,
    /// Bytes of the PNG beside this object.
    png_bytes: usize,
    /// What was done to the picture on the way.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<Remark>,
}

impl ClockTool for PreviewImage {
    type Data = Previewed;

    const NAME: &'static str = "preview_image";
    const TITLE: &'static str = "Look at a picture before it is sent";
    const ABOUT: &'static str = "Answers, as a PNG image of 64 kB at most, exactly the black, white and red dots that upload_image would show with the same source, algo, mono and adjust. Use it to choose fit, method and contrast before an upload, which takes the clock half a minute. The clock is not woken and nothing is kept.";
    const EFFECT: Effect = Effect::READS;
    const TOOLSETS: &'static [Toolset] = OF_ALL;
    const SPREAD: Option<&'static str> = Some("adjust");
    const EXAMPLE: &'static str = r#"{"source": "/home/ada/pictures/harbour.jpg", "algo": "best", "adjust": {"fit": "contain"}}"#;

    async fn call(self, call: &Call) -> Result<Reply<Previewed>, Failure> {
        let options = options(&self.algo, self.mono, &self.adjust)?;
        let preview = call
            .engine
            .preview_source(&self.source, call.reach, options);
        let rendering = call.read(preview).await?;
        let panel = rendering.planes.panel();
        let png = preview_png(&rendering.planes, &Inks::IDEAL)?;
        let data = Previewed {
            width: panel.width,
            height: panel.height,
            small: panel == Panel::SMALL,
            png_bytes: png.len(),
            notes: rendering.notes.iter().map(Remark::from).collect(),
        };
        Ok(Reply::with_picture(data, png))
    }
}
