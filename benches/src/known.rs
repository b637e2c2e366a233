//! What a question to a model shows of what is known already, read back: a model that plays a part must
//! name memories by the numbers that it was shown.

/// How the part of a question that lists memories begins, and what each of its lines may end with.
const HEADING: &str = "Known memories:";
const TENTATIVE: &str = " (tentative)";

/// The memories that a question shows, each with its number.
pub fn memories(prompt: &str) -> Vec<(u64, &str)> {
    let listed = prompt.lines().skip_while(|line| *line != HEADING).skip(1);
    listed
        .map_while(|line| line.strip_prefix("  #"))
        .filter_map(|line| {
            let (number, text) = line.split_once(' ')?;
            let text = text.strip_suffix(TENTATIVE).unwrap_or(text);
            Some((number.parse().ok()?, text))
        })
        .collect()
}

/// Under which number a question shows a memory.
pub fn number_of(prompt: &str, content: &str) -> Option<u64> {
    let shown = memories(prompt).into_iter();
    let mut last_first = shown.rev();
    let found = last_first.find(|(_, text)| *text == content);
    found.map(|(number, _)| number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_from_what_is_shown() {
        let prompt = "[data x begins]\nKnown memories:\n  #3 User has a hive\n  #12 User keeps bees (tentative)\nTranscript:\n[1] user:\n  #14 User rows\n";
        assert_eq!(
            memories(prompt),
            [(3, "User has a hive"), (12, "User keeps bees")]
        );
        assert_eq!(number_of(prompt, "User keeps bees"), Some(12));
        assert_eq!(number_of(prompt, "User rows"), None);
    }
}
