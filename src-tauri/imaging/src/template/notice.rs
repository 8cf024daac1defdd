use super::Template;
use super::field::{Field, Text};
use super::page::{Page, RULE};
use super::record::Record;
use crate::canvas::Area;
use crate::text::{Block, Fit, Style, Words};
use crate::{ImagingError, Ink};

const TITLE: Text = Text::line("title", "Title", 80).required();
const BODY: Text = Text::paragraph("body", "Text", 400);
const FOOTER: Text = Text::line("footer", "Last line", 90);

/// Something to tell everybody: closed today, back at three, mind the step.
pub(super) const NOTICE: Template = Template {
    name: "notice",
    title: "Notice",
    about: "A headline with a text and a small last line.",
    fields: &[Field::Text(TITLE), Field::Text(BODY), Field::Text(FOOTER)],
    example: r#"{
        "title": "Back at 14:30",
        "body": "We are out for lunch. Parcels may be left with the bakery next door.",
        "footer": "Workshop Lindner · 030 555 0142"
    }"#,
    draw,
};

/// The red bar over the title.
const BAR: (i32, i32) = (64, 8);
const GAP: i32 = 14;
/// Between headline and text.
const TITLE_GAP: i32 = 18;

fn draw(record: &Record<'_>, page: &mut Page<'_>) -> Result<(), ImagingError> {
    let title = page.read_field(record, &TITLE)?;
    let body = page.read_field(record, &BODY)?;
    let footer = page.read_field(record, &FOOTER)?;

    let mut area = page.inside();
    if !footer.is_blank() {
        let block = page.fit(
            "footer",
            &footer,
            Style::REGULAR,
            (area.width, 46),
            Fit::new(20, 16, 2),
        )?;
        let y = area.bottom() - block.height() + 4;
        page.canvas.text(&block, area.x, y, Ink::Black);
        page.canvas
            .fill(Area::new(area.x, y - 10, area.width, RULE), Ink::Black);
        area.height = y - 10 - GAP - area.y;
    }
    let bar_x = if title.is_rtl() {
        area.right() - BAR.0
    } else {
        area.x
    };
    if body.is_blank() {
        // A lone headline hangs in the middle, with its bar.
        let size = (area.width, area.height - BAR.1 - GAP);
        let headline = page.fit("title", &title, Style::BOLD, size, Fit::new(112, 24, 4))?;
        let rows = headline.ink_rows().unwrap_or((0, headline.height()));
        let top = area.y + (size.1 - (rows.1 - rows.0)) / 2;
        page.canvas
            .fill(Area::new(bar_x, top, BAR.0, BAR.1), page.accent);
        let y = top + BAR.1 + GAP - rows.0;
        page.canvas.text(&headline, area.x, y, Ink::Black);
        return Ok(());
    }

    let (headline, text) = shared(page, &title, &body, area)?;
    let rows = headline.ink_rows().unwrap_or((0, headline.height()));
    page.canvas
        .fill(Area::new(bar_x, area.y, BAR.0, BAR.1), page.accent);
    let y = area.y + BAR.1 + GAP - rows.0;
    page.canvas.text(&headline, area.x, y, Ink::Black);
    let first = text.ink_rows().map_or(0, |rows| rows.0);
    page.canvas
        .text(&text, area.x, y + rows.1 + TITLE_GAP - first, Ink::Black);
    Ok(())
}

/// The room shared between headline and text: the headline gives way until the text is easy to
/// read, or until it is as small as it may be.
fn shared(
    page: &mut Page<'_>,
    title: &Words,
    body: &Words,
    area: Area,
) -> Result<(Block, Block), ImagingError> {
    let room = area.height - BAR.1 - GAP;
    let shares = [
        (room / 2, Fit::new(64, 20, 2), 20),
        (room * 2 / 5, Fit::new(40, 18, 2), 18),
        (room / 3, Fit::new(24, 16, 2), 12),
    ];
    for (height, fit, smallest) in shares {
        let Ok(headline) = page.fit("title", title, Style::BOLD, (area.width, height), fit) else {
            continue;
        };
        let rows = headline.ink_rows().unwrap_or((0, headline.height()));
        let size = (area.width, room - (rows.1 - rows.0) - TITLE_GAP + 4);
        let fit = Fit::new(34, smallest, 10);
        if let Ok(text) = page.fit("body", body, Style::REGULAR, size, fit) {
            return Ok((headline, text));
        }
    }
    Err(ImagingError::TextTooLong {
        field: "body".into(),
    })
}
