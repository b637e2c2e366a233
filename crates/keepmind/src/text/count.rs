//! The built-in estimate of how many tokens a text costs. Exact counting is the host's to plug in.

/// About how many model tokens `text` takes: its characters divided by four, rounded up.
///
/// ```
/// use keepmind::text::approximate_tokens;
/// assert_eq!(approximate_tokens(""), 0);
/// assert_eq!(approximate_tokens("likes"), 2);
/// ```
#[must_use]
pub fn approximate_tokens(text: &str) -> usize {
    text.chars().count().div_ceil(4)
}

#[cfg(test)]
mod tests {
    use super::approximate_tokens;

    #[test]
    fn characters_are_counted_not_bytes() {
        let table = [
            ("", 0),
            ("a", 1),
            ("abcd", 1),
            ("abcde", 2),
            ("ข้าวมัน", 2),
            ("我用代码写", 2),
        ];
        for (text, expected) in table {
            assert_eq!(approximate_tokens(text), expected, "{text}");
        }
    }
}
