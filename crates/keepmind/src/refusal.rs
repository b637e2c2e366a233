//! Why a rule said no: a code for programs, a message for whoever asked, candidates to choose from.
//! What a store reports is in `error`.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::error::{Error, ErrorKind};
use crate::ids::Number;

/// A rule's no. Nothing was written.
///
/// The message says how to do it right and quotes no memory and no user; the candidates do, and are for
/// the model and the host only. Turning a refusal into an [`Error`] drops their words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
#[non_exhaustive]
pub struct Refusal {
    /// What kind of no.
    pub code: Code,
    /// What else spoke against it, each code once.
    pub also: Vec<Code>,
    /// What was wrong and how to do it right.
    pub message: String,
    /// The facts that could have been meant.
    pub candidates: Vec<Candidate>,
}

/// A fact that could have been meant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Candidate {
    /// Which fact.
    pub number: Number,
    /// What it says.
    pub content: String,
}

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $text:literal, $kind:ident;)+) => {
        /// The stable names of everything a rule can object to.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[non_exhaustive]
        pub enum Code {
            $($(#[$doc])* #[serde(rename = $text)] $name,)+
        }

        impl Code {
            /// The name, as programs and reports know it.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Code::$name => $text,)+ }
            }

            /// The kind of error it is where no finer answer is possible.
            #[must_use]
            pub const fn kind(self) -> ErrorKind {
                match self { $(Code::$name => ErrorKind::$kind,)+ }
            }
        }
    };
}

codes! {
    /// There is no tool of that exact name.
    ToolName = "E_TOOLNAME", Invalid;
    /// Not JSON.
    Parse = "E_PARSE", Invalid;
    /// A field is missing, unknown, twice there, or of the wrong type.
    Schema = "E_SCHEMA", Invalid;
    /// Too long, too short, too deep or too many.
    Limit = "E_LIMIT", Invalid;
    /// Nothing visible.
    Empty = "E_EMPTY", Invalid;
    /// Characters that hide or reorder what a reader sees.
    ControlCharacters = "E_CONTROL_CHARS", Invalid;
    /// No such fact, row, proposal, session or token, or it is no longer live.
    NotFound = "E_NOT_FOUND", NotFound;
    /// Several facts fit.
    Ambiguous = "E_AMBIGUOUS", Invalid;
    /// It tells the assistant how to treat sources, tools, people or its own rules.
    Instruction = "E_INSTRUCTION", Refused;
    /// It holds a password, key, card number or the like.
    Secret = "E_SECRET", Refused;
    /// It belongs to a domain that needs consent, and there is none.
    Sensitive = "E_SENSITIVE", Refused;
    /// It holds a name, number or link that the user did not say.
    UnsupportedDetail = "E_UNSUPPORTED_DETAIL", Refused;
    /// It rests on words that are not the user's own.
    QuoteWrongRole = "E_QUOTE_WRONG_ROLE", Refused;
    /// It rests on words that the user did not say.
    QuoteNotFound = "E_QUOTE_NOT_FOUND", Refused;
    /// It rests on words of the user's that say too little, like "yes".
    QuoteTooShort = "E_QUOTE_TOO_SHORT", Refused;
    /// It rests on no words at all.
    QuoteMissing = "E_QUOTE_MISSING", Refused;
    /// It is not sure enough to be kept, or says so in a number that is none.
    Confidence = "E_CONFIDENCE", Refused;
    /// There is no operation of that name.
    OperationUnknown = "E_OP_UNKNOWN", Invalid;
    /// Two operations of one answer are about one memory.
    DuplicateTarget = "E_DUP_TARGET", Refused;
    /// It repeats what the library itself put into the chat.
    Echo = "E_ECHO", Refused;
    /// It was forgotten, and nothing newer says it.
    Forgotten = "E_FORGOTTEN", Refused;
    /// Something less trusted would change something more trusted.
    Tier = "E_TIER", Refused;
    /// Something changed since: the proposal or the token speaks of what no longer is.
    Stale = "E_STALE", Refused;
    /// It would make a second active rule for one domain and key, or a second live row of one fact.
    Taken = "E_TAKEN", Refused;
    /// It does not apply to this kind of memory.
    NotApplicable = "E_NOT_APPLICABLE", Refused;
}

impl fmt::Display for Code {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl Refusal {
    /// A no with that code. The message says what was wrong and how to do it right.
    pub fn new(code: Code, message: impl fmt::Display) -> Self {
        Refusal {
            code,
            also: Vec::new(),
            message: message.to_string(),
            candidates: Vec::new(),
        }
    }

    /// Everything that spoke against it, the reason that the message gives first.
    pub fn codes(&self) -> impl Iterator<Item = Code> {
        std::iter::once(self.code).chain(self.also.iter().copied())
    }

    /// The same no with more that speaks for it.
    #[must_use]
    pub(crate) fn and(mut self, codes: impl IntoIterator<Item = Code>) -> Self {
        for code in codes {
            if code != self.code && !self.also.contains(&code) {
                self.also.push(code);
            }
        }
        self
    }

    /// With facts to choose from.
    #[must_use]
    pub fn among(mut self, candidates: impl IntoIterator<Item = Candidate>) -> Self {
        self.candidates.extend(candidates);
        self
    }

    /// The same as the crate's error: without the candidates' words.
    pub fn into_error(self, operation: &'static str) -> Error {
        let Refusal {
            code,
            mut message,
            candidates,
            ..
        } = self;
        let mut separator = ": ";
        for candidate in &candidates {
            message.push_str(separator);
            message.push_str(&candidate.number.to_string());
            separator = ", ";
        }
        Error::new(code.kind(), operation, message).with_code(code.as_str())
    }
}
