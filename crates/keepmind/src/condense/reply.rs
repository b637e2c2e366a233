//! A model's answer to the question for lines, read: tolerant of what stands around one object, strict on what
//! it means.

use serde_json::{Map, Value};

use crate::extract::answered_object;
use crate::ids::Number;
use crate::plan::Offered;
use crate::policy::Policy;
use crate::refusal::{Code, Refusal};

use super::ask::MOST_LINES;

/// Reads an answer, or says why nothing in it can be used.
pub(crate) fn read(answer: &str, policy: &Policy) -> Result<Vec<Offered>, Refusal> {
    let shape = |message: &str| Refusal::new(Code::Schema, message);
    let Value::Object(mut object) = answered_object(answer, policy)? else {
        return Err(shape("the answer must be one object with `lines`"));
    };
    let Some(Value::Array(lines)) = object.remove("lines") else {
        return Err(shape("`lines` must be a list"));
    };
    if !object.is_empty() {
        return Err(shape("only `lines` is known"));
    }
    if lines.len() > MOST_LINES {
        let message = format!("there are more than {MOST_LINES} lines");
        return Err(Refusal::new(Code::Limit, message));
    }
    Ok(lines.into_iter().map(line).collect())
}

fn line(value: Value) -> Offered {
    let mut read = Offered::default();
    let Value::Object(mut object) = value else {
        object_to(&mut read, Code::Schema);
        return read;
    };
    read.digest = text(&mut object, "digest", &mut read);
    read.text = text(&mut object, "text", &mut read);
    match object.remove("cites") {
        Some(Value::Array(cites)) => {
            for cited in &cites {
                match cited.as_u64().and_then(Number::new) {
                    Some(number) if read.cites.contains(&number) => {
                        object_to(&mut read, Code::DuplicateTarget);
                    }
                    Some(number) => read.cites.push(number),
                    None => {
                        object_to(&mut read, Code::Schema);
                        object_to(&mut read, Code::NotFound);
                    }
                }
            }
        }
        _ => object_to(&mut read, Code::Schema),
    }
    if !object.is_empty() {
        object_to(&mut read, Code::Schema);
    }
    read
}

fn text(object: &mut Map<String, Value>, name: &str, read: &mut Offered) -> Option<String> {
    match object.remove(name) {
        Some(Value::String(text)) => Some(text),
        _ => {
            object_to(read, Code::Schema);
            None
        }
    }
}

fn object_to(read: &mut Offered, code: Code) {
    if !read.codes.contains(&code) {
        read.codes.push(code);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const GOOD: &str = r#"{"lines":[{"digest":"profile","text":"User rows","cites":[1,2]}]}"#;

    fn codes(answer: &str) -> Vec<Code> {
        match read(answer, &Policy::default()) {
            Ok(lines) => lines.into_iter().flat_map(|line| line.codes).collect(),
            Err(refusal) => refusal.codes().collect(),
        }
    }

    #[test]
    fn one_object_is_found_in_what_stands_around_it() {
        for answer in [
            GOOD.to_owned(),
            format!("\u{feff}{GOOD}"),
            format!("```json\n{GOOD}\n```"),
            format!("Here you are: {GOOD} Done."),
        ] {
            let lines = read(&answer, &Policy::default()).unwrap();
            assert_eq!(lines.len(), 1, "{answer}");
            assert_eq!(lines[0].cites.len(), 2);
            assert_eq!(lines[0].codes, []);
        }
    }

    #[test]
    fn what_is_not_one_answer_is_refused_whole() {
        let long = format!("{{\"lines\":[],\"x\":\"{}\"}}", "x".repeat(100_000));
        let many = format!("{{\"lines\":[{}]}}", vec!["{}"; 65].join(","));
        for (answer, code) in [
            ("", Code::Parse),
            ("nothing to join here", Code::Parse),
            ("{\"lines\":[", Code::Parse),
            ("{\"lines\":[],\"lines\":[]}", Code::Parse),
            ("{\"lines\":[]} {\"lines\":[]}", Code::Parse),
            ("[]", Code::Schema),
            ("{}", Code::Schema),
            ("{\"lines\":{}}", Code::Schema),
            ("{\"ops\":[{\"op\":\"delete\",\"id\":1}]}", Code::Schema),
            ("{\"lines\":[],\"delete\":[1,2,3]}", Code::Schema),
            (&long, Code::Limit),
            (&many, Code::Limit),
        ] {
            assert_eq!(codes(answer), [code], "{answer:.60}");
        }
    }

    #[test]
    fn one_bad_line_says_everything_that_is_wrong_with_it() {
        let of = |line: &str| codes(&format!("{{\"lines\":[{line}]}}"));
        for (line, expected) in [
            ("7", vec![Code::Schema]),
            ("{}", vec![Code::Schema]),
            (r#"{"digest":"profile","text":"x"}"#, vec![Code::Schema]),
            (
                r#"{"digest":"profile","text":"x","cites":[1],"op":"delete"}"#,
                vec![Code::Schema],
            ),
            (r#"{"digest":7,"text":"x","cites":[1]}"#, vec![Code::Schema]),
            (
                r##"{"digest":"profile","text":"x","cites":["#1",0,-1,1.5]}"##,
                vec![Code::Schema, Code::NotFound],
            ),
            (
                r#"{"digest":"profile","text":"x","cites":[1,1]}"#,
                vec![Code::DuplicateTarget],
            ),
            (r#"{"digest":"profile","text":"x","cites":[]}"#, vec![]),
        ] {
            assert_eq!(of(line), expected, "{line}");
        }
    }

    proptest! {
        #[test]
        fn no_answer_panics(answer in "\\PC{0,200}", cut in 0_usize..70) {
            let _ = codes(&answer);
            let _ = codes(GOOD.get(..cut).unwrap_or(GOOD));
            let _ = codes(&format!("{answer}{GOOD}{answer}"));
        }
    }
}
