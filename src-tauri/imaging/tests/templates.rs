//! The templates, pixel for pixel.
//!
//! `REGIE_UPDATE_GOLDEN=1 cargo test -p regie-imaging --test templates` draws the pictures in
//! `tests/golden` anew. They use the bundled fonts alone. Look at each before it is kept.
#![allow(clippy::expect_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};

use regie_imaging::template::Template;
use regie_imaging::text::Typesetter;
use regie_imaging::{Inks, Palette, Rendered, preview_png, preview_rgba};
use serde_json::{Value, json};

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(format!("{name}.png"))
}

/// Compares with the golden picture of a name, or draws it.
fn compare(name: &str, rendered: &Rendered) {
    let path = golden(name);
    if std::env::var_os("REGIE_UPDATE_GOLDEN").is_some() {
        let png = preview_png(&rendered.planes, &Inks::IDEAL).expect("has pixels");
        fs::write(&path, png).expect("writable");
        return;
    }
    let kept = image::open(&path).expect("a golden picture").to_rgba8();
    let drawn = preview_rgba(&rendered.planes, &Inks::IDEAL);
    let differing = kept
        .as_raw()
        .chunks_exact(4)
        .zip(drawn.chunks_exact(4))
        .filter(|(kept, drawn)| kept != drawn)
        .count();
    assert_eq!(differing, 0, "pixels of {name} that differ");
}

fn draw(template: &str, payload: &Value, palette: Palette) -> Rendered {
    Template::named(template)
        .expect("known")
        .render(&mut Typesetter::bundled_only(), payload, palette)
        .expect("renders")
}

/// DI-4, DI-15: each template with its own example.
#[test]
fn examples_look_as_they_were_approved() {
    for template in Template::ALL {
        let rendered = draw(template.name(), &template.example(), Palette::BlackWhiteRed);
        assert_eq!(rendered.notes, [], "{}", template.name());
        compare(template.name(), &rendered);
    }
}

fn cases() -> Vec<(&'static str, &'static str, Value)> {
    vec![
        ("notice-poster", "notice", json!({"title": "Closed today"})),
        (
            "notice-chinese",
            "notice",
            json!({
                "title": "今日特价",
                "body": "手冲咖啡第二杯半价。\n下午三点以后，所有面包八折，售完为止。",
                "footer": "营业时间 9:00–18:30 · 周一休息",
            }),
        ),
        (
            "notice-traditional-chinese",
            "notice",
            json!({"title": "臺灣烏龍茶", "body": "本店今日營業至晚上八點，歡迎光臨。", "footer": "謝謝惠顧"}),
        ),
        (
            "notice-arabic",
            "notice",
            json!({
                "title": "مغلق اليوم",
                "body": "نعود غدًا في الساعة 9:00 صباحًا. شكرًا لتفهمكم.",
                "footer": "مخبز السلام",
            }),
        ),
        (
            "notice-hebrew",
            "notice",
            json!({"title": "סגור היום", "body": "נשוב מחר בשעה 9:00. תודה על ההבנה (USB ו־HDMI בקופה).", "footer": "חנות הספרים"}),
        ),
        (
            "notice-emoji",
            "notice",
            json!({"title": "Happy birthday 🎉", "body": "Cake 🎂 at four, everyone ❤️ welcome. Don't tell Anna 🤫", "footer": "☀ ★ ♥ ☎ ✓"}),
        ),
        (
            "notice-long",
            "notice",
            json!({
                "title": "Please read this before you lock the workshop in the evening",
                "body": "Switch off the compressor and open the valve. Empty the bins, take the batteries of the cordless tools to the charging shelf and check that the paint room is shut. The last one out turns the heating down to sixteen degrees, closes both windows by the kiln, sets the alarm and calls the porter if anything looks wrong.",
                "footer": "Questions: ask Miriam in the office, extension 204, every morning until eleven.",
            }),
        ),
        (
            "todo-long",
            "todo",
            json!({
                "items": [
                    {"text": "Проверить сигнализацию", "done": true},
                    "Κλείσε τα παράθυρα",
                    {"text": "给植物浇水", "done": true},
                    "Call the heating engineer about the strange noise from the boiler room",
                    "Crème brûlée für Tisch 7",
                    "Đặt bánh mì cho thứ bảy",
                    "Zażółć gęślą jaźń",
                    {"text": "Eight", "done": true},
                ],
                "title": "Everything, everywhere, before eight in the evening",
            }),
        ),
        (
            "todo-arabic",
            "todo",
            json!({"title": "قبل الافتتاح", "items": [{"text": "تشغيل آلة القهوة", "done": true}, "ترتيب الطاولات", "سقي النباتات"]}),
        ),
        (
            "todo-chinese",
            "todo",
            json!({"title": "开店之前", "items": [{"text": "打开咖啡机", "done": true}, "清点收银机", "给植物浇水", "准备周六的面包订单", "把招牌放到门口", "检查冰箱温度", "更换菜单"]}),
        ),
        (
            "weather-warning",
            "weather",
            json!({
                "place": "哈尔滨",
                "now": {"temperature": -18, "sky": "snow", "text": "小雪，西北风"},
                "warning": "大风蓝色预警",
                "days": [
                    {"day": "周二", "sky": "fog", "high": -12, "low": -23},
                    {"day": "周三", "sky": "wind", "high": -9, "low": -20},
                    {"day": "周四", "sky": "clear-night", "high": -10},
                ],
            }),
        ),
        (
            "weather-now-only",
            "weather",
            json!({"place": "Reykjavík", "now": {"temperature": 7.5, "sky": "rain"}}),
        ),
        (
            "quote-short",
            "quote",
            json!({"text": "Less, but better.", "author": "Dieter Rams"}),
        ),
        (
            "quote-chinese",
            "quote",
            json!({"text": "学而时习之，不亦说乎？有朋自远方来，不亦乐乎？", "author": "《论语》"}),
        ),
        ("metric-plain", "metric", json!({"value": 42})),
        (
            "metric-warning",
            "metric",
            json!({"label": "冷藏室温度", "value": 9.4, "unit": "°C", "change": "+3.1 超出范围", "tone": "warning", "sparkline": [4.2, 4.1, 4.4, 4.3, 5.0, 6.8, 7.7, 9.4]}),
        ),
        (
            "metric-price",
            "metric",
            json!({"label": "Espresso macchiato", "value": "€2.80", "change": "▼ 0.40 this week"}),
        ),
        ("qr-plain", "qr", json!({"data": "https://example.org/"})),
        (
            "qr-url",
            "qr",
            json!({"url": "example.org/menu", "caption": "Today's menu"}),
        ),
    ]
}

/// DI-14: Chinese, Traditional Chinese, Arabic, Hebrew and pictographs, long and short.
#[test]
fn other_payloads_look_as_they_were_approved() {
    for (name, template, payload) in cases() {
        compare(name, &draw(template, &payload, Palette::BlackWhiteRed));
    }
}

#[test]
fn a_black_and_white_panel_gets_no_red() {
    for template in Template::ALL {
        let rendered = draw(template.name(), &template.example(), Palette::BlackWhite);
        assert!(rendered.planes.red().iter().all(|&byte| byte == 0));
    }
}
