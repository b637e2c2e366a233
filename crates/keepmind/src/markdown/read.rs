//! Markdown back from a person's editor. What makes a file another file (its head, its sections) is an error that
//! says where and why; a line that cannot be read is a problem of its page, so that all are told at once.

use std::collections::BTreeSet;

use crate::ids::{Number, Version};
use crate::markdown::escape::{Parted, part};
use crate::markdown::{
    FOR_MODEL, FORMAT, Item, LONGEST_LINE, MOST_BYTES, MOST_FILES, MarkdownFile, Page, Part,
    Reader, Section,
};
use crate::memory::Authority;
use crate::owner::Owner;
use crate::policy::Policy;
use crate::timestamp::Timestamp;

/// How many lines a head has at most.
const LONGEST_HEAD: usize = 100;

/// Reads files of one owner's.
pub(crate) fn read(
    files: &[MarkdownFile],
    owner: &Owner,
    policy: &Policy,
) -> Result<Vec<Page>, String> {
    if files.is_empty() {
        return Err("there is no file to read".to_owned());
    }
    let bytes = files.iter().map(|file| file.text.len()).sum::<usize>();
    if bytes > MOST_BYTES || files.len() > MOST_FILES {
        return Err(format!(
            "{} files have {bytes} bytes; at most {MOST_FILES} files and {MOST_BYTES} bytes are read at once: \
             write a folder, and read the files of it that were edited",
            files.len()
        ));
    }
    let mut pages: Vec<Page> = Vec::with_capacity(files.len());
    for file in files {
        let page = page(file, owner, policy).map_err(|(line, why)| match line {
            0 => format!("{}: {why}", shown(&file.name)),
            line => format!("{} line {line}: {why}", shown(&file.name)),
        })?;
        pages.push(page);
    }
    let mut parts: BTreeSet<&Part> = BTreeSet::new();
    for (page, section) in pages
        .iter()
        .flat_map(|page| page.sections.iter().map(move |section| (page, section)))
    {
        if !parts.insert(&section.part) {
            return Err(format!(
                "{}: a section stands there twice, or in two files",
                shown(&page.name)
            ));
        }
    }
    if parts.len() > MOST_FILES {
        return Err(format!("there are more than {MOST_FILES} sections"));
    }
    Ok(pages)
}

/// A name that is fit to be shown.
fn shown(name: &str) -> &str {
    let is_fit = name.len() <= 200 && !name.is_empty() && !name.contains(char::is_control);
    if is_fit { name } else { "a file" }
}

type Problem = (u64, String);

fn page(file: &MarkdownFile, owner: &Owner, policy: &Policy) -> Result<Page, Problem> {
    let text = file.text.strip_prefix('\u{feff}').unwrap_or(&file.text);
    let mut lines = (1_u64..).zip(text.split('\n').map(str::trim_end));
    let Head {
        as_of,
        expired_by,
        reader,
    } = head(&mut lines, owner)?;
    let mut reading = Reading {
        policy,
        page: Page {
            name: file.name.clone(),
            as_of,
            expired_by,
            reader,
            sections: Vec::new(),
            problems: Vec::new(),
        },
        open: None,
    };
    for (place, line) in lines {
        if line.len() > LONGEST_LINE {
            let why = format!("it is longer than {LONGEST_LINE} bytes");
            return Err((place, why));
        }
        reading.line(place, line)?;
    }
    reading.close(0)?;
    Ok(reading.page)
}

/// What a copy says of itself.
struct Head {
    as_of: Timestamp,
    expired_by: Timestamp,
    reader: Reader,
}

