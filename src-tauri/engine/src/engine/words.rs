//! Words instead of pictures: pages drawn from a text or a template, countdowns, and the calendar.

use regie_clock::{
    CalendarForm, ClockTime, Countdown, CountdownDate, CountdownStyle, Face, Family, Picture,
    Request, Task, TextBitmap,
};
use regie_imaging::template::Template;
use regie_imaging::text::{Align, CellLine, CellSize, MonthPage, Sheet, Style};
use regie_imaging::{Ink, InkMap, Palette, Panel, Rendered};

use super::{ClockMemory, Engine, lock};
use crate::composition::{
    Alignment, Composition, CountdownPlan, TemplateInfo, TemplatePage, TextPage,
};
use crate::convert;
use crate::desk::{Learned, Plan, Submitted};
use crate::error::EngineError;
use crate::fault::Note;
use crate::frame::Frame;
use crate::order::Order;
use crate::state::{HostCalendar, OperationKind};
use crate::studio::Rendering;

/// Characters of a text that name the slot it is kept in.
const NAME_CHARACTERS: usize = 40;

/// The templates there are.
#[must_use]
pub fn templates() -> Vec<TemplateInfo> {
    Template::ALL
        .into_iter()
        .map(|template| TemplateInfo {
            name: template.name().into(),
            title: template.title().into(),
            about: template.about().into(),
            schema: template.schema(),
            example: template.example(),
        })
        .collect()
}

impl Engine {
    /// Draws words as the clock would show them.
    ///
    /// # Errors
    /// [`EngineError::Imaging`] for what cannot be drawn, with the field that is wrong.
    pub async fn compose(&self, composition: Composition) -> Result<Rendering, EngineError> {
        let draw = move |typesetter: &mut _| match &composition {
            Composition::Text(page) => sheet(page).render(typesetter, &page.text),
            Composition::Template(page) => {
                Template::named(&page.template)?.render(typesetter, &page.payload, page.palette)
            }
        };
        Ok(self.shared.studio.typeset(draw).await?.into())
    }

    /// Draws words, keeps them in a slot and shows them.
    ///
    /// # Errors
    /// As [`Engine::compose`], and [`EngineError::NoSuchSlot`].
    pub async fn show_composition(
        &self,
        order: impl Into<Order>,
        composition: Composition,
        slot: u8,
    ) -> Result<Submitted, EngineError> {
        let slot = super::checked(slot)?;
        let errand = self.errand(order.into()).await?;
        let name = name_of(&composition);
        let Rendering { planes, notes } = self.compose(composition).await?;
        let submitted = self.keep_and_show(errand, slot, name, planes).await?;
        Ok(Submitted { notes, ..submitted })
    }

    /// Counts the days down to a date.
    ///
    /// # Errors
    /// [`EngineError::Clock`] for what is no date, or one that is over where the clock is;
    /// [`EngineError::Imaging`] for words that do not fit or cannot be drawn.
    pub async fn countdown(
        &self,
        order: impl Into<Order>,
        plan: CountdownPlan,
    ) -> Result<Submitted, EngineError> {
        let date: CountdownDate = plan.date.parse()?;
        let errand = self.errand(order.into()).await?;
        let date = date.not_before(&ClockTime::now(&errand.memory.zone())?)?;
        let text = plan.text.filter(|text| !text.trim().is_empty());
        let (detail, countdown) = match text {
            None => (date.to_string(), Countdown::new(plan.style, date)),
            Some(text) => {
                let detail = format!("{date} {text}");
                let line = self.cells(plan.style, text).await?;
                (
                    detail,
                    Countdown::with_text(bitmap(plan.style, &line)?, date),
                )
            }
        };
        self.submit(
            errand,
            Plan {
                kind: OperationKind::Countdown,
                detail,
                first: Request::Countdown(countdown).into(),
                then: None,
                learned: Learned::ShowsNoSlot,
            },
        )
        .await
    }

