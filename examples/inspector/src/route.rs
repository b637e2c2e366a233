//! What an entry of the table of routes says: where, what it takes, what it becomes. Reading what came and writing
//! the OpenAPI document both follow it.

use serde_json::{Map, Value, json};

use crate::problem::Problem;

/// One operation.
#[derive(Debug, Clone, Copy)]
pub struct Route {
    /// How it is asked.
    pub method: Verb,
    /// Where, as both axum and OpenAPI write it.
    pub path: &'static str,
    /// What programs call it.
    pub id: &'static str,
    /// What it does, in a line.
    pub summary: &'static str,
    /// What may stand after the `?`, or in the body of a POST or PATCH.
    pub takes: &'static [Field],
    /// What it answers.
    pub answers: Answers,
    /// What is done.
    pub run: Run,
}

/// The methods in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    /// Reads.
    Get,
    /// Writes.
    Post,
    /// Changes.
    Patch,
    /// Throws away.
    Delete,
}

impl Verb {
    /// Whether what it takes stands in a body.
    pub fn has_body(self) -> bool {
        matches!(self, Verb::Post | Verb::Patch)
    }
}

/// What is done.
#[derive(Debug, Clone, Copy)]
pub enum Run {
    /// It becomes one request of keepmind, whose answer is passed on as it is.
    Request(fn(Asked) -> Result<Value, Problem>),
    /// It is put together here, from several.
    Own(Own),
}

/// What is put together here.
#[derive(Debug, Clone, Copy)]
pub enum Own {
    /// Whose memory it is and what the policy calls things.
    About,
    /// What is told to a model, and how much room it takes.
    Block,
    /// What was written last.
    Changes,
    /// Everything, as JSON Lines.
    Export,
    /// What is live, as Markdown.
    Markdown,
    /// What is written from now on.
    Events,
}

/// What somebody asks.
#[derive(Debug, Default)]
pub struct Asked {
    /// What stood in the path.
    pub id: String,
    /// What stood after the `?` or in the body.
    pub fields: Map<String, Value>,
}

impl Asked {
    /// Takes a field out.
    pub fn take(&mut self, name: &str) -> Option<Value> {
        self.fields.remove(name)
    }

    /// Takes a field of text out.
    pub fn text(&mut self, name: &str) -> Option<String> {
        match self.take(name)? {
            Value::String(text) => Some(text),
            other => Some(other.to_string()),
        }
    }

    /// All fields and these, which come first.
    pub fn with(self, first: Value) -> Value {
        let mut request = first;
        if let Value::Object(request) = &mut request {
            for (name, value) in self.fields {
                request.entry(name).or_insert(value);
            }
        }
        request
    }
}

/// Something that an operation takes.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    /// What it is called.
    pub name: &'static str,
    /// What it may be.
    pub kind: Kind,
    /// Whether it must be there.
    pub is_needed: bool,
    /// What it means.
    pub about: &'static str,
}

/// What a field may be.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// Words.
    Text,
    /// A whole number from 1 to this.
    Count(u64),
    /// Minutes ahead of UTC, or behind.
    Minutes,
    /// A number from 0 to 1.
    Share,
    /// True or false.
    Flag,
    /// A moment, RFC 3339.
    Moment,
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// A list of words.
    Words,
    /// An object.
    Object,
    /// Any JSON.
    Any,
}

/// How far a clock can be ahead of UTC.
const MOST_MINUTES: i64 = 26 * 60 - 1;

impl Kind {
    /// As JSON Schema.
    pub fn schema(self) -> Value {
        match self {
            Kind::Text => json!({"type": "string"}),
            Kind::Count(most) => json!({"type": "integer", "minimum": 1, "maximum": most}),
            Kind::Minutes => {
                json!({"type": "integer", "minimum": -MOST_MINUTES, "maximum": MOST_MINUTES})
            }
            Kind::Share => json!({"type": "number", "minimum": 0, "maximum": 1}),
            Kind::Flag => json!({"type": "boolean"}),
            Kind::Moment => json!({"type": "string", "format": "date-time"}),
            Kind::OneOf(words) => json!({"type": "string", "enum": words}),
            Kind::Words => json!({"type": "array", "items": {"type": "string"}}),
            Kind::Object => json!({"type": "object"}),
            Kind::Any => json!({}),
        }
    }

    /// What it may be, for a person.
    fn wanted(self) -> String {
        match self {
            Kind::Text => "text".to_owned(),
            Kind::Count(most) => format!("a whole number from 1 to {most}"),
            Kind::Minutes => format!("a whole number of at most {MOST_MINUTES} either way"),
            Kind::Share => "a number from 0 to 1".to_owned(),
            Kind::Flag => "true or false".to_owned(),
            Kind::Moment => "a moment like 2026-03-01T09:30:00Z".to_owned(),
            Kind::OneOf(words) => format!("one of {}", words.join(", ")),
            Kind::Words => "a list of words".to_owned(),
            Kind::Object => "an object".to_owned(),
            Kind::Any => "any JSON".to_owned(),
        }
    }

