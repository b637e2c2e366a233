//! Rust source as tokens: comments gone, literals whole, tests told apart. Not a parser.

use std::fs;
use std::path::{Path, PathBuf};

/// One file of the core.
pub struct File {
    /// Its path below the core's `src`.
    pub path: String,
    /// The module it is: `["change", "apply"]`.
    pub module: Vec<String>,
    /// All of it.
    pub text: String,
    /// All of it but comments.
    pub tokens: Vec<Token>,
    /// True for a file that a parent declares behind `#[cfg(test)]`.
    only_tests: bool,
}

/// A word, a literal or a mark.
#[derive(Debug, Clone, PartialEq)]
pub struct Token {
    /// What kind of token it is.
    pub kind: Kind,
    /// A word or mark as written; what stands between a literal's quotes.
    pub text: String,
    /// Where it begins.
    pub line: usize,
}

/// What kind of token it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// A name, keyword, number or lifetime.
    Word,
    /// A string, byte string or character.
    Text,
    /// One character of punctuation, or `::`.
    Mark,
}

impl Token {
    /// True for that name or keyword.
    pub fn is_word(&self, word: &str) -> bool {
        self.kind == Kind::Word && self.text == word
    }

    /// True for that punctuation.
    pub fn is_mark(&self, mark: &str) -> bool {
        self.kind == Kind::Mark && self.text == mark
    }

    /// True for a literal.
    pub fn is_text(&self) -> bool {
        self.kind == Kind::Text
    }
}

impl File {
    /// The tokens that are built without `cfg(test)`.
    pub fn code(&self) -> Vec<Token> {
        if self.only_tests {
            Vec::new()
        } else {
            without_tests(&self.tokens).0
        }
    }
}

/// The folder that holds the workspace.
pub fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Every file below a folder of the workspace, sorted, relative to that folder.
pub fn paths_below(folder: &str) -> Vec<String> {
    fn walk(folder: &Path, prefix: &str, into: &mut Vec<String>) {
        for entry in fs::read_dir(folder).expect("a folder of the workspace") {
            let entry = entry.expect("an entry of the folder");
            let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
            if entry.path().is_dir() {
                walk(&entry.path(), &format!("{name}/"), into);
            } else {
                into.push(name);
            }
        }
    }
    let mut paths = Vec::new();
    walk(&workspace().join(folder), "", &mut paths);
    paths.sort();
    paths
}

/// Every source file of the core, in order of path.
pub fn core_files() -> Vec<File> {
    let source = workspace().join("crates/keepmind/src");
    let mut files: Vec<File> = paths_below("crates/keepmind/src")
        .into_iter()
        .filter(|path| path.ends_with(".rs"))
        .map(|path| {
            let text = fs::read_to_string(source.join(&path)).expect("a source file");
            let tokens = tokens(&text);
            File {
                module: module_of(&path),
                path,
                text,
                tokens,
                only_tests: false,
            }
        })
        .collect();
    assert!(
        files.len() > 20,
        "the core's source is where this test looks for it"
    );

    let test_modules: Vec<Vec<String>> = files
        .iter()
        .flat_map(|file| {
            let names = without_tests(&file.tokens).1;
            names
                .into_iter()
                .map(|name| [file.module.as_slice(), &[name]].concat())
        })
        .collect();
    for file in &mut files {
        file.only_tests = test_modules
            .iter()
            .any(|module| file.module.starts_with(module));
    }
    files
}

fn module_of(path: &str) -> Vec<String> {
    let path = path.strip_suffix(".rs").unwrap_or(path);
    let path = path.strip_suffix("/mod").unwrap_or(path);
    if path == "lib" {
        Vec::new()
    } else {
        path.split('/').map(str::to_owned).collect()
    }
}

/// The tokens outside items marked `#[cfg(test)]`, and the names of files declared behind it.
fn without_tests(tokens: &[Token]) -> (Vec<Token>, Vec<String>) {
    let mut code = Vec::new();
    let mut declared = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if !starts_attribute(&tokens[at..]) {
            code.push(tokens[at].clone());
            at += 1;
            continue;
        }
        let after = at + 1 + group(&tokens[at + 1..]);
        if !means_test(&tokens[at..after]) {
            code.extend_from_slice(&tokens[at..after]);
            at = after;
            continue;
        }
        at = after;
        while starts_attribute(&tokens[at..]) {
            at += 1 + group(&tokens[at + 1..]);
        }
        let item = item(&tokens[at..]);
        if let [keyword, name, end] = &tokens[at..at + item]
            && keyword.is_word("mod")
            && end.is_mark(";")
        {
            declared.push(name.text.clone());
        }
        at += item;
    }
    (code, declared)
}

fn starts_attribute(tokens: &[Token]) -> bool {
    matches!(tokens, [hash, open, ..] if hash.is_mark("#") && open.is_mark("["))
}

/// `#[test]`, `#[cfg(test)]`, `#[cfg(all(test, …))]`; not what is also built without tests.
fn means_test(attribute: &[Token]) -> bool {
    let has = |word| attribute.iter().any(|token| token.is_word(word));
    has("test") && !has("not") && !has("any") && !has("cfg_attr")
}

