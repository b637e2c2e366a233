//! The user's memories as the model's files: one for each category that has any, one memory a line, as the library
//! writes them in Markdown for a model. Heads and ends are kept back and put in place again before an edited file is
//! read.

use std::collections::{BTreeMap, BTreeSet};

use keepmind::export::{MarkdownFile, Reader};
use keepmind::{Number, Result, UserMemory};

/// One category's memories.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct File {
    pub name: String,
    /// Nothing for what the library makes of other rows: it is read, not edited.
    pub category: Option<String>,
    /// What the model sees.
    pub lines: Vec<String>,
    head: String,
    end: String,
}

/// A detail that an edit has made another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Detail {
    /// On which line its memory stands, from 1.
    pub line: usize,
    /// Nothing where it was taken out.
    pub text: Option<String>,
}

/// Reads what there is.
pub(crate) async fn load(memory: &UserMemory) -> Result<Vec<File>> {
    let files = memory.markdown_files(Reader::Model).await?;
    Ok(files.iter().filter_map(File::read).collect())
}

impl File {
    fn read(file: &MarkdownFile) -> Option<Self> {
        // The head is the library's own: no memory stands before the first heading.
        let start = file.text.find("\n## ")? + 1;
        let (heading, rest) = file.text[start..].split_once('\n')?;
        let tag = heading.rsplit_once("<!-- ")?.1.strip_suffix(" -->")?;
        let category = match tag.strip_prefix("compiled ") {
            Some(_) => None,
            None if tag.starts_with('"') => serde_json::from_str(tag).ok(),
            None => Some(tag.to_owned()),
        };
        let mut read = File {
            name: file.name.clone(),
            category,
            lines: Vec::new(),
            head: format!("{}{heading}\n\n", &file.text[..start]),
            end: format!("<!-- end {tag} -->"),
        };
        let lines = rest.lines();
        let lines = lines.filter(|line| !line.is_empty() && **line != read.end);
        read.lines = lines.map(str::to_owned).collect();
        Some(read)
    }

    /// All of it, as the model edits it.
    pub fn text(&self) -> String {
        self.lines.join("\n")
    }

    /// As the library reads it, with those lines instead.
    pub fn edited(&self, lines: &[String]) -> MarkdownFile {
        let body: String = lines
            .iter()
            .flat_map(|line| [line.as_str(), "\n"])
            .collect();
        MarkdownFile::new(
            self.name.as_str(),
            format!("{}{body}{}\n", self.head, self.end),
        )
    }

    /// How many lines of the head stand before the first of the model's.
    pub fn lines_before(&self) -> usize {
        self.head.lines().count()
    }

    /// The line of a fact, from 1.
    pub fn line_of(&self, number: Number) -> Option<usize> {
        let mut lines = self.lines.iter();
        let place = lines.position(|line| mark(line).is_some_and(|mark| mark.is_of(number)));
        place.map(|place| place + 1)
    }

    /// What stands below those lines' memories, where that is something else than before.
    pub fn changed_details(&self, lines: &[String]) -> BTreeMap<Number, Detail> {
        let (now, before) = (quoted(lines), quoted(&self.lines));
        // Where a memory's line was taken out and its detail stayed, that is not the detail of the one above.
        let stays = |line: &&String| mark(line).is_none_or(|mark| now.contains_key(mark.0));
        let stayed: Vec<String> = self.lines.iter().filter(stays).cloned().collect();
        let stayed = quoted(&stayed);
        let mut changed = BTreeMap::new();
        for (name, (line, words)) in &now {
            let is_same =
                |known: &Quoted<'_>| known.get(name).is_some_and(|(_, known)| known == words);
            let Some(number) = Mark(name).number() else {
                continue;
            };
            if !is_same(&before) && !is_same(&stayed) {
                let text: Vec<String> = words.iter().map(|words| unescaped(words)).collect();
                let text = Some(text.join("\n")).filter(|text| !text.trim().is_empty());
                changed.insert(number, Detail { line: *line, text });
            }
        }
        changed
    }

