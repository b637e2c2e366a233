//! What a restore can bring back: the facts that were forgotten or put in the trash, the latest first. For the user's
//! own eyes: what consent was withdrawn for is among them.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::change::Slice;
use crate::command::Forgotten;
use crate::engine::Engine;
use crate::engine::answer::Memories;
use crate::error::Error;
use crate::ids::Number;
use crate::order::{self, Gather};
use crate::owner::Owner;
use crate::plan::{self, Objection};
use crate::row::MemoryRow;
use crate::store::{Cursor, CursorKind, Filter, Selection};
use crate::timestamp::Timestamp;
use crate::visibility::Status;

const FORGOTTEN: &str = "forgotten";

/// How many facts are looked at in one go.
const AT_ONCE: usize = 100;

/// When a fact was put away, and which: what pages are in order of, the greatest first.
type Place = (Timestamp, Number);

impl Engine {
    pub(crate) async fn forgotten(
        &self,
        owner: &Owner,
        asked: &Forgotten,
    ) -> Result<Memories, Objection> {
        let limit = self.limit(asked.limit, self.policy.limits.results)?;
        let before = asked.after.as_ref().map(|after| place(after, owner));
        let before = before.transpose()?;
        let standing = self.standing(owner).await?;
        let inactive = Filter::new(Selection::Status {
            status: Status::Inactive,
            at: standing.now,
        });
        let mut last: BTreeMap<Number, Timestamp> = BTreeMap::new();
        for row in self.rows(owner, inactive).await? {
            match plan::put_away(&row, &self.policy, standing.now) {
                Ok(end) => last.insert(row.body.number, end.at),
                Err(_) => last.remove(&row.body.number),
            };
        }
        let mut places: Vec<Place> = last.into_iter().map(|(number, at)| (at, number)).collect();
        places.retain(|place| before.is_none_or(|before| *place < before));
        order::sort_by_key(&mut places, |place| Reverse(*place));

        let mut found: Vec<(Place, MemoryRow)> = Vec::new();
        for some in places.chunks(AT_ONCE) {
            let slice = Slice {
                numbers: some.iter().map(|(_, number)| *number).gather(),
                ..Slice::default()
            };
            let seen = self.load(owner, &slice).await?;
            let now = seen.state().reading_time(self.now());
            for &(at, number) in some {
                if seen.open_version(number).is_some() {
                    continue;
                }
                // What became of the fact later says whether it is still there to be restored.
                let row = plan::restorable(number, &seen, &self.policy, now).ok();
                let is_at = |row: &&MemoryRow| row.end.is_some_and(|end| end.at == at);
                found.extend(row.filter(is_at).map(|row| ((at, number), row.clone())));
            }
            // One more than fits tells that there is another page.
            if found.len() > limit {
                break;
            }
        }
        let is_more = found.len() > limit;
        found.truncate(limit);
        let next = found.last().filter(|_| is_more).map(|((at, number), _)| {
            let position = format!("{} {}", at.as_micros(), number.get());
            Cursor::new(CursorKind::Forgotten, owner, position)
        });
        Ok(Memories {
            rows: found.into_iter().map(|(_, row)| row).collect(),
            next,
            revision: standing.revision,
        })
    }
}

fn place(after: &Cursor, owner: &Owner) -> Result<Place, Error> {
    let position = after.position(CursorKind::Forgotten, owner, FORGOTTEN)?;
    let parts = position.split_once(' ').and_then(|(at, number)| {
        let at = Timestamp::from_micros(at.parse().ok()?).ok()?;
        Some((at, Number::new(number.parse().ok()?)?))
    });
    parts.ok_or_else(|| {
        let message = "this is not a cursor: pass the cursor of the last page, or none";
        Error::invalid(FORGOTTEN, message)
    })
}