    fn accepts(self, value: &Value) -> bool {
        match self {
            Kind::Text | Kind::Moment => value.is_string(),
            Kind::Count(most) => value
                .as_u64()
                .is_some_and(|count| (1..=most).contains(&count)),
            Kind::Minutes => value
                .as_i64()
                .is_some_and(|minutes| (-MOST_MINUTES..=MOST_MINUTES).contains(&minutes)),
            Kind::Share => value
                .as_f64()
                .is_some_and(|share| (0.0..=1.0).contains(&share)),
            Kind::Flag => value.is_boolean(),
            Kind::OneOf(words) => value.as_str().is_some_and(|word| words.contains(&word)),
            Kind::Words => value
                .as_array()
                .is_some_and(|list| list.iter().all(Value::is_string)),
            Kind::Object => value.is_object(),
            Kind::Any => true,
        }
    }

    /// What stands after a `?` is text: numbers and flags are read from it.
    fn read_text(self, text: &str) -> Value {
        let is_text = matches!(self, Kind::Text | Kind::Moment | Kind::OneOf(_));
        let read = || serde_json::from_str(text).ok();
        (!is_text)
            .then(read)
            .flatten()
            .unwrap_or_else(|| text.into())
    }
}

impl Route {
    /// Reads what stands after the `?`.
    pub fn read_query(&self, query: &str) -> Result<Map<String, Value>, Problem> {
        let takes = if self.method.has_body() {
            &[]
        } else {
            self.takes
        };
        let mut fields = Map::new();
        for (name, text) in form_urlencoded::parse(query.as_bytes()) {
            let field = known(takes, &name)?;
            let twice = fields.insert(field.name.to_owned(), field.kind.read_text(&text));
            if twice.is_some() {
                return Err(Problem::invalid(format!("`{}` is given twice", field.name)));
            }
        }
        check(takes, fields)
    }

    /// Reads a body: one JSON object, or nothing where nothing is needed.
    pub fn read_body(&self, body: &[u8]) -> Result<Map<String, Value>, Problem> {
        if body.is_empty() && !self.takes.iter().any(|field| field.is_needed) {
            return Ok(Map::new());
        }
        let value = serde_json::from_slice(body).map_err(|error| {
            let place = format!("line {}, column {}", error.line(), error.column());
            Problem::invalid(format!("the body is not JSON: {place}"))
        })?;
        let Value::Object(fields) = value else {
            return Err(Problem::invalid("the body is one JSON object"));
        };
        check(self.takes, fields)
    }
}

fn known<'t>(takes: &'t [Field], name: &str) -> Result<&'t Field, Problem> {
    let found = takes.iter().find(|field| field.name == name);
    found.ok_or_else(|| {
        let names: Vec<&str> = takes.iter().map(|field| field.name).collect();
        Problem::invalid(match names.as_slice() {
            [] => "it takes nothing".to_owned(),
            names => format!("an unknown field is given; there are: {}", names.join(", ")),
        })
    })
}

fn check(takes: &[Field], fields: Map<String, Value>) -> Result<Map<String, Value>, Problem> {
    for (name, value) in &fields {
        let field = known(takes, name)?;
        if !field.kind.accepts(value) {
            let wanted = field.kind.wanted();
            return Err(Problem::invalid(format!("`{}` is {wanted}", field.name)));
        }
    }
    match takes
        .iter()
        .find(|field| field.is_needed && !fields.contains_key(field.name))
    {
        Some(field) => Err(Problem::invalid(format!(
            "`{}` is missing: {}",
            field.name, field.about
        ))),
        None => Ok(fields),
    }
}

/// What is answered, by the words of `docs/REQUESTS.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answers {
    /// What became of a command.
    Outcome,
    /// JSON with at least these fields.
    Json(&'static [&'static str]),
    /// Text of this kind.
    Text(&'static str),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routes::ROUTES;

    fn route(id: &str) -> &'static Route {
        ROUTES.iter().find(|route| route.id == id).unwrap()
    }

    #[test]
    fn what_comes_is_read_as_the_table_says() {
        let read = route("listMemories").read_query("limit=5&search=a%20b&type=HARD");
        assert_eq!(
            Value::Object(read.unwrap()),
            json!({"limit": 5, "search": "a b", "type": "HARD"})
        );
        for (query, part) in [
            ("limit=0", "from 1 to"),
            ("limit=x", "from 1 to"),
            ("limit=5&limit=6", "twice"),
            ("type=soft", "one of HARD, SOFT"),
            ("owner=ben", "there are: type"),
        ] {
            let problem = route("listMemories").read_query(query).unwrap_err();
            assert!(problem.message.contains(part), "{query}: {problem:?}");
        }
    }

    #[test]
    fn a_body_is_one_object_of_known_fields() {
        let save = route("createMemory");
        assert!(save.read_body(br#"{"content": "Lives in Ghent"}"#).is_ok());
        for (body, part) in [
            ("", "not JSON"),
            ("[]", "one JSON object"),
            ("{}", "`content` is missing"),
            (r#"{"content": "x", "user": "ben"}"#, "unknown field"),
            (r#"{"content": "x", "importance": 2}"#, "from 0 to 1"),
            ("{\"content\": \"\u{0}", "not JSON"),
        ] {
            let problem = save.read_body(body.as_bytes()).unwrap_err();
            assert!(problem.message.contains(part), "{body}: {problem:?}");
        }
        assert!(save.read_body(&[0xff, 0xfe]).is_err());
    }
}
