//! Looking through the bytes of a text. Every text is looked through again and again on its way into a store, so
//! nothing here branches at a byte unless it ends there: several bytes are then looked at in one step.

/// Whether there is any byte of that kind.
pub(crate) fn any_byte(text: &str, is_one: impl Fn(&u8) -> bool) -> bool {
    let bytes = text.as_bytes().iter();
    bytes.fold(false, |found, byte| found | is_one(byte))
}

/// Whether a text has no blanks but single ones between other characters, and any of those.
pub(crate) fn has_single_blanks(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_blank = |byte: &u8| *byte == b' ';
    let pairs = bytes.iter().zip(bytes.get(1..).unwrap_or_default());
    let has_gap = pairs.fold(false, |found, (one, next)| {
        found | (is_blank(one) & is_blank(next))
    });
    let ends = [bytes.first(), bytes.last()];
    let ends_well = |end: Option<&u8>| end.is_some_and(|byte| !is_blank(byte));
    !has_gap && ends.into_iter().all(ends_well)
}

/// How many letters and digits of ASCII the bytes begin with.
pub(crate) fn alphanumeric_length(bytes: &[u8]) -> usize {
    let is_other = |byte: &u8| !ALPHANUMERIC[usize::from(*byte)];
    bytes.iter().position(is_other).unwrap_or(bytes.len())
}

/// Which bytes are letters and digits of ASCII: one look is less than the comparisons that say so.
const ALPHANUMERIC: [bool; 256] = {
    let mut found = [false; 256];
    let mut byte = 0_u8;
    while byte.is_ascii() {
        found[byte as usize] = byte.is_ascii_alphanumeric();
        byte += 1;
    }
    found
};

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn bytes_are_found_as_one_by_one(text in "[ a-c\\t]{0,40}") {
            let is_c = |byte: &u8| *byte == b'c';
            prop_assert_eq!(any_byte(&text, is_c), text.bytes().any(|byte| is_c(&byte)));
            let is_single = !text.is_empty()
                && !text.contains("  ")
                && !text.starts_with(' ')
                && !text.ends_with(' ');
            prop_assert_eq!(has_single_blanks(&text), is_single);
        }

        #[test]
        fn a_run_is_as_long_as_its_letters(bytes in prop::collection::vec(any::<u8>(), 0..9)) {
            let run = bytes.iter().take_while(|byte| byte.is_ascii_alphanumeric());
            prop_assert_eq!(alphanumeric_length(&bytes), run.count());
        }
    }
}
