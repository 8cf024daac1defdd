//! What a device that was found is called.

use crate::names::{DeviceId, InstanceName};

/// Most characters of an identifier that is suggested, without the number that makes it unique.
const MAX_SUGGESTED: usize = 40;

/// The identifier of a device whose name has no letter or digit in it.
const NAMELESS: &str = "device";

/// What a device calls itself: its instance name without the service's type, as people write it.
pub(super) fn label(instance: &InstanceName) -> String {
    let full = instance.as_str();
    let end = full
        .to_ascii_lowercase()
        .rfind("._zacus._tcp.")
        .unwrap_or(full.len());
    full[..end].replace("\\.", ".").replace("\\\\", "\\")
}

/// An identifier that resembles a name and is none of those taken.
pub(super) fn free_id(name: &str, taken: impl Fn(&DeviceId) -> bool) -> Option<DeviceId> {
    let slug = slug(name);
    let numbered = |number: usize| match number {
        1 => slug.clone(),
        _ => format!("{slug}-{number}"),
    };
    (1..=super::MAX_DEVICES + super::MAX_FOUND + 1)
        .filter_map(|number| numbered(number).parse().ok())
        .find(|id| !taken(id))
}

/// A name in lower-case ASCII letters, digits and single hyphens.
pub(super) fn slug(name: &str) -> String {
    let mut slug = String::new();
    for character in name.chars() {
        if slug.len() >= MAX_SUGGESTED {
            break;
        }
        if character.is_ascii_alphanumeric() {
            slug.push(character.to_ascii_lowercase());
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    let slug = slug.trim_end_matches('-');
    if slug.is_empty() { NAMELESS } else { slug }.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_is_called_by_its_instance_name_alone() {
        for (instance, name) in [
            (
                "Zacus Master Voice Hook._zacus._tcp.local.",
                "Zacus Master Voice Hook",
            ),
            ("a.b (2)._zacus._tcp.local.", "a.b (2)"),
            ("Été._ZACUS._tcp.local.", "Été"),
            ("no type at all", "no type at all"),
        ] {
            assert_eq!(label(&instance.parse().unwrap()), name);
        }
    }

    #[test]
    fn identifiers_are_plain_and_free() {
        let id = |name: &str, taken: &[&str]| {
            free_id(name, |id| taken.contains(&id.as_str()))
                .unwrap()
                .to_string()
        };
        assert_eq!(
            id("Zacus Master Voice Hook", &[]),
            "zacus-master-voice-hook"
        );
        assert_eq!(id("Zacus (2)", &[]), "zacus-2");
        assert_eq!(id("雪", &[]), "device");
        assert_eq!(id("zacus", &["zacus", "zacus-2"]), "zacus-3");
        assert!(id(&"x".repeat(300), &[]).len() <= MAX_SUGGESTED);
    }
}
