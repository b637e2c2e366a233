//! Taking over a file: what is known that is like what it holds, then one plan and one commit.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::attempt::{Attempt, until_done};
use crate::change::{Expected, Snapshot};
use crate::engine::known::Known;
use crate::engine::{Engine, Standing, UserMemory};
use crate::error::{Error, ErrorKind, Result};
use crate::ids::{GroupId, MessageNumber, Number, RowId};
use crate::imported::ImportReport;
use crate::memory::Layer;
use crate::message::Utterance;
use crate::order::Gather;
use crate::owner::Owner;
use crate::plan::learn::Near;
use crate::plan::{self, Arrived, MessagePlace, Places, Shipment};
use crate::row::MemoryRow;
use crate::store::{Filter, MessageQuery, Selection};
use crate::text;

const IMPORT: &str = "import_export";

/// How many memories of one file come in at most: they are one write, held against everything that is known.
const MOST_MEMORIES: usize = 10_000;
/// How many messages are looked up for what a file quotes of them.
const MOST_QUOTED: usize = 2_000;
/// How often what was read may ask for more.
const LOOKS: usize = 3;

impl Engine {
    /// Takes over what a sound file holds in force, or says what it would.
    pub(crate) async fn import(
        &self,
        memory: &UserMemory,
        file: &Snapshot,
        places: &Places,
        dry_run: bool,
    ) -> Result<ImportReport> {
        let owner = &memory.owner;
        let count = plan::in_force(file, self.now()).count();
        if count > MOST_MEMORIES {
            let message = format!(
                "the export holds {count} memories in force, at most {MOST_MEMORIES} are taken over at once"
            );
            return Err(Error::invalid(IMPORT, message));
        }
        let group = GroupId::new(self.new_id());
        let (arrived, changes) = {
            let _queue = self.queue(owner).await;
            until_done(IMPORT, || async {
                let standing = self.standing(owner).await?;
                let Some(near) = self.near_file(owner, file, &standing).await? else {
                    return Ok(Attempt::Overtaken);
                };
                let said = BTreeMap::new();
                let shipment = Shipment {
                    file,
                    places,
                    near: &near,
                    said: &said,
                    group,
                };
                let seen = self.look_around(owner, shipment, &standing).await?;
                let said = self.said_here(owner, file, &seen).await?;
                let shipment = Shipment {
                    said: &said,
                    ..shipment
                };
                if seen.state().revision != standing.revision {
                    return Ok(Attempt::Overtaken);
                }
                let now = self.now();
                let mut ids = self.plan_ids(now);
                let times = (now, memory.local.offset);
                let planned = plan::import(shipment, &self.policy, &seen, times, &mut ids);
                let Arrived { written, lines } =
                    planned.map_err(|objection| objection.into_error(IMPORT))?;
                let Some((changes, mut event)) = written.filter(|_| !dry_run) else {
                    return Ok(Attempt::Done(((lines, None), None)));
                };
                let changes = Arc::new(changes);
                let expected = Expected::At(standing.revision);
                match self.commit(owner, expected, &changes).await {
                    Ok(receipt) => {
                        self.moved_on(owner, standing.revision, &changes, receipt.revision);
                        event.revision = receipt.revision;
                        Ok(Attempt::Done(((lines, Some(event)), Some(changes))))
                    }
                    Err(error) if error.kind() == ErrorKind::Conflict => Ok(Attempt::Overtaken),
                    Err(error) => Err(error),
                }
            })
            .await?
        };
        if let Some(changes) = changes {
            self.embed_rest(owner, &changes).await;
        }
        let (lines, event) = arrived;
        Ok(ImportReport {
            dry_run,
            lines,
            left_out: BTreeMap::new(),
            event,
        })
    }

    /// What of the owner's is like each memory of the file, in force, forgotten or in the trash; nothing where
    /// somebody else has written meanwhile. A search for each would read the same postings again and again.
    async fn near_file(
        &self,
        owner: &Owner,
        file: &Snapshot,
        standing: &Standing,
    ) -> Result<Option<BTreeMap<RowId, Near>>> {
        let (open, revision) = self.open_rows(owner, standing.revision).await?;
        if revision != standing.revision {
            return Ok(None);
        }
        // Also what may not be shown: it is known all the same.
        let live = Known::of(open.of(Layer::Fact));
        let ended = self.rows(owner, Filter::new(Selection::Ended)).await?;
        let unwanted: BTreeSet<Number> = ended
            .iter()
            .filter(|row| plan::is_unwanted(row))
            .map(|row| row.body.number)
            .gather();
        let is_gone =
            |row: &&MemoryRow| plan::was_wrong(row) || unwanted.contains(&row.body.number);
        let gone: Vec<&MemoryRow> = ended.iter().filter(is_gone).collect();
        let mut word_for_word: BTreeMap<String, BTreeSet<Number>> = BTreeMap::new();
        for row in &gone {
            let folded = text::fold(&row.body.claim.content);
            word_for_word
                .entry(folded)
                .or_default()
                .insert(row.body.number);
        }
        let gone = Known::of(gone.into_iter());
        let near = |row: &MemoryRow| {
            let content = &row.body.claim.content;
            let terms = Known::terms(content);
            let mut forgotten = gone.near(&terms);
            let same = word_for_word.get(&text::fold(content));
            forgotten.extend(same.into_iter().flatten());
            let near = Near {
                by_words: live.near(&terms),
                forgotten,
                ..Near::default()
            };
            (row.id, near)
        };
        let rows = plan::in_force(file, standing.now);
        Ok(Some(rows.map(near).gather()))
    }

    /// The messages of the owner's that the file says it quotes. Beyond so many they are not looked up, and
    /// what quotes them has no evidence.
    async fn said_here(
        &self,
        owner: &Owner,
        file: &Snapshot,
        seen: &Snapshot,
    ) -> Result<BTreeMap<MessagePlace, Utterance>> {
        let quotes = plan::quotes(file, self.now()).into_iter();
        let ours = quotes.filter(|(session, _)| seen.session(*session).is_some());
        let mut said = BTreeMap::new();
        for (session, number) in ours.take(MOST_QUOTED) {
            let query = MessageQuery {
                after_number: MessageNumber::new(number.get() - 1),
                ..MessageQuery::of(session, 1)
            };
            let found = self.store.messages(owner, &query).await?.items;
            let same = found.into_iter().find(|message| message.number == number);
            said.extend(same.map(|message| ((session, number), message.utterance)));
        }
        Ok(said)
    }

    /// Loads what the plan must read, until what was read asks for nothing more.
    async fn look_around(
        &self,
        owner: &Owner,
        shipment: Shipment<'_>,
        standing: &Standing,
    ) -> Result<Snapshot> {
        let mut slice = plan::reads_import(shipment, standing.now, None);
        let mut seen = self.store.load(owner, &slice).await?;
        for _ in 0..LOOKS {
            let wanted = plan::reads_import(shipment, standing.now, Some(&seen));
            if wanted == slice {
                break;
            }
            slice = wanted;
            seen = self.store.load(owner, &slice).await?;
        }
        Ok(seen)
    }
}
