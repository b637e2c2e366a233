//! Memories as resources: everything, one category, or one fact, each in Markdown as the library writes it for a
//! model, to which a client hands what it reads.

use keepmind::command::List;
use keepmind::export::Reader;
use keepmind::{Result, UserMemory};
use rmcp::model::{Resource, ResourceTemplate};
use serde_json::Value;

/// What they are written in.
pub const MIME: &str = "text/markdown";

const EVERYTHING: &str = "keepmind://memory";
const CATEGORY: &str = "keepmind://category/";
const FACT: &str = "keepmind://fact/";

/// What an address names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    /// All that is known.
    Everything,
    /// One file of it.
    Category(String),
    /// One fact.
    Fact(u64),
}

impl Address {
    /// Reads an address exactly: nothing is decoded, and nothing but these is one.
    pub fn read(uri: &str) -> Option<Self> {
        if uri == EVERYTHING {
            return Some(Address::Everything);
        }
        if let Some(number) = uri.strip_prefix(FACT) {
            let is_plain = number.bytes().all(|byte| byte.is_ascii_digit());
            let number = number.parse().ok().filter(|_| is_plain)?;
            return Some(Address::Fact(number));
        }
        let name = uri.strip_prefix(CATEGORY)?;
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        let is_name = !name.is_empty() && name.len() <= 100 && name.bytes().all(is_plain);
        is_name.then(|| Address::Category(name.to_owned()))
    }
}

/// A page of what there is, and where it ended: first everything and the categories, then fact by fact.
pub async fn page(
    memory: &UserMemory,
    after: Option<String>,
) -> Result<(Vec<Resource>, Option<String>)> {
    let mut resources = Vec::new();
    if after.is_none() {
        let all = Resource::new(EVERYTHING, "memory").with_title("Everything that is remembered");
        resources.push(all.with_mime_type(MIME));
        for file in memory.markdown_files(Reader::Model).await? {
            let name = file.name.trim_end_matches(".md");
            let category = Resource::new(format!("{CATEGORY}{name}"), file.name.as_str());
            resources.push(category.with_mime_type(MIME));
        }
    }
    let mut list = List::default();
    // A cursor is the library's to judge: what is none, or of another owner, is refused by it.
    list.after = after.and_then(|after| serde_json::from_value(Value::String(after)).ok());
    let page = memory.list(list).await?;
    for row in &page.rows {
        let number = row.body.number;
        let fact = Resource::new(format!("{FACT}{}", number.get()), number.to_string());
        let fact = fact.with_title(row.body.claim.content.as_str());
        resources.push(fact.with_mime_type(MIME));
    }
    let next = page.next.and_then(|next| serde_json::to_value(next).ok());
    let next = next.and_then(|next| next.as_str().map(str::to_owned));
    Ok((resources, next))
}

/// How a fact's address is made.
pub fn templates() -> Vec<ResourceTemplate> {
    let fact = ResourceTemplate::new(format!("{FACT}{{number}}"), "fact");
    vec![
        fact.with_title("One fact by its number")
            .with_mime_type(MIME),
    ]
}

/// What an address names, in Markdown; nothing where there is no such thing.
pub async fn read(memory: &UserMemory, address: &Address) -> Result<Option<String>> {
    let text = match address {
        Address::Everything => Some(memory.markdown(Reader::Model).await?),
        Address::Category(name) => {
            let files = memory.markdown_files(Reader::Model).await?;
            let name = format!("{name}.md");
            let file = files.into_iter().find(|file| file.name == name);
            file.map(|file| file.text)
        }
        Address::Fact(number) => {
            let text = memory.markdown(Reader::Model).await?;
            let mark = format!("- [#{number} ");
            let mut lines = text.lines().skip_while(|line| !line.starts_with(&mark));
            let first = lines.next();
            let detail = lines.take_while(|line| line.starts_with("  >"));
            first.map(|first| {
                first
                    .lines()
                    .chain(detail)
                    .flat_map(|line| [line, "\n"])
                    .collect()
            })
        }
    };
    Ok(text.filter(|text| !text.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_exact_addresses_are_read() {
        let category = |name: &str| Some(Address::Category(name.to_owned()));
        for (uri, wanted) in [
            ("keepmind://memory", Some(Address::Everything)),
            ("keepmind://fact/12", Some(Address::Fact(12))),
            (
                "keepmind://category/finance_context",
                category("finance_context"),
            ),
            ("keepmind://memory/", None),
            ("KEEPMIND://memory", None),
            ("keepmind://fact/", None),
            ("keepmind://fact/+1", None),
            ("keepmind://fact/99999999999999999999", None),
            ("keepmind://category/", None),
            ("keepmind://category/../x", None),
            ("keepmind://category/%2e%2e", None),
            ("keepmind://category/a.md", None),
            ("file:///etc/passwd", None),
            ("", None),
        ] {
            assert_eq!(Address::read(uri), wanted, "{uri}");
        }
    }
}
