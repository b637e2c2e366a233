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

mod clause;
mod cleaned;
mod count;
mod date_words;
mod dates;
mod emoji;
mod error;
mod instruction_scripts;
mod instruction_words;
mod instructions;
mod lexicon;
mod markup;
mod normalise;
mod orders;
mod sanitise;
mod script;
mod search_form;
mod secret_names;
mod secret_shapes;
mod secret_words;
mod secrets;
mod skeleton;
mod stop_words;
mod terms;
mod tokens;
mod user_words;

pub use count::approximate_tokens;
pub use dates::deadline;
pub use error::TextError;
pub use instructions::{Instruction, instruction};
pub use normalise::{fold, nfc};
pub use sanitise::{limit, line, passage};
pub use secrets::{Secret, secret};
pub use stop_words::is_stop_word;
pub use terms::{TERMS_VERSION, query_terms, terms};
pub(crate) use user_words::is_user_word;