    /// Ends the countdown.
    ///
    /// # Errors
    /// [`EngineError::Store`].
    pub async fn countdown_off(&self, order: impl Into<Order>) -> Result<Submitted, EngineError> {
        let errand = self.errand(order.into()).await?;
        self.submit(
            errand,
            Plan {
                kind: OperationKind::CountdownOff,
                detail: String::new(),
                first: Request::CountdownOff.into(),
                then: None,
                learned: Learned::ShowsNoSlot,
            },
        )
        .await
    }

    /// The words before a countdown as the clock gets them: a row of square cells.
    ///
    /// # Errors
    /// [`EngineError::Imaging`] for words that do not fit or cannot be drawn.
    pub async fn countdown_line(
        &self,
        style: CountdownStyle,
        text: String,
    ) -> Result<Frame, EngineError> {
        let line = self.cells(style, text).await?;
        let side = style.cell();
        let width = line.cells() * side;
        let inks = line.bits().iter().flat_map(|byte| {
            (0..8).map(move |bit| match byte >> (7 - bit) & 1 {
                1 => Ink::White,
                _ => Ink::Black,
            })
        });
        // At most 8 cells of 16 pixels.
        let panel = Panel {
            width: width as u16,
            height: side as u16,
        };
        let map = InkMap::new(panel, inks.collect()).ok_or(EngineError::PictureLost)?;
        Ok(Frame::of_inks(&map, Vec::new()))
    }

    /// Puts a short text into the calendar, in the form that the profile names, and shows that.
    ///
    /// # Errors
    /// [`EngineError::Imaging`] for a text that does not fit or cannot be drawn.
    pub async fn calendar_text(
        &self,
        order: impl Into<Order>,
        text: &str,
    ) -> Result<Submitted, EngineError> {
        let errand = self.errand(order.into()).await?;
        let zone = errand.memory.zone();
        let mut notes = Vec::new();
        let (first, then, learned) = match self.calendar_form(&errand.memory) {
            CalendarForm::Picture => {
                let text = text.to_owned();
                let sheet = Sheet {
                    panel: Panel::SMALL,
                    ..Sheet::default()
                };
                let draw = move |typesetter: &mut _| sheet.render(typesetter, &text);
                let drawn = self.shared.studio.typeset(draw).await?;
                notes = drawn.notes.iter().map(Note::from).collect();
                (
                    picture(&drawn)?,
                    Some(Task::SetFace(Face::Calendar1, zone)),
                    Learned::ShowsNoSlot,
                )
            }
            CalendarForm::Cells => {
                let style = CountdownStyle::Calendar;
                let line = self.cells(style, text.to_owned()).await?;
                let request = Request::CalendarText(bitmap(style, &line)?);
                (request.into(), None, Learned::ShowsNoSlot)
            }
            CalendarForm::Page => {
                let (page, calendar) = self
                    .calendar_page(&errand.memory, Some(text.to_owned()))
                    .await?;
                notes = page.notes.iter().map(Note::from).collect();
                (
                    picture(&page)?,
                    Some(Task::SetFace(Face::Picture, zone)),
                    Learned::HostCalendar(calendar),
                )
            }
        };
        let plan = Plan {
            kind: OperationKind::CalendarText,
            detail: text.to_owned(),
            first,
            then,
            learned,
        };
        let submitted = self.submit(errand, plan).await?;
        Ok(Submitted { notes, ..submitted })
    }

    /// The form of a text in the calendar that the clock at hand takes. The whole page is taken by
    /// each family, and so by a clock of which the family is not known.
    fn calendar_form(&self, memory: &ClockMemory) -> CalendarForm {
        match &memory.chosen {
            Some(clock) if clock.family != Some(Family::Pingping) => CalendarForm::Page,
            _ => lock(&self.shared.profile).calendar_text(),
        }
    }

