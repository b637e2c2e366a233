//! `/consent`: which domains are kept only with the user's consent, and their word on each.

use keepmind::Result;

use crate::chat::{Chat, day};
use crate::screen::Page;

/// Shows the domains, or takes the user's word on one.
pub(crate) async fn run(chat: &mut Chat, given: &str, page: &mut Page) -> Result<()> {
    let mut words = given.split_whitespace();
    let (domain, off) = (words.next(), words.next());
    let Some(domain) = domain else {
        return show(chat, page).await;
    };
    let granted = match (off, words.next()) {
        (None, _) => true,
        (Some("off"), None) => false,
        _ => {
            page.trouble("Write it like this: /consent DOMAIN, or /consent DOMAIN off");
            return Ok(());
        }
    };
    let done = chat.memory.consent(domain, granted).await?;
    chat.show_outcome(&done, page);
    if granted {
        page.note("From now on it may be kept. What waits already still waits: /pending.");
    } else {
        page.note(
            "What is known of it is in no prompt and no answer any more. /consent brings it back.",
        );
    }
    Ok(())
}

async fn show(chat: &Chat, page: &mut Page) -> Result<()> {
    let given = chat.memory.consents().await?;
    let policy = chat.keepmind.policy();
    for domain in policy
        .domains
        .iter()
        .filter(|domain| domain.needs_consent())
    {
        let word = given.iter().find(|word| word.domain == domain.name);
        let state = match word {
            None => "not given".to_owned(),
            Some(word) if word.granted => format!("given on {}", day(word.recorded_at)),
            Some(word) => format!("withdrawn on {}", day(word.recorded_at)),
        };
        page.line(&format!("{:12} {state}", domain.name));
    }
    page.note("Without your consent nothing of it is kept unless you accept it: /pending.");
    Ok(())
}