/// Reads what stands between the first two `---`.
fn head<'t>(
    lines: &mut impl Iterator<Item = (u64, &'t str)>,
    owner: &Owner,
) -> Result<Head, Problem> {
    const NONE: &str = "it does not begin with the head that `markdown` writes (`---`, `keepmind: 1`, …): \
                        put it back, or write the file anew";
    let none = || (1, NONE.to_owned());
    if lines.next().is_none_or(|(_, line)| line != "---") {
        return Err(none());
    }
    let (mut format, mut whose, mut as_of, mut expired_by) = (None, None, None, None);
    for (place, line) in lines.take(LONGEST_HEAD) {
        if line == "---" {
            let (Some(format), Some(whose), Some(as_of)) = (format, whose, as_of) else {
                return Err(none());
            };
            let reader = check_head(format, whose, owner)?;
            let as_of = match as_of {
                "never" => Timestamp::MIN,
                named => moment("as_of", named)?,
            };
            let expired_by = expired_by.map(|named| moment("expired_by", named));
            let expired_by = expired_by.transpose()?.unwrap_or(as_of);
            return Ok(Head {
                as_of,
                expired_by: expired_by.max(as_of),
                reader,
            });
        }
        // What an editor adds for itself is nothing to us.
        let Some((field, value)) = line.split_once(':') else {
            continue;
        };
        let field = match field.trim() {
            "keepmind" => &mut format,
            "owner" => &mut whose,
            "as_of" => &mut as_of,
            "expired_by" => &mut expired_by,
            _ => continue,
        };
        if field.replace(value.trim()).is_some() {
            return Err((place, "a field of the head is given twice".to_owned()));
        }
    }
    Err((1, "its head has no end".to_owned()))
}

fn check_head(format: &str, whose: &str, owner: &Owner) -> Result<Reader, Problem> {
    let (format, reader) = match format.strip_suffix(FOR_MODEL) {
        Some(format) => (format, Reader::Model),
        None => (format, Reader::User),
    };
    match format.parse::<u32>() {
        Ok(FORMAT) => {}
        Ok(newer) if newer > FORMAT => {
            let why = format!("it has format {newer}, which a newer version of this library wrote");
            return Err((1, why));
        }
        _ => return Err((1, "it has a format that there never was".to_owned())),
    }
    let named: Option<String> = serde_json::from_str(whose).ok();
    // Without quotes too: editors take them away.
    if named.as_deref().unwrap_or(whose) != owner.as_str() {
        return Err((1, "it is of another owner's".to_owned()));
    }
    Ok(reader)
}

fn moment(field: &str, named: &str) -> Result<Timestamp, Problem> {
    let moment = Timestamp::parse(named.trim_matches('"'));
    moment.map_err(|_| (1, format!("`{field}` of its head is no moment")))
}

struct Reading<'a> {
    policy: &'a Policy,
    page: Page,
    /// The section that is read, and whether its heading says that it will have an end.
    open: Option<(Section, bool)>,
}

