use fast_qr::{ECL, QRBuilder};

use super::Template;
use super::field::{Choice, Field, Flag, Group, Text};
use super::page::Page;
use super::record::Record;
use super::wifi::{Security, address, network};
use crate::canvas::Area;
use crate::text::{Align, Fit, Style, Words};
use crate::{ImagingError, Ink};

const DATA: Text = Text::paragraph("data", "Contents", 600);
const URL: Text = Text::line("url", "Web address", 400);
const WIFI: Group = Group::new(
    "wifi",
    "Wi-Fi",
    &[
        Field::Text(SSID),
        Field::Text(PASSWORD),
        Field::Choice(SECURITY),
        Field::Flag(HIDDEN),
    ],
);
/// Longest name of a network: 32 bytes (IEEE 802.11), so at most as many characters.
const SSID: Text = Text::line("ssid", "Network", 32);
/// Longest passphrase (WPA2), or 64 digits of a key.
const PASSWORD: Text = Text::secret("password", "Password", 64);
const SECURITY: Choice = Choice::new("security", "Protection", &Security::WORDS);
const HIDDEN: Flag = Flag::new("hidden", "Hidden network");
const CAPTION: Text = Text::line("caption", "Caption", 80);

/// A code for phones.
pub(super) const QR: Template = Template {
    name: "qr",
    title: "QR code",
    about: "A code for phones: any text, a web address or a Wi-Fi network, with a caption.",
    fields: &[
        Field::Text(DATA),
        Field::Text(URL),
        Field::Group(WIFI),
        Field::Text(CAPTION),
    ],
    example: r#"{
        "wifi": {"ssid": "Lindner Guests", "password": "coffee-and-cake"},
        "caption": "Free Wi-Fi"
    }"#,
    draw,
};

/// White modules around a code (ISO/IEC 18004).
const QUIET: i32 = 4;
/// A module narrower than this is hard on a phone's camera.
const MIN_MODULE: i32 = 3;
/// Better correction is given up for modules of this width.
const GOOD_MODULE: i32 = 5;

/// What the code says, and what is written under the caption.
struct Message {
    code: String,
    line: String,
}

fn message(record: &Record<'_>) -> Result<Message, ImagingError> {
    let data = record.text(&DATA)?;
    let url = record.text(&URL)?;
    let wifi = record.group(&WIFI)?;
    let ssid = wifi.text(&SSID)?;
    let password = wifi.text(&PASSWORD)?;
    let security = Security::of(wifi.choice(&SECURITY)?);
    let hidden = wifi.flag(&HIDDEN)?;
    match (data.is_empty(), url.is_empty(), ssid.is_empty()) {
        (false, true, true) => Ok(Message {
            code: data,
            line: String::new(),
        }),
        (true, false, true) => Ok(Message {
            code: address(&url),
            line: url
                .trim_start_matches("https://")
                .trim_start_matches("http://")
                .trim_end_matches('/')
                .into(),
        }),
        (true, true, false) => Ok(Message {
            code: network(&ssid, &password, security, hidden),
            line: ssid,
        }),
        (true, true, true) if record.has(WIFI.key) => Err(ImagingError::MissingField {
            field: wifi.name(SSID.key),
            allowed: SSID.allowed(),
        }),
        (true, true, true) => Err(ImagingError::MissingField {
            field: DATA.key.into(),
            allowed: "data, url or wifi".into(),
        }),
        _ => Err(ImagingError::InvalidField {
            field: "payload".into(),
            value: "more than one content".into(),
            allowed: "only one of data, url and wifi".into(),
        }),
    }
}

/// The modules of a code, row by row.
struct Code {
    side: i32,
    dark: Vec<bool>,
}

impl Code {
    /// The smallest code with the best correction that still has modules wide enough.
    fn of(text: &str, room: i32) -> Option<Self> {
        let levels = [
            (ECL::H, GOOD_MODULE),
            (ECL::Q, GOOD_MODULE),
            (ECL::M, GOOD_MODULE),
            (ECL::L, MIN_MODULE),
        ];
        levels.into_iter().find_map(|(level, narrowest)| {
            let code = QRBuilder::new(text).ecl(level).build().ok()?;
            let side = code.size as i32;
            (room / (side + 2 * QUIET) >= narrowest).then(|| Self {
                side,
                dark: code
                    .data
                    .iter()
                    .take(code.size * code.size)
                    .map(|module| module.value())
                    .collect(),
            })
        })
    }
}

fn draw(record: &Record<'_>, page: &mut Page<'_>) -> Result<(), ImagingError> {
    let message = message(record)?;
    let caption = page.read_field(record, &CAPTION)?;
    let line = page.read(&message.line)?;
    let panel = Area::new(0, 0, page.canvas.width(), page.canvas.height());

    let code = Code::of(&message.code, panel.height).ok_or_else(|| ImagingError::TextTooLong {
        field: DATA.key.into(),
    })?;
    let words = !caption.is_blank() || !line.is_blank();
    // With words beside it, the code leaves them a column.
    let room = if words { 268 } else { panel.height };
    let module = (room / (code.side + 2 * QUIET)).max(MIN_MODULE);
    let side = module * code.side;
    let x = if words {
        (module * QUIET).max(22)
    } else {
        (panel.width - side) / 2
    };
    let top = (panel.height - side) / 2;
    for (place, _) in code.dark.iter().enumerate().filter(|(_, dark)| **dark) {
        let (row, column) = (place as i32 / code.side, place as i32 % code.side);
        page.canvas.fill(
            Area::new(x + column * module, top + row * module, module, module),
            Ink::Black,
        );
    }
    if words {
        let left = x + side + (module * QUIET).max(20);
        let column = Area::new(left, top, panel.width - 20 - left, side);
        draw_words(page, &caption, &line, column)?;
    }
    Ok(())
}

fn draw_words(
    page: &mut Page<'_>,
    caption: &Words,
    line: &Words,
    column: Area,
) -> Result<(), ImagingError> {
    let style = Style::BOLD.aligned(Align::Left);
    let caption_height = if line.is_blank() {
        column.height
    } else {
        column.height * 3 / 5
    };
    let caption = page.fit(
        "caption",
        caption,
        style,
        (column.width, caption_height),
        Fit::new(36, 14, 6),
    )?;
    let line = page.fit(
        "data",
        line,
        Style::REGULAR.aligned(Align::Left),
        (column.width, column.height * 2 / 5),
        Fit::new(20, 12, 5),
    )?;
    let bar = 6;
    page.canvas
        .fill(Area::new(column.x, column.y, 40, bar), page.accent);
    let top = caption.ink_rows().map_or(0, |rows| rows.0);
    let y = column.y + bar + 14 - top;
    page.canvas.text(&caption, column.x, y, Ink::Black);
    let bottom = line.ink_rows().map_or(0, |rows| rows.1);
    page.canvas
        .text(&line, column.x, column.bottom() - bottom, Ink::Black);
    Ok(())
}
