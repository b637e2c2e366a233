//! Who is asking: a token names one owner, and nothing else in a request does.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use keepmind::{Keepmind, Result, UserMemory};
use tokio::sync::watch;

/// How many random bytes a token is made of.
const TOKEN_BYTES: usize = 32;
/// The fewest characters of a token that was chosen by somebody.
pub const SHORTEST_TOKEN: usize = 16;

/// One owner, as the pages that are open on their memory share it.
#[derive(Debug)]
pub struct Account {
    /// Their memory.
    pub memory: UserMemory,
    /// Rings whenever this server wrote for them.
    pub written: watch::Sender<()>,
}

/// The table of tokens.
#[derive(Default)]
pub struct Accounts(Vec<(String, Arc<Account>)>);

impl fmt::Debug for Accounts {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Never a token.
        write!(formatter, "Accounts({})", self.0.len())
    }
}

impl Accounts {
    /// From a token for each owner. Several tokens may name one owner; one token never names two.
    pub fn new(
        keepmind: &Keepmind,
        tokens: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Self> {
        let mut owners: BTreeMap<String, Arc<Account>> = BTreeMap::new();
        let mut table: Vec<(String, Arc<Account>)> = Vec::new();
        for (token, owner) in tokens {
            if !is_token(&token) {
                let message =
                    format!("a token has {SHORTEST_TOKEN} or more visible ASCII characters");
                return Err(keepmind::Error::invalid("tokens", message));
            }
            if table.iter().any(|(known, _)| *known == token) {
                let message = "two owners have the same token";
                return Err(keepmind::Error::invalid("tokens", message));
            }
            let account = match owners.get(&owner) {
                Some(account) => Arc::clone(account),
                None => Arc::new(Account {
                    memory: keepmind.user(owner.as_str())?,
                    written: watch::Sender::new(()),
                }),
            };
            owners.insert(owner, Arc::clone(&account));
            table.push((token, account));
        }
        Ok(Accounts(table))
    }

    /// Whose token it is. Every token is compared to its end, so that time tells nothing about any.
    pub fn of(&self, token: &str) -> Option<Arc<Account>> {
        let mut found = None;
        for (known, account) in &self.0 {
            if is_same(known.as_bytes(), token.as_bytes()) {
                found = Some(Arc::clone(account));
            }
        }
        found
    }
}

/// Whether it is long enough to be no guess, and can stand in a header and an address as it is.
pub fn is_token(text: &str) -> bool {
    text.len() >= SHORTEST_TOKEN && text.bytes().all(|byte| byte.is_ascii_graphic())
}

fn is_same(known: &[u8], given: &[u8]) -> bool {
    let differing = known
        .iter()
        .zip(given)
        .fold(0, |differing, (one, other)| differing | (one ^ other));
    known.len() == given.len() && std::hint::black_box(differing) == 0
}

/// A token that nobody can guess.
pub fn random_token() -> std::io::Result<String> {
    let mut bytes = [0; TOKEN_BYTES];
    getrandom::fill(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use keepmind::InMemoryStore;

    use super::*;

    fn accounts(tokens: &[(&str, &str)]) -> Result<Accounts> {
        let keepmind = Keepmind::builder(Arc::new(InMemoryStore::new())).build()?;
        let owned = tokens
            .iter()
            .map(|(token, owner)| ((*token).to_owned(), (*owner).to_owned()));
        Accounts::new(&keepmind, owned)
    }

    #[test]
    fn a_token_names_its_owner_and_nothing_like_it_does() {
        let anna = "a-token-of-anna-1";
        let table = accounts(&[(anna, "anna"), ("a-token-of-ben-12", "ben")]).unwrap();
        assert_eq!(table.of(anna).unwrap().memory.owner().to_string(), "anna");
        for wrong in [
            "",
            "a-token-of-anna-",
            "a-token-of-anna-11",
            "A-token-of-anna-1",
        ] {
            assert!(table.of(wrong).is_none(), "{wrong}");
        }
        let shown = format!("{table:?}");
        assert_eq!(shown, "Accounts(2)");
        let short = accounts(&[("short", "anna")]).unwrap_err().to_string();
        assert!(!short.contains("anna"), "{short}");
        assert!(accounts(&[(anna, "anna"), (anna, "ben")]).is_err());
    }

    #[test]
    fn random_tokens_differ() {
        let (one, other) = (random_token().unwrap(), random_token().unwrap());
        assert_eq!(one.len(), 2 * TOKEN_BYTES);
        assert_ne!(one, other);
    }
}
