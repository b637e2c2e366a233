//! Whether a text holds something that opens an account, a door to money or a machine.
//! Shapes are in `secret_shapes`, words such as "password" in `secret_words`; what happens then is
//! decided by whoever asks.

use super::kinds::Secret;
use super::secret_shapes::shape;
use super::secret_words::told;
use crate::text::lexicon::Words;
use crate::text::skeleton::uncovered;

/// The first kind of secret found in `text`, however its characters are disguised.
///
/// Found by its shape (keys, tokens, card and account numbers with their check digits) or by the
/// word before it, in many languages. Speaking *about* passwords is no secret, and neither is a
/// number that is merely private, such as a phone number or the code of a gate.
///
/// ```
/// use keepmind::text::{Secret, secret};
/// assert_eq!(secret("User's card is 4111-1111-1111-1111"), Some(Secret::CardNumber));
/// assert_eq!(secret("Das Passwort ist Sommer2024!"), Some(Secret::Password));
/// assert_eq!(secret("User forgot their password"), None);
/// assert_eq!(secret("Bob's gate code is 4471"), None);
/// ```
#[must_use]
pub fn secret(text: &str) -> Option<Secret> {
    let plain = uncovered(text);
    shape(&plain).or_else(|| told(&plain, &Words::of(&plain)))
}

/// [`secret`], in an uncovered text that was cut already.
pub(in crate::text) fn secret_in(plain: &str, words: &Words) -> Option<Secret> {
    shape(plain).or_else(|| told(plain, words))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn secrets_are_found() {
        let table = [
            ("key AKIAIOSFODNN7EXAMPLE", Secret::Key),
            (
                "User's key is sk-ant-api03-abcDEF123456789_-xyz00",
                Secret::Key,
            ),
            (
                "4111\u{200b}1111\u{2060}1111\u{feff}1111",
                Secret::CardNumber,
            ),
            ("card ٤١١١ ١١١١ ١١١١ ١١١١", Secret::CardNumber),
            (
                "postgres://bob:hunter2@db.example/app",
                Secret::ConnectionString,
            ),
            ("User's wifi password is hunter2hunter2", Secret::Password),
            ("the p\u{200b}assword is hunter2x", Secret::Password),
            ("the раsswоrd is hunter2x", Secret::Password),
            ("User's SSN is 536 90 4399", Secret::SocialSecurityNumber),
        ];
        for (text, expected) in table {
            assert_eq!(secret(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_is_merely_private_is_none() {
        for text in [
            "",
            "User forgot their password",
            "User uses a password manager",
            "User's phone number is +66 81 234 5678",
            "Bob's gate code is 4471",
            "order 4471 0021",
            "User was born on 1984-03-12",
            "The book's ISBN is 978-3-16-148410-0",
            "the code word is fun",
            "User's order number is 20459917",
            "User pins recipes and bought a rolling pin in 2019",
            "User's token of love is a ring",
        ] {
            assert_eq!(secret(text), None, "{text}");
        }
    }

    #[test]
    fn long_texts_are_judged() {
        for part in [
            "4111 ",
            "4",
            "password ",
            "password is ",
            "a:b@",
            "://",
            "://a:",
            "密码",
            "de44",
            "sk-",
            "-----begin ",
            "is password ",
            "eyj.",
            "pin: ",
            "-",
        ] {
            let text = part.repeat(32 * 1024 / part.len());
            let _ = secret(&text);
        }
    }

    proptest! {
        #[test]
        fn any_text_is_judged(text in "(?s).{0,64}") {
            let _ = secret(&text);
        }

        #[test]
        fn any_mixture_is_judged(parts in prop::collection::vec(prop::sample::select(vec![
            "password", "is", ":", "=", " ", "'s", "é", "密码", "пароль", "4111", "1111", "-", "://", "@", "\u{200b}",
            "DE44", "sk-", "eyJ", ".", "\"", "seed phrase", "ß", "İ", "'t", "pin", "รหัสผ่าน", "🏴", "-----BEGIN", "\n",
        ]), 0..16)) {
            let _ = secret(&parts.concat());
        }
    }
}
