//! `keepmind-example-anthropic MODEL [FILE]`: a chat on the terminal with one of Anthropic's models, whose memory is in
//! a file. The key is in `ANTHROPIC_API_KEY`.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program that talks on the terminal"
)]

use std::io::{BufRead, Write};
use std::process::ExitCode;
use std::sync::Arc;

use keepmind::{Keepmind, SqliteStore};
use keepmind_example_anthropic::{Anthropic, Assistant, Failure};

const USAGE: &str = "Usage: ANTHROPIC_API_KEY=… keepmind-example-anthropic MODEL [FILE]

MODEL is a name such as claude-sonnet-4-5, FILE where memories are kept (memory.db).
ANTHROPIC_BASE_URL is another server that speaks the same API.";

#[tokio::main]
async fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let (model, file) = (arguments.next(), arguments.next());
    let key = std::env::var("ANTHROPIC_API_KEY");
    let (Some(model), Ok(key), None) = (model, key, arguments.next()) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    match chat(&model, key, &file.unwrap_or_else(|| "memory.db".to_owned())).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn chat(model: &str, key: String, file: &str) -> Result<(), Failure> {
    let url = std::env::var("ANTHROPIC_BASE_URL");
    let url = url.unwrap_or_else(|_| "https://api.anthropic.com".to_owned());
    let model = Anthropic::new(url, key, model)?;
    let keepmind = Keepmind::builder(Arc::new(SqliteStore::open(file).await?))
        .model(Arc::new(model.clone()))
        .build()?;
    let mut assistant = Assistant::open(model, &keepmind, &keepmind.user("me")?).await?;
    let mut lines = std::io::stdin().lock().lines();
    loop {
        print!("> ");
        std::io::stdout().flush()?;
        let Some(line) = lines.next().transpose()? else {
            break;
        };
        if line.trim().is_empty() {
            continue;
        }
        match assistant.say(&line).await {
            Ok(said) => {
                println!("{}", said.text);
                let lines = said.events.iter().map(|event| &event.line);
                lines.for_each(|line| println!("  {line}"));
            }
            // The same can be said again.
            Err(error) => eprintln!("{error}"),
        }
    }
    println!();
    let closed = assistant.close().await?;
    println!("From this chat: {}", closed.report.line());
    keepmind.close().await?;
    Ok(())
}
