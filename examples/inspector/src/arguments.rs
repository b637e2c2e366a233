//! The command line.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::PathBuf;

use keepmind::Owner;

use crate::accounts::{SHORTEST_TOKEN, is_token};

/// What `--help` shows.
pub const HELP: &str = "\
The Memory page in a browser, on this machine only.

cargo run -p keepmind-example-inspector -- --demo
cargo run -p keepmind-example-inspector -- --db memories.db --user alice

  --demo          with memories made up for a look; nothing is kept
  --db PATH       the file with the memories
  --user NAME     whose memory to open (default: me); several times for several, each with a token of their own
  --policy NAME   the preset that the file's host decides by (default: default)
  --tokens PATH   a file with a token and its owner on each line, instead of a random token for each --user;
                  these tokens are not shown
  --port N        where to listen (default: 7341; 0 for any that is free)
  --help          this
";

/// What the command line asks for.
#[derive(Debug, PartialEq, Eq)]
pub enum Wanted {
    /// How to call it.
    Help,
    /// The page.
    Page(Arguments),
}

/// How to serve.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Arguments {
    /// Memories made up for a look.
    pub demo: bool,
    /// The file with the memories.
    pub db: Option<PathBuf>,
    /// Whose memories.
    pub users: Vec<String>,
    /// The preset.
    pub policy: String,
    /// The file with tokens.
    pub tokens: Option<PathBuf>,
    /// Where to listen.
    pub port: u16,
}

/// Reads the arguments after the program's name.
pub fn read(given: impl IntoIterator<Item = OsString>) -> Result<Wanted, String> {
    let mut given = given.into_iter();
    let mut arguments = Arguments {
        policy: "default".to_owned(),
        port: 7341,
        ..Arguments::default()
    };
    while let Some(argument) = given.next() {
        let name = argument.to_string_lossy().into_owned();
        let mut value = || {
            let value = given.next().filter(|value| !value.is_empty());
            value.ok_or_else(|| format!("{name} needs a value"))
        };
        let text = |value: OsString| value.to_string_lossy().into_owned();
        match name.as_str() {
            "--help" | "-h" => return Ok(Wanted::Help),
            "--demo" => arguments.demo = true,
            "--db" => arguments.db = Some(value()?.into()),
            "--user" => arguments.users.push(text(value()?)),
            "--policy" => arguments.policy = text(value()?),
            "--tokens" => arguments.tokens = Some(value()?.into()),
            "--port" => {
                let port = text(value()?).parse();
                arguments.port = port.map_err(|_| "--port is a number up to 65535".to_owned())?;
            }
            _ => {
                return Err(format!(
                    "there is no option {name}; --help shows those there are"
                ));
            }
        }
    }
    if arguments.demo == arguments.db.is_some() {
        return Err("say --db PATH, or --demo for a look".to_owned());
    }
    if arguments.users.is_empty() {
        arguments.users.push("me".to_owned());
    }
    Ok(Wanted::Page(arguments))
}

/// The lines of a file of tokens, as token and owner; lines that begin with `#` are comments. What is wrong is told by
/// the line alone: where the two are mixed up, the name of an owner is a token.
pub fn tokens(text: &str) -> Result<Vec<(String, String)>, String> {
    let lines = || (1..).zip(text.lines().map(str::trim));
    let lines = || lines().filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let split = |line: &'_ str| {
        let (token, owner) = line.split_once(char::is_whitespace)?;
        Some((token.to_owned(), owner.trim().to_owned()))
    };
    let owners: BTreeSet<String> = lines()
        .filter_map(|(_, line)| Some(split(line)?.1))
        .collect();
    let (mut seen, mut tokens) = (BTreeSet::new(), Vec::new());
    for (place, line) in lines() {
        let wrong = |what: &str| Err(format!("line {place} of the tokens: {what}"));
        let Some((token, owner)) = split(line) else {
            return wrong("a token, a blank, its owner");
        };
        if !is_token(&token) {
            let what = format!("a token has {SHORTEST_TOKEN} or more visible ASCII characters");
            return wrong(&what);
        }
        if owners.contains(&token) {
            return wrong("its token is also an owner's name; the token comes first");
        }
        if !seen.insert(token.clone()) {
            return wrong("that token is there already");
        }
        if let Err(error) = Owner::new(owner.as_str()) {
            return wrong(&error.to_string());
        }
        tokens.push((token, owner));
    }
    match tokens.is_empty() {
        true => Err("there is no token in the file of tokens".to_owned()),
        false => Ok(tokens),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(given: &[&str]) -> Result<Wanted, String> {
        read(given.iter().map(OsString::from))
    }

    #[test]
    fn options_are_read() {
        let page = |wanted: Result<Wanted, String>| match wanted.unwrap() {
            Wanted::Page(arguments) => arguments,
            Wanted::Help => panic!("asked for the page"),
        };
        let demo = page(reading(&["--demo"]));
        assert!(demo.demo && demo.users == ["me"] && demo.port == 7341);
        let two = page(reading(&[
            "--db", "x.db", "--user", "a", "--user", "b", "--port", "0",
        ]));
        assert_eq!((two.users.len(), two.port), (2, 0));
        assert_eq!(reading(&["--demo", "--help"]), Ok(Wanted::Help));
        for wrong in [
            &["--db"][..],
            &[],
            &["--demo", "--db", "x"],
            &["--demo", "--port", "x"],
            &["--dem"],
        ] {
            assert!(reading(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn tokens_are_lines() {
        let read = tokens("# mine\n\n0123456789abcdef  anna b\n").unwrap();
        assert_eq!(read, [("0123456789abcdef".to_owned(), "anna b".to_owned())]);
    }

    #[test]
    fn what_is_wrong_with_a_token_is_told_by_its_line_alone() {
        for (text, place) in [
            ("0123456789abcdef", 1),
            ("# mine\nanna 0123456789abcdef", 2),
            (
                "0123456789abcdef anna\nfedcba9876543210 0123456789abcdef",
                1,
            ),
            ("0123456789abcdef anna\n0123456789abcdef ben", 2),
            ("0123456789abcdef anna\n0123456789äbcdef ben", 2),
            ("0123456789abcdef a\0nna", 1),
        ] {
            let told = tokens(text).unwrap_err();
            assert!(told.starts_with(&format!("line {place} ")), "{told}");
            for part in ["0123456789", "anna", "ben"] {
                assert!(!told.contains(part), "{told}");
            }
        }
        assert!(tokens("# nothing").is_err());
    }
}
