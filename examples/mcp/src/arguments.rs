//! The command line.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;

/// What `--help` shows.
pub const HELP: &str = "\
keepmind as a server of the Model Context Protocol.

keepmind-mcp --db FILE [--user NAME]              over stdio, for one user (default: me)
keepmind-mcp --db FILE --http ADDRESS --tokens FILE   over HTTP, at ADDRESS/mcp
keepmind-mcp --db FILE [--user NAME] --import FILE [--dry-run]
                    take over the file of the reference memory server (JSON Lines), and leave

  --db FILE         keep the memories in this file
  --policy NAME     advisor, assistant, chat, default, observer or personal (default: default)
  --tokens FILE     a bearer token and its owner on each line
  --host NAME       a name that this server is reached by, beside localhost; may be given again
  --help            this
";

/// What the command line asks for.
#[derive(Debug, PartialEq, Eq)]
pub enum Wanted {
    /// How to call it.
    Help,
    /// A server, or an import.
    Run(Arguments),
}

/// What to run.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Arguments {
    /// The file with the memories.
    pub db: PathBuf,
    /// The preset to decide by.
    pub policy: String,
    /// What to do with it.
    pub task: Task,
}

/// What to do.
#[derive(Debug, PartialEq, Eq)]
pub enum Task {
    /// Serve one user over stdio.
    Stdio {
        /// Whose memory.
        user: String,
    },
    /// Serve whoever has a token.
    Http {
        /// Where to listen.
        address: SocketAddr,
        /// The table of tokens.
        tokens: PathBuf,
        /// What the server is called.
        hosts: Vec<String>,
    },
    /// Take over a file of the reference memory server.
    Import {
        /// Into whose memory.
        user: String,
        /// The file.
        file: PathBuf,
        /// Only say what would become of it.
        dry_run: bool,
    },
}

impl Default for Task {
    fn default() -> Self {
        let user = "me".to_owned();
        Task::Stdio { user }
    }
}

/// Reads the arguments after the program's name.
pub fn read(given: impl IntoIterator<Item = OsString>) -> Result<Wanted, String> {
    let mut given = given.into_iter();
    let (mut db, mut user, mut policy, mut address) = (None, None, None, None);
    let (mut tokens, mut file, mut hosts, mut dry_run) = (None, None, Vec::new(), false);
    while let Some(argument) = given.next() {
        let name = argument.to_string_lossy().into_owned();
        let mut path = || {
            let value = given.next().filter(|value| !value.is_empty());
            value.ok_or_else(|| format!("{name} needs a value"))
        };
        let text = |value: OsString| value.to_string_lossy().into_owned();
        let is_again = match name.as_str() {
            "--help" | "-h" => return Ok(Wanted::Help),
            "--db" => db.replace(PathBuf::from(path()?)).is_some(),
            "--user" => user.replace(text(path()?)).is_some(),
            "--policy" => policy.replace(text(path()?)).is_some(),
            "--http" => {
                let value = text(path()?);
                let read = value.parse::<SocketAddr>();
                let read = read.map_err(|_| "--http needs an address, as in 127.0.0.1:8765")?;
                address.replace(read).is_some()
            }
            "--tokens" => tokens.replace(PathBuf::from(path()?)).is_some(),
            "--import" => file.replace(PathBuf::from(path()?)).is_some(),
            "--host" => {
                hosts.push(text(path()?));
                false
            }
            "--dry-run" => std::mem::replace(&mut dry_run, true),
            _ => {
                return Err(format!(
                    "there is no option {name}; --help shows those there are"
                ));
            }
        };
        if is_again {
            return Err(format!("{name} is given twice"));
        }
    }
    let user_or_me = |user: Option<String>| user.unwrap_or_else(|| "me".to_owned());
    let task = match (address, tokens, file) {
        (None, None, None) if hosts.is_empty() && !dry_run => Task::Stdio {
            user: user_or_me(user),
        },
        (None, None, Some(file)) if hosts.is_empty() => Task::Import {
            user: user_or_me(user),
            file,
            dry_run,
        },
        (Some(address), Some(tokens), None) if user.is_none() && !dry_run => Task::Http {
            address,
            tokens,
            hosts,
        },
        _ => return Err("these options do not go together; --help shows which do".to_owned()),
    };
    Ok(Wanted::Run(Arguments {
        db: db.ok_or("--db is needed: the file with the memories")?,
        policy: policy.unwrap_or_else(|| "default".to_owned()),
        task,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(given: &str) -> Result<Wanted, String> {
        read(given.split_whitespace().map(OsString::from))
    }

    #[test]
    fn each_way_of_running_is_read() {
        let run = |policy: &str, task| {
            Ok(Wanted::Run(Arguments {
                db: "a.db".into(),
                policy: policy.to_owned(),
                task,
            }))
        };
        assert_eq!(reading("--db a.db"), run("default", Task::default()));
        let user = "ann".to_owned();
        let stdio = Task::Stdio { user: user.clone() };
        assert_eq!(
            reading("--db a.db --user ann --policy advisor"),
            run("advisor", stdio)
        );
        let http = Task::Http {
            address: "127.0.0.1:8765".parse().unwrap(),
            tokens: "t".into(),
            hosts: vec!["box".to_owned()],
        };
        let given = "--http 127.0.0.1:8765 --db a.db --tokens t --host box";
        assert_eq!(reading(given), run("default", http));
        let import = Task::Import {
            user,
            file: "m.jsonl".into(),
            dry_run: true,
        };
        let given = "--db a.db --import m.jsonl --dry-run --user ann";
        assert_eq!(reading(given), run("default", import));
        assert_eq!(reading("--db a.db --help"), Ok(Wanted::Help));
    }

    #[test]
    fn what_the_readme_shows_to_paste_is_read() {
        let shown: Vec<&str> = include_str!("../README.md")
            .split("```json")
            .skip(1)
            .collect();
        assert_eq!(shown.len(), 2);
        for pasted in shown {
            let pasted = pasted.split("```").next().unwrap();
            let pasted: serde_json::Value = serde_json::from_str(pasted).unwrap();
            let server = &pasted["mcpServers"]["keepmind"];
            if let Some(arguments) = server["args"].as_array() {
                let given = arguments
                    .iter()
                    .map(|one| OsString::from(one.as_str().unwrap()));
                assert!(matches!(read(given), Ok(Wanted::Run(_))));
            } else {
                assert!(server["url"].as_str().unwrap().ends_with(crate::http::PATH));
            }
        }
    }

    #[test]
    fn what_does_not_go_together_is_refused() {
        for given in [
            "",
            "--db",
            "--db a --db b",
            "--db a --http 127.0.0.1:1",
            "--db a --tokens t",
            "--db a --http nowhere --tokens t",
            "--db a --http 127.0.0.1:1 --tokens t --user ann",
            "--db a --dry-run",
            "--db a --import f --tokens t",
            "--db a --host box",
            "--dbx a",
            "file",
        ] {
            assert!(reading(given).is_err(), "{given}");
        }
    }
}
