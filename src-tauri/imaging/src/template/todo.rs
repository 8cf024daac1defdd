use resvg::tiny_skia::PathBuilder;

use super::Template;
use super::field::{Field, Flag, List, Text};
use super::page::{Page, RULE};
use super::record::Record;
use crate::canvas::Area;
use crate::text::{Align, Block, Fit, Style, Words};
use crate::{ImagingError, Ink};

const TITLE: Text = Text::line("title", "Title", 60);
const ITEMS: List = List::new("items", "Tasks", 8, &[Field::Text(TEXT), Field::Flag(DONE)])
    .shorthand("text")
    .required();
const TEXT: Text = Text::line("text", "Task", 80).required();
const DONE: Flag = Flag::new("done", "Done");

/// A list to tick off.
pub(super) const TODO: Template = Template {
    name: "todo",
    title: "To do",
    about: "A list of up to eight tasks, each with a mark that says whether it is done.",
    fields: &[Field::Text(TITLE), Field::List(ITEMS)],
    example: r#"{
        "title": "Before opening",
        "items": [
            {"text": "Coffee machine on", "done": true},
            {"text": "Count the till", "done": true},
            {"text": "Water the plants"},
            {"text": "Bread order for Saturday"},
            {"text": "Put the sign outside"}
        ]
    }"#,
    draw,
};

struct Task {
    words: Words,
    done: bool,
}

/// Type sizes to try.
const SIZES: [u16; 10] = [28, 26, 24, 22, 20, 18, 16, 14, 13, 12];
/// Down to this size tasks are kept in one line each.
const EASY: u16 = 20;
/// Between square and text.
const MARK_GAP: i32 = 14;
/// White between two tasks, in pixels: at least, and at most.
const LEAST_GAP: i32 = 3;
const WIDEST_GAP: i32 = 18;

fn draw(record: &Record<'_>, page: &mut Page<'_>) -> Result<(), ImagingError> {
    let title = page.read_field(record, &TITLE)?;
    let tasks = record
        .list(&ITEMS)?
        .iter()
        .map(|item| {
            Ok(Task {
                words: page.read_field(item, &TEXT)?,
                done: item.flag(&DONE)?,
            })
        })
        .collect::<Result<Vec<_>, ImagingError>>()?;

    let mut area = page.inside();
    area.y -= 4;
    area.height += 8;
    if !title.is_blank() {
        let done = tasks.iter().filter(|task| task.done).count();
        let count = page.set(
            "items",
            &format!("{done}/{}", tasks.len()),
            Style::BOLD.aligned(Align::Left),
            (90, 40),
            Fit::new(28, 28, 1),
        )?;
        let room = area.width - count.width() - 16;
        let headline = page.fit(
            "title",
            &title,
            Style::BOLD,
            (room, 40),
            Fit::new(32, 16, 2),
        )?;
        let header = Area::new(area.x, area.y, room, 34);
        let (title_x, count_x) = if title.is_rtl() {
            (area.right() - room, area.x)
        } else {
            (area.x, area.right() - count.width())
        };
        page.middle(
            &headline,
            Area {
                x: title_x,
                ..header
            },
            Ink::Black,
        );
        let accent = page.accent;
        page.middle(
            &count,
            Area {
                x: count_x,
                ..header
            },
            accent,
        );
        page.canvas.fill(
            Area::new(area.x, header.bottom() + 8, area.width, 2 * RULE),
            Ink::Black,
        );
        let used = header.height + 8 + 2 * RULE + 6;
        area.y += used;
        area.height -= used;
    }
    let (size, blocks) = type_size(page, &tasks, area)?;
    let used: i32 = blocks.iter().map(Block::height).sum();
    let spare = (area.height - used) / tasks.len().max(1) as i32;
    let mut y = area.y;
    for (task, block) in tasks.iter().zip(&blocks) {
        let height = block.height() + spare.min(WIDEST_GAP);
        draw_task(page, task, block, size, Area { y, height, ..area });
        y += height;
    }
    Ok(())
}

/// The largest type in which all tasks fit: one size for all of them.
fn type_size(
    page: &mut Page<'_>,
    tasks: &[Task],
    area: Area,
) -> Result<(u16, Vec<Block>), ImagingError> {
    let whole = SIZES
        .into_iter()
        .take_while(|&size| size >= EASY)
        .map(|size| (size, 1));
    for (size, lines) in whole.chain(SIZES.into_iter().map(|size| (size, 2))) {
        let width = area.width - side(size) - MARK_GAP;
        let fit = Fit::new(size, size, lines);
        let blocks: Result<Vec<Block>, ImagingError> = tasks
            .iter()
            .map(|task| {
                page.fit(
                    ITEMS.key,
                    &task.words,
                    Style::REGULAR,
                    (width, area.height),
                    fit,
                )
            })
            .collect();
        let Ok(blocks) = blocks else { continue };
        let used: i32 = blocks.iter().map(|block| block.height() + LEAST_GAP).sum();
        if used <= area.height {
            return Ok((size, blocks));
        }
    }
    Err(ImagingError::TextTooLong {
        field: ITEMS.key.into(),
    })
}

/// Side of the square before a task.
fn side(size: u16) -> i32 {
    i32::from(size).clamp(14, 26)
}

fn draw_task(page: &mut Page<'_>, task: &Task, block: &Block, size: u16, row: Area) {
    let side = side(size);
    let rtl = task.words.is_rtl();
    let mark = Area::new(
        if rtl { row.right() - side } else { row.x },
        row.y + (row.height - side) / 2,
        side,
        side,
    );
    if task.done {
        page.canvas.rounded(mark, 4.0, page.accent);
        let unit = side as f32;
        let at = |x: f32, y: f32| (mark.x as f32 + x * unit, mark.y as f32 + y * unit);
        let mut tick = PathBuilder::new();
        let ((ax, ay), (bx, by), (cx, cy)) = (at(0.24, 0.54), at(0.43, 0.73), at(0.77, 0.3));
        tick.move_to(ax, ay);
        tick.line_to(bx, by);
        tick.line_to(cx, cy);
        if let Some(tick) = tick.finish() {
            page.canvas.line(&tick, (unit * 0.13).max(2.0), Ink::White);
        }
    } else {
        page.canvas.rounded(mark, 4.0, Ink::Black);
        let border = 2;
        let inner = Area::new(
            mark.x + border,
            mark.y + border,
            side - 2 * border,
            side - 2 * border,
        );
        page.canvas.rounded(inner, 3.0, Ink::White);
    }
    let text = Area::new(
        if rtl { row.x } else { row.x + side + MARK_GAP },
        row.y,
        row.width - side - MARK_GAP,
        row.height,
    );
    page.middle(block, text, Ink::Black);
}
