//! The year as a picture: for each way through it what is told, and what a day costs, month by month.

use std::fmt::Write as _;

use crate::year::{Month, Path};

const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 250.0;
const LEFT: f64 = 60.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 40.0;

/// A line of the picture: what it is called, its colour, and its value in a month.
type Line = (&'static str, &'static str, fn(&Month) -> f64);

const TOLD: &[Line] = &[
    ("current facts told, %", "#1b7837", |month| {
        month.current * 100.0
    }),
    ("stale", "#b2182b", |month| month.stale as f64),
    ("duplicates", "#e08214", |month| month.duplicates as f64),
    ("junk", "#762a83", |month| month.junk as f64),
];
const COST: &[Line] = &[
    ("CPU of a close, µs", "#2166ac", |month| month.close),
    ("CPU of a consolidation, µs", "#d6604d", |month| {
        month.consolidation
    }),
    ("block, tokens", "#4d4d4d", |month| {
        month.block_tokens as f64
    }),
];

/// A picture of all of them, one panel below the other.
pub fn svg(paths: &[Path]) -> String {
    let height = HEIGHT * 2.0 * paths.len().max(1) as f64;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" font-family=\"sans-serif\" \
         font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    for (index, path) in paths.iter().enumerate() {
        let top = HEIGHT * 2.0 * index as f64;
        panel(
            &mut svg,
            top,
            &format!("Told, {}", path.name),
            &path.months,
            TOLD,
        );
        let cost = format!("Cost, {}", path.name);
        panel(&mut svg, top + HEIGHT, &cost, &path.months, COST);
    }
    svg.push_str("</svg>\n");
    svg
}

fn panel(svg: &mut String, top: f64, title: &str, months: &[Month], lines: &[Line]) {
    let values = months
        .iter()
        .flat_map(|month| lines.iter().map(move |(_, _, value)| value(month)));
    let highest = values.fold(1.0, f64::max) * 1.05;
    let (inner_width, inner_height) = (WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM);
    let across = |index: usize| {
        LEFT + inner_width * index as f64 / months.len().saturating_sub(1).max(1) as f64
    };
    let down = |value: f64| top + TOP + inner_height * (1.0 - value / highest);
    // Writing into a string has no way to fail.
    let _ = writeln!(
        svg,
        "<text x=\"{LEFT}\" y=\"{}\" font-weight=\"bold\">{title}</text>",
        top + 18.0
    );
    for share in [0.0, 0.5, 1.0] {
        let value = highest * share;
        let y = down(value);
        let _ = writeln!(
            svg,
            "<line x1=\"{LEFT}\" x2=\"{}\" y1=\"{y:.1}\" y2=\"{y:.1}\" stroke=\"#ddd\"/>\n\
             <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{value:.0}</text>",
            WIDTH - RIGHT,
            LEFT - 6.0,
            y + 4.0
        );
    }
    for (index, month) in months.iter().enumerate() {
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            across(index),
            top + HEIGHT - BOTTOM + 16.0,
            month.month
        );
    }
    for (place, (name, colour, value)) in lines.iter().enumerate() {
        let points: Vec<String> = months
            .iter()
            .enumerate()
            .map(|(index, month)| format!("{:.1},{:.1}", across(index), down(value(month))))
            .collect();
        let _ = writeln!(
            svg,
            "<polyline fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" points=\"{}\"/>\n\
             <text x=\"{:.1}\" y=\"{:.1}\" fill=\"{colour}\">{name}</text>",
            points.join(" "),
            LEFT + 190.0 * place as f64,
            top + TOP - 6.0
        );
    }
}
