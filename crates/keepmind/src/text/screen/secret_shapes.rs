//! Secrets that are known by their shape alone: keys, tokens, card and account numbers.
//! Those that only a word beside them gives away are in `secret_words`.

use super::kinds::Secret;
use crate::text::bytes::any_byte;

/// The first secret that its shape gives away in an uncovered text.
pub(super) fn shape(text: &str) -> Option<Secret> {
    // Kind by kind: each is looked for in many bytes at once.
    let has = |sign: u8| any_byte(text, |byte| *byte == sign);
    let (colon, dash) = (has(b':'), has(b'-'));
    let digits = match any_byte(text, u8::is_ascii_digit) {
        true => text.bytes().filter(u8::is_ascii_digit).count(),
        false => 0,
    };
    if dash && private_key(text) {
        return Some(Secret::PrivateKey);
    }
    if colon && connection_string(text) {
        return Some(Secret::ConnectionString);
    }
    if has_long_run(text.as_bytes())
        && let Some(found) = long_runs(text).find_map(key_at)
    {
        return Some(found);
    }
    if digits >= 9 && dash && social_security_number(text) {
        return Some(Secret::SocialSecurityNumber);
    }
    if digits >= 13 && card_number(text) {
        return Some(Secret::CardNumber);
    }
    if digits >= 4 && account_number(text) {
        return Some(Secret::AccountNumber);
    }
    None
}

/// Whether sixteen signs that show something follow on one another. From the last of sixteen to the first: where
/// one shows nothing, no run that begins before it is long enough.
fn has_long_run(bytes: &[u8]) -> bool {
    const LONG: usize = 16;
    let mut start = 0;
    while let Some(run) = bytes.get(start..start + LONG) {
        match run.iter().rposition(|byte| !byte.is_ascii_graphic()) {
            Some(place) => start += place + 1,
            None => return true,
        }
    }
    false
}

fn private_key(text: &str) -> bool {
    text.match_indices("-----").any(|(at, _)| {
        let label = text[at + 5..].trim_start();
        let label = &label[..label.floor_char_boundary(40)];
        let label = label.to_ascii_uppercase();
        label.starts_with("BEGIN") && label.contains("PRIVATE KEY")
    })
}

/// `scheme://user:password@host`.
fn connection_string(text: &str) -> bool {
    text.match_indices("://").any(|(at, _)| {
        let login = &text[at + 3..];
        // The next one has its own turn: no address is read twice.
        let end = login
            .find(|c: char| c.is_whitespace() || matches!(c, '/' | '@' | '"' | '<' | '>'))
            .unwrap_or(login.len());
        login[end..].starts_with('@')
            && login[..end]
                .split_once(':')
                .is_some_and(|(_, password)| !password.is_empty() && !placeholder(password))
    })
}

fn placeholder(password: &str) -> bool {
    password
        .bytes()
        .all(|byte| matches!(byte, b'*' | b'x' | b'X' | b'.'))
}

/// Prefixes that only keys and tokens have, and how many characters follow at least.
const PREFIXES: &[(&str, usize, Secret)] = &[
    ("AKIA", 16, Secret::Key),
    ("ASIA", 16, Secret::Key),
    ("AIza", 30, Secret::Key),
    ("ya29.", 20, Secret::Token),
    ("GOCSPX-", 20, Secret::Key),
    ("ghp_", 20, Secret::Token),
    ("gho_", 20, Secret::Token),
    ("ghu_", 20, Secret::Token),
    ("ghs_", 20, Secret::Token),
    ("ghr_", 20, Secret::Token),
    ("github_pat_", 20, Secret::Token),
    ("glpat-", 16, Secret::Token),
    ("gldt-", 16, Secret::Token),
    ("glrt-", 16, Secret::Token),
    ("xoxb-", 10, Secret::Token),
    ("xoxp-", 10, Secret::Token),
    ("xoxa-", 10, Secret::Token),
    ("xoxs-", 10, Secret::Token),
    ("xoxr-", 10, Secret::Token),
    ("xoxe-", 10, Secret::Token),
    ("xapp-", 10, Secret::Token),
    ("sk-", 16, Secret::Key),
    ("sk_live_", 10, Secret::Key),
    ("sk_test_", 10, Secret::Key),
    ("rk_live_", 10, Secret::Key),
    ("rk_test_", 10, Secret::Key),
    ("pk_live_", 10, Secret::Key),
    ("whsec_", 16, Secret::Key),
    ("hf_", 20, Secret::Token),
    ("npm_", 20, Secret::Token),
    ("pypi-", 20, Secret::Token),
    ("dop_v1_", 20, Secret::Token),
    ("shpat_", 16, Secret::Token),
    ("SG.", 20, Secret::Key),
    ("gsk_", 20, Secret::Key),
    ("xai-", 20, Secret::Key),
    ("r8_", 20, Secret::Token),
    ("dckr_pat_", 16, Secret::Token),
    ("EAAC", 40, Secret::Token),
    ("lin_api_", 16, Secret::Key),
    ("ntn_", 20, Secret::Token),
    ("AGE-SECRET-KEY-", 20, Secret::PrivateKey),
];

