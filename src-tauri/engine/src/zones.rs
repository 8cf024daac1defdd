//! Time zones a person can choose from.

/// IANA names of places and of UTC, sorted; neither the database's outdated aliases such as
/// `GB-Eire` nor its POSIX forms.
pub fn zones() -> Vec<String> {
    let mut names: Vec<String> = jiff::tz::db()
        .available()
        .map(|name| name.to_string())
        .filter(|name| name == "UTC" || is_place(name))
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Regions of the IANA database that hold places.
const REGIONS: [&str; 10] = [
    "Africa",
    "America",
    "Antarctica",
    "Arctic",
    "Asia",
    "Atlantic",
    "Australia",
    "Europe",
    "Indian",
    "Pacific",
];

fn is_place(name: &str) -> bool {
    name.split_once('/')
        .is_some_and(|(region, _)| REGIONS.contains(&region))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_holds_places_of_every_kind_of_offset_once_each() {
        let zones = zones();
        for wanted in [
            "UTC",
            "Europe/Paris",
            "Asia/Kathmandu",
            "Australia/Eucla",
            "Asia/Shanghai",
        ] {
            assert!(zones.iter().any(|zone| zone == wanted), "{wanted}");
        }
        assert!(zones.is_sorted_by(|a, b| a < b));
        assert!(
            !zones
                .iter()
                .any(|zone| zone.starts_with("Etc/") || zone.contains("EST5EDT"))
        );
    }
}
