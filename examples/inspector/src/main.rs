//! `cargo run -p keepmind-example-inspector -- --demo`: opens the memories, shows the address, serves until Ctrl-C.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;

use keepmind::{InMemoryStore, Keepmind, MemoryStore, Policy, SqliteStore};
use keepmind_example_inspector::accounts::{Accounts, random_token};
use keepmind_example_inspector::api::Api;
use keepmind_example_inspector::arguments::{self, Arguments, Wanted};
use keepmind_example_inspector::routes::MOST;
use keepmind_example_inspector::{demo, server};
use tokio::runtime::Builder;

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Nothing is left to do when even this cannot be written.
            let _ = writeln!(io::stderr(), "keepmind-example-inspector: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Outcome {
    let arguments = match arguments::read(std::env::args_os().skip(1))? {
        Wanted::Help => return show(arguments::HELP),
        Wanted::Page(arguments) => arguments,
    };
    let runtime = Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(serve(arguments))
}

async fn serve(arguments: Arguments) -> Outcome {
    let store: Arc<dyn MemoryStore> = match &arguments.db {
        Some(file) => Arc::new(SqliteStore::open(file).await?),
        None => Arc::new(InMemoryStore::new()),
    };
    let mut policy = Policy::preset(&arguments.policy)?;
    if arguments.demo {
        demo::fill(&store, &policy, &arguments.users[0]).await?;
    }
    // A page of the list, not what a model is told: longer pages, so that thousands of memories load in a few.
    policy.limits.results = MOST as u32;
    let keepmind = Keepmind::builder(store).policy(policy).build()?;

    let listener = server::listen(arguments.port).await?;
    let address = listener.local_addr()?;
    let tokens = tokens(&arguments)?;
    let shown = match &arguments.tokens {
        Some(_) => addresses(address, &tokens),
        None => addresses_with_tokens(address, &tokens),
    };
    let accounts = Accounts::new(&keepmind, tokens)?;
    show(&shown)?;

    let api = Api {
        keepmind: keepmind.clone(),
        accounts,
    };
    let stop = async {
        // Without a way to be told, it runs until it is killed.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    let served = server::serve(listener, Arc::new(api), stop).await;
    keepmind.close().await?;
    Ok(served?)
}

/// Who may ask, as token and owner.
fn tokens(arguments: &Arguments) -> Result<Vec<(String, String)>, Box<dyn std::error::Error>> {
    if let Some(file) = &arguments.tokens {
        return Ok(arguments::tokens(&std::fs::read_to_string(file)?)?);
    }
    let mut tokens = Vec::new();
    for user in &arguments.users {
        tokens.push((random_token()?, user.clone()));
    }
    Ok(tokens)
}

/// A random token is told here and nowhere else.
fn addresses_with_tokens(address: SocketAddr, tokens: &[(String, String)]) -> String {
    tokens
        .iter()
        .map(|(token, owner)| format!("{owner}: http://{address}/#token={token}\n"))
        .collect()
}

/// Who has a file of tokens knows them; what is shown at each start may be kept in a log.
fn addresses(address: SocketAddr, tokens: &[(String, String)]) -> String {
    let owners: BTreeSet<&String> = tokens.iter().map(|(_, owner)| owner).collect();
    owners
        .iter()
        .map(|owner| format!("{owner}: http://{address}/\n"))
        .collect()
}

fn show(text: &str) -> Outcome {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(())
}
