//! Which known word was meant.

/// Longest word that is compared; whoever writes a longer one meant none of the known.
const MAX_CHARACTERS: usize = 64;

/// The known word that is most like `word`, if one is like it at all.
pub(crate) fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = bare(word);
    if word.is_empty() || word.chars().count() > MAX_CHARACTERS {
        return None;
    }
    known
        .into_iter()
        .map(|candidate| (distance(&word, &bare(candidate)), candidate))
        .min_by_key(|&(distance, _)| distance)
        .filter(|&(distance, candidate)| {
            let longest = word.chars().count().max(candidate.chars().count());
            distance * 2 <= longest
        })
        .map(|(_, candidate)| candidate)
}

/// A word without case and punctuation.
pub(crate) fn bare(word: &str) -> String {
    word.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

/// Changes from one word to the other; one that only continues the other is close to it.
fn distance(one: &str, other: &str) -> usize {
    if one.starts_with(other) || other.starts_with(one) {
        return usize::from(one != other);
    }
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (place, letter) in one.chars().enumerate() {
        let mut diagonal = row.first().copied().unwrap_or_default();
        let mut left = place + 1;
        if let Some(first) = row.first_mut() {
            *first = left;
        }
        for (above, &candidate) in row.iter_mut().skip(1).zip(&other) {
            let changed = diagonal + usize::from(letter != candidate);
            diagonal = *above;
            left = changed.min(diagonal + 1).min(left + 1);
            *above = left;
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_that_was_meant_is_found() {
        let known = ["source", "slot", "algo", "mono", "adjust", "mac"];
        for (word, meant) in [
            ("algorithm", Some("algo")),
            ("sorce", Some("source")),
            ("Slots", Some("slot")),
            ("adjustments", Some("adjust")),
            ("temperature", None),
            ("", None),
        ] {
            assert_eq!(nearest(word, known), meant, "{word}");
        }
    }
}
