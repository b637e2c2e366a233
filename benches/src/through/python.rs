//! The same calls from Python. A child process runs `bindings/python/benches/overhead.py` on the shared library with the
//! same calls in Rust beside it, the example `beside` of `keepmind-ffi`, and makes both: two processes differ by more than
//! what is looked for.

use std::cell::RefCell;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{self, ChildStdin, ChildStdout, Command, Stdio};
use std::rc::Rc;

use keepmind_ffi::host::Call;
use serde_json::json;

use super::{Caller, Spent};
use crate::Result;

const BUILD: &str = "cargo build --release -p keepmind-bench -p keepmind-ffi -p keepmind-python --bins --lib --example beside";

/// Both sides of one child: what it does in Rust, and in Python.
pub(super) fn start(store: &str, directory: &Path) -> Result<(Side, Side)> {
    let child = Rc::new(RefCell::new(Child::start(
        store,
        &directory.join("python.db"),
    )?));
    let side = |name| Side {
        name,
        child: Rc::clone(&child),
    };
    Ok((side("rust"), side("python")))
}

/// One of them.
pub(super) struct Side {
    name: &'static str,
    child: Rc<RefCell<Child>>,
}

impl Side {
    fn ask(&mut self, call: &str, inputs: &[String]) -> Result<Vec<Spent>> {
        let asked = json!({"side": self.name, "call": call, "inputs": inputs});
        self.child.borrow_mut().ask(&asked.to_string())
    }
}

impl Caller for Side {
    fn new_chat(&mut self) -> Result<()> {
        self.ask("new_chat", &[]).map(drop)
    }

    fn call(&mut self, call: Call, inputs: &[String]) -> Result<Vec<Spent>> {
        self.ask(call.name(), inputs)
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
            .env("KEEPMIND_LIBRARY", built("examples", "beside")?)
            .env("KEEPMIND_EXTENSION", built("", "keepmind_python")?)
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

    fn ask(&mut self, asked: &str) -> Result<Vec<Spent>> {
        writeln!(self.asked, "{asked}")?;
        let mut answer = String::new();
        if self.answers.read_line(&mut answer)? == 0 {
            return Err(format!("overhead.py stopped: {}", self.process.wait()?).into());
        }
        let took: Vec<(f64, f64)> = serde_json::from_str(&answer)?;
        let spent = |(calling, all_threads)| Spent {
            calling,
            all_threads,
        };
        Ok(took.into_iter().map(spent).collect())
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // It ends by itself when nobody asks any more; what it has to say then is not waited for.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A shared library of the profile that this program was built in: keepmind with the calls in Rust beside it, or the
/// extension that a wheel has.
fn built(folder: &str, name: &str) -> Result<PathBuf> {
    let program = std::env::current_exe()?;
    let library = program
        .parent()
        .ok_or("the program is in no folder")?
        .join(folder)
        .join(format!(
            "{}{name}{}",
            std::env::consts::DLL_PREFIX,
            std::env::consts::DLL_SUFFIX
        ));
    match library.exists() {
        true => Ok(library),
        false => Err(format!("build it first: {BUILD}").into()),
    }
}
