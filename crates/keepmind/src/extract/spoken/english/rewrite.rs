//! What the user said of themselves, said of the user: "my" is "their", and the rest stays as it was written.

use super::super::words::Word;
use super::verbs::third;

/// The words as written, one blank between them, with the pronouns turned.
pub(in crate::extract::spoken) fn turned(words: &[Word<'_>]) -> String {
    let mut text = String::new();
    let mut before: Option<&Word<'_>> = None;
    for (index, word) in words.iter().enumerate() {
        let replaced = replacement(word, before);
        // "don't" and "Anna's" stay whole; "name's" and "they've" are said in full.
        let glued = word.glued && replaced.is_none() && word.is(&["not", "'s"]) && index > 0;
        if !text.is_empty() && !glued {
            text.push_str(match word.mark {
                super::super::words::Mark::Comma => ", ",
                super::super::words::Mark::Nothing => " ",
                _ => " – ",
            });
        }
        match replaced {
            Some(replaced) => text.push_str(&replaced),
            None if glued => text.push_str(word.written),
            None if word.glued => text.push_str(&word.form),
            None => text.push_str(word.written),
        }
        before = Some(word);
    }
    text
}

/// The same, where the first word is a verb or a joint, which no longer begins the sentence.
pub(super) fn lowered(words: &[Word<'_>]) -> String {
    let text = turned(words);
    let Some(first) = words.first().filter(|word| text.starts_with(word.written)) else {
        return text;
    };
    let rest = &text[first.written.len()..];
    format!("{}{rest}", first.written.to_lowercase())
}

fn replacement(word: &Word<'_>, before: Option<&Word<'_>>) -> Option<String> {
    let after = |form: &str| before.is_some_and(|before| before.form == form);
    let replaced = match &*word.form {
        "i" | "we" if word.form == "we" || word.written.len() == 1 => "they",
        "my" | "our" => "their",
        "me" | "us" if word.written != "US" => "them",
        "mine" | "ours" => "theirs",
        "myself" | "ourselves" => "themselves",
        "am" if after("i") => "are",
        "was" if after("i") => "were",
        "you" => "the assistant",
        "your" => "the assistant's",
        "are" if after("you") => "is",
        form if after("you") && before.is_some() && form.chars().all(char::is_alphabetic) => {
            return Some(third(form));
        }
        _ => return None,
    };
    Some(replaced.to_owned())
}
