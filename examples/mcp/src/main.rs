//! `keepmind-mcp`: reads the arguments, then serves over stdio or HTTP until its client or a signal ends it.

use std::error::Error;
use std::future::IntoFuture;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use axum::serve::ListenerExt;
use keepmind::{ImportFate, Keepmind, Policy, SqliteStore};
use keepmind_example_mcp::arguments::{self, Arguments, Task, Wanted};
use keepmind_example_mcp::host::Host;
use keepmind_example_mcp::http::{Doors, PATH, Tokens};
use keepmind_example_mcp::reference::Graph;
use keepmind_example_mcp::server::Server;
use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::io::stdio_pipes;
use tokio::net::TcpListener;
use tokio::sync::Notify;

type Outcome = Result<(), Box<dyn Error>>;

/// How often the change feed is looked at for what other processes wrote.
const EVERY: Duration = Duration::from_millis(500);
/// How long a line over stdio may be: more than the longest tool call. A longer one is not read.
const LONGEST_LINE: usize = 1 << 20;
/// How long requests may take to end once the server is told to stop.
const LEAVING: Duration = Duration::from_secs(5);

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(&format!("keepmind-mcp: {error}"));
            ExitCode::FAILURE
        }
    }
}

/// What is for people goes to stderr: over stdio, stdout is the protocol's.
fn say(line: &str) {
    // Nothing is left to do when even this cannot be written.
    let _ = writeln!(io::stderr(), "{line}");
}

fn run() -> Outcome {
    let arguments = match arguments::read(std::env::args_os().skip(1))? {
        Wanted::Help => return Ok(io::stdout().write_all(arguments::HELP.as_bytes())?),
        Wanted::Run(arguments) => arguments,
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    let served = runtime.block_on(serve(arguments));
    // A read of stdin that waits cannot be taken back.
    runtime.shutdown_background();
    served
}

async fn serve(arguments: Arguments) -> Outcome {
    let store = SqliteStore::open(&arguments.db).await?;
    let keepmind = Keepmind::builder(Arc::new(store))
        .policy(Policy::preset(&arguments.policy)?)
        .build()?;
    let served = match arguments.task {
        Task::Stdio { user } => stdio(&keepmind, &user).await,
        Task::Http {
            address,
            tokens,
            hosts,
        } => {
            let tokens = Tokens::read(&std::fs::read_to_string(tokens)?)?;
            let doors = Doors::open(&keepmind, tokens, &hosts, EVERY).await?;
            http(TcpListener::bind(address).await?, Arc::new(doors)).await
        }
        Task::Import {
            user,
            file,
            dry_run,
        } => import(&keepmind, &user, &file, dry_run).await,
    };
    keepmind.close().await?;
    served
}

async fn stdio(keepmind: &Keepmind, user: &str) -> Outcome {
    let host = Host::open(keepmind, user, EVERY).await?;
    let (reader, writer) = stdio_pipes();
    let transport = AsyncRwTransport::new_server(reader, writer).with_max_line_length(LONGEST_LINE);
    let server = Server::new(Arc::clone(&host));
    let served: Outcome = tokio::select! {
        served = async {
            match server.serve(transport).await {
                Ok(running) => running.waiting().await.map(drop).map_err(Into::into),
                // Whoever started it has changed their mind.
                Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
                Err(error) => Err(error.into()),
            }
        } => served,
        stopped = stop() => Ok(stopped?),
    };
    host.close().await?;
    served
}

async fn http(listener: TcpListener, doors: Arc<Doors>) -> Outcome {
    say(&format!(
        "listening at http://{}{PATH}",
        listener.local_addr()?
    ));
    let stopped = Arc::new(Notify::new());
    let (stopping, closing) = (Arc::clone(&stopped), Arc::clone(&doors));
    // An answer goes out in several small writes: without this each waits for the client to have seen the one before.
    let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
    let serving = axum::serve(listener, doors.router()).with_graceful_shutdown(async move {
        // Without signals there is nothing to wait for but the end of the process.
        if stop().await.is_err() {
            std::future::pending::<()>().await;
        }
        closing.shut();
        stopping.notify_one();
    });
    let served = tokio::select! {
        served = serving.into_future() => served,
        // Whoever still holds a connection then is cut off.
        () = async { stopped.notified().await; tokio::time::sleep(LEAVING).await } => Ok(()),
    };
    doors.close().await?;
    Ok(served?)
}

async fn import(keepmind: &Keepmind, user: &str, file: &Path, dry_run: bool) -> Outcome {
    let graph = Graph::read(&std::fs::read_to_string(file)?)?;
    let taken = graph
        .import(keepmind, &keepmind.user(user)?, dry_run)
        .await?;
    let would = if dry_run { "would be: " } else { "" };
    say(&format!("{would}{}", taken.report.line()));
    for line in &taken.report.lines {
        if matches!(line.fate, ImportFate::Refused | ImportFate::Proposed) {
            say(&format!("  {}: {}", line.fate.word(), line.reason));
        }
    }
    if taken.left_out > 0 {
        say(&format!("  {} lines can be no memory", taken.left_out));
    }
    if let Some(token) = taken.report.event.and_then(|event| event.undo) {
        say(&format!("  undo: {token}"));
    }
    Ok(())
}

/// Waits until the process is told to stop.
async fn stop() -> io::Result<()> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let mut terminate = signal(SignalKind::terminate())?;
        tokio::select! {
            pressed = tokio::signal::ctrl_c() => pressed,
            _ = terminate.recv() => Ok(()),
        }
    }
    #[cfg(not(unix))]
    tokio::signal::ctrl_c().await
}
