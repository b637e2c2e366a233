//! Memories as a database holds them, each read when it is wanted: of the candidates of a search the last ones seldom
//! are, and a host that speaks JSON wants the best of them as the JSON that they are kept as.

use std::borrow::Cow;
use std::ops::Range;

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::error::Result;
use crate::ids::{Number, Origin, RowId, SessionId, Version};
use crate::memory::{Authority, Layer, Marks, Source, Trust};
use crate::row::{End, MemoryRow};
use crate::search::Document;
use crate::store::database::columns::memory_of;
use crate::store::outline::Outline;
use crate::timestamp::Timestamp;

/// What stands between the columns of a memory,
#[cfg(feature = "sqlite")]
const COLUMN: u8 = 0x1e;
/// and between memories.
#[cfg(feature = "sqlite")]
const MEMORY: u8 = 0x1f;
/// How long an id is.
const ID: usize = 36;

/// Memories of one owner, in order of document. All texts are one: they are many and short.
#[derive(Debug, Default)]
pub(crate) struct StoredMemories {
    text: String,
    places: Vec<Place>,
}

/// Where the columns of a memory stand.
#[derive(Debug)]
struct Place {
    document: Document,
    record: Range<usize>,
    marks: Range<usize>,
    ending: Range<usize>,
}

/// The columns of one memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StoredMemory<'a> {
    pub(crate) document: Document,
    record: &'a str,
    marks: Option<&'a str>,
    ending: Option<&'a str>,
}

impl<'a> StoredMemory<'a> {
    /// A memory from its columns.
    #[cfg(any(feature = "postgres", test))]
    pub(crate) fn new(
        document: Document,
        record: &'a str,
        marks: Option<&'a str>,
        ending: Option<&'a str>,
    ) -> Self {
        StoredMemory {
            document,
            record,
            marks,
            ending,
        }
    }

    pub(crate) fn row(&self) -> Result<MemoryRow> {
        memory_of(self.record, self.marks, self.ending)
    }

    /// Which row it is, and what decides of most whether they are wanted, without the rest being read. `None` where the
    /// record has other fields than this version's, or marks or an end that do not read.
    pub(crate) fn outline(&self) -> Option<(RowId, Outline<'a>)> {
        let Record { id, body, .. } = serde_json::from_str(self.record).ok()?;
        let marks: Option<Marks> = match self.marks {
            Some(marks) => Some(serde_json::from_str(marks).ok()?),
            None => None,
        };
        if let Some(ending) = self.ending {
            serde_json::from_str::<End>(ending).ok()?;
        }
        let claim = body.claim;
        let outline = Outline {
            is_open: self.ending.is_none(),
            is_held: claim.held,
            expires_at: claim.expires_at,
            layer: claim.layer,
            category: claim.category,
            authority: claim.authority,
            domain: claim.domain,
            source: claim.source,
            session: claim.session,
            confidence: marks.and_then(|marks| marks.confidence),
        };
        Some((id, outline))
    }

    /// The row as JSON, byte for byte as it would be written anew: what may change of it stands before its body.
    /// `None` where the record does not begin as this version's do.
    pub(crate) fn json(&self) -> Option<Box<str>> {
        let (head, body) = self.record.split_at_checked(head_length(self.record)?)?;
        if self.marks.is_none() && self.ending.is_none() {
            return Some(self.record.into());
        }
        let mut json = head.to_owned();
        for (name, value) in [(",\"end\":", self.ending), (",\"marks\":", self.marks)] {
            if let Some(value) = value {
                json.push_str(name);
                json.push_str(value);
            }
        }
        json.push_str(body);
        Some(json.into_boxed_str())
    }
}

/// A record of which only an outline is made. What else it holds is looked at where that costs little and passed over
/// where it does not, but every field is known: a newer version's may say that a row is not to be shown.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "fields that are known and passed over")]
struct Record<'a> {
    id: RowId,
    origin: Origin,
    recorded_at: IgnoredAny,
    #[serde(borrow)]
    body: RecordedBody<'a>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "fields that are known and passed over")]
struct RecordedBody<'a> {
    number: Number,
    version: Version,
    #[serde(borrow)]
    claim: RecordedClaim<'a>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "fields that are known and passed over")]
struct RecordedClaim<'a> {
    layer: Layer,
    #[serde(borrow)]
    category: Cow<'a, str>,
    authority: Authority,
    #[serde(default)]
    domain: Option<Cow<'a, str>>,
    #[serde(default)]
    key: IgnoredAny,
    #[serde(default)]
    value: IgnoredAny,
    #[serde(borrow)]
    content: Cow<'a, str>,
    #[serde(default)]
    summary: IgnoredAny,
    #[serde(default)]
    body: IgnoredAny,
    #[serde(default)]
    tags: IgnoredAny,
    source: Source,
    trust: Trust,
    #[serde(default)]
    held: bool,
    #[serde(default)]
    session: Option<SessionId>,
    #[serde(default)]
    messages: IgnoredAny,
    #[serde(default)]
    evidence: IgnoredAny,
    valid_from: IgnoredAny,
    #[serde(default)]
    expires_at: Option<Timestamp>,
    #[serde(default)]
    authorises_action: IgnoredAny,
}

