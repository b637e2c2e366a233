//! `/compress`: what of the chat is sent to the model, and what a summary stands for.

use keepmind::{Error, Result};

use crate::chat::Chat;
use crate::screen::Page;

/// Shows the view; with a number, within that many tokens from now on in this chat.
pub(crate) async fn show(chat: &mut Chat, given: &str, page: &mut Page) -> Result<()> {
    if !given.is_empty() {
        let budget = given.parse::<u32>().ok().filter(|budget| *budget > 0);
        chat.budget = Some(budget.ok_or_else(|| {
            Error::invalid("view", "Write a number of tokens, as in /compress 200.")
        })?);
    }
    let view = chat.session.view_within(chat.budget).await?;
    let messages = view.messages.len();
    let (Some(summary), Some(notice)) = (view.summary, view.notice) else {
        page.line(&format!(
            "All of this chat is sent to the assistant: {messages} messages, {} tokens.",
            view.tokens
        ));
        page.note("/compress 200 tries it with less room.");
        return Ok(());
    };
    chat.told_replaced = view.replaced;
    page.note(&notice);
    page.line(&format!(
        "Sent: this summary and {messages} messages, {} tokens; {} saved.",
        view.tokens, view.saved_tokens
    ));
    for line in summary.lines() {
        page.detail(line);
    }
    Ok(())
}
