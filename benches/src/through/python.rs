//! The same calls from Python: a child process runs `bindings/python/benches/overhead.py` on the shared library
//! that was built beside this program, and prints what each call cost it.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Deserialize;

use super::{CALLS, CALLS_MEASURED, Call, Cost, Direct, ROWS, batch, median, words};
use crate::Result;
use crate::workload::Workload;

/// A line of the child's.
#[derive(Debug, Deserialize)]
struct Line {
    operation: String,
    microseconds: f64,
}

pub fn through(store: &'static str, folder: &Path, repeat: usize) -> Result<Vec<Cost>> {
    let workload = Workload::new();
    let mut direct = Direct::open(store, &folder.join("rust.db"))?;
    for turn in 0..ROWS {
        direct.call(Call::Save, &words(&workload, turn))?;
    }
    let mut rust: Vec<Vec<f64>> = vec![Vec::new(); CALLS_MEASURED.len()];
    let mut python = rust.clone();
    let said: Vec<String> = (0..ROWS + 20 * CALLS)
        .map(|turn| words(&workload, turn))
        .collect();
    let texts = folder.join("words.txt");
    std::fs::write(&texts, said.join("\n"))?;
    let mut turn = ROWS;
    for round in 0..repeat {
        for (place, call) in CALLS_MEASURED.into_iter().enumerate() {
            // The first batch warms and does not count.
            for counts in [false, true] {
                let inputs: Vec<String> = (turn..turn + CALLS)
                    .map(|turn| words(&workload, turn))
                    .collect();
                turn += CALLS;
                direct.new_chat()?;
                if call == Call::ToolSave {
                    for input in &inputs {
                        direct.call(Call::Push, input)?;
                    }
                }
                let cost = batch(&inputs, |input| direct.call(call, input))?;
                if counts {
                    rust[place].push(cost);
                }
            }
        }
        let file = folder.join(format!("python-{round}.db"));
        for line in child(store, &file, &texts)? {
            let place = CALLS_MEASURED
                .iter()
                .position(|call| call.name() == line.operation);
            if let Some(place) = place {
                python[place].push(line.microseconds);
            }
        }
    }
    let sides = rust.into_iter().zip(python);
    Ok(CALLS_MEASURED
        .into_iter()
        .zip(sides)
        .filter(|(_, (_, python))| !python.is_empty())
        .map(|(call, (rust, python))| Cost {
            store,
            call,
            rust: median(rust),
            through: median(python),
        })
        .collect())
}

fn child(store: &str, file: &Path, texts: &Path) -> Result<Vec<Line>> {
    let package = Path::new(env!("CARGO_MANIFEST_DIR")).join("../bindings/python");
    let mut command = Command::new("python3");
    command
        .arg(package.join("benches/overhead.py"))
        .args(["--rows", &ROWS.to_string(), "--calls", &CALLS.to_string()])
        .arg("--words")
        .arg(texts)
        .arg("--store");
    match store {
        "memory" => command.arg("memory:"),
        _ => command.arg(file),
    };
    command
        .env("PYTHONPATH", package.join("src"))
        .env("KEEPMIND_LIBRARY", library()?);
    let output = command.stderr(Stdio::inherit()).output()?;
    if !output.status.success() {
        return Err(format!("overhead.py failed: {}", output.status).into());
    }
    let text = String::from_utf8(output.stdout)?;
    text.lines()
        .map(|line| Ok(serde_json::from_str(line)?))
        .collect()
}

/// The shared library of the profile that this program was built in.
fn library() -> Result<PathBuf> {
    let program = std::env::current_exe()?;
    let folder = program.parent().ok_or("the program is in no folder")?;
    let name = format!(
        "{}keepmind_ffi{}",
        std::env::consts::DLL_PREFIX,
        std::env::consts::DLL_SUFFIX
    );
    [folder.join(&name), folder.join("deps").join(&name)]
        .into_iter()
        .find(|path| path.exists())
        .ok_or_else(|| "build the library first: cargo build --release -p keepmind-ffi".into())
}