/// How long what stands before a record's body is: two ids and a moment, as every record begins.
fn head_length(record: &str) -> Option<usize> {
    let rest = record.strip_prefix("{\"id\":\"")?.get(ID..)?;
    let rest = rest.strip_prefix("\",\"origin\":\"")?.get(ID..)?;
    let moment = rest.strip_prefix("\",\"recorded_at\":\"")?;
    let body = &moment[moment.find('"')? + 1..];
    body.starts_with(",\"body\":")
        .then(|| record.len() - body.len())
}

impl StoredMemories {
    /// Memories in one text, in any order: the columns of each after its document, all parted from each other by
    /// [`COLUMN`], and memories by [`MEMORY`]. JSON holds neither. `None` where it does not come to whole memories.
    #[cfg(feature = "sqlite")]
    pub(crate) fn parted(text: &str) -> Option<Self> {
        let text = text.to_owned();
        let mut places = Vec::new();
        let mut begin = 0;
        let parts = memchr::memchr2_iter(COLUMN, MEMORY, text.as_bytes());
        let mut columns = parts.chain([text.len()]).map(|end| {
            let column = begin..end;
            begin = end + 1;
            column
        });
        while let Some(document) = columns.next() {
            places.push(Place {
                document: text[document].parse().ok()?,
                record: columns.next()?,
                marks: columns.next()?,
                ending: columns.next()?,
            });
        }
        places.sort_unstable_by_key(|place| place.document);
        Some(StoredMemories { text, places })
    }

