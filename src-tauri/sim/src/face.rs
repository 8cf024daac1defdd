//! A plain drawing of the clock and calendar faces. The real ones look different; what they say
//! is the same.

use jiff::civil::DateTime;

use crate::screen::{BLACK, RED, Screen, WHITE};
use crate::segments::{Size, draw, draw_centred};

const BIG: Size = Size {
    width: 60,
    height: 110,
    stroke: 12,
};
const MIDDLE: Size = Size {
    width: 18,
    height: 32,
    stroke: 4,
};
const SMALL: Size = Size {
    width: 8,
    height: 14,
    stroke: 2,
};

/// A countdown as it is shown.
pub(crate) struct CountdownLine {
    /// The line of text.
    pub(crate) text: Option<Screen>,
    /// Days until the date.
    pub(crate) days: i64,
}

/// Hours and minutes, the date below, a countdown at the bottom.
pub(crate) fn clock(
    width: usize,
    height: usize,
    now: DateTime,
    red_accent: bool,
    countdown: Option<&CountdownLine>,
) -> Screen {
    let mut screen = Screen::white(width, height);
    let ink = if red_accent { RED } else { BLACK };
    draw_centred(
        &mut screen,
        &format!("{:02}:{:02}", now.hour(), now.minute()),
        40,
        BIG,
        ink,
    );
    let date = format!("{:04}-{:02}-{:02}", now.year(), now.month(), now.day());
    draw_centred(&mut screen, &date, 180, MIDDLE, BLACK);
    if let Some(countdown) = countdown {
        let mut left = 40;
        if let Some(text) = &countdown.text {
            screen.paste(text, left, 246);
            left += text.width + 16;
        }
        draw(
            &mut screen,
            &countdown.days.to_string(),
            left,
            240,
            MIDDLE,
            RED,
        );
    }
    screen
}

/// The small picture (or the date) above the days of the month, today in red.
pub(crate) fn calendar(
    width: usize,
    height: usize,
    now: DateTime,
    small: Option<&Screen>,
    countdown: Option<&CountdownLine>,
) -> Screen {
    let mut screen = Screen::white(width, height);
    match small {
        Some(picture) => screen.paste(picture, width.saturating_sub(picture.width) / 2, 4),
        None => {
            let date = format!("{:04}-{:02}-{:02}", now.year(), now.month(), now.day());
            draw_centred(&mut screen, &date, 30, MIDDLE, BLACK);
        }
    }
    if let Some(countdown) = countdown {
        let mut left = 4;
        if let Some(text) = &countdown.text {
            screen.paste(text, left, 80);
            left += text.width + 8;
        }
        draw(
            &mut screen,
            &countdown.days.to_string(),
            left,
            82,
            SMALL,
            RED,
        );
    }
    let first = now.date().first_of_month();
    let lead = usize::try_from(first.weekday().to_monday_zero_offset()).unwrap_or(0);
    for day in 1..=usize::try_from(now.date().days_in_month()).unwrap_or(0) {
        let cell = lead + day - 1;
        let (left, top) = (14 + cell % 7 * 55, 116 + cell / 7 * 30);
        let today = i8::try_from(day).is_ok_and(|day| day == now.day());
        if today {
            screen.fill(left - 6, top - 6, 40, 26, RED);
        }
        let ink = if today { WHITE } else { BLACK };
        draw(&mut screen, &day.to_string(), left, top, SMALL, ink);
    }
    screen
}