/// No key and no token is shorter.
const SHORTEST_KEY: usize = 15;

/// The runs of letters, digits and the signs inside keys that are long enough for one: each begins a text
/// or follows another kind of character, as in `key=…`, `"…"` or `Bearer:…`.
fn long_runs(text: &str) -> impl Iterator<Item = &str> {
    let belongs = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let mut rest = text.as_bytes();
    std::iter::from_fn(move || {
        while !rest.is_empty() {
            let start = text.len() - rest.len();
            let length = rest.iter().take_while(|byte| belongs(byte)).count();
            rest = &rest[(length + 1).min(rest.len())..];
            if length >= SHORTEST_KEY {
                // All of it is ASCII.
                let run = text.get(start..start + length).unwrap_or_default();
                return Some(run.trim_start_matches(['_', '-', '.']));
            }
        }
        None
    })
}

fn key_at(run: &str) -> Option<Secret> {
    let random = |tail: &str| tail.bytes().any(|byte| byte.is_ascii_digit());
    for (prefix, least, kind) in PREFIXES {
        // No word has such a beginning with a low line, in whatever case: a key whose letters somebody has
        // turned is still nearly a key. The other beginnings are those of words, too.
        let is_turned = |head: &str| prefix.ends_with('_') && head.eq_ignore_ascii_case(prefix);
        if let Some((head, tail)) = run.split_at_checked(prefix.len())
            && (head == *prefix || is_turned(head))
            && tail.len() >= *least
            && random(tail)
        {
            return Some(*kind);
        }
    }
    let jwt = run.len() >= 30 && run.starts_with("eyJ") && run.matches('.').count() == 2;
    jwt.then_some(Secret::Token)
}

/// `123-45-6789`, where the parts are ones that were given out.
fn social_security_number(text: &str) -> bool {
    let bytes = text.as_bytes();
    let lone =
        |at: Option<&u8>| at.is_none_or(|byte| !byte.is_ascii_alphanumeric() && *byte != b'-');
    bytes.windows(11).enumerate().any(|(at, window)| {
        window[3] == b'-'
            && window[6] == b'-'
            && [0, 1, 2, 4, 5, 7, 8, 9, 10]
                .iter()
                .all(|&digit| window[digit].is_ascii_digit())
            && lone(at.checked_sub(1).and_then(|before| bytes.get(before)))
            && lone(bytes.get(at + 11))
            && given_out(&[&window[..3], &window[4..6], &window[7..]].concat())
    })
}

/// Whether nine digits can be a social security number.
pub(super) fn given_out(digits: &[u8]) -> bool {
    digits.len() == 9
        && digits[0] != b'9'
        && !matches!(&digits[..3], b"000" | b"666")
        && &digits[3..5] != b"00"
        && &digits[5..] != b"0000"
}

/// Digits without a gap within a longer number.
struct Group {
    digits: Vec<u8>,
    /// Nothing but separators is between it and the group before.
    continues: bool,
    /// A plus sign is before it: a phone number.
    phone: bool,
}

