//! Words that mean "the user" in what is written about a user. A language is a word in the table.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::first_letters::FirstLetters;
use super::fnv::FnvBuilder;

/// Whether a folded word stands for the user: it says nothing about them.
pub(crate) fn is_user_word(word: &str) -> bool {
    static TABLE: LazyLock<HashSet<&str, FnvBuilder>> =
        LazyLock::new(|| WORDS.iter().copied().collect());
    // Asked for every word of every content.
    may_be_user_word(word) && TABLE.contains(word)
}

/// Whether a word, in any case, may stand for the user once it is folded: of most words two letters say no.
pub(crate) fn may_be_user_word(word: &str) -> bool {
    !word.is_ascii() || FIRST_LETTERS.may_begin(word.as_bytes())
}

/// How the words of the table begin.
const FIRST_LETTERS: FirstLetters = FirstLetters::of(WORDS);

const WORDS: &[&str] = &[
    "user",
    "users",
    "nutzer",
    "nutzerin",
    "nutzers",
    "benutzer",
    "benutzerin",
    "benutzers",
    "anwender",
    "usuario",
    "usuaria",
    "utilisateur",
    "utilisatrice",
    "utente",
    "usuário",
    "usuária",
    "utilizador",
    "gebruiker",
    "användare",
    "användaren",
    "bruger",
    "brugeren",
    "bruker",
    "brukeren",
    "käyttäjä",
    "użytkownik",
    "uživatel",
    "používateľ",
    "felhasználó",
    "utilizator",
    "utilizatorul",
    "korisnik",
    "uporabnik",
    "потребител",
    "пользователь",
    "пользователя",
    "користувач",
    "χρήστησ",
    "kullanıcı",
    "kullanicı",
    "kullanici",
    "المستخدم",
    "משתמש",
    "المستخدمة",
    "کاربر",
    "उपयोगकर्ता",
    "ব্যবহারকারী",
    "பயனர்",
    "వినియోగదారు",
    "ผู้ใช้",
    "người",
    "dùng",
    "pengguna",
    "用户",
    "用戶",
    "使用者",
    "ユーザー",
    "ユーザ",
    "사용자",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::fold;

    #[test]
    fn the_table_is_folded() {
        for word in WORDS {
            assert_eq!(*word, fold(word));
        }
        assert!(is_user_word("user") && !is_user_word("tea"));
    }

    #[test]
    fn two_letters_leave_out_none_of_them() {
        for word in WORDS {
            assert!(may_be_user_word(word) && may_be_user_word(&word.to_uppercase()));
        }
        assert!(!may_be_user_word("Tea"));
    }
}
