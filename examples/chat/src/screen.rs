//! What the screen shows: who speaks, quiet lines, pages. Colours by hand; nothing here reads or decides.

use keepmind::Span;
use keepmind::store::StorePlace;

/// Lines are broken here.
pub const WIDTH: usize = 100;
/// What stands left of the words.
const GUTTER: usize = 9;
/// How far a rule reaches.
const RULE: usize = 60;

const BOLD: &str = "1";
const MUTED: &str = "2";
const YELLOW: &str = "33";
const CYAN: &str = "36";

/// Where a word that was found begins and ends, until its line is painted: as wide as what they become
/// without colours. They are of no script.
const FOUND: [char; 2] = ['\u{e000}', '\u{e001}'];

/// How to show things.
#[derive(Debug, Clone, Copy, Default)]
pub struct Style {
    /// With ANSI colours.
    pub colour: bool,
}

impl Style {
    fn paint(self, code: &str, text: &str) -> String {
        match self.colour && !text.is_empty() {
            true => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
            false => text.to_owned(),
        }
    }
}

/// The first lines of a run.
pub fn banner(style: Style, place: &StorePlace) -> String {
    let mut page = Page::new(style);
    page.note(
        "keepmind chat. A scripted stand-in plays the advisor: no model, no key, no network.",
    );
    page.note(&format!(
        "Memories are kept in {place}. /help shows the commands."
    ));
    page.text
}

/// What invites a line.
pub fn prompt(style: Style) -> String {
    style.paint(BOLD, &format!("{:GUTTER$}", "you"))
}

/// A line that no terminal has shown, after the prompt.
pub fn echo(line: &str) -> String {
    format!("{}\n", plain(line))
}

/// Text of anyone's without what could steer a terminal.
pub fn plain(text: &str) -> String {
    let shown = |character: char| match character {
        '\t' | '\n' => ' ',
        // C0, DEL, C1, and the marks that reorder a line.
        character if character.is_control() => '\u{fffd}',
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
        character => character,
    };
    text.chars().map(shown).collect()
}

/// Lines to show, in the making.
#[derive(Debug)]
pub struct Page {
    style: Style,
    /// So far.
    pub text: String,
}

impl Page {
    /// Nothing yet.
    pub fn new(style: Style) -> Self {
        let text = String::new();
        Page { style, text }
    }

    /// What the user said.
    pub fn you(&mut self, words: &str) {
        self.spoken("you", BOLD, words);
    }

    /// What the assistant said.
    pub fn advisor(&mut self, words: &str) {
        self.spoken("advisor", CYAN, words);
    }

    /// The quiet line after a write.
    pub fn status(&mut self, words: &str) {
        self.note(&format!("· {words}"));
    }

    /// A quiet line.
    pub fn note(&mut self, words: &str) {
        self.lines("", MUTED, words, 2);
    }

    /// A line.
    pub fn line(&mut self, words: &str) {
        self.lines("", "", words, 3);
    }

    /// A quiet line that belongs to the line above it.
    pub fn detail(&mut self, words: &str) {
        self.lines("   ", MUTED, words, 0);
    }

    /// A line that belongs to the line above it, with the words that were found in it.
    pub fn found(&mut self, lead: &str, text: &str, found: &[Span]) {
        let [begin, end] = FOUND;
        let clean = |part: &str| plain(part).replace(FOUND, "\u{fffd}");
        let mut marked = clean(lead);
        let mut done = 0;
        for span in found {
            let (start, stop) = (span.start as usize, span.end as usize);
            let (Some(before), Some(word)) = (text.get(done..start), text.get(start..stop)) else {
                continue;
            };
            marked.push_str(&format!("{}{begin}{}{end}", clean(before), clean(word)));
            done = stop;
        }
        marked.push_str(&clean(&text[done..]));
        let (on, off) = match self.style.colour {
            true => ("\u{1b}[1m", "\u{1b}[0m"),
            false => ("*", "*"),
        };
        let mut lines = Page::new(self.style);
        lines.lines("   ", "", &marked, 0);
        self.text
            .push_str(&lines.text.replace(begin, on).replace(end, off));
    }

    /// What the lines below are.
    pub fn heading(&mut self, words: &str) {
        self.lines("", BOLD, words, 0);
    }

    /// A new chat begins.
    pub fn rule(&mut self, words: &str) {
        let words = plain(words);
        let rest = RULE.saturating_sub(words.chars().count());
        let line = format!("── {words} {}", "─".repeat(rest));
        self.text.push_str(&self.style.paint(MUTED, &line));
        self.text.push('\n');
    }

    /// Something that did not work, and why.
    pub fn trouble(&mut self, words: &str) {
        self.lines("", YELLOW, &format!("! {words}"), 2);
    }

