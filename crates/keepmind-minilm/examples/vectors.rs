//! Writes a vector for each line of a file of documents, as `keepmind-bench -- retrieval --vectors` reads them.
//!
//! ```sh
//! cargo run --release --example vectors -- docs.jsonl docs.minilm.f32
//! ```
//!
//! Each line is an object with a `text`; the vectors are little-endian numbers of four bytes, a row a line. The
//! weights are those in the folder that KEEPMIND_MINILM names.

use std::error::Error;
use std::fs::{self, File};
use std::io::{BufWriter, Write};

use keepmind::Embedder;
use keepmind_minilm::MiniLmEmbedder;
use serde::Deserialize;

#[derive(Deserialize)]
struct Document {
    text: String,
}

/// How many texts are embedded at once: enough for batches of about the same length.
const AT_ONCE: usize = 256;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let [documents, out] = arguments.as_slice() else {
        return Err("usage: vectors DOCS.jsonl OUT.f32".into());
    };
    let weights = std::env::var_os("KEEPMIND_MINILM");
    let weights = weights.ok_or("KEEPMIND_MINILM names the folder of weights")?;
    let embedder = MiniLmEmbedder::load(weights)?;

    let lines = fs::read_to_string(documents)?;
    let texts: Vec<String> = lines
        .split('\n')
        .filter(|line| !line.trim().is_empty())
        .map(|line| Ok(serde_json::from_str::<Document>(line)?.text))
        .collect::<Result<_, serde_json::Error>>()?;
    let mut file = BufWriter::new(File::create(out)?);
    for texts in texts.chunks(AT_ONCE) {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        for number in embedder.embed(&texts).await?.into_iter().flatten() {
            file.write_all(&number.to_le_bytes())?;
        }
    }
    file.into_inner()?.sync_all()?;
    Ok(())
}
