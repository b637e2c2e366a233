//! From the user's words to a line about the user: "buy funds" becomes "buys funds".

/// With a capital first letter.
pub fn capital(text: &str) -> String {
    let text = text.trim();
    let mut characters = text.chars();
    match characters.next() {
        Some(first) => first.to_uppercase().chain(characters).collect(),
        None => String::new(),
    }
}

/// Without what ends a sentence, and without quotation marks around it.
pub fn without_end(text: &str) -> &str {
    text.trim_matches(|character: char| {
        character.is_whitespace()
            || matches!(
                character,
                '.' | '!' | '?' | ';' | ',' | ':' | '"' | '“' | '”'
            )
    })
}

/// "only buy funds" as it is said of somebody, if its verb is one of these.
pub fn third_person(text: &str, adverbs: &[&str], verbs: &[&str]) -> Option<String> {
    let mut said = Vec::new();
    let mut words = text.split_whitespace();
    for word in words.by_ref() {
        let lower = word.to_lowercase();
        if adverbs.contains(&lower.as_str()) {
            said.push(lower);
        } else if verbs.contains(&lower.as_str()) {
            said.push(conjugated(&lower));
            said.extend(words.map(str::to_owned));
            return Some(said.join(" "));
        } else {
            return None;
        }
    }
    None
}

fn conjugated(verb: &str) -> String {
    match verb {
        "have" => "has".to_owned(),
        verb => format!("{verb}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_turned() {
        let turned = |text| third_person(text, &["only", "never"], &["buy", "have", "live"]);
        assert_eq!(turned("only buy funds"), Some("only buys funds".into()));
        assert_eq!(turned("never have time"), Some("never has time".into()));
        assert_eq!(turned("live in Ghent"), Some("lives in Ghent".into()));
        for other in ["", "only", "saw a film", "bought funds"] {
            assert_eq!(turned(other), None, "{other}");
        }
        assert_eq!(capital(" émile "), "Émile");
        assert_eq!(capital("ßx"), "SSx");
        assert_eq!(without_end(" “ok!” "), "ok");
    }
}