    /// Those lines without what at their top was left of a memory that was taken out.
    pub fn without_remains<'t>(&self, text: &'t str) -> Vec<&'t str> {
        let is_own = |line: &str| self.lines.iter().any(|own| own.trim() == line.trim());
        let is_left = |line: &&str| line.trim().is_empty() || is_detail(line) && is_own(line);
        text.lines().skip_while(is_left).collect()
    }

    /// The first line with a mark in brackets that this file has not: those are the library's to write.
    pub fn foreign_mark(&self, lines: &[String]) -> Option<usize> {
        let own: BTreeSet<&str> = self
            .lines
            .iter()
            .filter_map(|line| mark(line))
            .map(|one| one.0)
            .collect();
        let is_foreign = |line: &String| mark(line).is_some_and(|mark| !own.contains(mark.0));
        lines.iter().position(is_foreign).map(|place| place + 1)
    }
}

/// What stands in brackets before a memory's words: `#12 v3`, `#12 v3 rule`.
#[derive(Debug, Clone, Copy)]
struct Mark<'t>(&'t str);

impl Mark<'_> {
    fn number(self) -> Option<Number> {
        let digits = self.0.split(' ').next()?.strip_prefix('#')?;
        digits.parse().ok().and_then(Number::new)
    }

    fn is_of(self, number: Number) -> bool {
        self.0.split(' ').next() == Some(number.to_string().as_str())
    }
}

fn mark(line: &str) -> Option<Mark<'_>> {
    let rest = line.strip_prefix("- [")?;
    let (mark, _) = rest.split_once(']')?;
    mark.starts_with('#').then_some(Mark(mark))
}

/// The place of each line that has a mark, and what is quoted below it.
type Quoted<'t> = BTreeMap<&'t str, (usize, Vec<&'t str>)>;

fn quoted(lines: &[String]) -> Quoted<'_> {
    let mut quoted = Quoted::new();
    let mut above = None;
    for (place, line) in (1..).zip(lines) {
        match line.trim_start().strip_prefix('>') {
            Some(words) => {
                let words = words.strip_prefix(' ').unwrap_or(words).trim_end();
                if let Some((_, below)) = above.and_then(|mark| quoted.get_mut(mark)) {
                    below.push(words);
                }
            }
            None => {
                above = mark(line).map(|mark| mark.0);
                if let Some(mark) = above {
                    quoted.entry(mark).or_insert((place, Vec::new()));
                }
            }
        }
    }
    quoted
}

/// Whether a line belongs to the memory above it.
pub(crate) fn is_detail(line: &str) -> bool {
    line.trim_start().starts_with('>')
}

/// The lines with nothing in the places of details of known memories: the library reads their words alone.
pub(crate) fn without_details(lines: &[String]) -> Vec<String> {
    let mut is_below = false;
    let kept = lines.iter().map(|line| match is_detail(line) {
        true if is_below => String::new(),
        true => line.clone(),
        false => {
            is_below = mark(line).is_some();
            line.clone()
        }
    });
    kept.collect()
}

/// Words as they were before the library wrote them into Markdown.
fn unescaped(words: &str) -> String {
    let mut plain = String::with_capacity(words.len());
    let mut rest = words.chars().peekable();
    while let Some(letter) = rest.next() {
        let escaped = rest.next_if(|next| letter == '\\' && matches!(next, '\\' | '[' | '<' | '('));
        plain.push(escaped.unwrap_or(letter));
    }
    plain
}

