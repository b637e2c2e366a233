//! The door over HTTP: a bearer token leads to its owner's memory and nowhere else; without one there is nothing.
//!
//! Each owner has a service of their own, so that one owner's session ids and event streams mean nothing in
//! another's.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use keepmind::{Keepmind, Owner, Result};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};

use crate::host::Host;
use crate::server::Server;

/// Where the protocol is spoken.
pub const PATH: &str = "/mcp";
/// How long a request may be: more than the longest tool call.
const LONGEST_REQUEST: usize = 256 << 10;
/// A token that is shorter could be guessed.
const SHORTEST_TOKEN: usize = 16;

type Service = StreamableHttpService<Server, LocalSessionManager>;

/// Whose memory each token opens.
#[derive(Default, PartialEq, Eq)]
pub struct Tokens(HashMap<String, String>);

impl fmt::Debug for Tokens {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Never a token.
        write!(formatter, "Tokens({})", self.0.len())
    }
}

impl Tokens {
    /// Reads a table: a token and its owner on each line; lines that begin with `#` are comments. What is wrong is
    /// told by the line alone: where the two are mixed up, the name of an owner is a token.
    pub fn read(text: &str) -> Result<Self, String> {
        let owners: HashSet<&str> = text
            .lines()
            .map(str::trim)
            .filter(|line| !line.starts_with('#'))
            .filter_map(|line| Some(line.split_once(char::is_whitespace)?.1.trim()))
            .collect();
        let mut tokens = HashMap::new();
        for (place, line) in (1..).zip(text.lines()) {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let Some((token, owner)) = line.split_once(char::is_whitespace) else {
                return Err(format!("line {place}: a token, a blank, its owner"));
            };
            if token.len() < SHORTEST_TOKEN || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
                return Err(format!(
                    "line {place}: a token has {SHORTEST_TOKEN} or more plain characters"
                ));
            }
            if owners.contains(token) {
                return Err(format!(
                    "line {place}: its token is also an owner's name; the token comes first"
                ));
            }
            let owner = owner.trim().to_owned();
            if let Err(error) = Owner::new(owner.as_str()) {
                return Err(format!("line {place}: {error}"));
            }
            if tokens.insert(token.to_owned(), owner).is_some() {
                return Err(format!("line {place}: that token is there already"));
            }
        }
        match tokens.is_empty() {
            true => Err("there is no token in it".to_owned()),
            false => Ok(Tokens(tokens)),
        }
    }
}

/// The doors that tokens open.
pub struct Doors {
    hosts: Vec<Arc<Host>>,
    services: HashMap<String, Service>,
    config: StreamableHttpServerConfig,
}

impl fmt::Debug for Doors {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Doors({})", self.services.len())
    }
}

impl Doors {
    /// A door for each token. Requests must name one of the hosts (a name, or a name and a port), or this machine:
    /// a page in somebody's browser that has a name of its own led here is turned away.
    pub async fn open(
        keepmind: &Keepmind,
        tokens: Tokens,
        names: &[String],
        every: Duration,
    ) -> Result<Self> {
        let mut config = StreamableHttpServerConfig::default()
            .enforce_origin_validation()
            .with_json_response(true)
            .with_max_request_body_bytes(LONGEST_REQUEST);
        config.allowed_hosts.extend(names.iter().cloned());
        let mut owners: BTreeMap<String, Service> = BTreeMap::new();
        let (mut hosts, mut services) = (Vec::new(), HashMap::new());
        for (token, owner) in tokens.0 {
            if !owners.contains_key(&owner) {
                let host = Host::open(keepmind, &owner, every).await?;
                hosts.push(Arc::clone(&host));
                let server = move || Ok(Server::new(Arc::clone(&host)));
                let service = Service::new(server, Arc::default(), config.clone());
                owners.insert(owner.clone(), service);
            }
            let service = owners.get(&owner).cloned();
            services.extend(service.map(|service| (token, service)));
        }
        Ok(Doors {
            hosts,
            services,
            config,
        })
    }

    /// What answers at [`PATH`].
    pub fn router(self: &Arc<Self>) -> Router {
        Router::new()
            .route(PATH, any(enter))
            .with_state(Arc::clone(self))
    }

    /// Ends every stream that is still open.
    pub fn shut(&self) {
        self.config.cancellation_token.cancel();
    }

    /// Closes every owner's chat.
    pub async fn close(&self) -> Result<()> {
        for host in &self.hosts {
            host.close().await?;
        }
        Ok(())
    }

    fn service(&self, headers: &HeaderMap) -> Option<&Service> {
        let mut given = headers.get_all(header::AUTHORIZATION).iter();
        let (Some(one), None) = (given.next(), given.next()) else {
            return None;
        };
        let (scheme, token) = one.to_str().ok()?.split_once(' ')?;
        let service = self.services.get(token.trim())?;
        scheme.eq_ignore_ascii_case("bearer").then_some(service)
    }
}

async fn enter(State(doors): State<Arc<Doors>>, request: Request) -> Response {
    match doors.service(request.headers()) {
        Some(service) => service.handle(request).await.map(Body::new),
        None => {
            let challenge = [(header::WWW_AUTHENTICATE, "Bearer")];
            (StatusCode::UNAUTHORIZED, challenge, "a token is needed\n").into_response()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_read_strictly_and_never_shown() {
        let table =
            "# alice-0123456789-abc\n\nalice-0123456789-abc  alice\nbob-0123456789-abcde bob b\n";
        let tokens = Tokens::read(table).unwrap();
        assert_eq!(tokens.0["bob-0123456789-abcde"], "bob b");
        assert_eq!(format!("{tokens:?}"), "Tokens(2)");
        for wrong in [
            "",
            "# nothing",
            "short alice",
            "alice-0123456789-abc",
            "alice-0123456789-äbc alice",
            "alice-0123456789-abc alice\nalice-0123456789-abc bob",
            "alice-0123456789-abc alice\nbob-0123456789-abcde alice-0123456789-abc",
            "alice-0123456789-abc a\0lice",
        ] {
            let told = Tokens::read(wrong).unwrap_err();
            for part in ["0123456789", "alice", "bob"] {
                assert!(!told.contains(part), "{told}");
            }
        }
    }
}