fn groups(text: &str) -> Vec<Group> {
    let bytes = text.as_bytes();
    let mut groups: Vec<Group> = Vec::new();
    let mut at = 0;
    let mut end_of_last = 0;
    while at < bytes.len() {
        if !bytes[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let start = at;
        while at < bytes.len() && bytes[at].is_ascii_digit() {
            at += 1;
        }
        let between = &bytes[end_of_last..start];
        let separated = between.len() <= 3
            && between.iter().all(|byte| {
                matches!(
                    byte,
                    b' ' | b'\n' | b'-' | b'.' | b'/' | b'_' | b',' | b'*' | b'|' | b'+'
                )
            });
        // "4.111111" is a decimal number.
        let decimal = between == b"." && at - start > 6;
        groups.push(Group {
            digits: bytes[start..at].to_vec(),
            continues: separated && !decimal && !groups.is_empty() && !between.contains(&b'+'),
            phone: start > 0 && bytes[start - 1] == b'+',
        });
        end_of_last = at;
    }
    groups
}

fn card_number(text: &str) -> bool {
    let groups = groups(text);
    for (first, group) in groups.iter().enumerate() {
        if group.phone {
            continue;
        }
        let mut digits: Vec<u8> = Vec::with_capacity(20);
        let mut regular = true;
        for (count, group) in groups[first..].iter().enumerate() {
            if count > 0 && !group.continues {
                break;
            }
            // Cards are written in groups of four, or of 4, 6 and 5 or 4.
            regular &= match count {
                0 => group.digits.len() >= 4,
                1 => matches!(group.digits.len(), 4 | 6),
                2 => matches!(group.digits.len(), 4 | 5),
                _ => matches!(group.digits.len(), 3 | 4),
            };
            if digits.len() + group.digits.len() > 19 {
                break;
            }
            digits.extend(&group.digits);
            let last = groups
                .get(first + count + 1)
                .is_none_or(|next| !next.continues);
            let whole = !groups[first].continues && last;
            if (regular || whole) && issued(&digits) && luhn(&digits) {
                return true;
            }
        }
    }
    false
}

/// Whether a card with these first digits has that many.
fn issued(digits: &[u8]) -> bool {
    if !(13..=19).contains(&digits.len()) {
        return false;
    }
    let head = digits[..4]
        .iter()
        .fold(0_u32, |number, digit| number * 10 + u32::from(digit - b'0'));
    match (head, digits.len()) {
        (4000..=4999, 13 | 16 | 19)
        | (5100..=5599 | 2221..=2720 | 2200..=2204 | 9792, 16)
        | (3400..=3499 | 3700..=3799, 15)
        | (3000..=3059 | 3095 | 3600..=3699 | 3800..=3999, 14..=16)
        | (3528..=3589 | 6011 | 6440..=6599 | 6200..=6299 | 8100..=8299, 16..=19)
        | (
            5018 | 5020 | 5038 | 5060..=5089 | 5893 | 6304 | 6759 | 6761..=6763 | 6360..=6369,
            16..=19,
        ) => digits.windows(2).any(|pair| pair[0] != pair[1]),
        _ => false,
    }
}

fn luhn(digits: &[u8]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(place, digit)| {
            let digit = u32::from(digit - b'0');
            match digit * 2 {
                _ if place % 2 == 0 => digit,
                double @ 0..=9 => double,
                double => double - 9,
            }
        })
        .sum();
    sum.is_multiple_of(10)
}

