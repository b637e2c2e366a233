//! The same calls from Python: what they cost through C, and what Python adds to that. A child process runs
//! `bindings/python/benches/overhead.py` on the shared library that was built beside this program, and answers what
//! each call cost besides the library's own work. That work is the same in both, but two processes differ in how
//! fast they get it done by more than Python takes.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{self, ChildStdin, ChildStdout, Command, Stdio};

use keepmind_ffi::host::Host;
use serde_json::json;

use super::{Call, Caller, Foreign, Spent, THERE};
use crate::Result;

/// The engine as a Python host has it.
pub(super) struct Python {
    foreign: Foreign,
    child: Child,
}

impl Python {
    pub(super) fn start(host: &Host, store: &str, directory: &Path) -> Result<Self> {
        Ok(Python {
            foreign: Foreign::on(host, THERE)?,
            child: Child::start(store, &directory.join("python.db"))?,
        })
    }
}

impl Caller for Python {
    fn new_chat(&mut self) -> Result<()> {
        self.foreign.new_chat()?;
        self.child.ask("new_chat", &[String::new()]).map(drop)
    }

    fn call(&mut self, call: Call, inputs: &[String]) -> Result<Vec<Spent>> {
        let through_c = self.foreign.call(call, inputs)?;
        let besides = self.child.ask(call.name(), inputs)?;
        let pairs = through_c.into_iter().zip(besides);
        Ok(pairs
            .map(|(through_c, besides)| Spent {
                calling: through_c.calling + besides,
                all_threads: through_c.all_threads + besides,
            })
            .collect())
    }
}

/// A Python host that makes the calls it is told to.
struct Child {
    process: process::Child,
    asked: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Child {
    fn start(store: &str, file: &Path) -> Result<Self> {
        let package = Path::new(env!("CARGO_MANIFEST_DIR")).join("../bindings/python");
        let mut command = Command::new("python3");
        command
            .arg(package.join("benches/overhead.py"))
            .arg("--store");
        match store {
            "memory" => command.arg("memory:"),
            _ => command.arg(file),
        };
        let mut process = command
            .env("PYTHONPATH", package.join("src"))
            .env("KEEPMIND_LIBRARY", library()?)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let asked = process.stdin.take().ok_or("Python cannot be asked")?;
        let answers = process.stdout.take().ok_or("Python cannot answer")?;
        Ok(Child {
            process,
            asked,
            answers: BufReader::new(answers),
        })
    }

    fn ask(&mut self, call: &str, inputs: &[String]) -> Result<Vec<f64>> {
        writeln!(self.asked, "{}", json!({"call": call, "inputs": inputs}))?;
        let mut answer = String::new();
        if self.answers.read_line(&mut answer)? == 0 {
            return Err(format!("overhead.py stopped: {}", self.process.wait()?).into());
        }
        Ok(serde_json::from_str(&answer)?)
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // It ends by itself when nobody asks any more; what it has to say then is not waited for.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
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
