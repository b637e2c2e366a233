//! The command line, and where the memories are kept when it does not say.

use std::ffi::OsString;
use std::path::PathBuf;

use keepmind::store::StorePlace;

/// What `--help` shows.
pub const HELP: &str = "\
A chat whose assistant remembers. A scripted stand-in plays the model: no key, no network.

cargo run -p keepmind-example-chat -- [OPTIONS]

  --demo        play a conversation and leave; nothing is kept
  --db PLACE    keep the memories in this file, or in PostgreSQL: postgres://user@host/database
  --copy-to PLACE
                copy everybody's memories from there to here, and leave; may be run again
  --user NAME   whose memory to open (default: me)
  --model URL   a server that speaks OpenAI's chat completions, as in http://127.0.0.1:8080/v1: it learns
                from your chats and names them, instead of code alone (OPENAI_API_KEY, OPENAI_MODEL)
  --help        this
";

/// What the command line asks for.
#[derive(Debug, PartialEq, Eq)]
pub enum Wanted {
    /// How to call it.
    Help,
    /// A chat.
    Chat(Arguments),
}

/// How to chat.
#[derive(Debug, PartialEq, Eq)]
pub struct Arguments {
    /// Play the demo instead.
    pub demo: bool,
    /// Where the memories are.
    pub db: StorePlace,
    /// Where to copy them, instead of chatting.
    pub copy_to: Option<StorePlace>,
    /// Whose memory.
    pub user: String,
    /// Where the model is that learns from chats.
    pub model: Option<String>,
}

/// Reads the arguments after the program's name. `environment` answers for a variable.
pub fn read(
    given: impl IntoIterator<Item = OsString>,
    environment: impl Fn(&str) -> Option<OsString>,
) -> Result<Wanted, String> {
    let mut given = given.into_iter();
    let mut arguments = Arguments {
        demo: false,
        db: StorePlace::File(default_file(environment)),
        copy_to: None,
        user: "me".to_owned(),
        model: None,
    };
    while let Some(argument) = given.next() {
        let text = argument.to_string_lossy();
        let (name, joined) = match text.split_once('=') {
            Some((name, value)) => (name, Some(OsString::from(value))),
            None => (text.as_ref(), None),
        };
        let mut value = || {
            let value = joined.clone().or_else(|| given.next());
            value
                .filter(|value| !value.is_empty())
                .ok_or_else(|| format!("{name} needs a value"))
        };
        match name {
            "--help" | "-h" => return Ok(Wanted::Help),
            "--demo" if joined.is_none() => arguments.demo = true,
            "--db" => arguments.db = place(value()?)?,
            "--copy-to" => arguments.copy_to = Some(place(value()?)?),
            "--model" => arguments.model = Some(value()?.to_string_lossy().into_owned()),
            "--user" => arguments.user = value()?.to_string_lossy().into_owned(),
            _ => {
                return Err(format!(
                    "there is no option {text}; --help shows those there are"
                ));
            }
        }
    }
    Ok(Wanted::Chat(arguments))
}

fn place(given: OsString) -> Result<StorePlace, String> {
    match given.to_str() {
        Some(text) => StorePlace::read(text).map_err(|error| error.message().to_owned()),
        // A path need not be text.
        None => Ok(StorePlace::File(given.into())),
    }
}

/// A file in the user's data folder, or beside where it was started if there is none.
fn default_file(environment: impl Fn(&str) -> Option<OsString>) -> PathBuf {
    let folder = |name: &str| {
        environment(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    let data = if cfg!(windows) {
        folder("APPDATA")
    } else if cfg!(target_os = "macos") {
        folder("HOME").map(|home| home.join("Library/Application Support"))
    } else {
        folder("XDG_DATA_HOME").or_else(|| folder("HOME").map(|home| home.join(".local/share")))
    };
    match data {
        Some(data) => data.join("keepmind").join("chat.db"),
        None => PathBuf::from("keepmind-chat.db"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(given: &[&str]) -> Result<Wanted, String> {
        read(given.iter().map(OsString::from), |_| None)
    }

    fn chat(demo: bool, db: &str, user: &str) -> Result<Wanted, String> {
        Ok(Wanted::Chat(Arguments {
            demo,
            db: StorePlace::File(db.into()),
            copy_to: None,
            user: user.to_owned(),
            model: None,
        }))
    }

    #[test]
    fn options_are_read() {
        for (given, wanted) in [
            (&[][..], chat(false, "keepmind-chat.db", "me")),
            (&["--demo"], chat(true, "keepmind-chat.db", "me")),
            (&["--db", "a.db"], chat(false, "a.db", "me")),
            (&["--db=a=b.db", "--user=ann"], chat(false, "a=b.db", "ann")),
            (
                &["--user", "ann", "--demo"],
                chat(true, "keepmind-chat.db", "ann"),
            ),
            (&["--demo", "--help"], Ok(Wanted::Help)),
        ] {
            assert_eq!(reading(given), wanted, "{given:?}");
        }
    }

    #[test]
    fn a_model_is_named_by_its_address() {
        let Ok(Wanted::Chat(arguments)) = reading(&["--model", "http://127.0.0.1:8080/v1"]) else {
            panic!("an address is a value");
        };
        assert_eq!(arguments.model.as_deref(), Some("http://127.0.0.1:8080/v1"));
    }

    #[test]
    fn a_url_is_a_place_too() {
        let url = "postgres://ann@localhost/memories";
        let Ok(Wanted::Chat(arguments)) = reading(&["--db", "a.db", "--copy-to", url]) else {
            panic!("two places");
        };
        assert_eq!(arguments.db, StorePlace::File("a.db".into()));
        assert_eq!(
            arguments.copy_to,
            Some(StorePlace::Postgres(url.to_owned()))
        );
    }

    #[test]
    fn what_is_wrong_is_said() {
        for given in [
            &["--db"][..],
            &["--db="],
            &["--copy-to"],
            &["--user"],
            &["--model"],
            &["--dmo"],
            &["--demo=1"],
            &["file"],
            &[""],
        ] {
            assert!(reading(given).is_err(), "{given:?}");
        }
    }

    #[cfg(all(unix, not(target_os = "macos")))]
    #[test]
    fn the_file_is_in_the_data_folder() {
        let home = |name: &str| (name == "HOME").then(|| OsString::from("/home/ann"));
        assert_eq!(
            default_file(home),
            PathBuf::from("/home/ann/.local/share/keepmind/chat.db")
        );
        let both = |name: &str| match name {
            "XDG_DATA_HOME" => Some(OsString::from("/data")),
            name => home(name),
        };
        assert_eq!(default_file(both), PathBuf::from("/data/keepmind/chat.db"));
    }
}
