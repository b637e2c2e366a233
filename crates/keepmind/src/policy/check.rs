//! The checks that fields share. Rules that join several fields stand with the structs or in `validate`.

use super::PolicyError;
use super::error::excerpt;
use std::ops::RangeInclusive;

/// The longest duration, in days: a century, so that adding it to any date a row can hold stays a date.
pub(super) const MAX_DAYS: u32 = 36_500;
/// The longest short duration, in seconds: a year.
pub(super) const MAX_SECONDS: u32 = 31_536_000;
/// The largest budget, in tokens: ten times today's largest windows.
pub(super) const MAX_TOKENS: u32 = 10_000_000;

pub(super) fn range(
    path: &str,
    value: u32,
    allowed: RangeInclusive<u32>,
) -> Result<(), PolicyError> {
    if allowed.contains(&value) {
        return Ok(());
    }
    Err(PolicyError::field(
        path,
        format!(
            "is {value}, must be from {} to {}",
            allowed.start(),
            allowed.end()
        ),
    ))
}

pub(super) fn optional_range(
    path: &str,
    value: Option<u32>,
    allowed: RangeInclusive<u32>,
) -> Result<(), PolicyError> {
    match value {
        Some(value) if !allowed.contains(&value) => Err(PolicyError::field(
            path,
            format!(
                "is {value}, must be null or from {} to {}",
                allowed.start(),
                allowed.end()
            ),
        )),
        _ => Ok(()),
    }
}

pub(super) fn share(path: &str, value: f64) -> Result<(), PolicyError> {
    // `contains` is false for NaN, and both infinities lie outside.
    if (0.0..=1.0).contains(&value) {
        return Ok(());
    }
    Err(PolicyError::field(
        path,
        format!("is {value}, must be a number from 0 to 1"),
    ))
}

pub(super) fn positive_share(path: &str, value: f64) -> Result<(), PolicyError> {
    if value > 0.0 && value <= 1.0 {
        return Ok(());
    }
    Err(PolicyError::field(
        path,
        format!("is {value}, must be a number above 0 and up to 1"),
    ))
}

pub(super) fn at_most(
    path: &str,
    value: f64,
    other_path: &str,
    other: f64,
) -> Result<(), PolicyError> {
    if value <= other {
        return Ok(());
    }
    Err(PolicyError::field(
        path,
        format!("is {value}, must not be above {other_path} ({other})"),
    ))
}

pub(super) fn name(path: &str, name: &str) -> Result<(), PolicyError> {
    let allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    if (1..=40).contains(&name.len()) && name.bytes().all(allowed) {
        return Ok(());
    }
    Err(PolicyError::field(
        path,
        format!(
            "is {:?}, must be 1 to 40 characters of a-z, 0-9 and _",
            excerpt(name)
        ),
    ))
}

/// One visible line: these texts stand in prompts, where a line break would start something else.
pub(super) fn line(path: &str, text: &str, longest: usize) -> Result<(), PolicyError> {
    let count = text.chars().count();
    let problem = if text.trim().is_empty() {
        "is empty".to_owned()
    } else if text.trim() != text {
        "begins or ends with a blank".to_owned()
    } else if count > longest {
        format!("has {count} characters")
    } else if text.chars().any(breaks_line) {
        "holds a line break, control or text direction character".to_owned()
    } else {
        return Ok(());
    };
    Err(PolicyError::field(
        path,
        format!("{problem}, must be one plain line of 1 to {longest} characters"),
    ))
}

fn breaks_line(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{2028}' | '\u{2029}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
        || matches!(character, '\u{E0000}'..='\u{E007F}')
}
