use super::Template;
use super::field::{Choice, Field, Figure, Group, List, Text};
use super::icon::Sky;
use super::page::{Page, RULE};
use super::record::{Figures, Record};
use crate::canvas::Area;
use crate::text::{Align, Fit, Style, Words};
use crate::{ImagingError, Ink};

const PLACE: Text = Text::line("place", "Place", 40).required();
const NOW: Group = Group::new(
    "now",
    "Now",
    &[
        Field::Figure(TEMPERATURE),
        Field::Choice(SKY),
        Field::Text(TEXT),
    ],
);
const TEMPERATURE: Figure = Figure::new("temperature", "Temperature", 6);
const SKY: Choice = Choice::new("sky", "Sky", &Sky::WORDS);
const TEXT: Text = Text::line("text", "In words", 60);
const WARNING: Text = Text::line("warning", "Warning", 60);
const DAYS: List = List::new(
    "days",
    "Next days",
    4,
    &[
        Field::Text(DAY),
        Field::Choice(SKY),
        Field::Figure(HIGH),
        Field::Figure(LOW),
    ],
);
const DAY: Text = Text::line("day", "Day", 12).required();
const HIGH: Figure = Figure::new("high", "Highest", 6);
const LOW: Figure = Figure::new("low", "Lowest", 6);

/// The sky now and in the next days.
pub(super) const WEATHER: Template = Template {
    name: "weather",
    title: "Weather",
    about: "A place, its weather now, and up to four days to come.",
    fields: &[
        Field::Text(PLACE),
        Field::Group(NOW),
        Field::Text(WARNING),
        Field::List(DAYS),
    ],
    example: r#"{
        "place": "Lyon",
        "now": {"temperature": 24, "sky": "partly-cloudy", "text": "Light breeze from the south"},
        "days": [
            {"day": "Tue", "sky": "clear", "high": 27, "low": 16},
            {"day": "Wed", "sky": "rain", "high": 21, "low": 14},
            {"day": "Thu", "sky": "thunderstorm", "high": 19, "low": 13},
            {"day": "Fri", "sky": "cloudy", "high": 22, "low": 12}
        ]
    }"#,
    draw,
};

struct Day {
    name: Words,
    sky: Sky,
    high: String,
    low: String,
}

/// Numbers are degrees; words are left as they are.
fn degrees(figures: &Figures) -> String {
    match figures {
        Figures::Number(number) => format!("{}°", number.replace('-', "–")),
        Figures::Text(text) => text.clone(),
    }
}

const DAYS_HEIGHT: i32 = 112;
/// With less height than this, words stand beside the temperature instead of under it.
const CROWDED: i32 = 76;

fn draw(record: &Record<'_>, page: &mut Page<'_>) -> Result<(), ImagingError> {
    let place = page.read_field(record, &PLACE)?;
    let now = record.group(&NOW)?;
    let temperature = degrees(&now.figure(&TEMPERATURE)?);
    let sky = (now.has(SKY.key) || !temperature.is_empty())
        .then(|| now.choice(&SKY).map(Sky::of))
        .transpose()?;
    let text = page.read_field(&now, &TEXT)?;
    let warning = page.read_field(record, &WARNING)?;
    let days = record
        .list(&DAYS)?
        .iter()
        .map(|day| {
            Ok(Day {
                name: page.read_field(day, &DAY)?,
                sky: Sky::of(day.choice(&SKY)?),
                high: degrees(&day.figure(&HIGH)?),
                low: degrees(&day.figure(&LOW)?),
            })
        })
        .collect::<Result<Vec<_>, ImagingError>>()?;

    let mut area = page.inside();
    area.y -= 4;
    area.height += 8;
    if !days.is_empty() {
        let strip = Area::new(area.x, area.bottom() - DAYS_HEIGHT, area.width, DAYS_HEIGHT);
        draw_days(page, &days, strip)?;
        area.height -= DAYS_HEIGHT + 10;
    }
    if !warning.is_blank() {
        let band = Area::new(area.x, area.bottom() - 30, area.width, 30);
        let block = page.fit(
            "warning",
            &warning,
            Style::BOLD.aligned(Align::Centre),
            (band.width - 16, band.height),
            Fit::new(20, 12, 1),
        )?;
        page.canvas.rounded(band, 4.0, page.accent);
        page.middle(
            &block,
            Area {
                x: band.x + 8,
                ..band
            },
            Ink::White,
        );
        area.height -= band.height + 8;
    }
    draw_now(page, &place, &temperature, sky, &text, area)
}

