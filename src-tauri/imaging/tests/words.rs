//! Text on the panel: what is crisp, what fits, what is missing, and the cells of the countdown.
#![allow(clippy::expect_used, reason = "a test fails by panicking")]

use std::path::Path;

use regie_imaging::text::{
    Align, CellLine, CellSize, Fit, Sheet, Style, TypeSize, Typesetter, Weight,
};
use regie_imaging::{ImagingError, Ink, Note, Panel};

const INKS: [Ink; 3] = [Ink::Black, Ink::White, Ink::Red];

/// DI-4, DI-15: a text is made of its ink and its paper and of nothing between them.
#[test]
fn text_of_every_ink_on_every_paper_has_two_inks_only() {
    let mut typesetter = Typesetter::bundled_only();
    for ink in INKS {
        for paper in INKS {
            let sheet = Sheet {
                ink,
                paper,
                ..Sheet::default()
            };
            let rendered = sheet.render(&mut typesetter, "Open 今日 €4");
            if ink == paper {
                let error = rendered.expect_err("invisible");
                assert_eq!(error.code(), "invalid-field");
                continue;
            }
            let map = rendered.expect("renders").planes.unpack();
            assert!(map.inks().contains(&ink) && map.inks().contains(&paper));
            assert!(map.inks().iter().all(|dot| [ink, paper].contains(dot)));
        }
    }
}

/// DI-3: a stem of small type is a whole pixel of ink from top to bottom, in each size.
#[test]
fn thin_strokes_never_vanish() {
    let mut typesetter = Typesetter::bundled_only();
    for size in 12..=40 {
        for letter in ["l", "I", "|", "–", "_", "一", "十"] {
            let words = typesetter.read(letter);
            let block = typesetter.set(&words, Style::REGULAR, TypeSize::of(size), None);
            let rows = block.ink_rows().expect("ink");
            let tall = ["l", "I", "|", "十"].contains(&letter);
            let least = if tall { i32::from(size) * 6 / 10 } else { 1 };
            assert!(rows.1 - rows.0 >= least, "{letter} at {size}: {rows:?}");
        }
    }
}

/// DI-14
#[test]
fn common_chinese_has_outlines_and_rarer_chinese_has_pixels() {
    let mut typesetter = Typesetter::bundled_only();
    for text in [
        "距离成为首富还有",
        "鼋鼍龟鳖",
        "臺灣繁體中文",
        "ひらがなカタカナ",
    ] {
        assert!(typesetter.read(text).omitted().is_empty(), "{text}");
    }
}

/// DI-14: what is missing is told, character by character, before anything is sent.
#[test]
fn characters_that_no_font_has_are_named_once_each() {
    let mut typesetter = Typesetter::bundled_only();
    let words = typesetter.read("Flag 🇩🇪 and क and \u{E000}, again \u{E000}");
    assert_eq!(words.omitted(), ['🇩', '🇪', 'क', '\u{E000}']);
    assert_eq!(words.text(), "Flag  and  and , again ");

    let rendered = Sheet::default()
        .render(&mut typesetter, "ok \u{E000}")
        .expect("renders");
    assert_eq!(
        rendered.notes,
        [Note::CharactersOmitted {
            characters: "\u{E000}".into()
        }]
    );
    let error = Sheet::default()
        .render(&mut typesetter, "\u{E000}\u{E001}")
        .expect_err("nothing left");
    assert_eq!(
        error,
        ImagingError::CharactersMissing {
            characters: "\u{E000} \u{E001}".into()
        }
    );
}

