//! Taking out of a text what is nobody's business: whole Bluetooth addresses, and the user's name
//! in the path of the home folder.

/// Bytes of an address.
const BYTES: usize = 6;
/// Characters of an address: two digits a byte, and separators between.
const LENGTH: usize = BYTES * 3 - 1;
/// Characters at its end that stay, so that two clocks can be told apart: the last two bytes.
const KEPT: usize = 5;

/// The text with each Bluetooth address shortened to its last two bytes, and with `home` as `~`.
pub(super) fn without_private_parts(text: &str, home: Option<&str>) -> String {
    let text = match home.filter(|home| home.len() > 1) {
        Some(home) => text.replace(home, "~"),
        None => text.to_owned(),
    };
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(&next) = chars.get(at) {
        let before = at.checked_sub(1).and_then(|index| chars.get(index));
        match chars.get(at..at + LENGTH) {
            Some(address) if starts_freely(before) && is_address(address) => {
                out.extend(address.iter().enumerate().map(|(index, &c)| {
                    let hidden = index < LENGTH - KEPT && c.is_ascii_hexdigit();
                    if hidden { 'x' } else { c }
                }));
                at += LENGTH;
            }
            _ => {
                out.push(next);
                at += 1;
            }
        }
    }
    out
}

/// An address does not begin within a number.
fn starts_freely(before: Option<&char>) -> bool {
    before.is_none_or(|c| !c.is_ascii_hexdigit())
}

/// Whether this is an address as Windows and Linux write it, or as BlueZ does in its paths
/// (`dev_4A_5B_...`).
fn is_address(chars: &[char]) -> bool {
    let Some(&separator) = chars.get(2) else {
        return false;
    };
    matches!(separator, ':' | '-' | '_')
        && chars.iter().enumerate().all(|(index, c)| match index % 3 {
            2 => *c == separator,
            _ => c.is_ascii_hexdigit(),
        })
}

#[cfg(test)]
mod tests {
    use super::without_private_parts;

    #[test]
    fn addresses_are_shortened_however_they_are_written() {
        for (text, expected) in [
            ("4A:5B:6C:7D:8E:9F", "xx:xx:xx:xx:8E:9F"),
            ("at 4a-5b-6c-7d-8e-9f.", "at xx-xx-xx-xx-8e-9f."),
            (
                "/org/bluez/hci0/dev_4A_5B_6C_7D_8E_9F/service0010",
                "/org/bluez/hci0/dev_xx_xx_xx_xx_8E_9F/service0010",
            ),
            (
                "4A:5B:6C:7D:8E:9F and 00:11:22:33:44:55",
                "xx:xx:xx:xx:8E:9F and xx:xx:xx:xx:44:55",
            ),
            ("é4A:5B:6C:7D:8E:9Fé", "éxx:xx:xx:xx:8E:9Fé"),
        ] {
            assert_eq!(without_private_parts(text, None), expected);
        }
    }

    #[test]
    fn what_is_no_address_stays() {
        for text in [
            "SIM:00:00:00:00:01",
            "2026-11-30T17:20:00Z",
            "13187b10-eba9-a3ba-044e-83d3217d9a38",
            "HRESULT 0x800710DF",
            "4A:5B:6C:7D:8E",
            "4A:5B:6C-7D:8E:9F",
            "",
        ] {
            assert_eq!(without_private_parts(text, None), text);
        }
    }

    #[test]
    fn the_home_folder_is_not_named() {
        let text = "/home/jane/.config/regie/settings.toml";
        let expected = "~/.config/regie/settings.toml";
        assert_eq!(without_private_parts(text, Some("/home/jane")), expected);
        // A home of `/`, as in containers, is no name.
        assert_eq!(without_private_parts(text, Some("/")), text);
    }
}
