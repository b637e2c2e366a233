//! From what was measured to a million owners: plain arithmetic, shown as it is done.

use serde::Serialize;

use crate::fleet::measure::{Act, PAGE, Point};
use crate::fleet::shards::TableSize;

/// What is asked for.
pub const WANTED: u64 = 1_000_000;

/// What a number of owners takes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Sizing {
    pub owners: u64,
    pub bytes_of_an_owner: f64,
    pub bytes: f64,
    /// Of one sweeper who takes one owner after another, where nothing is due.
    pub sweep_seconds: f64,
    /// Of them, those for the pages of owners.
    pub page_seconds: f64,
}

impl Sizing {
    /// For so many owners, from bytes of the tables of a fleet, and microseconds of a sweep and of a page on average.
    pub fn of(owners: u64, measured: u64, bytes: u64, sweep: f64, page: f64) -> Self {
        let bytes_of_an_owner = bytes as f64 / measured.max(1) as f64;
        let page_seconds = owners.div_ceil(PAGE as u64) as f64 * page / 1e6;
        Sizing {
            owners,
            bytes_of_an_owner,
            bytes: bytes_of_an_owner * owners as f64,
            sweep_seconds: owners as f64 * sweep / 1e6 + page_seconds,
            page_seconds,
        }
    }

    /// The same from all that was measured at one size.
    pub fn from(measured: u64, tables: &[TableSize], points: &[Point]) -> Self {
        let mean = |act: Act| {
            let point = points.iter().find(|point| point.act == act);
            point.map_or(0.0, |point| point.mean)
        };
        let bytes = tables.iter().map(|table| table.bytes).sum();
        Sizing::of(WANTED, measured, bytes, mean(Act::Sweep), mean(Act::Page))
    }

    pub fn print(&self, shards: usize) {
        let owners = grouped(self.owners);
        let sweeps = self.sweep_seconds - self.page_seconds;
        println!(
            "{owners} owners, from the largest fleet\n\
             bytes   {owners} × {} = {:.1} GB, without the log, with the room that dead rows left; {:.1} GB of each of {}\n\
             sweep   {owners} × {:.2} ms + {} pages × {:.2} ms = {:.0} s + {:.0} s = {:.1} h of one sweeper, nothing due;\n\
             \u{20}       with a sweeper for each of {}, each on cores of its own, {:.1} h\n",
            grouped(self.bytes_of_an_owner as u64),
            self.bytes / 1e9,
            self.bytes / 1e9 / shards as f64,
            servers(shards),
            sweeps * 1e3 / self.owners as f64,
            grouped(self.owners.div_ceil(PAGE as u64)),
            self.page_seconds * 1e3 / self.owners.div_ceil(PAGE as u64) as f64,
            sweeps,
            self.page_seconds,
            self.sweep_seconds / 3_600.0,
            servers(shards),
            self.sweep_seconds / 3_600.0 / shards as f64,
        );
    }
}

/// So many servers, in words.
pub fn servers(count: usize) -> String {
    match count {
        1 => "1 server".to_owned(),
        _ => format!("{count} servers"),
    }
}

/// A number that can be read: 1,000,000.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A line of a curve: as long as the value is large, up to twice the first.
pub fn bar(ratio: f64) -> String {
    const WIDTH: f64 = 20.0;
    "█".repeat((ratio.clamp(0.0, 2.0) * WIDTH).round() as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_million_owners_are_counted_from_what_was_measured() {
        let sizing = Sizing::of(1_000_000, 1_000, 20_000_000, 9_000.0, 3_000.0);
        assert_eq!(sizing.bytes_of_an_owner, 20_000.0);
        assert_eq!(sizing.bytes, 20e9);
        // 3,907 pages of 3 ms.
        assert!((sizing.page_seconds - 11.721).abs() < 1e-9);
        assert!((sizing.sweep_seconds - 9_011.721).abs() < 1e-9);
    }

    #[test]
    fn numbers_and_bars_read_well() {
        assert_eq!(grouped(7), "7");
        assert_eq!(grouped(100_000), "100,000");
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(bar(1.0).chars().count(), 20);
        assert_eq!(bar(0.5).chars().count(), 10);
        assert_eq!(bar(90.0).chars().count(), 40);
        assert_eq!(bar(f64::NAN), "");
    }
}
