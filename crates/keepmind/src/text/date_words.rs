//! Names of months, days and units of time. A language is a row in each table; how they make a date
//! is in `dates`.

use std::collections::HashMap;
use std::sync::LazyLock;

use time::Weekday;

use super::fnv::FnvBuilder;

/// What a word means in a date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Name {
    /// A month, from 1.
    Month(u32),
    Weekday(Weekday),
    /// So many days from today.
    After(i64),
    Days,
    Weeks,
    Months,
    Years,
    /// "next".
    Next,
    /// "in", "within".
    Within,
    /// "end".
    End,
}

/// Each line is a language; folded, without accents. Short forms that are also other words
/// ("sun", "mar", "do") are left out.
const MONTHS: [&str; 4] = [
    "january|jan february|feb march april|apr may june|jun july|jul august|aug september|sep|sept october|oct \
     november|nov december|dec",
    "januar|janner februar|feber marz|maerz april mai juni juli august september oktober|okt november dezember|dez",
    "janvier|janv fevrier|fevr mars avril mai juin juillet aout septembre octobre novembre decembre",
    "enero febrero marzo abril mayo junio julio agosto septiembre|setiembre octubre noviembre diciembre",
];

const WEEKDAYS: [&str; 4] = [
    "monday|mon tuesday|tue|tues wednesday thursday|thu|thurs friday|fri saturday sunday",
    "montag dienstag mittwoch donnerstag freitag samstag|sonnabend sonntag",
    "lundi mardi mercredi jeudi vendredi samedi dimanche",
    "lunes martes miercoles jueves viernes sabado domingo",
];

const DAYS: [Weekday; 7] = [
    Weekday::Monday,
    Weekday::Tuesday,
    Weekday::Wednesday,
    Weekday::Thursday,
    Weekday::Friday,
    Weekday::Saturday,
    Weekday::Sunday,
];

/// What `word` means in a date, if anything.
pub(super) fn name(word: &str) -> Option<Name> {
    let other =
        match word {
            "today" | "tonight" | "heute" | "aujourd" | "hoy" => Name::After(0),
            "tomorrow" | "demain" | "manana" | "morgen" => Name::After(1),
            "ubermorgen" | "uebermorgen" => Name::After(2),
            "day" | "days" | "tag" | "tage" | "tagen" | "tages" | "jour" | "jours" | "dia"
            | "dias" => Name::Days,
            "week" | "weeks" | "woche" | "wochen" | "semaine" | "semaines" | "semana"
            | "semanas" => Name::Weeks,
            "month" | "months" | "monat" | "monats" | "monate" | "monaten" | "mois" | "mes"
            | "meses" => Name::Months,
            "year" | "years" | "jahr" | "jahre" | "jahren" | "jahres" | "ans" | "annee"
            | "annees" | "ano" | "anos" => Name::Years,
            "next" | "nachste" | "nachsten" | "nachster" | "nachstes" | "kommenden"
            | "kommende" | "prochain" | "prochaine" | "proximo" | "proxima" => Name::Next,
            "in" | "within" | "innerhalb" | "dans" | "en" => Name::Within,
            "end" | "ende" | "fin" | "finales" => Name::End,
            _ => return LISTED.get(word).copied(),
        };
    Some(other)
}

/// The months and days. Every word of a question is looked up: going through the tables was 14 % of a recall by three.
static LISTED: LazyLock<HashMap<&str, Name, FnvBuilder>> = LazyLock::new(|| {
    let months = MONTHS
        .iter()
        .flat_map(|language| (1..).map(Name::Month).zip(language.split_whitespace()));
    let days = WEEKDAYS.iter().flat_map(|language| {
        let days = DAYS.iter().copied().map(Name::Weekday);
        days.zip(language.split_whitespace())
    });
    let mut listed = HashMap::default();
    for (meaning, names) in months.chain(days) {
        listed.extend(names.split('|').map(|name| (name, meaning)));
    }
    listed
});

/// A small number in words.
pub(super) fn number(word: &str) -> Option<u32> {
    let number = match word {
        "a" | "an" | "one" | "ein" | "eine" | "einem" | "einer" | "un" | "une" | "una" => 1,
        "two" | "zwei" | "deux" | "dos" => 2,
        "three" | "drei" | "trois" | "tres" => 3,
        "four" | "vier" | "quatre" | "cuatro" => 4,
        "five" | "funf" | "cinq" | "cinco" => 5,
        "six" | "sechs" | "seis" => 6,
        "seven" | "sieben" | "sept" | "siete" => 7,
        "eight" | "acht" | "huit" | "ocho" => 8,
        "nine" | "neun" | "neuf" | "nueve" => 9,
        "ten" | "zehn" | "dix" | "diez" => 10,
        "twelve" | "zwolf" | "douze" | "doce" => 12,
        "fourteen" | "vierzehn" | "quatorze" | "catorce" => 14,
        _ => return None,
    };
    Some(number)
}

/// Whether `word` may stand between "end" and the name of a month or a unit.
pub(super) fn phrase_ends_month(word: &str) -> bool {
    matches!(
        word,
        "of" | "the"
            | "this"
            | "next"
            | "des"
            | "der"
            | "dieses"
            | "nachsten"
            | "du"
            | "de"
            | "la"
            | "le"
            | "l"
            | "d"
            | "del"
            | "el"
            | "este"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_all_names() {
        for months in MONTHS {
            assert_eq!(months.split_whitespace().count(), 12, "{months}");
        }
        for days in WEEKDAYS {
            assert_eq!(days.split_whitespace().count(), 7, "{days}");
        }
    }

    #[test]
    fn names_are_known() {
        let table = [
            ("march", Some(Name::Month(3))),
            ("marz", Some(Name::Month(3))),
            ("aout", Some(Name::Month(8))),
            ("mayo", Some(Name::Month(5))),
            ("viernes", Some(Name::Weekday(Weekday::Friday))),
            ("uhr", None),
            ("", None),
        ];
        for (word, expected) in table {
            assert_eq!(name(word), expected, "{word}");
        }
        assert_eq!(number("drei"), Some(3));
    }
}
