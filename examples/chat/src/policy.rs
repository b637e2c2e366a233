//! The policy of this chat: the advisor's, with small numbers, so that a short chat shows what a long one does,
//! and with health as a domain that needs consent.

use keepmind::Policy;
use keepmind::policy::WithoutConsent;

/// After how many seconds of silence the next start closes a chat that is open. Short, because here it is
/// hardly another window's; and if it is, its next message resumes it.
const STALE_AFTER_SECONDS: u32 = 5;

/// What may be sent to the model, in tokens: the smallest there is.
const CONTEXT_BUDGET: u32 = 1_000;

/// The advisor's policy, for a chat in a terminal.
pub fn policy() -> Policy {
    let mut policy = Policy::advisor();
    policy.close.stale_after_seconds = STALE_AFTER_SECONDS;
    policy.compression.context_budget = CONTEXT_BUDGET;
    let health = policy
        .domains
        .iter_mut()
        .filter(|domain| domain.name == "health");
    health.for_each(|domain| (domain.sensitive, domain.opt_in) = (true, true));
    policy.governance.without_consent = WithoutConsent::Propose;
    policy
}
