//! `cargo run -p keepmind-example-chat`: reads the arguments, then lines until there are no more, or a signal.

use std::io::{self, IsTerminal, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use keepmind::export::{CopyOptions, CopyProgress, copy_between};
use keepmind::store::StorePlace;
use keepmind::{Keepmind, PlugError};
use keepmind_example_chat::arguments::{self, Arguments, Wanted};
use keepmind_example_chat::chat::Chat;
use keepmind_example_chat::demo;
use keepmind_example_chat::input::{Came, Input};
use keepmind_example_chat::lines::Lines;
use keepmind_example_chat::policy::policy;
use keepmind_example_chat::screen::{self, Style};
use keepmind_example_openai::OpenAi;
use tokio::runtime::Builder;

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
    let runtime = Builder::new_current_thread().enable_all().build()?;
    if arguments.demo {
        return show(&runtime.block_on(demo::play(style))?);
    }
    match &arguments.copy_to {
        Some(to) => runtime.block_on(copy(&arguments.db, to)),
        None => runtime.block_on(talk(&arguments, style)),
    }
}

/// Copies everybody's memories, saying whose as it goes.
async fn copy(from: &StorePlace, to: &StorePlace) -> Outcome {
    make_room_for(to)?;
    let tell = |progress: &CopyProgress| {
        let CopyProgress { owners, total, .. } = progress;
        match show(&format!("{owners} of {total}\n")) {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    };
    let report = copy_between(from, to, CopyOptions::default(), tell).await?;
    show(&format!("{} to {to}\n", report.line()))?;
    match report.refused.into_iter().next() {
        Some(refused) => Err(refused.error.into()),
        None => Ok(()),
    }
}

/// The folder that a file is to lie in.
fn make_room_for(place: &StorePlace) -> io::Result<()> {
    let StorePlace::File(file) = place else {
        return Ok(());
    };
    match file.parent().filter(|folder| *folder != Path::new("")) {
        Some(folder) => std::fs::create_dir_all(folder),
        None => Ok(()),
    }
}

async fn talk(arguments: &Arguments, style: Style) -> Outcome {
    // From the first moment: a chat that is opened is also closed.
    let mut input = Input::listen()?;
    make_room_for(&arguments.db)?;
    let store = arguments.db.open().await?;
    let mut builder = Keepmind::builder(store).policy(policy());
    if let Some(url) = &arguments.model {
        builder = builder.model(Arc::new(model(url)?));
    }
    let keepmind = builder.build()?;
    let (mut chat, welcome) = Chat::open(&keepmind, &arguments.user, style).await?;

    let shown = show(&(screen::banner(style, &arguments.db) + &welcome));
    let talked = match shown {
        Ok(()) => converse(&mut input, &mut chat, style).await,
        failed => failed,
    };
    // Whatever ended it, and before anything is shown: the terminal may be gone.
    let closed = chat.leave().await;
    keepmind.close().await?;
    talked?;
    show(&closed?)
}

/// The model that learns from chats and names them.
fn model(url: &str) -> Result<OpenAi, PlugError> {
    let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let mut model = OpenAi::new(url)?;
    if let Some(key) = set("OPENAI_API_KEY") {
        model = model.key(key);
    }
    if let Some(name) = set("OPENAI_MODEL") {
        model = model.named(name);
    }
    Ok(model)
}

/// Takes lines until one says to leave, the input ends, or the process is told to stop.
async fn converse(input: &mut Input, chat: &mut Chat, style: Style) -> Outcome {
    let is_typed = io::stdin().is_terminal();
    let mut lines = Lines::default();
    loop {
        show(&screen::prompt(style))?;
        let bytes = match input.next().await? {
            Came::Line(bytes) => bytes,
            Came::End | Came::Stop => return show("\n"),
        };
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
        let reply = chat.take(&meant).await;
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
