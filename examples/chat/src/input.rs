//! What reaches a chat from outside: lines, the end of them, and being told to stop; in one queue.

use std::io::{self, BufRead};
use std::thread;

use tokio::sync::mpsc::{Receiver, Sender, channel};

/// Something that came.
#[derive(Debug, PartialEq, Eq)]
pub enum Came {
    /// A line, with what ended it.
    Line(Vec<u8>),
    /// There are no more lines.
    End,
    /// The process is told to stop: Ctrl-C, `kill`, a terminal that was closed.
    Stop,
}

/// What comes, in order.
#[derive(Debug)]
pub struct Input(Receiver<io::Result<Came>>);

impl Input {
    /// Listens from now on; inside a runtime with I/O.
    pub fn listen() -> io::Result<Self> {
        // No line is read long before it is wanted, so that a stop does not wait behind many.
        let (sender, receiver) = channel(1);
        listen_for_stop(&sender)?;
        // A thread, because nothing can take back a read that waits; it ends with the process.
        thread::spawn(move || read_lines(&sender));
        Ok(Input(receiver))
    }

    /// The next that comes.
    pub async fn next(&mut self) -> io::Result<Came> {
        self.0.recv().await.unwrap_or(Ok(Came::End))
    }
}

fn read_lines(sender: &Sender<io::Result<Came>>) {
    let mut input = io::stdin().lock();
    loop {
        let mut bytes = Vec::new();
        let came = match input.read_until(b'\n', &mut bytes) {
            Ok(0) => Ok(Came::End),
            Ok(_) => Ok(Came::Line(bytes)),
            Err(error) => Err(error),
        };
        let is_last = !matches!(came, Ok(Came::Line(_)));
        if sender.blocking_send(came).is_err() || is_last {
            return;
        }
    }
}

/// The first time the chat is closed in peace. The second time the process ends at once: what was not
/// finished, the next start finishes.
#[cfg(unix)]
fn listen_for_stop(sender: &Sender<io::Result<Came>>) -> io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};

    for kind in [
        SignalKind::interrupt(),
        SignalKind::terminate(),
        SignalKind::hangup(),
    ] {
        let mut signals = signal(kind)?;
        let sender = sender.clone();
        tokio::spawn(async move {
            signals.recv().await;
            let _ = sender.send(Ok(Came::Stop)).await;
            signals.recv().await;
            std::process::exit(128 + kind.as_raw_value());
        });
    }
    Ok(())
}

#[cfg(not(unix))]
fn listen_for_stop(sender: &Sender<io::Result<Came>>) -> io::Result<()> {
    let sender = sender.clone();
    tokio::spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            let _ = sender.send(Ok(Came::Stop)).await;
        }
    });
    Ok(())
}
