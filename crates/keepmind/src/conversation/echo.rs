//! Whether somebody only repeats what the library put into the chat.

/// From which share of a served line on a text is only its echo.
const ECHO: f64 = 0.6;

/// What is shorter than this, in bytes, may be said by anybody.
const LEAST_ECHO: usize = 12;

/// Whether a text is hardly more or less than a line that was served: most of the line, or the line and
/// little else. Whether one stands in the other is asked only where it matters.
#[expect(clippy::cast_precision_loss, reason = "a line is short")]
pub(crate) fn is_echo(
    text: &str,
    served: &str,
    is_text_in_line: impl FnOnce() -> bool,
    is_line_in_text: impl FnOnce() -> bool,
) -> bool {
    let share = |part: &str, whole: &str| part.len() as f64 / whole.len().max(1) as f64;
    share(text, served) >= ECHO && is_text_in_line()
        || (LEAST_ECHO..=text.len()).contains(&served.len())
            && share(served, text) >= ECHO
            && is_line_in_text()
}