/// What an IBAN is made of behind its country and check digits: so many digits (`n`), letters (`a`) or either (`c`).
#[rustfmt::skip]
const IBAN: &[([u8; 2], &str)] = &[
    (*b"AD", "8n12c"), (*b"AE", "19n"), (*b"AL", "8n16c"), (*b"AT", "16n"), (*b"AZ", "4a20c"), (*b"BA", "16n"),
    (*b"BE", "12n"), (*b"BG", "4a6n8c"), (*b"BH", "4a14c"), (*b"BR", "23n1a1c"), (*b"BY", "4c4n16c"),
    (*b"CH", "5n12c"), (*b"CR", "18n"), (*b"CY", "8n16c"), (*b"CZ", "20n"), (*b"DE", "18n"), (*b"DK", "14n"),
    (*b"DO", "4c20n"), (*b"EE", "16n"), (*b"EG", "25n"), (*b"ES", "20n"), (*b"FI", "14n"), (*b"FO", "14n"),
    (*b"FR", "10n11c2n"), (*b"GB", "4a14n"), (*b"GE", "2a16n"), (*b"GI", "4a15c"), (*b"GL", "14n"), (*b"GR", "7n16c"),
    (*b"GT", "24c"), (*b"HR", "17n"), (*b"HU", "24n"), (*b"IE", "4a14n"), (*b"IL", "19n"), (*b"IQ", "4a15n"),
    (*b"IS", "22n"), (*b"IT", "1a10n12c"), (*b"JO", "4a4n18c"), (*b"KW", "4a22c"), (*b"KZ", "3n13c"),
    (*b"LB", "4n20c"), (*b"LC", "4a24c"), (*b"LI", "5n12c"), (*b"LT", "16n"), (*b"LU", "3n13c"), (*b"LV", "4a13c"),
    (*b"LY", "21n"), (*b"MC", "10n11c2n"), (*b"MD", "20c"), (*b"ME", "18n"), (*b"MK", "3n10c2n"), (*b"MR", "23n"),
    (*b"MT", "4a5n18c"), (*b"MU", "4a19n3a"), (*b"NL", "4a10n"), (*b"NO", "11n"), (*b"PK", "4a16c"), (*b"PL", "24n"),
    (*b"PS", "4a21c"), (*b"PT", "21n"), (*b"QA", "4a21c"), (*b"RO", "4a16c"), (*b"RS", "18n"), (*b"SA", "2n18c"),
    (*b"SC", "4a20n3a"), (*b"SD", "14n"), (*b"SE", "20n"), (*b"SI", "15n"), (*b"SK", "20n"), (*b"SM", "1a10n12c"),
    (*b"ST", "21n"), (*b"SV", "4a20n"), (*b"TL", "19n"), (*b"TN", "20n"), (*b"TR", "6n16c"), (*b"UA", "6n19c"),
    (*b"VA", "18n"), (*b"VG", "4a16n"), (*b"XK", "16n"),
];

/// What each character of an account number must be.
fn kinds(structure: &str) -> impl Iterator<Item = u8> {
    let parts = structure
        .as_bytes()
        .split_inclusive(u8::is_ascii_alphabetic);
    parts.flat_map(|part| {
        let (kind, digits) = part.split_last().unwrap_or((&0, &[]));
        let digit = |count: usize, digit: &u8| count * 10 + usize::from(digit - b'0');
        std::iter::repeat_n(*kind, digits.iter().fold(0, digit))
    })
}

fn account_number(text: &str) -> bool {
    let bytes = text.as_bytes();
    (0..bytes.len().saturating_sub(14)).any(|at| {
        let begins = at == 0 || !bytes[at - 1].is_ascii_alphanumeric();
        begins
            && bytes[at].is_ascii_alphabetic()
            && bytes[at + 1].is_ascii_alphabetic()
            && iban(&bytes[at..])
    })
}

fn iban(bytes: &[u8]) -> bool {
    has_check_digits(bytes) && is_account(bytes)
}

/// Whether the third and fourth signs are digits, as in every account number and no common word: most
/// need no table.
fn has_check_digits(bytes: &[u8]) -> bool {
    let signs = bytes.iter().filter(|byte| byte.is_ascii_alphanumeric());
    signs.skip(2).take(2).all(u8::is_ascii_digit)
}