/// DI-14: other scripts come from the fonts of the system, where it has them; where it has not,
/// that is told.
#[test]
fn other_scripts_come_from_the_system_or_are_named_as_missing() {
    let text = "한국어 日本語 ไทย हिन्दी";
    let alone = Typesetter::bundled_only().read(text);
    assert!(alone.omitted().contains(&'한'));
    let mut typesetter = Typesetter::new();
    let words = typesetter.read(text);
    let drawn: String = words.text().split_whitespace().collect();
    let whole = text.chars().filter(|c| !c.is_whitespace()).count();
    assert!(words.omitted().len() <= alone.omitted().len());
    assert!(drawn.chars().count() + words.omitted().len() <= whole);
    let block = typesetter.set(&words, Style::REGULAR, TypeSize::of(32), None);
    assert_eq!(block.ink_rows().is_some(), !drawn.is_empty());
    if Path::new("/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc").exists() {
        assert!(drawn.contains("한국어"), "left out: {:?}", words.omitted());
    }
}

/// Emoji have a black and white picture; what only asks for colour or skin is dropped in silence.
#[test]
fn emoji_are_drawn_as_pictographs() {
    let mut typesetter = Typesetter::bundled_only();
    let words = typesetter.read("🎉 👍🏽 ❤️");
    assert!(words.omitted().is_empty());
    assert_eq!(words.text(), "🎉 👍 ❤");
    let block = typesetter.set(&words, Style::REGULAR, TypeSize::of(32), None);
    assert!(block.ink_rows().is_some());
}

#[test]
fn a_text_is_made_smaller_then_broken_then_refused() {
    let mut typesetter = Typesetter::bundled_only();
    let mut fit = |text: &str, width: i32| {
        let words = typesetter.read(text);
        typesetter.fit(&words, Style::BOLD, (width, 100), Fit::new(40, 16, 3))
    };
    let whole = fit("Opening hours", 400).expect("fits");
    assert_eq!((whole.lines().len(), whole.size().pixels()), (1, 40));
    let smaller = fit("Opening hours", 240).expect("fits");
    assert_eq!(smaller.lines().len(), 1);
    assert!(smaller.size().pixels() < 40);
    let broken = fit("Opening hours", 150).expect("fits");
    assert_eq!(broken.lines().len(), 2);
    assert!(fit(&"Opening hours ".repeat(30), 150).is_none());
}

