//! A call's arguments held against what the tool takes: names, then types and values, then characters.
//! What they mean together, how long a cleaned text is, and which fact is meant, is for the plan.

use serde_json::{Map, Value};
use time::UtcOffset;

use crate::command::Which;
use crate::ids::Number;
use crate::link::is_relation;
use crate::memory::Authority;
use crate::policy::{Policy, TimeToLive, Tool};
use crate::refusal::{Code, Refusal};
use crate::text::{self, TextError};
use crate::timestamp::Timestamp;
use crate::tools::schema::{AUTHORITIES, Argument, Shape, TIMES_TO_LIVE, arguments};
use crate::tools::{listed, refuse};

macro_rules! readings {
    ($($name:ident($type:ty),)+) => {
        /// One argument, read.
        pub(super) enum Reading {
            $($name($type),)+
        }

        $(impl TryFrom<Reading> for $type {
            type Error = ();

            fn try_from(reading: Reading) -> Result<Self, ()> {
                match reading {
                    Reading::$name(inner) => Ok(inner),
                    _ => Err(()),
                }
            }
        })+
    };
}

readings! {
    Text(String),
    Authority(Authority),
    TimeToLive(TimeToLive),
    Moment(Timestamp),
    Flag(bool),
    Count(usize),
    Target(Which),
    Number(Number),
    Json(Value),
}

/// The arguments of one call that passed every check.
pub(super) struct Readings<'p> {
    policy: &'p Policy,
    tool: Tool,
    /// Few: they are found soonest by looking at each.
    by_name: Vec<(&'static str, Reading)>,
}

impl<'p> Readings<'p> {
    /// Reads the arguments, or says what is wrong with the first one that is. The order is fixed: what is
    /// missing, what is unknown, what has the wrong type or value, what has unfit characters.
    pub fn read(
        policy: &'p Policy,
        offset: UtcOffset,
        tool: Tool,
        object: &Map<String, Value>,
    ) -> Result<Self, Refusal> {
        let arguments = arguments(policy, tool);
        let mut values = vec![None; arguments.len()];
        let mut stranger = None;
        for (name, value) in object {
            match arguments.iter().position(|argument| argument.name == name) {
                // Models write null for what they leave out.
                Some(place) => values[place] = Some(value).filter(|value| !value.is_null()),
                None => stranger = stranger.or(Some(name)),
            }
        }
        let mut pairs = arguments.iter().zip(&values);
        if let Some((argument, _)) =
            pairs.find(|(argument, value)| argument.required && value.is_none())
        {
            return Err(missing(&policy.tool_name(tool), argument.name, &arguments));
        }
        if let Some(name) = stranger {
            return Err(unknown(&policy.tool_name(tool), name, &arguments));
        }
        let given = || {
            let pairs = arguments.iter().zip(&values);
            pairs.filter_map(|(argument, value)| Some((argument, (*value)?)))
        };
        let mut by_name = Vec::with_capacity(object.len());
        for (argument, value) in given() {
            let reading = argument.shape.read(value, offset).ok_or_else(|| {
                let (tool, name) = (policy.tool_name(tool), argument.name);
                let wanted = argument.shape.wanted();
                refuse(
                    Code::Schema,
                    format_args!("`{tool}`: `{name}` must be {wanted}."),
                )
            })?;
            by_name.push((argument.name, reading));
        }
        for (argument, value) in given() {
            argument.shape.inspect(value).map_err(|error| {
                let (tool, name) = (policy.tool_name(tool), argument.name);
                refuse(code(error), format_args!("`{tool}`: `{name}`: {error}."))
            })?;
        }
        Ok(Readings {
            policy,
            tool,
            by_name,
        })
    }

    /// The argument, if it was given.
    pub fn take<T: TryFrom<Reading>>(&mut self, name: &'static str) -> Option<T> {
        let place = self.by_name.iter().position(|(known, _)| *known == name)?;
        let (_, reading) = self.by_name.swap_remove(place);
        T::try_from(reading).ok()
    }

    /// The argument, which `schema` says is required.
    pub fn need<T: TryFrom<Reading>>(&mut self, name: &'static str) -> Result<T, Refusal> {
        self.take(name)
            .ok_or_else(|| missing(&self.policy.tool_name(self.tool), name, &[]))
    }
}

fn code(error: TextError) -> Code {
    match error {
        TextError::ControlCharacter { .. } => Code::ControlCharacters,
        TextError::Empty => Code::Empty,
        TextError::TooLong { .. } => Code::Limit,
    }
}

fn missing(tool: &str, name: &str, arguments: &[Argument]) -> Refusal {
    let takes = takes(arguments);
    refuse(
        Code::Schema,
        format_args!("`{tool}` needs the argument `{name}`.{takes}"),
    )
}

fn unknown(tool: &str, name: &str, arguments: &[Argument]) -> Refusal {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    // Quoted only if it cannot carry words of anybody's.
    let what = if !name.is_empty() && name.len() <= 40 && name.bytes().all(plain) {
        format!("no argument `{name}`")
    } else {
        "no argument of a name that was given".to_owned()
    };
    let takes = takes(arguments);
    refuse(Code::Schema, format_args!("`{tool}` has {what}.{takes}"))
}

fn takes(arguments: &[Argument]) -> String {
    if arguments.is_empty() {
        return String::new();
    }
    let names: Vec<String> = arguments
        .iter()
        .map(|argument| match argument.required {
            true => format!("{} (required)", argument.name),
            false => argument.name.to_owned(),
        })
        .collect();
    format!(" It takes: {}.", names.join(", "))
}

