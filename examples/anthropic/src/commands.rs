//! What a model may ask of the memory tool, read strictly.

use serde::Deserialize;
use serde_json::Value;

/// How long the texts of one command may be.
const MOST_BYTES: usize = 256 << 10;

/// What the model asks for.
#[derive(Debug, Deserialize)]
#[serde(tag = "command", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Command {
    View {
        path: String,
        #[serde(default)]
        view_range: Option<[i64; 2]>,
    },
    Create {
        path: String,
        file_text: String,
    },
    StrReplace {
        path: String,
        old_str: String,
        new_str: String,
    },
    Insert {
        path: String,
        insert_line: i64,
        insert_text: String,
    },
    Delete {
        path: String,
    },
    Rename {
        old_path: String,
        new_path: String,
    },
}

impl Command {
    /// Reads a command; or says what one is.
    pub fn read(input: &Value) -> Result<Self, String> {
        let texts = input
            .as_object()
            .into_iter()
            .flat_map(|input| input.values());
        let bytes: usize = texts.filter_map(Value::as_str).map(str::len).sum();
        if bytes > MOST_BYTES {
            return Err(format!("Error: A command has at most {MOST_BYTES} bytes"));
        }
        Command::deserialize(input).map_err(|_| {
            "Error: The command must be view, create, str_replace, insert, delete or rename, with its own arguments \
             and no others"
                .to_owned()
        })
    }
}