impl Reading<'_> {
    fn line(&mut self, place: u64, line: &str) -> Result<(), Problem> {
        let is_indented = line.starts_with(['\t']) || line.starts_with("  ");
        let text = line.trim_start();
        if text.is_empty() {
            return Ok(());
        }
        if let Some(heading) = text.strip_prefix("## ").filter(|_| !is_indented) {
            self.close(place)?;
            self.open = Some((self.section(place, heading)?, heading.contains("<!--")));
            return Ok(());
        }
        if let Some(tag) = text.strip_prefix("<!-- end ") {
            let tag = tag.strip_suffix("-->").map_or(tag, str::trim);
            return self.end(place, tag);
        }
        let words = list_item(text);
        let problem = match (&mut self.open, words) {
            (_, Some("")) => return Ok(()),
            (_, Some(_)) if is_indented => "lists are not nested here: begin the line with `- `",
            (None, Some(_)) => "it stands under no heading",
            (Some((section, _)), Some(words)) => match item(place, words) {
                Ok(item) => {
                    section.items.push(item);
                    return Ok(());
                }
                Err(problem) => problem,
            },
            (open, None) => match text.strip_prefix('>') {
                Some(quoted) => {
                    let item = open
                        .as_mut()
                        .and_then(|(section, _)| section.items.last_mut());
                    if let Some(item) = item {
                        item.quoted.push(quoted.trim().to_owned());
                    }
                    return Ok(());
                }
                None if text.starts_with("# ") && open.is_none() => return Ok(()),
                None if text.starts_with('#') => "headings are `## …` here, one for each category",
                None if is_indented => "a memory is one line: join it to the one before",
                None => "a memory begins with `- `",
            },
        };
        self.page.problems.push((place, problem));
        Ok(())
    }

    /// A section that is to be read up to here. What was written with an end and has none was cut.
    fn close(&mut self, place: u64) -> Result<(), Problem> {
        let Some((section, has_end)) = self.open.take() else {
            return Ok(());
        };
        if has_end {
            let why = format!(
                "the section before has lost its end: was the file cut? Put `<!-- end {} -->` back below its lines",
                section.part.tag()
            );
            return Err((place, why));
        }
        self.page.sections.push(section);
        Ok(())
    }

    fn end(&mut self, place: u64, tag: &str) -> Result<(), Problem> {
        match self.open.take() {
            Some((mut section, _)) if section.part.tag() == tag => {
                section.end = Some(place);
                self.page.sections.push(section);
                Ok(())
            }
            _ => Err((
                place,
                "this ends another section than the one it stands in".to_owned(),
            )),
        }
    }

    /// The section that a heading opens: named by its comment, or by its title or name in the policy.
    fn section(&self, place: u64, heading: &str) -> Result<Section, Problem> {
        let unknown = || {
            let categories = self.policy.writable_categories();
            let known: Vec<&str> = categories.map(|category| category.title.as_str()).collect();
            let why = format!("there is no such section; there are: {}", known.join(", "));
            (place, why)
        };
        let Parted { words, comment, .. } = part(heading).ok_or_else(unknown)?;
        let named = || {
            let words = words.trim();
            let is_named = |title: &str| title.eq_ignore_ascii_case(words);
            let mut by_title = self.policy.writable_categories();
            let mut by_name = self.policy.writable_categories();
            let found = by_title
                .find(|category| is_named(&category.title))
                .or_else(|| by_name.find(|category| is_named(&category.name)));
            found.map(|category| Part::Category(category.name.clone()))
        };
        let part = match comment {
            Some(tag) => Part::of_tag(tag),
            None => named(),
        };
        Ok(Section {
            part: part.ok_or_else(unknown)?,
            end: None,
            items: Vec::new(),
        })
    }
}

/// What stands behind the mark of a list.
fn list_item(text: &str) -> Option<&str> {
    let rest = text.strip_prefix(['-', '*', '+'])?;
    match rest.starts_with([' ', '\t']) || rest.is_empty() {
        true => Some(rest.trim_start()),
        false => None,
    }
}

fn item(line: u64, words: &str) -> Result<Item, &'static str> {
    let (mark, authority, words) = marked(words)?;
    let Parted {
        words,
        comment,
        after,
    } = part(words).ok_or("its comment is not closed: end it with `-->`")?;
    if !after.is_empty() {
        return Err("words stand behind its comment: write them before it");
    }
    Ok(Item {
        line,
        mark,
        authority,
        text: words,
        details: comment.map(str::to_owned),
        quoted: Vec::new(),
    })
}

type Marked<'t> = (Option<(Number, Version)>, Authority, &'t str);

/// Reads what stands in brackets before the words.
fn marked(words: &str) -> Result<Marked<'_>, &'static str> {
    const DAMAGED: &str =
        "its mark is damaged: it is `[#12 v3]`, or `[#12 v3 rule]`, as it was written";
    if words
        .get(..6)
        .is_some_and(|head| head.eq_ignore_ascii_case("[rule]"))
    {
        return Ok((None, Authority::Rule, words[6..].trim_start()));
    }
    let Some(rest) = words.strip_prefix("[#") else {
        return Ok((None, Authority::Note, words));
    };
    let (mark, words) = rest.split_once(']').ok_or(DAMAGED)?;
    let mut parts = mark.split_ascii_whitespace();
    let count = |digits: &str| {
        let is_digits = !digits.starts_with('+') && !digits.starts_with('0');
        digits.parse::<u64>().ok().filter(|_| is_digits)
    };
    let number = parts.next().and_then(count).and_then(Number::new);
    let version = parts.next().and_then(|version| version.strip_prefix('v'));
    let version = version.and_then(count).and_then(Version::new);
    let authority = match parts.next() {
        None => Authority::Note,
        Some("rule") => Authority::Rule,
        Some(_) => return Err(DAMAGED),
    };
    match (number, version, parts.next()) {
        (Some(number), Some(version), None) => {
            Ok((Some((number, version)), authority, words.trim_start()))
        }
        _ => Err(DAMAGED),
    }
}
