//! What follows `retrieval`.

use std::path::PathBuf;

use super::{Command, value_of};

#[derive(Debug, PartialEq, Eq)]
pub struct RetrievalOptions {
    pub docs: PathBuf,
    pub queries: PathBuf,
    /// A folder with a vector for each line of both files.
    pub vectors: Option<PathBuf>,
    /// A folder of weights that vectors are made with.
    pub embed: Option<PathBuf>,
    pub out: PathBuf,
}

pub fn read(mut arguments: impl Iterator<Item = String>) -> Result<Command, String> {
    let (mut docs, mut queries, mut out) = (None, None, None);
    let (mut vectors, mut embed) = (None, None);
    while let Some(argument) = arguments.next() {
        if matches!(argument.as_str(), "--help" | "-h") {
            return Ok(Command::Help);
        }
        let (name, value) = value_of(argument, &mut arguments)?;
        let place = match name.as_str() {
            "--docs" => &mut docs,
            "--queries" => &mut queries,
            "--vectors" => &mut vectors,
            "--embed" => &mut embed,
            "--out" => &mut out,
            _ => return Err(format!("retrieval knows no {name}")),
        };
        *place = Some(PathBuf::from(value));
    }
    match (docs, queries, out) {
        (Some(docs), Some(queries), Some(out)) if vectors.is_none() || embed.is_none() => {
            Ok(Command::Retrieval(RetrievalOptions {
                docs,
                queries,
                vectors,
                embed,
                out,
            }))
        }
        _ => Err(
            "retrieval needs --docs FILE, --queries FILE and --out FILE, and at most one of --vectors and --embed"
                .to_owned(),
        ),
    }
}
