//! `cargo run -p keepmind-example-chat`: reads the arguments, then lines until there are no more.

use std::io::{self, BufRead, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use keepmind::{Keepmind, Policy, SqliteStore};
use keepmind_example_chat::arguments::{self, Arguments, Wanted};
use keepmind_example_chat::chat::Chat;
use keepmind_example_chat::demo;
use keepmind_example_chat::lines::Lines;
use keepmind_example_chat::screen::{self, Style};
use tokio::runtime::{Builder, Runtime};

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if is_broken_pipe(error.as_ref()) => ExitCode::SUCCESS,
        Err(error) => {
            // Nothing is left to do when even this cannot be written.
            let _ = writeln!(io::stderr(), "keepmind-example-chat: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Whoever read the output, `head` for instance, has enough of it.
fn is_broken_pipe(error: &(dyn std::error::Error + 'static)) -> bool {
    let error = error.downcast_ref::<io::Error>();
    error.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

fn run() -> Outcome {
    let given = std::env::args_os().skip(1);
    let arguments = match arguments::read(given, |name| std::env::var_os(name))? {
        Wanted::Help => return show(arguments::HELP),
        Wanted::Chat(arguments) => arguments,
    };
    let style = Style {
        colour: io::stdout().is_terminal()
            && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()),
    };
    // The store brings threads of its own; one is enough for the chat.
    let runtime = Builder::new_current_thread().build()?;
    if arguments.demo {
        return show(&runtime.block_on(demo::play(style))?);
    }
    talk(&runtime, &arguments, style)
}

fn talk(runtime: &Runtime, arguments: &Arguments, style: Style) -> Outcome {
    if let Some(folder) = arguments
        .db
        .parent()
        .filter(|folder| *folder != Path::new(""))
    {
        std::fs::create_dir_all(folder)?;
    }
    let store = runtime.block_on(SqliteStore::open(&arguments.db))?;
    let keepmind = Keepmind::builder(Arc::new(store))
        .policy(Policy::advisor())
        .build()?;
    let (mut chat, welcome) = runtime.block_on(Chat::open(&keepmind, &arguments.user, style))?;
    show(&screen::banner(style, &arguments.db))?;
    show(&welcome)?;

    let talked = converse(runtime, &mut chat, style);
    runtime.block_on(chat.leave())?;
    runtime.block_on(keepmind.close())?;
    talked
}

/// Takes lines until one says to leave, or the input ends.
fn converse(runtime: &Runtime, chat: &mut Chat, style: Style) -> Outcome {
    let is_typed = io::stdin().is_terminal();
    let mut input = io::stdin().lock();
    let mut lines = Lines::default();
    loop {
        show(&screen::prompt(style))?;
        let mut bytes = Vec::new();
        if input.read_until(b'\n', &mut bytes)? == 0 {
            return show("\n");
        }
        // A terminal can be set to anything: what is no UTF-8 must not end the chat.
        let line = String::from_utf8_lossy(&bytes);
        let line = line.trim_end_matches(['\n', '\r']);
        if !is_typed {
            show(&screen::echo(line))?;
        }
        let meant = match lines.take(line) {
            Ok(meant) => meant,
            Err(told) => {
                show(&told)?;
                continue;
            }
        };
        if meant != line {
            show(&(screen::prompt(style) + &screen::echo(&meant)))?;
        }
        let reply = runtime.block_on(chat.take(&meant));
        show(&reply.text)?;
        if reply.leave {
            return Ok(());
        }
    }
}

fn show(text: &str) -> Outcome {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(())
}