fn is_account(bytes: &[u8]) -> bool {
    let country = [bytes[0].to_ascii_uppercase(), bytes[1].to_ascii_uppercase()];
    let Some(&(_, structure)) = IBAN.iter().find(|(code, _)| *code == country) else {
        return false;
    };
    // "is 85 years old and lives in Ghent" begins like an Icelandic one, and of any hundred such sentences one has the
    // right check digits: each character must be of its kind. At most one separator stands between two of them.
    let mut wanted = b"aann".iter().copied().chain(kinds(structure)).peekable();
    let mut characters = Vec::new();
    let mut separated = true;
    for &byte in bytes {
        let Some(&kind) = wanted.peek() else {
            break;
        };
        let fits = match kind {
            b'n' => byte.is_ascii_digit(),
            b'a' => byte.is_ascii_alphabetic(),
            _ => byte.is_ascii_alphanumeric(),
        };
        if fits {
            characters.push(byte.to_ascii_uppercase());
            wanted.next();
            separated = false;
        } else if matches!(byte, b' ' | b'-' | b'.') && !separated {
            separated = true;
        } else {
            return false;
        }
    }
    if wanted.peek().is_some() {
        return false;
    }
    characters.rotate_left(4);
    let rest = characters.iter().fold(0_u32, |rest, byte| match byte {
        b'0'..=b'9' => (rest * 10 + u32::from(byte - b'0')) % 97,
        _ => (rest * 100 + u32::from(byte - b'A') + 10) % 97,
    });
    rest == 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_long_run_is_one_between_blanks(text in "([!a~]{0,17}[ \n\u{7f}é]{1,2}){0,4}[a-z]{0,18}") {
            let mut runs = text.as_bytes().split(|byte| !byte.is_ascii_graphic());
            let is_long = runs.any(|run| run.len() >= 16);
            prop_assert_eq!(has_long_run(text.as_bytes()), is_long);
        }

        #[test]
        fn every_account_number_has_check_digits(
            text in "(DE|gb|NO)[ .-]{0,2}[0-9a]{1,2}[ -]{0,2}([0-9A-Z]{4} ?){2,5}|(DE44|[A-Z]{2}[ -]?[0-9]{2}) ?(5001 ?0517 ?5407 ?3249 ?31|[0-9]{11,18})"
        ) {
            prop_assert!(!is_account(text.as_bytes()) || has_check_digits(text.as_bytes()));
        }

        #[test]
        fn keys_are_found_chunk_by_chunk_or_at_once(parts in prop::collection::vec(prop::sample::select(vec![
            "sk-", "xoxb-", "AKIA", "eyJ", ".", "-", "_", " ", "\n", "é", "\u{a0}", "=", "\"", "1234567890",
            "ABCDEFGHIJ", "key", "github_pat_", "SG.",
        ]), 0..12)) {
            let text = parts.concat();
            let at_once = long_runs(&text).find_map(key_at);
            prop_assert_eq!(at_once, text.split_whitespace().find_map(key));
        }
    }

    /// Keys and tokens within one run of characters without blanks.
    fn key(chunk: &str) -> Option<Secret> {
        if chunk.len() < 14 {
            return None;
        }
        let mut rest = chunk;
        loop {
            rest = rest.trim_start_matches(|c: char| !c.is_ascii_alphanumeric());
            if rest.len() < 14 {
                return None;
            }
            let length = rest
                .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.')))
                .unwrap_or(rest.len());
            if let Some(found) = key_at(&rest[..length]) {
                return Some(found);
            }
            // Only what follows another kind of character, as in `key=…`, `"…"` or `Bearer:…`.
            rest = &rest[length..];
        }
    }

    #[test]
    fn shapes_are_known() {
        let table = [
            (
                "token=ghp_EXAMPLEexampleEXAMPLEexample0123456789",
                Secret::Token,
            ),
            (
                "is gHP_exAMPLEExampleExamPLEExample0123456789",
                Secret::Token,
            ),
            ("glpat-abcdEFGH12345678ijkl", Secret::Token),
            ("xoxb-123456789012-abcdefghij", Secret::Token),
            ("AIzaSyA1234567890abcdefghijklmnopqrstuv", Secret::Key),
            ("(sk_live_4eC39HqLyjWDarjtT1zdp7dc)", Secret::Key),
            (
                "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NSJ9.abcdefghijkl",
                Secret::Token,
            ),
            (
                "-----BEGIN OPENSSH PRIVATE KEY----- b3Bl",
                Secret::PrivateKey,
            ),
            ("mysql://root:s3cret@localhost", Secret::ConnectionString),
            ("4111 1111 1111 1111", Secret::CardNumber),
            ("4-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1", Secret::CardNumber),
            ("3782 822463 10005 exp 12/29", Secret::CardNumber),
            ("5555.5555.5555.4444", Secret::CardNumber),
            ("on 12 5555555555554444", Secret::CardNumber),
            ("DE89 3704 0044 0532 0130 00", Secret::AccountNumber),
            ("gb82west12345698765432", Secret::AccountNumber),
            (
                "MT84 MALT 0110 0001 2345 MTLC AST0 01S",
                Secret::AccountNumber,
            ),
            ("QA58DOHB00001234567890ABCDEFG", Secret::AccountNumber),
            ("RO64BTRLRONCRT0CA0000001", Secret::AccountNumber),
            ("123-45-6789", Secret::SocialSecurityNumber),
        ];
        for (text, expected) in table {
            assert_eq!(shape(text), Some(expected), "{text}");
        }
    }

    /// What the registry shows for each country.
    #[test]
    fn an_account_of_every_country_is_known() {
        let examples = "AD1200012030200359100100 AE070331234567890123456 AL47212110090000000235698741 AT611904300234573201 \
             AZ21NABZ00000000137010001944 BA391290079401028494 BE68539007547034 BG80BNBG96611020345678 \
             BH67BMAG00001299123456 BR1800360305000010009795493C1 BY13NBRB3600900000002Z00AB00 \
             CH9300762011623852957 CR05015202001026284066 CY17002001280000001200527600 CZ6508000000192000145399 \
             DE89370400440532013000 DK5000400440116243 DO28BAGR00000001212453611324 EE382200221020145685 \
             EG380019000500000000263180002 ES9121000418450200051332 FI2112345600000785 FO6264600001631634 \
             FR1420041010050500013M02606 GB29NWBK60161331926819 GE29NB0000000101904917 GI75NWBK000000007099453 \
             GL8964710001000206 GR1601101250000000012300695 GT82TRAJ01020000001210029690 HR1210010051863000160 \
             HU42117730161111101800000000 IE29AIBK93115212345678 IL620108000000099999999 IQ98NBIQ850123456789012 \
             IS140159260076545510730339 IT60X0542811101000000123456 JO94CBJO0010000000000131000302 \
             KW81CBKU0000000000001234560101 KZ86125KZT5004100100 LB62099900000001001901229114 \
             LC55HEMM000100010012001200023015 LI21088100002324013AA LT121000011101001000 LU280019400644750000 \
             LV80BANK0000435195001 LY83002048000020100120361 MC5811222000010123456789030 MD24AG000225100013104168 \
             ME25505000012345678951 MK07250120000058984 MR1300020001010000123456753 \
             MT84MALT011000012345MTLCAST001S MU17BOMM0101101030300200000MUR NL91ABNA0417164300 NO9386011117947 \
             PK36SCBL0000001123456702 PL61109010140000071219812874 PS92PALS000000000400123456702 \
             PT50000201231234567890154 QA58DOHB00001234567890ABCDEFG RO49AAAA1B31007593840000 \
             RS35260005601001611379 SA0380000000608010167519 SC18SSCB11010000000000001497USD SD8811123456789012 \
             SE4550000000058398257466 SI56263300012039086 SK3112000000198742637541 SM86U0322509800000000270100 \
             ST23000100010051845310146 SV62CENR00000000000000700025 TL380080012345678910157 \
             TN5910006035183598478831 TR330006100519786457841326 UA213223130000026007233566001 \
             VA59001123000012345678 VG96VPVG0000012345678901 XK051212012345678906";
        assert_eq!(examples.split_whitespace().count(), IBAN.len());
        for example in examples.split_whitespace() {
            // Some are numbers of a card as well, by their digits.
            assert!(account_number(example), "{example}");
            assert!(shape(example).is_some(), "{example}");
        }
    }

    #[test]
    fn numbers_that_only_resemble_them_pass() {
        for text in [
            "4111 1111 1111 1112",
            "+4111111111111111",
            "0000 0000 0000 0000",
            "978-3-16-148410-0",
            "1700000000000",
            "2023-01-02 2024-03-04 12:30",
            "3.141592653589793",
            "DE00 3704 0044 0532 0130 00",
            "000-12-3456 and 666-12-3456",
            "https://example.com/a:b@c",
            "see https://user:***@host",
            "sk-learn-and-other-packages-of-python",
            "asiapacificconference2024",
            "eyJ is how it begins",
            "0123-45-67890",
            // Words behind a country's letters and a number, with the right check digits by chance.
            "User's sister is 85 years old and lives in Ghent with two cats",
            "User wants to be 97 kilos lighter by summer",
            "User's train leaves at 86 past every full hour",
            "User's train leaves at 12.45 on 01.01.2026 from Ghent",
        ] {
            assert_eq!(shape(text), None, "{text}");
        }
    }
}
