//! Text as the library keeps and compares it: normalised, cleaned, cut into terms, counted.
//!
//! Pure functions of their arguments. What a text means, and where it is stored, is elsewhere.
//!
//! - [`line()`] and [`passage`] make what a host or a model wrote storable, or refuse it;
//!   [`limit`] bounds it.
//! - [`nfc`] is the stored form, [`fold`] the form in which contents are compared.
//! - [`terms`] and [`query_terms`] are what keyword search is made of.
//! - [`approximate_tokens`] is the default measure of a prompt's budget.

mod cleaned;
mod count;
mod emoji;
mod error;
mod normalise;
mod sanitise;
mod script;
mod search_form;
mod stop_words;
mod terms;
mod tokens;

pub use count::approximate_tokens;
pub use error::TextError;
pub use normalise::{fold, nfc};
pub use sanitise::{limit, line, passage};
pub use stop_words::is_stop_word;
pub use terms::{TERMS_VERSION, query_terms, terms};