impl Shape<'_> {
    /// The value as this shape means it; nothing when it has another type or is not among what is allowed.
    fn read(&self, value: &Value, offset: UtcOffset) -> Option<Reading> {
        match self {
            Shape::Text { .. } => Some(Reading::Text(value.as_str()?.to_owned())),
            Shape::OneOf(names) => {
                let name = value.as_str()?;
                let known = names.iter().any(|known| known == name);
                known.then(|| Reading::Text(name.to_owned()))
            }
            Shape::Authority => named(&AUTHORITIES, value).map(Reading::Authority),
            Shape::TimeToLive => named(&TIMES_TO_LIVE, value).map(Reading::TimeToLive),
            Shape::Moment => {
                let moment = Timestamp::parse_day_or_moment(value.as_str()?, offset);
                moment.ok().map(Reading::Moment)
            }
            Shape::Flag => value.as_bool().map(Reading::Flag),
            Shape::Count { most } => {
                let count = usize::try_from(whole(value)?).ok()?;
                let most = usize::try_from(*most).unwrap_or(usize::MAX);
                (1..=most).contains(&count).then_some(Reading::Count(count))
            }
            Shape::Target { .. } => {
                let target = match value {
                    Value::String(text) => text.clone(),
                    other => Number::new(whole(other)?)?.to_string(),
                };
                Some(Reading::Target(Which::from(target)))
            }
            Shape::Number => {
                let number = match value {
                    Value::String(text) => digits(text.strip_prefix('#').unwrap_or(text))?,
                    other => whole(other)?,
                };
                Number::new(number).map(Reading::Number)
            }
            Shape::Relation => {
                let word = value.as_str()?;
                // What shows nothing is refused with the other texts that do not.
                let fits = is_relation(word) || text::line(word) == Err(TextError::Empty);
                fits.then(|| Reading::Text(word.to_owned()))
            }
            Shape::Json => Some(Reading::Json(value.clone())),
        }
    }

    /// What is wanted, to end the sentence "`limit` must be …".
    fn wanted(&self) -> String {
        match self {
            Shape::Text { .. } => "text (a JSON string)".to_owned(),
            Shape::OneOf(names) => one_of(names.iter()),
            Shape::Authority => one_of(AUTHORITIES.map(|(name, _)| name)),
            Shape::TimeToLive => one_of(TIMES_TO_LIVE.map(|(name, _)| name)),
            Shape::Moment => {
                "a date or a date and time, as in 2026-03-01 or 2026-03-01T09:30:00Z (RFC 3339)"
                    .to_owned()
            }
            Shape::Flag => "true or false".to_owned(),
            Shape::Count { most } => format!("a whole number from 1 to {most}"),
            Shape::Target { .. } => {
                "a string: the number as it is shown, as in \"#12\", or words of it".to_owned()
            }
            Shape::Number => "a number as it is shown, as in \"#12\"".to_owned(),
            Shape::Relation => "1 to 40 characters a-z, 0-9 and _, as in relates_to".to_owned(),
            Shape::Json => "JSON".to_owned(),
        }
    }

    /// Looks at the characters of a value that has the right type.
    fn inspect(&self, value: &Value) -> Result<(), TextError> {
        match (self, value) {
            (Shape::Text { .. }, Value::String(text)) if text::is_plain_line(text) => Ok(()),
            (Shape::Text { lines, visible, .. }, Value::String(text)) => {
                let cleaned = match lines {
                    true => text::passage(text),
                    false => text::line(text),
                };
                match cleaned {
                    Err(TextError::Empty) if !visible => Ok(()),
                    cleaned => cleaned.map(|_| ()),
                }
            }
            (Shape::Target { .. } | Shape::Relation, Value::String(text)) => {
                text::line(text).map(|_| ())
            }
            (Shape::Json, value) => inspect_json(value),
            _ => Ok(()),
        }
    }
}

/// Every text inside, keys too. As deep as `call` lets arguments be.
fn inspect_json(value: &Value) -> Result<(), TextError> {
    let fit = |text: &str| match text::passage(text) {
        Err(error @ TextError::ControlCharacter { .. }) => Err(error),
        _ => Ok(()),
    };
    match value {
        Value::String(text) => fit(text),
        Value::Array(list) => list.iter().try_for_each(inspect_json),
        Value::Object(object) => object
            .iter()
            .try_for_each(|(key, value)| fit(key).and_then(|()| inspect_json(value))),
        Value::Null | Value::Bool(_) | Value::Number(_) => Ok(()),
    }
}

fn one_of<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    format!("one of: {}", listed(names, 300))
}

fn named<T: Copy>(names: &[(&str, T)], value: &Value) -> Option<T> {
    let name = value.as_str()?;
    let found = names.iter().find(|(known, _)| *known == name);
    found.map(|(_, meaning)| *meaning)
}

/// A whole number; 5.0 is one too, as JSON Schema has it and as some clients write every number.
fn whole(value: &Value) -> Option<u64> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    value.as_u64().or_else(|| {
        let number = value.as_f64()?;
        let whole = number.fract() == 0.0 && (0.0..=EXACT).contains(&number);
        whole.then_some(number as u64)
    })
}

/// Digits as they are shown: no sign, no blank, no leading zero.
fn digits(text: &str) -> Option<u64> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0');
    plain.then(|| text.parse().ok()).flatten()
}
