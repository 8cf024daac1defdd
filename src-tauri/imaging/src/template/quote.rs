use super::Template;
use super::field::{Field, Text};
use super::page::Page;
use super::record::Record;
use crate::canvas::Area;
use crate::text::{Align, Fit, Style};
use crate::{ImagingError, Ink};

const TEXT: Text = Text::paragraph("text", "Words", 320).required();
const AUTHOR: Text = Text::line("author", "Who said it", 60);

/// Words worth a frame.
pub(super) const QUOTE: Template = Template {
    name: "quote",
    title: "Quote",
    about: "A saying, and who said it.",
    fields: &[Field::Text(TEXT), Field::Text(AUTHOR)],
    example: r#"{
        "text": "Simplicity is the ultimate form of sophistication.",
        "author": "Attributed to Leonardo da Vinci"
    }"#,
    draw,
};

fn draw(record: &Record<'_>, page: &mut Page<'_>) -> Result<(), ImagingError> {
    let text = page.read_field(record, &TEXT)?;
    let author = page.read_field(record, &AUTHOR)?;
    let area = page.inside();

    let mark = page.set("text", "“", Style::SERIF, (120, 200), Fit::new(128, 128, 1))?;
    let (ink_top, ink_bottom) = mark.ink_rows().unwrap_or((0, mark.height()));
    let rtl = text.is_rtl();
    let mark_x = if rtl {
        area.right() - mark.width() + 6
    } else {
        area.x - 6
    };
    page.canvas
        .text(&mark, mark_x, area.y - ink_top, page.accent);
    let top = area.y + (ink_bottom - ink_top) + 12;

    let mut bottom = area.bottom();
    if !author.is_blank() {
        let room = area.width - 48;
        let block = page.fit(
            "author",
            &author,
            Style::REGULAR.aligned(Align::End),
            (room, 46),
            Fit::new(20, 16, 2),
        )?;
        let (first, last) = block.ink_rows().unwrap_or((0, block.height()));
        let y = area.bottom() - last;
        let x = if author.is_rtl() {
            area.x
        } else {
            area.right() - room
        };
        page.canvas.text(&block, x, y, Ink::Black);
        // A dash where the name begins.
        let middle = y + block.lines().first().map_or(0, |line| line.baseline) - 7;
        let begin = block
            .lines()
            .iter()
            .map(|line| line.left)
            .min()
            .unwrap_or(0);
        let dash = Area::new(
            if author.is_rtl() {
                x + block.width() + 10
            } else {
                x + begin - 34
            },
            middle,
            24,
            2,
        );
        page.canvas.fill(dash, page.accent);
        bottom = y + first - 16;
    }
    let size = (area.width, bottom - top);
    let block = page.fit("text", &text, Style::SERIF, size, Fit::new(56, 14, 10))?;
    page.middle(
        &block,
        Area::new(area.x, top, area.width, bottom - top),
        Ink::Black,
    );
    Ok(())
}