#[test]
fn what_was_fitted_keeps_within_its_box() {
    let mut typesetter = Typesetter::bundled_only();
    let texts = [
        "The quick brown fox jumps over the lazy dog, again and again.",
        "Donaudampfschifffahrtsgesellschaftskapitän",
        "今日特价：拿铁咖啡第二杯半价，售完为止。",
        "مغلق اليوم، نعود غدًا في الساعة التاسعة",
    ];
    for text in texts {
        let words = typesetter.read(text);
        for width in [60, 90, 130, 200, 352] {
            for align in [Align::Start, Align::Centre, Align::End] {
                let style = Style::REGULAR.aligned(align);
                let fit = Fit::new(48, 12, 12);
                let Some(block) = typesetter.fit(&words, style, (width, 220), fit) else {
                    continue;
                };
                assert!(block.width() <= width && block.height() <= 220);
                for line in block.lines() {
                    assert!(
                        line.left >= 0 && line.left + line.width <= width,
                        "{text}, {width}, {align:?}: {line:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn arabic_and_hebrew_start_on_the_right() {
    let mut typesetter = Typesetter::bundled_only();
    for (text, rtl) in [
        ("مغلق", true),
        ("סגור", true),
        ("Closed", false),
        ("12 סגור", true),
    ] {
        let words = typesetter.read(text);
        assert_eq!(words.is_rtl(), rtl, "{text}");
        let block = typesetter.set(&words, Style::REGULAR, TypeSize::of(20), Some(300));
        let line = block.lines().first().expect("a line");
        assert_eq!(line.left > 0, rtl, "{text}");
        assert_eq!(line.left + line.width == 300, rtl, "{text}");
    }
}

#[test]
fn a_sheet_fills_the_small_panel_too() {
    let sheet = Sheet {
        panel: Panel::SMALL,
        style: Style {
            weight: Weight::Regular,
            ..Style::default()
        },
        ..Sheet::default()
    };
    let rendered = sheet
        .render(&mut Typesetter::bundled_only(), "周年庆 还有 3 天")
        .expect("renders");
    assert_eq!(rendered.planes.panel(), Panel::SMALL);
    assert_eq!(rendered.planes.black_white().len(), 3500);
}

#[test]
fn empty_and_endless_texts_say_why_they_are_not_drawn() {
    let mut typesetter = Typesetter::bundled_only();
    let mut refusal = |text: &str| {
        Sheet::default()
            .render(&mut typesetter, text)
            .expect_err("refused")
            .code()
    };
    assert_eq!(refusal(" \u{200B}\n"), "missing-field");
    assert_eq!(refusal(&"endless ".repeat(2000)), "text-too-long");
}

/// The picture of a line of cells, one character a pixel.
fn drawn(line: &CellLine) -> Vec<String> {
    let row_bytes = line.cells() * line.size().pixels() / 8;
    line.bits()
        .chunks_exact(row_bytes)
        .map(|row| {
            row.iter()
                .flat_map(|byte| (0..8).map(move |bit| byte & (0x80 >> bit) == 0))
                .map(|ink| if ink { '#' } else { '.' })
                .collect()
        })
        .collect()
}

/// Row-major over the whole line, most significant bit leftmost, 1 = paper.
#[test]
fn cells_of_16_pixels_are_drawn_bit_for_bit() {
    let line =
        CellLine::draw(&mut Typesetter::bundled_only(), "天1", CellSize::Sixteen).expect("drawn");
    assert_eq!((line.cells(), line.bits().len()), (2, 64));
    assert_eq!(drawn(&line), GOLDEN_16);
}

const GOLDEN_16: [&str; 16] = [
    "................................",
    "..###########...................",
    ".......#...............##.......",
    ".......#..............###.......",
    ".......#.............#.##.......",
    ".......#...............##.......",
    "###############........##.......",
    ".......#...............##.......",
    "......#.#..............##.......",
    "......#.#..............##.......",
    ".....#...#.............##.......",
    ".....#...#.............##.......",
    "....#.....#............##.......",
    "...#.......#...........##.......",
    "..#.........#...................",
    "##...........##.................",
];

#[test]
fn cells_have_as_many_bytes_as_the_clock_takes() {
    let mut typesetter = Typesetter::bundled_only();
    for (size, text) in [
        (CellSize::Sixteen, "距离成为首富还有"),
        (CellSize::TwentyFour, "还有几天"),
        (CellSize::Sixteen, "é"),
    ] {
        let line = CellLine::draw(&mut typesetter, text, size).expect("drawn");
        let side = size.pixels();
        assert_eq!(line.bits().len(), side / 8 * line.cells() * side);
        // Every cell has ink, and none has only ink.
        for cell in 0..line.cells() {
            let ink: usize = drawn(&line)
                .iter()
                .map(|row| {
                    row.chars()
                        .skip(cell * side)
                        .take(side)
                        .filter(|&dot| dot == '#')
                        .count()
                })
                .sum();
            assert!((8..side * side / 2).contains(&ink), "{text}: {ink}");
        }
    }
}

#[test]
fn too_many_cells_and_missing_characters_are_refused() {
    let mut typesetter = Typesetter::bundled_only();
    let mut refusal =
        |text: &str, size| CellLine::draw(&mut typesetter, text, size).expect_err("refused");
    assert_eq!(
        refusal("123456789", CellSize::Sixteen),
        ImagingError::CellCount { cells: 9, limit: 8 }
    );
    // Nothing to be seen is no text, however many characters it has.
    for blank in ["", "  ", "\u{200b}"] {
        let refused = refusal(blank, CellSize::TwentyFour);
        assert_eq!(refused.code(), "missing-field", "{blank:?}");
    }
    assert_eq!(
        refusal("a\u{E000}", CellSize::Sixteen).code(),
        "characters-missing"
    );
}

#[test]
fn combining_marks_share_the_cell_of_their_letter() {
    let line = CellLine::draw(
        &mut Typesetter::bundled_only(),
        "e\u{301}",
        CellSize::TwentyFour,
    )
    .expect("drawn");
    assert_eq!(line.cells(), 1);
}
