//! The texts that phones understand in a QR code.

/// How a wireless network is protected, by its place in the choice of the `qr` template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Security {
    Wpa,
    Wep,
    Open,
}

impl Security {
    /// The words of the choice, in the order of [`Security::of`].
    pub(super) const WORDS: [&'static str; 3] = ["wpa", "wep", "none"];

    pub(super) const fn of(place: usize) -> Self {
        match place {
            0 => Self::Wpa,
            1 => Self::Wep,
            _ => Self::Open,
        }
    }
}

/// `WIFI:T:WPA;S:name;P:password;H:true;;` as the Wi-Fi Alliance writes it down (WPA3
/// Specification 3.x, section 7, "Wi-Fi URI"); special characters get a backslash, as phones
/// expect since ZXing began it.
pub(super) fn network(name: &str, password: &str, security: Security, hidden: bool) -> String {
    let kind = match security {
        Security::Wpa if !password.is_empty() => "T:WPA;",
        Security::Wep => "T:WEP;",
        Security::Wpa | Security::Open => "T:nopass;",
    };
    let mut text = format!("WIFI:{kind}S:{};", escaped(name));
    if security != Security::Open && !password.is_empty() {
        text.push_str(&format!("P:{};", escaped(password)));
    }
    if hidden {
        text.push_str("H:true;");
    }
    text.push(';');
    text
}

fn escaped(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '\\' | ';' | ',' | ':' | '"') {
            result.push('\\');
        }
        result.push(c);
    }
    result
}

/// An address for a browser: one without a scheme is one of the web.
pub(super) fn address(text: &str) -> String {
    let scheme = text.split_once(':').is_some_and(|(scheme, rest)| {
        !scheme.is_empty()
            && scheme
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
            // A port is no scheme.
            && !rest.starts_with(|c: char| c.is_ascii_digit())
    });
    if scheme {
        text.into()
    } else {
        format!("https://{text}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_characters_of_a_network_are_escaped() {
        assert_eq!(
            network("Café; \"A:B\"", "p,a\\ss", Security::Wpa, true),
            r#"WIFI:T:WPA;S:Café\; \"A\:B\";P:p\,a\\ss;H:true;;"#
        );
        assert_eq!(
            network("Guests", "", Security::Open, false),
            "WIFI:T:nopass;S:Guests;;"
        );
    }

    #[test]
    fn an_address_without_a_scheme_is_one_of_the_web() {
        assert_eq!(address("example.org/menu"), "https://example.org/menu");
        assert_eq!(address("localhost:8080"), "https://localhost:8080");
        assert_eq!(address("http://example.org"), "http://example.org");
        assert_eq!(address("mailto:a@example.org"), "mailto:a@example.org");
    }
}
