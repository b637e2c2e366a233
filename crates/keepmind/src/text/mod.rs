//! Text as the library keeps and compares it: normalised, cleaned, cut into terms, counted.
//!
//! Pure functions of their arguments. What a text means, and where it is stored, is elsewhere.
//!
//! - [`line()`] and [`passage`] make what a host or a model wrote storable, or refuse it;
//!   [`limit`] bounds it.
//! - [`nfc`] is the stored form, [`fold`] the form in which contents are compared.
//! - [`terms`] and [`query_terms`] are what keyword search is made of.
//! - [`secret`] and [`instruction`] say what is not to be kept; [`deadline`] reads a date.
//! - [`approximate_tokens`] is the default measure of a prompt's budget.

mod bytes;
mod cleaned;
mod count;
mod date_words;
mod dates;
mod emoji;
mod error;
mod first_letters;
mod fnv;
mod lexicon;
mod normalise;
mod past_words;
mod periods;
mod polarity;
mod reading;
mod replies;
mod sanitise;
mod screen;
mod script;
mod search_form;
mod skeleton;
mod speaker;
mod stems;
mod stop_words;
mod string_set;
mod terms;
mod tokens;
mod topics;
mod user_words;

pub(crate) use bytes::{any_byte, has_single_blanks};
pub use count::approximate_tokens;
pub use dates::deadline;
pub use error::TextError;
pub(crate) use fnv::FnvBuilder;
pub use normalise::{fold, nfc};
pub(crate) use normalise::{is_mark, storable, storable_value};
pub(crate) use past_words::asks_about_past;
pub(crate) use periods::Period;
pub(crate) use polarity::is_negated;
pub(crate) use reading::Reading;
pub(crate) use replies::{asks_to_forget, folded_weighs, weighs};
pub(crate) use sanitise::{is_plain_line, shows_nothing};
pub use sanitise::{limit, line, passage};
pub use screen::{Instruction, Secret, instruction, secret};
pub(crate) use script::is_unspaced;
pub(crate) use skeleton::without_look_alikes;
pub(crate) use speaker::{names, speaker};
pub use stop_words::is_stop_word;
pub(crate) use string_set::StringSet;
pub(crate) use terms::{Cut, words};
pub use terms::{TERMS_VERSION, query_terms, terms};
pub(crate) use user_words::{is_user_word, may_be_user_word};
