//! What is done to characters before they are shaped.

/// The text with one kind of line break, spaces for tabs, and without what has no look of its own
/// on paper: control characters, and the marks that ask for an emoji's colour or skin.
pub(super) fn normal(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut characters = text.trim().chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '\r' => {
                characters.next_if_eq(&'\n');
                result.push('\n');
            }
            '\n' | '\u{85}' | '\u{2028}' | '\u{2029}' => result.push('\n'),
            '\t' => result.push(' '),
            // The bundled fonts have no minus sign; a dash of figure width looks the same.
            '\u{2212}' => result.push('\u{2013}'),
            _ if c.is_control() || is_emoji_modifier(c) => {}
            _ => result.push(c),
        }
    }
    result
}

/// Variation selectors, skin tones and tags.
fn is_emoji_modifier(c: char) -> bool {
    matches!(u32::from(c), 0xFE00..=0xFE0F | 0x1F3FB..=0x1F3FF | 0xE0000..=0xE0FFF)
}

/// Whether a character has no ink by nature, so that an empty glyph is right for it
/// (Default_Ignorable_Code_Point of Unicode, and white space).
pub(super) fn is_inkless(c: char) -> bool {
    c.is_whitespace()
        || c.is_control()
        || matches!(
            u32::from(c),
            0x00AD
                | 0x034F
                | 0x061C
                | 0x115F..=0x1160
                | 0x17B4..=0x17B5
                | 0x180B..=0x180F
                | 0x200B..=0x200F
                | 0x202A..=0x202E
                | 0x2060..=0x206F
                | 0x2800
                | 0x3164
                | 0xFE00..=0xFE0F
                | 0xFEFF
                | 0xFFA0
                | 0xFFF0..=0xFFF8
                | 0xE0000..=0xE0FFF
        )
}

/// Whether a character belongs to the scripts whose strokes clog in small outlines.
pub(super) fn is_dense(c: char) -> bool {
    matches!(
        u32::from(c),
        0x2E80..=0x2FDF | 0x3000..=0x30FF | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF
            | 0xFF00..=0xFFEF | 0x20000..=0x3FFFF
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_breaks_of_every_system_become_one_kind() {
        assert_eq!(normal("a\r\nb\rc\u{2028}d\n"), "a\nb\nc\nd");
    }

    #[test]
    fn what_asks_for_colour_or_is_control_leaves() {
        assert_eq!(
            normal("\u{2764}\u{FE0F} \u{1F44D}\u{1F3FD}\u{7}\t!"),
            "\u{2764} \u{1F44D} !"
        );
    }
}