/// The length of the bracketed group that the tokens begin with.
pub fn group(tokens: &[Token]) -> usize {
    let mut depth = 0usize;
    for (at, token) in tokens.iter().enumerate() {
        if token.kind == Kind::Mark {
            match token.text.as_str() {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        if depth == 0 {
            return at + 1;
        }
    }
    tokens.len()
}

/// The length of the item that the tokens begin with: up to its `;` or its braces.
fn item(tokens: &[Token]) -> usize {
    let mut at = 0;
    while at < tokens.len() {
        let here = &tokens[at];
        if here.is_mark(";") {
            return at + 1;
        }
        let length = group(&tokens[at..]);
        at += length;
        if here.is_mark("{") {
            return at;
        }
    }
    at
}

/// Cuts source into tokens.
pub fn tokens(source: &str) -> Vec<Token> {
    let characters: Vec<char> = source.chars().collect();
    let mut scanner = Scanner {
        characters: &characters,
        at: 0,
        line: 1,
    };
    let mut tokens = Vec::new();
    while let Some(token) = scanner.next_token() {
        tokens.push(token);
    }
    tokens
}

struct Scanner<'a> {
    characters: &'a [char],
    at: usize,
    line: usize,
}

impl Scanner<'_> {
    fn peek(&self, ahead: usize) -> char {
        self.characters
            .get(self.at + ahead)
            .copied()
            .unwrap_or('\0')
    }

    fn ended(&self) -> bool {
        self.at >= self.characters.len()
    }

    fn step(&mut self) -> char {
        let character = self.peek(0);
        self.line += usize::from(character == '\n');
        self.at += 1;
        character
    }

    fn next_token(&mut self) -> Option<Token> {
        loop {
            match (self.peek(0), self.peek(1)) {
                _ if self.ended() => return None,
                ('/', '/') => {
                    while !self.ended() && self.peek(0) != '\n' {
                        self.step();
                    }
                }
                ('/', '*') => self.block_comment(),
                (blank, _) if blank.is_whitespace() => {
                    self.step();
                }
                _ => break,
            }
        }
        let line = self.line;
        let (kind, text) = self
            .literal()
            .map(|text| (Kind::Text, text))
            .unwrap_or_else(|| {
                let first = self.step();
                if first.is_alphanumeric() || first == '_' || first == '\'' {
                    let mut word = String::from(first);
                    while self.peek(0).is_alphanumeric() || self.peek(0) == '_' {
                        word.push(self.step());
                    }
                    (Kind::Word, word)
                } else if first == ':' && self.peek(0) == ':' {
                    self.step();
                    (Kind::Mark, "::".to_owned())
                } else {
                    (Kind::Mark, first.to_string())
                }
            });
        Some(Token { kind, text, line })
    }

    fn block_comment(&mut self) {
        let mut depth = 0;
        while !self.ended() {
            match (self.peek(0), self.peek(1)) {
                ('/', '*') => depth += 1,
                ('*', '/') => depth -= 1,
                _ => {
                    self.step();
                    continue;
                }
            }
            self.step();
            self.step();
            if depth == 0 {
                return;
            }
        }
    }

    /// A string, byte string or character, with any prefix; nothing for a lifetime or a name.
    fn literal(&mut self) -> Option<String> {
        let prefix = (0..2)
            .take_while(|ahead| matches!(self.peek(*ahead), 'b' | 'c' | 'r'))
            .count();
        let raw = (0..prefix).any(|ahead| self.peek(ahead) == 'r');
        let hashes = (prefix..)
            .take_while(|ahead| raw && self.peek(*ahead) == '#')
            .count();
        match self.peek(prefix + hashes) {
            '"' => {}
            '\'' if hashes == 0 && !raw => {
                let escaped = self.peek(prefix + 1) == '\\';
                if !escaped && self.peek(prefix + 2) != '\'' {
                    return None;
                }
            }
            _ => return None,
        }
        for _ in 0..prefix + hashes {
            self.step();
        }
        let quote = self.step();
        let mut text = String::new();
        while !self.ended() {
            let closes = self.peek(0) == quote && (1..=hashes).all(|ahead| self.peek(ahead) == '#');
            if closes {
                for _ in 0..=hashes {
                    self.step();
                }
                break;
            }
            if self.peek(0) == '\\' && !raw {
                text.push(self.step());
            }
            text.push(self.step());
        }
        Some(text)
    }
}

#[test]
fn source_is_cut_into_tokens() {
    let source = r##"
        //! unsafe
        /* outer /* unsafe */ unsafe */
        fn f<'a>(x: &'a str) { g("unsafe \" {", r#"a "b" unsafe"#, b'{', '\'', '"'); crate::h() }
        #[cfg(test)]
        #[allow(unused)]
        mod tests { fn inner() { crate::hidden() } }
        #[cfg(test)]
        mod elsewhere;
        #[cfg(any(test, feature = "x"))]
        fn kept() {}
    "##;
    let tokens = tokens(source);
    assert!(!tokens.iter().any(|token| token.is_word("unsafe")));
    let texts: Vec<&str> = tokens
        .iter()
        .filter(|token| token.is_text())
        .map(|token| token.text.as_str())
        .collect();
    assert_eq!(
        texts,
        ["unsafe \\\" {", "a \"b\" unsafe", "{", "\\'", "\"", "x"]
    );
    assert!(tokens.iter().any(|token| token.is_word("'a")));
    assert_eq!(
        tokens
            .iter()
            .find(|token| token.is_word("fn"))
            .map(|token| token.line),
        Some(4)
    );

    let (code, declared) = without_tests(&tokens);
    assert_eq!(declared, ["elsewhere"]);
    assert!(
        !code
            .iter()
            .any(|token| token.is_word("hidden") || token.is_word("tests"))
    );
    assert!(code.iter().any(|token| token.is_word("h")));
    assert!(code.iter().any(|token| token.is_word("kept")));
}
