//! The file of the reference memory server (entities, relations, observations; a JSON object a line), taken over.
//!
//! It becomes an export of this library's first, in a store of its own, and that export is imported: so what it says
//! is screened, marked as imported, trusted no further, and undone as one, exactly as any other file.

use std::collections::BTreeMap;
use std::sync::Arc;

use keepmind::command::Save;
use keepmind::export::Import;
use keepmind::{
    Error, ErrorKind, ImportReport, InMemoryStore, Keepmind, Number, Result, UserMemory,
};
use serde_json::{Map, Value};

/// How long a file may be.
const MOST_BYTES: usize = 16 << 20;
const IMPORT: &str = "import";

/// What a file holds.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Graph {
    entities: Vec<Entity>,
    relations: Vec<Relation>,
}

#[derive(Debug, PartialEq, Eq)]
struct Entity {
    name: String,
    kind: String,
    observations: Vec<String>,
}

#[derive(Debug, PartialEq, Eq)]
struct Relation {
    from: String,
    to: String,
    kind: String,
}

impl Graph {
    /// Reads a file. One line that cannot be read, and nothing is: the error says which.
    pub fn read(text: &str) -> Result<Self> {
        let invalid = |message: String| Error::invalid(IMPORT, message);
        if text.len() > MOST_BYTES {
            return Err(invalid(format!("a file has at most {MOST_BYTES} bytes")));
        }
        let mut graph = Graph::default();
        for (place, line) in (1..).zip(text.lines()) {
            if line.trim().is_empty() {
                continue;
            }
            let wrong = |what: &str| invalid(format!("line {place}: {what}"));
            let line: Map<String, Value> =
                serde_json::from_str(line).map_err(|_| wrong("it is no JSON object"))?;
            let word = |field: &str| {
                let value = line.get(field).and_then(Value::as_str).map(str::to_owned);
                value.ok_or_else(|| wrong(&format!("`{field}` is missing, or no text")))
            };
            match word("type")?.as_str() {
                "entity" => graph.entities.push(Entity {
                    name: word("name")?,
                    kind: word("entityType")?,
                    observations: texts(line.get("observations"))
                        .ok_or_else(|| wrong("`observations` is a list of texts"))?,
                }),
                "relation" => graph.relations.push(Relation {
                    from: word("from")?,
                    to: word("to")?,
                    kind: word("relationType")?,
                }),
                _ => return Err(wrong("`type` is `entity` or `relation`")),
            }
        }
        Ok(graph)
    }

    /// Takes it over into a memory.
    pub async fn import(
        &self,
        keepmind: &Keepmind,
        memory: &UserMemory,
        dry_run: bool,
    ) -> Result<Taken> {
        let scratch = Keepmind::builder(Arc::new(InMemoryStore::new()))
            .policy(keepmind.policy().clone())
            .build()?;
        let mut drafting = Drafting {
            draft: scratch.user(memory.owner().as_str())?,
            longest: keepmind.policy().limits.content_characters as usize,
            left_out: 0,
        };
        let mut facts: BTreeMap<&str, Number> = BTreeMap::new();
        for entity in &self.entities {
            let Entity { name, kind, .. } = entity;
            if entity.observations.is_empty() {
                let fact = drafting.save(format!("{name} ({kind})"), "").await?;
                facts.extend(fact.map(|fact| (name.as_str(), fact)));
            }
            for said in &entity.observations {
                let fact = drafting.save(format!("{name}: {said}"), kind).await?;
                if let Some(fact) = fact {
                    facts.entry(name).or_insert(fact);
                }
            }
        }
        for Relation { from, to, kind } in &self.relations {
            let words = format!("{from} {} {to}", kind.replace('_', " "));
            drafting.save(words, "").await?;
            let ends = facts.get(from.as_str()).zip(facts.get(to.as_str()));
            if let Some((from, to)) = ends.filter(|(from, to)| from != to) {
                drafting.link(*from, *to, kind).await?;
            }
        }
        let mut import = Import::new(drafting.draft.export().await?);
        import.dry_run = dry_run;
        Ok(Taken {
            report: memory.import_export(import).await?,
            left_out: drafting.left_out,
        })
    }
}

/// What became of a file.
#[derive(Debug)]
pub struct Taken {
    /// Of every memory and link that was made of it.
    pub report: ImportReport,
    /// How much of it can be no memory: nothing in it, or characters that no memory has.
    pub left_out: usize,
}

fn texts(value: Option<&Value>) -> Option<Vec<String>> {
    let texts = value?.as_array()?.iter();
    texts.map(|text| text.as_str().map(str::to_owned)).collect()
}

struct Drafting {
    draft: UserMemory,
    longest: usize,
    left_out: usize,
}

impl Drafting {
    /// A fact in those words: the first of them, and all of them as its detail, where they are too many.
    async fn save(&mut self, words: String, kind: &str) -> Result<Option<Number>> {
        let mut save = Save::new(words.as_str());
        if words.chars().count() > self.longest {
            save.content = words.chars().take(self.longest - 1).chain(['…']).collect();
            save.detail = Some(words);
        }
        if !kind.is_empty() {
            save.tags.insert(kind.to_owned());
        }
        let mut saved = self.draft.save(save.clone()).await;
        if is_refused(&saved) && !save.tags.is_empty() {
            // The name of a kind may be anything: rather without it than not at all.
            save.tags.clear();
            saved = self.draft.save(save).await;
        }
        match saved {
            Ok(outcome) => Ok(outcome.number),
            refused if is_refused(&refused) => {
                self.left_out += 1;
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// A link, where the relation is a word that links have.
    async fn link(&mut self, from: Number, to: Number, kind: &str) -> Result<()> {
        match self.draft.link(from, to, kind).await {
            refused if is_refused(&refused) => Ok(()),
            linked => linked.map(drop),
        }
    }
}

fn is_refused<T>(result: &Result<T>) -> bool {
    let kind = result.as_ref().err().map(Error::kind);
    matches!(kind, Some(ErrorKind::Refused | ErrorKind::Invalid))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_cannot_be_read_is_named() {
        let good = r#"{"type":"entity","name":"Ann","entityType":"person","observations":["Sails"],"extra":1}"#;
        assert_eq!(Graph::read(good).unwrap().entities.len(), 1);
        for wrong in [
            "nonsense",
            "[]",
            r#"{"type":"entity","name":"Ann","entityType":"person"}"#,
            r#"{"type":"entity","name":"Ann","entityType":"person","observations":[1]}"#,
            r#"{"type":"entity","entityType":"person","observations":[]}"#,
            r#"{"type":"relation","from":"Ann","to":"Bob"}"#,
            r#"{"type":"canary","name":"Ann"}"#,
        ] {
            let error = Graph::read(&format!("{good}\n\n{wrong}")).unwrap_err();
            assert!(error.message().starts_with("line 3:"), "{error}");
            assert!(!error.message().contains("Ann"), "{error}");
        }
    }
}
