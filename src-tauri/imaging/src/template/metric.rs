use resvg::tiny_skia::PathBuilder;

use super::Template;
use super::field::{Choice, Field, Figure, Numbers, Text};
use super::page::{Page, RULE};
use super::record::Record;
use crate::canvas::Area;
use crate::text::{Align, Block, Fit, Style};
use crate::{ImagingError, Ink};

const LABEL: Text = Text::line("label", "Label", 60);
const VALUE: Figure = Figure::new("value", "Number", 14).required();
const UNIT: Text = Text::line("unit", "Unit", 12);
const CHANGE: Figure = Figure::new("change", "Change", 24);
const TONE: Choice = Choice::new("tone", "Colour of the change", &["plain", "warning"]);
const SPARKLINE: Numbers = Numbers::new("sparkline", "Course", 120);

/// One number, as large as it goes.
pub(super) const METRIC: Template = Template {
    name: "metric",
    title: "Number",
    about: "One big number with its unit, how it changed, and its course so far.",
    fields: &[
        Field::Text(LABEL),
        Field::Figure(VALUE),
        Field::Text(UNIT),
        Field::Figure(CHANGE),
        Field::Choice(TONE),
        Field::Numbers(SPARKLINE),
    ],
    example: r#"{
        "label": "Visitors today",
        "value": "1,284",
        "unit": "people",
        "change": "+12 % since yesterday",
        "sparkline": [820, 932, 901, 934, 1090, 1130, 1120, 1210, 1150, 1284]
    }"#,
    draw,
};

const GAP: i32 = 10;
const UNIT_GAP: i32 = 12;
const SPARK_HEIGHT: i32 = 62;

/// Which way a change goes, as far as its first characters tell.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Trend {
    Up,
    Down,
    Level,
}

impl Trend {
    fn of(change: &str) -> Self {
        let number = change.trim_start_matches(['+', '-', '−', '–', '▲', '▼', '↑', '↓']);
        let zero = number
            .split(|c: char| !(c.is_ascii_digit() || c == '.' || c == ','))
            .next()
            .is_some_and(|digits| {
                !digits.is_empty() && digits.chars().all(|c| matches!(c, '0' | '.' | ','))
            });
        match change.chars().next() {
            _ if zero => Self::Level,
            Some('-' | '−' | '–' | '▼' | '↓') => Self::Down,
            Some('+' | '▲' | '↑') => Self::Up,
            Some(c) if c.is_ascii_digit() => Self::Up,
            _ => Self::Level,
        }
    }
}

