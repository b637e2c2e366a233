//! The lines typed so far, to say one again: `!!` the last, `!3` the third, `!` all of them.
//! They are kept in memory only: a file of them would outlive what the user has erased.

use std::fmt::Write as _;

use crate::screen::plain;

/// What was typed in this run.
#[derive(Debug, Default)]
pub struct Lines(Vec<String>);

impl Lines {
    /// The line that is meant, or what to show instead.
    pub fn take(&mut self, typed: &str) -> Result<String, String> {
        let line = match typed.trim().strip_prefix('!') {
            None => typed,
            Some("") => return Err(self.numbered()),
            Some("!") => self
                .0
                .last()
                .ok_or("         there is no line before this\n")?,
            Some(digits) => {
                let wanted = digits
                    .parse::<usize>()
                    .ok()
                    .and_then(|number| number.checked_sub(1));
                match wanted.map(|index| self.0.get(index)) {
                    Some(Some(line)) => line,
                    Some(None) => {
                        return Err(format!("         there is no line {}\n", plain(digits)));
                    }
                    // "!important" is something to say.
                    None => typed,
                }
            }
        };
        let line = line.to_owned();
        if !line.trim().is_empty() {
            self.0.push(line.clone());
        }
        Ok(line)
    }

    fn numbered(&self) -> String {
        let mut text = String::new();
        for (number, line) in (1..).zip(&self.0) {
            let _ = writeln!(text, "{number:>8} {}", plain(line));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_said_again() {
        let mut lines = Lines::default();
        assert!(lines.take("!!").is_err());
        assert_eq!(lines.take("hello"), Ok("hello".into()));
        assert_eq!(lines.take("/memory"), Ok("/memory".into()));
        assert_eq!(lines.take("!1"), Ok("hello".into()));
        assert_eq!(lines.take("!!"), Ok("hello".into()));
        assert_eq!(lines.take("!wow"), Ok("!wow".into()));
        assert!(lines.take("!99").is_err());
        assert_eq!(lines.take("!0"), Ok("!0".into()));
        assert!(lines.take("!").unwrap_err().contains("2 /memory"));
    }
}