    /// A text as it is, byte for byte.
    pub fn verbatim(&mut self, text: &str) {
        self.text.push_str(text);
        if !text.ends_with('\n') {
            self.text.push('\n');
        }
    }

    fn spoken(&mut self, who: &str, code: &str, words: &str) {
        let name = self.style.paint(code, who);
        let gap = GUTTER - who.len();
        for (index, line) in wrapped(&plain(words), WIDTH - GUTTER)
            .into_iter()
            .enumerate()
        {
            let line = match index {
                0 => format!("{name}{:gap$}{line}", ""),
                _ => format!("{:GUTTER$}{line}", ""),
            };
            self.text.push_str(line.trim_end());
            self.text.push('\n');
        }
    }

    /// Lines beside the gutter; those after the first are set in by `hanging` more.
    fn lines(&mut self, indent: &str, code: &str, words: &str, hanging: usize) {
        let room = WIDTH - GUTTER - indent.len() - hanging;
        for (index, line) in wrapped(&plain(words), room).into_iter().enumerate() {
            let more = if index == 0 { 0 } else { hanging };
            let line = match code {
                "" => line,
                code => self.style.paint(code, &line),
            };
            self.text
                .push_str(&format!("{:GUTTER$}{indent}{:more$}{line}\n", "", ""));
        }
    }
}

/// The words in lines of at most `room` characters; a word longer than that is cut.
fn wrapped(text: &str, room: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut length = 0;
    for piece in text.split_inclusive(' ') {
        let word = piece.chars().count() - usize::from(piece.ends_with(' '));
        if length > 0 && length + word > room {
            lines.push(std::mem::take(&mut line).trim_end().to_owned());
            length = 0;
        }
        for character in piece.chars() {
            if length == room && character != ' ' {
                lines.push(std::mem::take(&mut line));
                length = 0;
            }
            line.push(character);
            length += 1;
        }
    }
    let last = line.trim_end();
    if !last.is_empty() || lines.is_empty() {
        lines.push(last.to_owned());
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_fit_and_keep_every_word() {
        for text in [
            "",
            "one",
            "one two  three four",
            &"x".repeat(55),
            "a verylongwordwithoutblanks b ",
        ] {
            let lines = wrapped(text, 10);
            assert!(
                lines.iter().all(|line| line.chars().count() <= 10),
                "{lines:?}"
            );
            let letters = |text: &str| text.split_whitespace().collect::<String>();
            assert_eq!(letters(&lines.concat()), letters(text));
        }
        assert_eq!(
            wrapped("one two  three four", 10),
            ["one two", "three four"]
        );
    }

    #[test]
    fn nothing_in_a_text_steers_the_terminal() {
        let mut page = Page::new(Style { colour: false });
        page.advisor("a\u{1b}[2Jb\u{7}\u{9b}c\u{202e}d\r\ne");
        assert_eq!(
            page.text,
            "advisor  a\u{fffd}[2Jb\u{fffd}\u{fffd}c\u{fffd}d\u{fffd} e\n"
        );
    }

    #[test]
    fn words_that_were_found_stand_out() {
        let shown = |colour, text: &str, found: &[(u32, u32)]| {
            let mut page = Page::new(Style { colour });
            let span = |&(start, end)| Span { start, end };
            let found: Vec<Span> = found.iter().map(span).collect();
            page.found("you: ", text, &found);
            page.text.trim_start().to_owned()
        };
        for (colour, text, found, wanted) in [
            (false, "no loans", &[(3, 8)][..], "you: no *loans*\n"),
            (
                true,
                "no loans",
                &[(3, 8)],
                "you: no \u{1b}[1mloans\u{1b}[0m\n",
            ),
            (false, "a b", &[(0, 1), (2, 3)], "you: *a* *b*\n"),
            (false, "nothing", &[], "you: nothing\n"),
            // Spans that fit nothing change nothing.
            (false, "é", &[(1, 2), (7, 9), (2, 1)], "you: é\n"),
            (
                false,
                "\u{e000}x\u{1b}",
                &[(3, 4)],
                "you: \u{fffd}*x*\u{fffd}\n",
            ),
        ] {
            assert_eq!(shown(colour, text, found), wanted, "{text}");
        }
    }

    #[test]
    fn colours_are_put_around_and_nothing_else_changes() {
        let shown = |colour| {
            let mut page = Page::new(Style { colour });
            page.you("hello");
            page.advisor("good day");
            page.status("Saved #1");
            page.text
        };
        let mut coloured = shown(true);
        assert!(coloured.contains("\u{1b}[36m"));
        for code in [BOLD, MUTED, CYAN, "0"] {
            coloured = coloured.replace(&format!("\u{1b}[{code}m"), "");
        }
        assert_eq!(coloured, shown(false));
    }
}
