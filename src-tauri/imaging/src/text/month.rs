use super::{Fit, Style, TypeSize, Typesetter, listed};
use crate::canvas::{Area, Canvas};
use crate::{ImagingError, Ink, Note, Palette, Panel, Planes, Rendered};

/// A calendar page of one month with one day marked, for a panel whose clock draws no calendar of
/// its own. Weeks begin on Monday; Sundays are red.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MonthPage {
    /// Year, for the heading.
    pub year: u16,
    /// Month, 1..=12, for the heading.
    pub month: u8,
    /// Days of the month, 28..=31.
    pub days: u8,
    /// Day of the week of the first day, Monday = 1 to Sunday = 7.
    pub first_weekday: u8,
    /// The day to mark, 1..=31.
    pub today: u8,
    /// The inks it may use.
    pub palette: Palette,
}

const MARGIN: i32 = 20;
const HEADING: Area = Area::new(MARGIN, 14, 400 - 2 * MARGIN, 50);
/// Room for the month beside words of one's own.
const MONTH_WIDTH: i32 = 96;
const RULE: Area = Area::new(MARGIN, 70, 400 - 2 * MARGIN, 2);
const GRID_TOP: i32 = 80;
const WEEK_HEIGHT: i32 = 35;
const DAYS_PER_WEEK: i32 = 7;

impl MonthPage {
    /// Draws the page, with words of one's own over it.
    ///
    /// # Errors
    /// [`ImagingError::TextTooLong`] for words that do not fit into one line,
    /// [`ImagingError::CharactersMissing`] when no font has any of their characters.
    pub fn render(
        &self,
        typesetter: &mut Typesetter,
        words: Option<&str>,
    ) -> Result<Rendered, ImagingError> {
        let accent = match self.palette {
            Palette::BlackWhiteRed => Ink::Red,
            Palette::BlackWhite => Ink::Black,
        };
        let mut canvas = Canvas::new(Panel::FULL, Ink::White);
        let month = format!("{}-{:02}", self.year, self.month);
        let mut notes = Vec::new();
        match words.filter(|words| !words.trim().is_empty()) {
            None => {
                let month = typesetter.read(&month);
                let block = typesetter.set(&month, Style::BOLD, TypeSize::of(44), None);
                canvas.text_in(&block, HEADING, Ink::Black);
            }
            Some(words) => {
                let words = typesetter.read(words);
                if words.is_blank() && words.omitted().is_empty() {
                    return Err(ImagingError::MissingField {
                        field: "text".into(),
                        allowed: "words".into(),
                    });
                }
                if words.is_blank() {
                    let characters = listed(words.omitted());
                    return Err(ImagingError::CharactersMissing { characters });
                }
                if !words.omitted().is_empty() {
                    let characters = listed(words.omitted());
                    notes.push(Note::CharactersOmitted { characters });
                }
                let room = (HEADING.width - MONTH_WIDTH, HEADING.height);
                let block = typesetter
                    .fit(&words, Style::BOLD, room, Fit::new(44, 16, 2))
                    .ok_or_else(|| ImagingError::TextTooLong {
                        field: "text".into(),
                    })?;
                canvas.text_in(&block, HEADING, Ink::Black);
                let month = typesetter.read(&month);
                let block = typesetter.set(&month, Style::REGULAR, TypeSize::of(20), None);
                let right = Area {
                    x: HEADING.right() - block.width(),
                    ..HEADING
                };
                canvas.text_in(&block, right, accent);
            }
        }
        canvas.fill(RULE, Ink::Black);
        self.draw_days(&mut canvas, typesetter, accent);
        Ok(Rendered {
            planes: Planes::pack(&canvas.into_map()),
            notes,
        })
    }

    fn draw_days(&self, canvas: &mut Canvas, typesetter: &mut Typesetter, accent: Ink) {
        let width = (canvas.width() - 2 * MARGIN) / DAYS_PER_WEEK;
        let before = i32::from(self.first_weekday) - 1;
        for day in 1..=self.days {
            let place = before + i32::from(day) - 1;
            let (column, week) = (place % DAYS_PER_WEEK, place / DAYS_PER_WEEK);
            let cell = Area::new(
                MARGIN + column * width,
                GRID_TOP + week * WEEK_HEIGHT,
                width,
                WEEK_HEIGHT,
            );
            let is_today = day == self.today;
            let ink = if is_today {
                canvas.fill(
                    Area::new(cell.x + 4, cell.y + 1, width - 8, WEEK_HEIGHT - 2),
                    accent,
                );
                Ink::White
            } else if column == DAYS_PER_WEEK - 1 {
                accent
            } else {
                Ink::Black
            };
            let style = if is_today {
                Style::BOLD
            } else {
                Style::REGULAR
            };
            let number = typesetter.read(&day.to_string());
            let block = typesetter.set(&number, style, TypeSize::of(22), None);
            let middle = Area {
                x: cell.x + (width - block.width()) / 2,
                ..cell
            };
            canvas.text_in(&block, middle, ink);
        }
    }
}