fn draw_now(
    page: &mut Page<'_>,
    place: &Words,
    temperature: &str,
    sky: Option<Sky>,
    text: &Words,
    area: Area,
) -> Result<(), ImagingError> {
    let icon = sky.map(|sky| (sky, area.height.min(118)));
    let room = area.width - icon.map_or(0, |(_, side)| side + 12);
    let heading = page.fit("place", place, Style::BOLD, (room, 60), Fit::new(28, 14, 2))?;
    let (top, bottom) = heading.ink_rows().unwrap_or((0, heading.height()));
    let mirrored = place.is_rtl();
    let text_x = if mirrored {
        area.right() - room
    } else {
        area.x
    };
    page.canvas.text(&heading, text_x, area.y - top, Ink::Black);
    let mut rest = Area::new(
        text_x,
        area.y + bottom - top + 10,
        room,
        area.height - (bottom - top) - 10,
    );
    if let Some((sky, side)) = icon {
        let x = if mirrored {
            area.x
        } else {
            area.right() - side
        };
        sky.draw(
            page,
            Area::new(x, area.y + (area.height - side) / 2, side, side),
        );
    }
    let figures = if temperature.is_empty() {
        None
    } else {
        Some(page.read(temperature)?)
    };
    let crowded = figures.is_some() && rest.height < CROWDED;
    if !text.is_blank() && !crowded {
        let height = (rest.height / 2).min(48);
        let fit = Fit::new(20, 16, 2);
        let block = page.fit("now.text", text, Style::REGULAR, (room, height), fit)?;
        let (top, bottom) = block.ink_rows().unwrap_or((0, block.height()));
        let y = rest.bottom() - (bottom - top);
        page.canvas.text(&block, rest.x, y - top, Ink::Black);
        rest.height -= bottom - top + 10;
    }
    let Some(figures) = figures else {
        return Ok(());
    };
    let align = if mirrored { Align::Right } else { Align::Left };
    let width = if crowded && !text.is_blank() {
        room / 2
    } else {
        room
    };
    if mirrored {
        rest.x = rest.right() - width;
    }
    let block = page.fit(
        "now.temperature",
        &figures,
        Style::BOLD.aligned(align),
        (width, rest.height * 4 / 3),
        Fit::new(120, 20, 1),
    )?;
    page.middle(&block, rest, Ink::Black);
    if !text.is_blank() && crowded {
        let used = block.width() + 12;
        let beside = Area::new(
            if mirrored { text_x } else { text_x + used },
            rest.y,
            room - used,
            rest.height,
        );
        let fit = Fit::new(20, 12, 3);
        let block = page.fit("now.text", text, Style::REGULAR, beside.size(), fit)?;
        page.middle(&block, beside, Ink::Black);
    }
    Ok(())
}

fn draw_days(page: &mut Page<'_>, days: &[Day], strip: Area) -> Result<(), ImagingError> {
    page.canvas
        .fill(Area::new(strip.x, strip.y, strip.width, RULE), Ink::Black);
    let width = strip.width / days.len().max(1) as i32;
    for (place, day) in days.iter().enumerate() {
        let cell = Area::new(
            strip.x + place as i32 * width,
            strip.y + RULE + 8,
            width,
            strip.height - RULE - 8,
        );
        if place > 0 {
            page.canvas.fill(
                Area::new(cell.x, cell.y + 4, 1, cell.height - 8),
                Ink::Black,
            );
        }
        let inner = Area::new(cell.x + 4, cell.y, cell.width - 8, cell.height);
        let field = |key: &str| format!("days[{place}].{key}");
        let bold = Style::BOLD.aligned(Align::Centre);
        let name = page.fit(
            &field("day"),
            &day.name,
            bold,
            (inner.width, 24),
            Fit::new(20, 12, 1),
        )?;
        page.middle(
            &name,
            Area {
                height: 20,
                ..inner
            },
            Ink::Black,
        );
        let side = 46;
        day.sky.draw(
            page,
            Area::new(cell.x + (cell.width - side) / 2, cell.y + 23, side, side),
        );
        let row = Area::new(inner.x, cell.bottom() - 26, inner.width, 24);
        let half = row.width / 2 - 2;
        let high = page.set(
            &field("high"),
            &day.high,
            Style::BOLD.aligned(Align::Right),
            (half, 30),
            Fit::new(22, 12, 1),
        )?;
        let low = page.set(
            &field("low"),
            &day.low,
            Style::REGULAR.aligned(Align::Left),
            (half, 30),
            Fit::new(20, 12, 1),
        )?;
        if day.low.is_empty() {
            let x = row.x + (row.width - high.width()) / 2 - (half - high.width());
            page.middle(&high, Area { x, ..row }, Ink::Black);
        } else {
            page.middle(&high, row, Ink::Black);
            page.middle(
                &low,
                Area {
                    x: row.x + half + 6,
                    ..row
                },
                Ink::Black,
            );
        }
    }
    Ok(())
}
