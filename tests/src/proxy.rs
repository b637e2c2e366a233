//! Somebody between a store and its server, who can cut the line at any moment of the conversation, or fall silent.
//!
//! It counts *requests*: what a client says before it waits for an answer. A line is cut before a request has
//! reached the server, or after the server has answered and before the client hears of it: the two moments that
//! matter for whether something was written.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};

/// When a line is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    /// The request never reaches the server.
    Before,
    /// The server has done it, and its answer is lost.
    After,
}

/// Hands on what is said between clients and a server.
#[derive(Debug)]
pub struct Proxy {
    port: u16,
    state: Arc<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Requests until the line is cut; negative for never.
    left: AtomicI64,
    is_after: AtomicBool,
    /// Whether the line is not cut but dead: nothing more is heard on it.
    is_silent: AtomicBool,
    /// After a cut, whether new lines are cut at once too.
    is_for_good: AtomicBool,
    cuts: AtomicU64,
    requests: AtomicU64,
    lines: AtomicU64,
}

impl Proxy {
    /// Listens on a port of its own, on the runtime of the caller.
    pub async fn to(server: u16) -> Proxy {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let state = Arc::new(State {
            left: AtomicI64::new(-1),
            ..State::default()
        });
        let shared = Arc::clone(&state);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let state = Arc::clone(&shared);
                state.lines.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(async move {
                    let server = SocketAddr::from(([127, 0, 0, 1], server));
                    if let Ok(server) = TcpStream::connect(server).await {
                        hand_on(client, server, &state).await;
                    }
                });
            }
        });
        Proxy { port, state }
    }

    /// Where it listens.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Cuts the line of whoever makes that request, counted from now, the first being 0.
    pub fn cut_at(&self, request: u32, cut: Cut) {
        let state = &self.state;
        state.is_after.store(cut == Cut::After, Ordering::SeqCst);
        state.left.store(i64::from(request), Ordering::SeqCst);
    }

    /// The same, but the line stays and is dead: whoever waits for an answer waits for ever.
    pub fn fall_silent_at(&self, request: u32, cut: Cut) {
        self.state.is_silent.store(true, Ordering::SeqCst);
        self.cut_at(request, cut);
    }

    /// Whether a line that is made after a cut is cut as well.
    pub fn stay_cut(&self, for_good: bool) {
        self.state.is_for_good.store(for_good, Ordering::SeqCst);
    }

    /// Cuts nothing any more.
    pub fn mend(&self) {
        self.stay_cut(false);
        self.state.is_silent.store(false, Ordering::SeqCst);
        self.state.left.store(-1, Ordering::SeqCst);
    }

    /// How many lines were cut.
    pub fn cuts(&self) -> u64 {
        self.state.cuts.load(Ordering::SeqCst)
    }

    /// How many lines were made.
    pub fn lines(&self) -> u64 {
        self.state.lines.load(Ordering::SeqCst)
    }

    /// How many requests were made.
    pub fn requests(&self) -> u64 {
        self.state.requests.load(Ordering::SeqCst)
    }
}

impl State {
    /// The end of a line: it is cut, or nothing more is ever said.
    async fn end(&self) -> io::Result<()> {
        match self.is_silent.load(Ordering::SeqCst) {
            true => std::future::pending().await,
            false => Ok(()),
        }
    }

    /// Whether this request is the one.
    fn is_due(&self) -> Option<Cut> {
        self.requests.fetch_add(1, Ordering::SeqCst);
        let left = self.left.load(Ordering::SeqCst);
        if left < 0 {
            return None;
        }
        if left > 0 {
            self.left.store(left - 1, Ordering::SeqCst);
            return None;
        }
        if !self.is_for_good.load(Ordering::SeqCst) {
            self.left.store(-1, Ordering::SeqCst);
        }
        self.cuts.fetch_add(1, Ordering::SeqCst);
        match self.is_after.load(Ordering::SeqCst) {
            true => Some(Cut::After),
            false => Some(Cut::Before),
        }
    }
}

async fn hand_on(client: TcpStream, server: TcpStream, state: &State) {
    client.set_nodelay(true).ok();
    server.set_nodelay(true).ok();
    let (client_says, client_hears) = client.into_split();
    let (server_says, server_hears) = server.into_split();
    // Set once the client must not hear any more; the line ends with the server's next answer.
    let is_deaf = AtomicBool::new(false);
    tokio::select! {
        _ = requests(client_says, server_hears, state, &is_deaf) => {}
        _ = answers(server_says, client_hears, state, &is_deaf) => {}
    }
}

/// Reads whole requests from the client, and hands each on as a whole.
async fn requests(
    mut client: OwnedReadHalf,
    mut server: OwnedWriteHalf,
    state: &State,
    is_deaf: &AtomicBool,
) -> io::Result<()> {
    // The first message has no kind; it is no request of anybody's.
    let mut request = message(&mut client, None).await?;
    server.write_all(&request).await?;
    loop {
        request.clear();
        loop {
            let kind = client.read_u8().await?;
            request.extend(message(&mut client, Some(kind)).await?);
            // Sync, a simple query, or a password: now an answer is waited for. `X` says good-bye.
            if matches!(kind, b'S' | b'Q' | b'p' | b'X') {
                break;
            }
        }
        let is_farewell = request.first() == Some(&b'X');
        match if is_farewell { None } else { state.is_due() } {
            Some(Cut::Before) => return state.end().await,
            Some(Cut::After) => is_deaf.store(true, Ordering::SeqCst),
            None => {}
        }
        server.write_all(&request).await?;
    }
}

/// Hands on what the server says, until the client is not to hear it.
async fn answers(
    mut server: OwnedReadHalf,
    mut client: OwnedWriteHalf,
    state: &State,
    is_deaf: &AtomicBool,
) -> io::Result<()> {
    loop {
        let kind = server.read_u8().await?;
        let answer = message(&mut server, Some(kind)).await?;
        if is_deaf.load(Ordering::SeqCst) {
            // The server is ready for more: it has done what it was asked for.
            if kind == b'Z' {
                return state.end().await;
            }
        } else {
            client.write_all(&answer).await?;
        }
    }
}

/// The rest of a message, after its kind.
async fn message(from: &mut OwnedReadHalf, kind: Option<u8>) -> io::Result<Vec<u8>> {
    let length = from.read_u32().await?;
    let mut bytes: Vec<u8> = kind.into_iter().collect();
    bytes.extend(length.to_be_bytes());
    let start = bytes.len();
    bytes.resize(start + length as usize - 4, 0);
    from.read_exact(&mut bytes[start..]).await?;
    Ok(bytes)
}
