//! Which paths there are: `/memories`, and the files right in it. There is no file system below, so nothing is
//! resolved, decoded or followed; whatever is not written exactly so is refused.

/// What a path names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Place {
    /// `/memories` itself.
    Folder,
    /// A file in it, by its name.
    File(String),
}

const FOLDER: &str = "/memories";
const LONGEST_NAME: usize = 100;

/// Reads a path.
pub(crate) fn read(path: &str) -> Result<Place, String> {
    let wrong = || {
        format!(
            "Error: The path must be {FOLDER}, or {FOLDER}/NAME.md with a plain name, as `view` lists them"
        )
    };
    let rest = path.strip_prefix(FOLDER).ok_or_else(wrong)?;
    if matches!(rest, "" | "/") {
        return Ok(Place::Folder);
    }
    let name = rest.strip_prefix('/').ok_or_else(wrong)?;
    let stem = name.strip_suffix(".md").ok_or_else(wrong)?;
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let is_name = !stem.is_empty() && name.len() <= LONGEST_NAME && stem.bytes().all(is_plain);
    match is_name {
        true => Ok(Place::File(name.to_owned())),
        false => Err(wrong()),
    }
}

/// The path of a file.
pub(crate) fn path(name: &str) -> String {
    format!("{FOLDER}/{name}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_folder_and_its_files_are_paths() {
        assert_eq!(read("/memories"), Ok(Place::Folder));
        assert_eq!(read("/memories/"), Ok(Place::Folder));
        let file = Place::File("finance_context.md".to_owned());
        assert_eq!(read("/memories/finance_context.md"), Ok(file));
        let long = format!("/memories/{}.md", "x".repeat(100));
        for path in [
            "",
            "/",
            "memories",
            "/memoriesx",
            "/memories.md",
            "/Memories/profile.md",
            "/memories//profile.md",
            "/memories/profile.md/",
            "/memories/profile",
            "/memories/.md",
            "/memories/..",
            "/memories/../etc/passwd",
            "/memories/../memories/profile.md",
            "/memories/./profile.md",
            "/memories/..%2fprofile.md",
            "/memories/%2e%2e/profile.md",
            "/memories/%70rofile.md",
            "/memories/..\\profile.md",
            "/memories\\profile.md",
            "/memories/sub/profile.md",
            "/memories/profile.md\0",
            "/memories/profile.md\n",
            " /memories/profile.md",
            "/memories/prof\u{202e}ile.md",
            "/memories/profile\u{2024}md",
            "/memories/pr\u{43e}file.md",
            "\u{ff0f}memories/profile.md",
            "/memories/~.md",
            "/memories/$HOME.md",
            "file:///memories/profile.md",
            "/etc/passwd",
            "C:\\memories\\profile.md",
            long.as_str(),
        ] {
            assert!(read(path).is_err(), "{path:?}");
        }
    }
}