    /// Shows a calendar that the host draws, with words over it if there are some. While Regie
    /// runs, it is drawn again when the day changes where the clock is.
    ///
    /// # Errors
    /// [`EngineError::Imaging`] for words that do not fit or cannot be drawn.
    pub async fn host_calendar(
        &self,
        order: impl Into<Order>,
        text: Option<String>,
    ) -> Result<Submitted, EngineError> {
        let errand = self.errand(order.into()).await?;
        let (plan, notes) = self.calendar_plan(&errand.memory, text).await?;
        let submitted = self.submit(errand, plan).await?;
        Ok(Submitted { notes, ..submitted })
    }

    /// The operation that shows today's page of the host's calendar, and what was left out of it.
    pub(super) async fn calendar_plan(
        &self,
        memory: &ClockMemory,
        text: Option<String>,
    ) -> Result<(Plan, Vec<Note>), EngineError> {
        let (page, calendar) = self.calendar_page(memory, text).await?;
        let notes = page.notes.iter().map(Note::from).collect();
        let plan = Plan {
            kind: OperationKind::HostCalendar,
            detail: calendar.day.clone(),
            first: picture(&page)?,
            then: Some(Task::SetFace(Face::Picture, memory.zone())),
            learned: Learned::HostCalendar(calendar),
        };
        Ok((plan, notes))
    }

    async fn calendar_page(
        &self,
        memory: &ClockMemory,
        text: Option<String>,
    ) -> Result<(Rendered, HostCalendar), EngineError> {
        let today = memory.today()?;
        let page = MonthPage {
            year: today.year().unsigned_abs(),
            month: today.month().unsigned_abs(),
            days: today.days_in_month().unsigned_abs(),
            first_weekday: today
                .first_of_month()
                .weekday()
                .to_monday_one_offset()
                .unsigned_abs(),
            today: today.day().unsigned_abs(),
            palette: Palette::BlackWhiteRed,
        };
        let words = text.clone();
        let draw = move |typesetter: &mut _| page.render(typesetter, words.as_deref());
        let drawn = self.shared.studio.typeset(draw).await?;
        let calendar = HostCalendar {
            day: today.to_string(),
            text,
        };
        Ok((drawn, calendar))
    }

    async fn cells(&self, style: CountdownStyle, text: String) -> Result<CellLine, EngineError> {
        let size = match style {
            CountdownStyle::Clock => CellSize::Sixteen,
            CountdownStyle::Calendar => CellSize::TwentyFour,
        };
        let draw = move |typesetter: &mut _| CellLine::draw(typesetter, &text, size);
        self.shared.studio.typeset(draw).await
    }
}

fn bitmap(style: CountdownStyle, line: &CellLine) -> Result<TextBitmap, EngineError> {
    Ok(TextBitmap::new(style, line.cells(), line.bits().to_vec())?)
}

fn picture(drawn: &Rendered) -> Result<Task, EngineError> {
    let picture: Picture = convert::picture(&drawn.planes)?;
    Ok(Request::Picture(picture).into())
}

fn sheet(page: &TextPage) -> Sheet {
    let style = if page.bold {
        Style::BOLD
    } else {
        Style::REGULAR
    };
    let align = match page.align {
        Alignment::Start => Align::Start,
        Alignment::Centre => Align::Centre,
        Alignment::End => Align::End,
    };
    let automatic = Sheet::default();
    Sheet {
        ink: page.ink,
        paper: page.paper,
        style: style.aligned(align),
        largest: page.size.unwrap_or(automatic.largest),
        ..automatic
    }
}

/// What a slot with these words in it is called.
fn name_of(composition: &Composition) -> String {
    let words = match composition {
        Composition::Text(page) => page.text.split_whitespace().collect::<Vec<_>>().join(" "),
        Composition::Template(TemplatePage {
            template, payload, ..
        }) => {
            let first = ["title", "text", "label", "place", "caption"]
                .into_iter()
                .find_map(|key| payload.get(key)?.as_str());
            match first {
                Some(first) => format!("{template}: {first}"),
                None => template.clone(),
            }
        }
    };
    words.chars().take(NAME_CHARACTERS).collect()
}
