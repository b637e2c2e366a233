//! The floors of the core, read from the order of modules in `lib.rs`, and which paths point upwards.

use std::collections::BTreeMap;

use crate::source::{File, Kind, Token, group};

/// Which floor each module of the core is on, from the ground up.
pub struct Floors {
    floor_of: BTreeMap<String, usize>,
    /// The module behind each name that `lib.rs` exports again; empty for another crate's.
    exported: BTreeMap<String, String>,
}

impl Floors {
    /// Reads the groups of `mod` lines, which blank lines divide, and the exports.
    pub fn of(root: &File) -> Self {
        let mut floor_of = BTreeMap::new();
        let mut floor = 0;
        let mut begun = false;
        for line in root.text.lines().map(str::trim) {
            let declared = line.strip_prefix("pub ").unwrap_or(line);
            let name = declared
                .strip_prefix("mod ")
                .and_then(|rest| rest.strip_suffix(';'));
            if let Some(name) = name {
                floor_of.insert(name.to_owned(), floor);
                begun = true;
            } else if line.is_empty() && begun {
                floor += 1;
                begun = false;
            }
        }

        let mut exported = BTreeMap::new();
        let code = root.code();
        for at in 0..code.len() {
            if let [keyword, module, colons, ..] = &code[at..]
                && keyword.is_word("use")
                && colons.is_mark("::")
            {
                let inside = floor_of.contains_key(&module.text);
                let module = if inside {
                    module.text.clone()
                } else {
                    String::new()
                };
                let end = code[at..].iter().position(|token| token.is_mark(";"));
                for token in &code[at..end.map_or(code.len(), |end| at + end)] {
                    if token.kind == Kind::Word {
                        exported.insert(token.text.clone(), module.clone());
                    }
                }
            }
        }
        Floors { floor_of, exported }
    }

    /// How many floors there are.
    pub fn count(&self) -> usize {
        self.floor_of
            .values()
            .max()
            .map_or(0, |highest| highest + 1)
    }

    /// True for a module that `lib.rs` declares.
    pub fn contains(&self, module: &str) -> bool {
        self.floor_of.contains_key(module)
    }

    /// The paths in the code of a file that lead to a higher floor, or to no module at all.
    pub fn upward(&self, file: &File) -> Vec<String> {
        let Some(own) = file
            .module
            .first()
            .and_then(|module| self.floor_of.get(module))
        else {
            return Vec::new();
        };
        let mut found = Vec::new();
        for (line, name) in paths_from_the_root(file) {
            let module = match self.exported.get(&name) {
                _ if self.floor_of.contains_key(&name) => &name,
                Some(module) if module.is_empty() => continue,
                Some(module) => module,
                // A file's own exported macro stands at the root of the crate.
                None if file.text.contains(&format!("macro_rules! {name} ")) => continue,
                None => {
                    found.push(format!(
                        "{}:{line}: `crate::{name}` is not in lib.rs",
                        file.path
                    ));
                    continue;
                }
            };
            if self.floor_of[module] > *own {
                found.push(format!(
                    "{}:{line}: uses `{module}`, which lib.rs lists further down",
                    file.path
                ));
            }
        }
        found
    }
}

/// What stands first in each path that begins at the root of the crate: through `crate::`, or through
/// enough `super::`. With the line.
fn paths_from_the_root(file: &File) -> Vec<(usize, String)> {
    let code = file.code();
    let mut found = Vec::new();
    let mut depth = 0usize;
    let mut inline: Vec<usize> = Vec::new();
    let mut at = 0;
    while at < code.len() {
        let here = &code[at];
        if here.is_mark("{") {
            depth += 1;
            if at >= 2 && code[at - 2].is_word("mod") {
                inline.push(depth);
            }
        } else if here.is_mark("}") {
            if inline.last() == Some(&depth) {
                inline.pop();
            }
            depth = depth.saturating_sub(1);
        }
        let begins = at == 0 || !code[at - 1].is_mark("::");
        let mut after = at;
        let mut steps = 0;
        let next_is_path =
            |after: usize| code.get(after + 1).is_some_and(|next| next.is_mark("::"));
        while begins
            && code.get(after).is_some_and(|token| token.is_word("super"))
            && next_is_path(after)
        {
            after += 2;
            steps += 1;
        }
        let through_super = steps > 0 && steps == file.module.len() + inline.len();
        let through_crate = begins && here.is_word("crate") && next_is_path(at);
        if through_crate {
            after += 2;
        }
        if through_crate || through_super {
            let line = here.line;
            found.extend(
                names(&code[after..])
                    .into_iter()
                    .map(|name| (line, name.to_owned())),
            );
        }
        at = after.max(at + 1);
    }
    found
}

/// The first name of a path's tail, or of each branch of a group: `a::b` is a, `{a::{b, c}, d}` is a and d.
pub fn names(tail: &[Token]) -> Vec<&str> {
    let Some(first) = tail.first() else {
        return Vec::new();
    };
    if !first.is_mark("{") {
        return vec![&first.text];
    }
    let inside = &tail[1..group(tail).saturating_sub(1).max(1)];
    let mut found = Vec::new();
    let mut at = 0;
    let mut begins = true;
    while at < inside.len() {
        if begins && inside[at].text != "self" {
            found.push(inside[at].text.as_str());
        }
        begins = inside[at].is_mark(",");
        at += group(&inside[at..]);
    }
    found
}