    /// All of them, in any order.
    #[cfg(any(feature = "postgres", test))]
    pub(crate) fn gather<'a>(memories: impl Iterator<Item = StoredMemory<'a>>) -> Self {
        let mut gathered = StoredMemories::default();
        for memory in memories {
            let mut put = |column: &str| {
                let begin = gathered.text.len();
                gathered.text.push_str(column);
                begin..gathered.text.len()
            };
            let place = Place {
                document: memory.document,
                record: put(memory.record),
                marks: put(memory.marks.unwrap_or("")),
                ending: put(memory.ending.unwrap_or("")),
            };
            gathered.places.push(place);
        }
        gathered.places.sort_unstable_by_key(|place| place.document);
        gathered
    }

    /// The one that a document is.
    pub(crate) fn get(&self, document: Document) -> Option<StoredMemory<'_>> {
        let place = self
            .places
            .binary_search_by_key(&document, |place| place.document)
            .ok()?;
        Some(self.at(&self.places[place]))
    }

    /// All of them, read, in order of number and version.
    pub(crate) fn rows(&self) -> Result<Vec<MemoryRow>> {
        self.places
            .iter()
            .map(|place| self.at(place).row())
            .collect()
    }

    fn at(&self, place: &Place) -> StoredMemory<'_> {
        let column = |range: &Range<usize>| &self.text[range.clone()];
        let filled = |range| Some(column(range)).filter(|text| !text.is_empty());
        StoredMemory {
            document: place.document,
            record: column(&place.record),
            marks: filled(&place.marks),
            ending: filled(&place.ending),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::MessageNumber;
    use crate::memory::{Claim, Evidence, Memory, Span};
    use crate::row::{Body, Why};
    use crate::store::database::columns::{ending, marks, record};
    use uuid::Uuid;

    fn row() -> MemoryRow {
        let mut claim = Claim::note("fact", "\u{1f}said ,\"body\":{}", Timestamp::UNIX_EPOCH);
        claim.value = Some(serde_json::json!({"a": 1, "body": {"id": "x"}}));
        MemoryRow {
            id: RowId::new(Uuid::from_u128(1)),
            origin: Origin::new(Uuid::from_u128(2)),
            recorded_at: Timestamp::UNIX_EPOCH,
            end: None,
            marks: Marks::default(),
            body: Memory {
                number: Number::new(3).unwrap(),
                version: Version::FIRST,
                claim,
            },
        }
    }

    #[test]
    fn a_row_is_the_same_json_written_anew_and_put_together() {
        let doubted = Marks {
            confidence: Some(0.25),
            ..Marks::default()
        };
        let ended = End {
            at: Timestamp::UNIX_EPOCH,
            why: Why::Forgotten,
        };
        for (now, end) in [
            (Marks::default(), None),
            (doubted, None),
            (Marks::default(), Some(ended)),
            (doubted, Some(ended)),
        ] {
            let row = MemoryRow {
                marks: now,
                end,
                ..row()
            };
            let whole = row.clone().map(Body::Memory);
            let (record, marks) = (record(&whole, &row.body), marks(&now));
            let (_, ending) = ending(end);
            let columns = StoredMemory::new(9, &record, marks.as_deref(), ending.as_deref());
            let all = StoredMemories::gather([columns].into_iter());
            let stored = all.get(9).unwrap();
            assert_eq!(stored.outline(), Some((row.id, Outline::of(&row))));
            assert_eq!(stored, columns);
            assert_eq!(stored.row().unwrap(), row);
            let json = stored.json().unwrap();
            assert_eq!(*json, *serde_json::to_string(&row).unwrap());
            assert_eq!(all.get(8), None);
        }
    }

    #[test]
    fn an_outline_is_that_of_the_whole_row() {
        // All fields by name: a new one must be known to the outline too.
        let claim = Claim {
            layer: Layer::Episode,
            category: "a \"quoted\" category".to_owned(),
            authority: Authority::Rule,
            domain: Some("food \u{1f642}".to_owned()),
            key: Some("drink".to_owned()),
            value: Some(serde_json::json!({"claim": {"held": false, "layer": "digest"}, "id": 1})),
            content: "said".to_owned(),
            summary: Some("s".to_owned()),
            body: Some("said \"at length\"".to_owned()),
            tags: ["held".to_owned()].into(),
            source: Source::Extracted,
            trust: Trust::Extracted,
            held: true,
            session: Some(SessionId::new(Uuid::from_u128(4))),
            messages: vec![MessageNumber::new(5).unwrap()],
            evidence: vec![Evidence::Quote {
                session: SessionId::new(Uuid::from_u128(4)),
                message: MessageNumber::new(5).unwrap(),
                span: Span { start: 0, end: 4 },
                quote: "said".to_owned(),
            }],
            valid_from: Timestamp::UNIX_EPOCH,
            expires_at: Some(Timestamp::MAX),
            authorises_action: true,
        };
        let mut row = row();
        row.body.claim = claim;
        let record = record(&row.clone().map(Body::Memory), &row.body);
        let stored = StoredMemory::new(1, &record, None, None);
        assert_eq!(stored.outline(), Some((row.id, Outline::of(&row))));
        let with = |old: &str, new: &str| {
            let changed = record.replacen(old, new, 1);
            assert_ne!(changed, record, "{old}");
            changed
        };
        for damaged in [
            String::new(),
            record[1..].to_owned(),
            with("\"episode\"", "\"chapter\""),
            with("\"held\":true", "\"held\":true,\"hidden\":true"),
            with("\"content\":\"said\",", ""),
            with("\"content\":\"said\"", "\"content\":7"),
            with("\"trust\":\"extracted\"", "\"trust\":\"root\""),
            with("\"number\":3", "\"number\":0"),
            with("\"number\":3", "\"number\":3,\"kind\":1"),
            with("\"origin\"", "\"end\":null,\"origin\""),
        ] {
            assert_eq!(StoredMemory::new(1, &damaged, None, None).outline(), None);
        }
        for (marks, ending) in [(Some("x"), None), (None, Some("x"))] {
            assert_eq!(StoredMemory::new(1, &record, marks, ending).outline(), None);
        }
    }

    #[test]
    fn a_record_of_another_make_is_not_put_together() {
        for record in [
            "",
            "{}",
            r#"{"body":{},"id":"1"}"#,
            r#"{"id":"1","more":{"a":1,"body":2},"body":{}}"#,
            r#"{"id":"11111111-1111-1111-1111-111111111111","origin":"2","recorded_at":"3","body":{}}"#,
            "{\"id\":\"\u{1f642}\u{1f642}\u{1f642}\u{1f642}\u{1f642}\u{1f642}\u{1f642}\u{1f642}\u{1f642}\u{1f642}",
        ] {
            for marks in [None, Some("{}")] {
                let stored = StoredMemory::new(1, record, marks, None);
                assert_eq!(stored.json(), None, "{record}");
            }
        }
    }

    #[cfg(feature = "sqlite")]
    #[test]
    fn memories_in_one_text_are_told_apart_in_any_order() {
        let text = "7\u{1e}{\"é\":1}\u{1e}\u{1e}end\u{1f}3\u{1e}{}\u{1e}marks\u{1e}";
        let parted = StoredMemories::parted(text).unwrap();
        let seven = StoredMemory::new(7, "{\"é\":1}", None, Some("end"));
        let three = StoredMemory::new(3, "{}", Some("marks"), None);
        assert_eq!([parted.get(7), parted.get(3)], [Some(seven), Some(three)]);
        assert_eq!(parted.places.len(), 2);
        for damaged in [
            "",
            "7",
            "7\u{1e}{}",
            "x\u{1e}{}\u{1e}\u{1e}",
            "7\u{1e}{}\u{1e}\u{1e}\u{1f}",
        ] {
            assert!(StoredMemories::parted(damaged).is_none(), "{damaged:?}");
        }
    }
}