/// A text that a model wrote, as lines of a file: every line is a memory, whether it is written as a list or not.
/// Headings are left out.
pub(crate) fn items(text: &str) -> Vec<String> {
    let mut items: Vec<String> = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let is_heading = line.trim_start_matches('#').starts_with(' ') && line.starts_with('#');
        if is_heading || line.bytes().all(|byte| byte == b'#') {
            continue;
        }
        if line.starts_with('>') && !items.is_empty() {
            items.push(format!("  {line}"));
            continue;
        }
        let bullet = line.strip_prefix(['-', '*', '+', '>']);
        let bullet = bullet.filter(|rest| rest.is_empty() || rest.starts_with([' ', '\t']));
        let numbered = line.trim_start_matches(|letter: char| letter.is_ascii_digit());
        let numbered = numbered
            .strip_prefix(". ")
            .filter(|_| !line.starts_with('.'));
        let words = bullet.or(numbered).unwrap_or(line).trim();
        if !words.is_empty() {
            items.push(format!("- {words}"));
        }
    }
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_a_model_writes_becomes_memories_line_by_line() {
        let text = "# Profile\n\n- Likes tea\n* Has a dog\n1. Plays chess\nWorks at night\n  - Sails\n> said so\n\
                    ##\n#1 at chess\n-\n<!-- end profile -->\n3.5 hours of sleep\n";
        assert_eq!(
            items(text),
            [
                "- Likes tea",
                "- Has a dog",
                "- Plays chess",
                "- Works at night",
                "- Sails",
                "  > said so",
                "- #1 at chess",
                "- <!-- end profile -->",
                "- 3.5 hours of sleep",
            ]
        );
        assert!(items("\n## Only a heading\n").is_empty());
    }

    #[test]
    fn a_detail_belongs_to_the_memory_above_it() {
        let text = "---\nkeepmind: 1\n---\n\n# Memory\n\n## Facts <!-- fact -->\n\n- [#1 v1] Tea <!-- x -->\n  > strong\n\
                    - [#2 v3] Chess <!-- y -->\n  > \\<b>\n  >\n  > at night\n\n<!-- end fact -->\n";
        let file = File::read(&MarkdownFile::new("fact.md", text)).unwrap();
        let changed = |old: &str, new: &str| {
            let text = file.text().replacen(old, new, 1);
            let lines = items(&file.without_remains(&text).join("\n"));
            let changed = file.changed_details(&lines).into_iter();
            let changed = changed.map(|(number, detail)| (number.get(), detail.line, detail.text));
            changed.collect::<Vec<_>>()
        };
        assert_eq!(changed("Tea", "Coffee"), []);
        assert_eq!(changed("strong", "weak"), [(1, 1, Some("weak".to_owned()))]);
        assert_eq!(
            changed("at night", "by day"),
            [(2, 3, Some("<b>\n\nby day".to_owned()))]
        );
        assert_eq!(changed("  > strong\n", ""), [(1, 1, None)]);
        // The line alone was taken out.
        assert_eq!(changed("- [#2 v3] Chess <!-- y -->\n", ""), []);
        assert_eq!(changed("- [#1 v1] Tea <!-- x -->\n", ""), []);
    }

    #[test]
    fn what_is_kept_back_is_put_in_place_again() {
        let text = "---\nkeepmind: 1\n---\n\n# Memory\n\n## Facts <!-- fact -->\n\n- [#1 v1] Tea <!-- x -->\n  > strong\n\
                    - [#2 v3 rule] Gout <!-- y -->\n  > left\n\n<!-- end fact -->\n";
        let file = MarkdownFile::new("fact.md", text);
        let read = File::read(&file).unwrap();
        let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
        assert_eq!(read.text(), lines[5..9].join("\n"));
        assert_eq!(read.category.as_deref(), Some("fact"));
        let again = File::read(&read.edited(&read.lines)).unwrap();
        assert_eq!(again.lines.len(), 4);
        assert_eq!(again.line_of(Number::new(2).unwrap()), Some(3));
        let line = read
            .edited(&read.lines)
            .text
            .lines()
            .nth(read.lines_before())
            .map(str::to_owned);
        assert_eq!(line.as_deref(), Some("- [#1 v1] Tea <!-- x -->"));
        for (line, foreign) in [
            ("- [#1 v1] Coffee", None),
            ("- [#1 v2] Tea", Some(1)),
            ("- [#1 v1 rule] Tea", Some(1)),
        ] {
            assert_eq!(read.foreign_mark(&[line.to_owned()]), foreign, "{line}");
        }
    }
}
