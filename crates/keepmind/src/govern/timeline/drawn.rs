//! A fact's life as a picture for people.

use std::fmt;

use crate::govern::timeline::{Timeline, TimelineVersion};
use crate::govern::words::{day, times, who};
use crate::timestamp::Timestamp;

/// How many columns a picture has.
const COLUMNS: usize = 48;

impl Timeline {
    fn column(&self, at: Timestamp) -> usize {
        let micros = |moment: Timestamp| moment.as_micros() as f64;
        let whole = (micros(self.until) - micros(self.from)).max(1.0);
        let share = ((micros(at) - micros(self.from)) / whole).clamp(0.0, 1.0);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a share of a few columns"
        )]
        let column = (share * (COLUMNS - 1) as f64).round() as usize;
        column
    }

    /// One version as a bar: `=` while it was true, `-` for what was never believed or never right, `+` where
    /// it was confirmed, `x` where behaviour spoke against it, `|` its end, `>` while it has none.
    fn bar(&self, version: &TimelineVersion) -> String {
        let from = self.column(version.valid_from);
        let last = self
            .column(version.valid_until.unwrap_or(self.until))
            .max(from);
        let drawn = if version.was_true() { '=' } else { '-' };
        let mut bar: Vec<char> = vec!['.'; COLUMNS];
        bar[from..=last].fill(drawn);
        bar[last] = if version.valid_until.is_some() {
            '|'
        } else {
            '>'
        };
        let own = self
            .events
            .iter()
            .filter(|event| event.version == version.version);
        for event in own {
            let place = &mut bar[self.column(event.at)];
            match event.what {
                "confirmed" => *place = '+',
                "contradicted" => *place = 'x',
                _ => {}
            }
        }
        bar.into_iter().collect()
    }
}

impl fmt::Display for Timeline {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            formatter,
            "{} from {} to {}\n",
            self.number,
            day(self.from),
            day(self.until)
        )?;
        for version in &self.versions {
            let name = format!("v{}", version.version.get());
            writeln!(
                formatter,
                "{name:>4} {}  {}",
                self.bar(version),
                version.content
            )?;
            writeln!(formatter, "{:>4} {:COLUMNS$}  {}", "", "", version.life())?;
        }
        if !self.events.is_empty() {
            writeln!(formatter)?;
        }
        for event in &self.events {
            writeln!(
                formatter,
                "{}  v{} {}, by {}",
                day(event.at),
                event.version.get(),
                event.what,
                who(event.who)
            )?;
        }
        if !self.told.is_empty() {
            writeln!(formatter, "\n{}", self.told)?;
        }
        Ok(())
    }
}

impl TimelineVersion {
    /// Whether it counts as having been true for a while.
    fn was_true(&self) -> bool {
        let never = ["corrected", "rejected", "undone", "discarded"];
        !self.is_candidate && self.ended.is_none_or(|why| !never.contains(&why))
    }

    /// `2024-01-05 to 2026-03-02, superseded`.
    fn life(&self) -> String {
        let from = day(self.valid_from);
        let mut life = match self.valid_until {
            Some(until) => format!("{from} to {}", day(until)),
            None => format!("since {from}"),
        };
        let mut add = |words: &str| {
            life.push_str(", ");
            life.push_str(words);
        };
        if self.is_candidate {
            add("a candidate");
        }
        if self.is_copy {
            add("brought back");
        }
        if self.confirmations > 0 {
            add(&format!("confirmed {}", times(self.confirmations)));
        }
        if self.contradictions > 0 {
            add(&format!("contradicted {}", times(self.contradictions)));
        }
        if let Some(sure) = self.confidence {
            add(&format!("confidence {sure:.2}"));
        }
        if let Some(why) = self.ended {
            add(why);
        } else if self.valid_until.is_some() {
            add("expired");
        }
        life
    }
}
