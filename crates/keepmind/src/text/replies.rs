//! Words that only answer or only end: "yes" says nothing about the user, "forget" asks for an end.
//! A language is a few words in each table.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::fnv::FnvBuilder;

/// Whether a text says anything of its own. What is only "yes", "ok" or the like rests on what somebody
/// else said before it.
pub(crate) fn weighs(text: &str) -> bool {
    folded_weighs(&super::fold(text))
}

/// [`weighs`] for a text that is folded already.
pub(crate) fn folded_weighs(folded: &str) -> bool {
    static TABLE: LazyLock<HashSet<&str, FnvBuilder>> =
        LazyLock::new(|| REPLIES.iter().copied().collect());
    words(folded).any(|word| {
        let letters = word.chars().filter(|letter| letter.is_alphanumeric());
        let is_word = word.bytes().all(|byte| byte.is_ascii_alphabetic());
        let enough = if is_word { 3 } else { 2 };
        letters.count() >= enough && !TABLE.contains(word) && !super::is_stop_word(word)
    })
}

/// Whether a text asks for something to be forgotten.
pub(crate) fn asks_to_forget(text: &str) -> bool {
    let folded = super::fold(text);
    words(&folded).any(|word| FORGET.iter().any(|stem| word.starts_with(stem)))
        || !folded.is_ascii() && FORGET_PIECES.iter().any(|piece| folded.contains(piece))
}

fn words(folded: &str) -> impl Iterator<Item = &str> {
    folded
        .split(|letter: char| !(letter.is_alphanumeric() || super::is_mark(letter)))
        .filter(|word| !word.is_empty())
}

const REPLIES: &[&str] = &[
    "yes",
    "yeah",
    "yep",
    "yup",
    "yea",
    "aye",
    "okay",
    "sure",
    "fine",
    "right",
    "correct",
    "exactly",
    "indeed",
    "true",
    "agreed",
    "please",
    "thanks",
    "thank",
    "great",
    "good",
    "cool",
    "nice",
    "perfect",
    "absolutely",
    "definitely",
    "certainly",
    "course",
    "nope",
    "nah",
    "maybe",
    "perhaps",
    "ja",
    "jawohl",
    "klar",
    "genau",
    "gerne",
    "gern",
    "bitte",
    "danke",
    "stimmt",
    "richtig",
    "gut",
    "nein",
    "vielleicht",
    "oui",
    "ouais",
    "bien",
    "merci",
    "exact",
    "non",
    "accord",
    "sur",
    "sûr",
    "si",
    "sí",
    "vale",
    "claro",
    "gracias",
    "bueno",
    "sim",
    "certo",
    "obrigado",
    "obrigada",
    "isso",
    "va",
    "bene",
    "esatto",
    "grazie",
    "goed",
    "prima",
    "precies",
    "bedankt",
    "да",
    "ага",
    "хорошо",
    "верно",
    "спасибо",
    "нет",
    "ладно",
    "evet",
    "tamam",
    "tabii",
    "olur",
    "hayır",
    "teşekkürler",
    "نعم",
    "حسنا",
    "شكرا",
    "أجل",
    "لا",
    "بله",
    "باشه",
    "آره",
    "हाँ",
    "हां",
    "ठीक",
    "जी",
    "ใช่",
    "ครับ",
    "ค่ะ",
    "โอเค",
    "是",
    "是的",
    "对",
    "對",
    "好",
    "好的",
    "嗯",
    "行",
    "可以",
    "谢谢",
    "はい",
    "うん",
    "ええ",
    "そうです",
    "ありがとう",
    "네",
    "예",
    "응",
    "그래",
    "좋아",
    "tak",
    "dobrze",
    "ano",
    "jo",
];

const FORGET: &[&str] = &[
    "forget",
    "forgot",
    "delet",
    "remov",
    "eras",
    "drop",
    "discard",
    "purg",
    "scrap",
    "unlearn",
    "wrong",
    "outdated",
    "obsolete",
    "vergiss",
    "vergess",
    "lösch",
    "losch",
    "entfern",
    "streich",
    "oubli",
    "supprim",
    "effac",
    "enlev",
    "olvid",
    "borr",
    "elimin",
    "quita",
    "esque",
    "apag",
    "remov",
    "dimentic",
    "cancell",
    "rimuov",
    "vergeet",
    "verwijder",
    "wis",
    "забуд",
    "удал",
    "сотр",
    "unut",
    "sil",
    "kaldır",
    "zapomn",
    "usuń",
    "skasuj",
    "glöm",
    "radera",
    "glem",
    "slet",
];

const FORGET_PIECES: &[&str] = &[
    "忘",
    "删除",
    "刪除",
    "删掉",
    "刪掉",
    "削除",
    "消して",
    "잊",
    "삭제",
    "지워",
    "انس",
    "احذف",
    "امسح",
    "فراموش",
    "حذف",
    "भूल",
    "हटा",
    "मिटा",
    "ลืม",
    "ลบ",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mere_answer_weighs_nothing() {
        for reply in [
            "yes",
            "Ok!",
            "Yes, please.",
            "sure thing :)",
            "a",
            "on it",
            "ja, genau",
            "да",
            "好的",
            "はい",
            "네",
            "نعم",
            "👍",
            "...",
            "",
        ] {
            let expected = reply == "sure thing :)";
            assert_eq!(weighs(reply), expected, "{reply}");
        }
        for said in [
            "Vegan",
            "我吃素",
            "I like tea",
            "אני גר בחיפה",
            "Iğdır'da doğdum",
            "42 km",
        ] {
            assert!(weighs(said), "{said}");
        }
    }

    #[test]
    fn asking_to_forget_is_heard_in_many_languages() {
        for asked in [
            "forget that",
            "Please delete #3",
            "that is wrong",
            "Vergiss das bitte",
            "Oublie mon adresse",
            "olvida eso",
            "забудь про это",
            "bunu unut",
            "请忘记这件事",
            "それを忘れて",
            "그건 잊어줘",
            "انس ذلك",
            "इसे भूल जाओ",
        ] {
            assert!(asks_to_forget(asked), "{asked}");
        }
        for said in [
            "which nuts are these?",
            "I like tea",
            "我喜欢茶",
            "wie geht's?",
        ] {
            assert!(!asks_to_forget(said), "{said}");
        }
    }
}
