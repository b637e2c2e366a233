//! Takes the marks of Markdown and HTML out of a message, so that its words can be shown in a line.

/// The words of a message without its mark-up: code blocks, links' targets, bare links and tags are gone.
pub(super) fn without_markup(content: &str) -> String {
    let mut plain = String::with_capacity(content.len());
    let mut in_code = false;
    for line in content.lines() {
        let line = line.trim_start();
        if line.starts_with("```") || line.starts_with("~~~") {
            in_code = !in_code;
            continue;
        }
        if in_code {
            continue;
        }
        let line = line
            .trim_start_matches(|mark| "#>".contains(mark))
            .trim_start();
        let line = ["- ", "* ", "+ "]
            .iter()
            .find_map(|mark| line.strip_prefix(mark))
            .unwrap_or(line);
        push_without_links(line, &mut plain);
        plain.push('\n');
    }
    plain
}

fn push_without_links(line: &str, plain: &mut String) {
    let mut rest = line;
    while let Some(next) = rest.chars().next() {
        let length = next.len_utf8();
        let after = &rest[length..];
        let skipped = match next {
            '`' => length,
            // Emphasis stands in pairs or at the border of a word; "a * b" and "snake_case" are none.
            '*' | '_' if emphasises(plain, after) => length,
            '!' if after.starts_with('[') => length,
            ']' if after.starts_with('(') => after.find(')').map_or(length, |end| length + end + 1),
            '[' if after.contains("](") => length,
            '<' => tag_length(rest).unwrap_or(0),
            _ if !plain.ends_with(char::is_alphanumeric) => link_length(rest),
            _ => 0,
        };
        if skipped == 0 {
            plain.push(next);
            rest = after;
        } else {
            rest = &rest[skipped..];
        }
    }
}

fn emphasises(before: &str, after: &str) -> bool {
    let is_word = |character: char| character.is_alphanumeric();
    let inside = before.ends_with(is_word) && after.starts_with(is_word);
    let alone = before.ends_with(char::is_whitespace) && after.starts_with(char::is_whitespace);
    !inside && !alone
}

fn tag_length(rest: &str) -> Option<usize> {
    let is_tag = rest[1..].starts_with(|next: char| next.is_ascii_alphabetic() || next == '/');
    let end = rest.find('>')?;
    is_tag.then_some(end + 1)
}

fn link_length(rest: &str) -> usize {
    const SCHEMES: &[&str] = &[
        "https://", "http://", "www.", "ftp://", "file://", "mailto:",
    ];
    let starts = |scheme: &&str| {
        rest.get(..scheme.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    };
    if !SCHEMES.iter().any(starts) {
        return 0;
    }
    rest.find(|next: char| next.is_whitespace() || "<>\"')]，。".contains(next))
        .unwrap_or(rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stay_and_marks_go() {
        let table = [
            ("plain words", "plain words\n"),
            ("## A *b* __c__ `d`", "A b c d\n"),
            ("a * b, snake_case, 2*3", "a * b, snake_case, 2*3\n"),
            ("- one\n> two", "one\ntwo\n"),
            ("~~~\ncode\n~~~\nafter", "after\n"),
            ("[text](http://x.example/y) ![alt](z.png)", "text alt\n"),
            (
                "see HTTPS://X.example/ now, (www.x.example)",
                "see  now, ()\n",
            ),
            ("a <b>c</b> < d", "a c < d\n"),
            ("awww.nice [x]", "awww.nice [x]\n"),
            ("", ""),
        ];
        for (content, expected) in table {
            assert_eq!(without_markup(content), expected, "{content}");
        }
    }
}
