//! Times of text and templates.
//!
//! `cargo bench -p regie-imaging --bench words` prints one table. *Cold* is the first page of a
//! new typesetter: its fonts are read and its glyphs hinted.
#![allow(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a program for the console"
)]

use std::hint::black_box;
use std::time::{Duration, Instant};

use regie_imaging::Palette;
use regie_imaging::template::Template;
use regie_imaging::text::{CellLine, CellSize, Sheet, Typesetter};
use serde_json::{Value, json};

const ROUNDS: usize = 31;
const COLD_ROUNDS: usize = 9;

fn main() {
    // The very first page of the process: nothing is in any cache.
    let start = Instant::now();
    let first = page(&mut Typesetter::new(), "notice", &notice());
    let very_first = start.elapsed();
    black_box(first);
    println!("median of {ROUNDS} warm, of {COLD_ROUNDS} cold");
    println!("{:<28}{:>10}{:>10}", "", "warm", "cold");
    println!(
        "{:<28}{:>10}{:>10}",
        "first page of the process",
        "",
        shown(very_first)
    );

    let mut pages: Vec<(String, &str, Value)> = Template::ALL
        .iter()
        .map(|template| {
            (
                template.name().to_owned(),
                template.name(),
                template.example(),
            )
        })
        .collect();
    pages.push(("notice, Chinese".into(), "notice", notice()));
    pages.push(("notice, 390 characters".into(), "notice", long()));
    for (name, template, payload) in &pages {
        let cold = median(COLD_ROUNDS, || {
            black_box(page(&mut Typesetter::new(), template, payload));
        });
        let mut typesetter = Typesetter::new();
        black_box(page(&mut typesetter, template, payload));
        let warm = median(ROUNDS, || {
            black_box(page(&mut typesetter, template, payload));
        });
        println!("{name:<28}{:>10}{:>10}", shown(warm), shown(cold));
    }

    let mut typesetter = Typesetter::new();
    let sheet = Sheet::default();
    let mut draw = || {
        black_box(
            sheet
                .render(&mut typesetter, "今日特价 €4.50")
                .expect("renders"),
        );
    };
    draw();
    println!(
        "{:<28}{:>10}",
        "text, whole panel",
        shown(median(ROUNDS, draw))
    );
    let mut typesetter = Typesetter::new();
    let mut draw = || {
        let line = CellLine::draw(&mut typesetter, "距离成为首富还有", CellSize::Sixteen);
        black_box(line.expect("drawn"));
    };
    draw();
    println!(
        "{:<28}{:>10}",
        "8 cells of 16 pixels",
        shown(median(ROUNDS, draw))
    );
}

fn page(typesetter: &mut Typesetter, template: &str, payload: &Value) -> regie_imaging::Rendered {
    Template::named(template)
        .expect("known")
        .render(typesetter, payload, Palette::BlackWhiteRed)
        .expect("renders")
}

fn notice() -> Value {
    json!({
        "title": "今日特价",
        "body": "手冲咖啡第二杯半价。下午三点以后，所有面包八折，售完为止。",
        "footer": "营业时间 9:00–18:30 · 周一休息",
    })
}

fn long() -> Value {
    json!({"title": "Please read this before you lock the workshop", "body": "Close the valve. ".repeat(23)})
}

fn median(rounds: usize, mut work: impl FnMut()) -> Duration {
    let mut times: Vec<Duration> = (0..rounds)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed()
        })
        .collect();
    times.sort_unstable();
    times.get(rounds / 2).copied().unwrap_or_default()
}

fn shown(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1000.0)
}