fn draw(record: &Record<'_>, page: &mut Page<'_>) -> Result<(), ImagingError> {
    let label = page.read_field(record, &LABEL)?;
    let value = record.figure(&VALUE)?;
    let unit = page.read_field(record, &UNIT)?;
    let change = record.figure(&CHANGE)?;
    let warning = record.choice(&TONE)? == 1;
    let course = record.numbers(&SPARKLINE)?;

    let mut area = page.inside();
    if !label.is_blank() {
        let block = page.fit(
            "label",
            &label,
            Style::BOLD,
            (area.width, 44),
            Fit::new(26, 16, 2),
        )?;
        let (top, bottom) = block.ink_rows().unwrap_or((0, block.height()));
        page.canvas.text(&block, area.x, area.y - top, Ink::Black);
        let used = bottom - top + GAP + 4;
        area.y += used;
        area.height -= used;
    }
    if course.len() > 1 {
        let spark = Area::new(
            area.x,
            area.bottom() - SPARK_HEIGHT,
            area.width,
            SPARK_HEIGHT,
        );
        draw_course(page, &course, spark);
        area.height -= SPARK_HEIGHT + GAP;
    }
    if !change.is_empty() {
        let text = change.as_str();
        let trend = Trend::of(text);
        let words = page.read(text.trim_start_matches(['▲', '▼', '↑', '↓']).trim())?;
        let indent = if trend == Trend::Level { 0 } else { 28 };
        let block = page.fit(
            "change",
            &words,
            Style::BOLD.aligned(Align::Left),
            (area.width - indent, 44),
            Fit::new(24, 16, 2),
        )?;
        let (top, bottom) = block.ink_rows().unwrap_or((0, block.height()));
        let row = Area::new(
            area.x + indent,
            area.bottom() - (bottom - top) - 2,
            area.width,
            bottom - top,
        );
        let ink = if warning { page.accent } else { Ink::Black };
        page.middle(&block, row, ink);
        draw_arrow(
            page,
            trend,
            Area::new(area.x, row.y + row.height / 2 - 8, 20, 16),
            ink,
        );
        area.height -= bottom - top + 2 + GAP;
    }
    let unit_block = if unit.is_blank() {
        None
    } else {
        let size = (area.width * 2 / 5, 48);
        Some(page.fit(
            "unit",
            &unit,
            Style::REGULAR.aligned(Align::Left),
            size,
            Fit::new(34, 16, 1),
        )?)
    };
    let unit_room = unit_block
        .as_ref()
        .map_or(0, |block| block.width() + UNIT_GAP);
    let number = page.set(
        "value",
        value.as_str(),
        Style::BOLD.aligned(Align::Left),
        (area.width - unit_room, area.height + 40),
        Fit::new(180, 28, 1),
    )?;
    // Figures have no descenders: let them use the room.
    let (top, bottom) = number.ink_rows().unwrap_or((0, number.height()));
    let number = if bottom - top > area.height {
        page.set(
            "value",
            value.as_str(),
            Style::BOLD.aligned(Align::Left),
            (area.width - unit_room, area.height * 4 / 3),
            Fit::new(180, 24, 1),
        )?
    } else {
        number
    };
    // A number without company stands in the middle.
    if label.is_blank() && change.is_empty() && course.len() < 2 {
        area.x += (area.width - unit_room - number.width()) / 2;
    }
    page.middle(&number, area, Ink::Black);
    if let Some(block) = unit_block {
        let (top, bottom) = number.ink_rows().unwrap_or((0, number.height()));
        let y = area.y + (area.height - (bottom - top)) / 2 - top;
        let baseline = |block: &Block| block.lines().first().map_or(0, |line| line.baseline);
        page.canvas.text(
            &block,
            area.x + number.width() + UNIT_GAP,
            y + baseline(&number) - baseline(&block),
            Ink::Black,
        );
    }
    Ok(())
}

fn draw_arrow(page: &mut Page<'_>, trend: Trend, area: Area, ink: Ink) {
    let (base, tip) = match trend {
        Trend::Up => (area.bottom(), area.y),
        Trend::Down => (area.y, area.bottom()),
        Trend::Level => return,
    };
    let mut path = PathBuilder::new();
    path.move_to(area.x as f32, base as f32);
    path.line_to(area.right() as f32, base as f32);
    path.line_to(area.x as f32 + area.width as f32 / 2.0, tip as f32);
    path.close();
    if let Some(path) = path.finish() {
        page.canvas.shape(&path, ink);
    }
}

fn draw_course(page: &mut Page<'_>, course: &[f64], area: Area) {
    let least = course.iter().copied().fold(f64::INFINITY, f64::min);
    let most = course.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    // Halved first: the span of the largest numbers is larger than any number.
    let span = most / 2.0 - least / 2.0;
    let dot = 6.0;
    let (left, width) = (area.x as f32 + dot, area.width as f32 - 2.0 * dot);
    let (top, height) = (
        area.y as f32 + dot,
        (area.height - 3 * RULE) as f32 - 2.0 * dot,
    );
    let place = |index: usize, value: f64| {
        let share = if span > 0.0 {
            ((value / 2.0 - least / 2.0) / span) as f32
        } else {
            0.5
        };
        let across = index as f32 / (course.len() - 1).max(1) as f32;
        (left + across * width, top + (1.0 - share) * height)
    };
    page.canvas.fill(
        Area::new(area.x, area.bottom() - RULE, area.width, RULE),
        Ink::Black,
    );
    let mut path = PathBuilder::new();
    for (index, &value) in course.iter().enumerate() {
        let (x, y) = place(index, value);
        if index == 0 {
            path.move_to(x, y);
        } else {
            path.line_to(x, y);
        }
    }
    if let Some(path) = path.finish() {
        page.canvas.line(&path, 3.0, Ink::Black);
    }
    if let Some(&last) = course.last() {
        let (x, y) = place(course.len() - 1, last);
        page.canvas.circle(x, y, dot + 2.0, Ink::White);
        page.canvas.circle(x, y, dot, page.accent);
    }
}
