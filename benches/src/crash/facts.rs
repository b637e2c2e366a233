//! What must hold of facts: for each, how the last acknowledged write left it, and everything it ever said.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use keepmind::{Layer, Number, Snapshot, UndoToken, Why};

use crate::crash::findings::{Findings, Wrong};
use crate::crash::lines::Asked;
use crate::crash::setting::DAY_CYCLES;

/// How a fact stands: what it says, or said last, and how it ended, where it has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    pub content: String,
    pub ended: Option<Ended>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    Forgotten,
    Trashed,
    Undone,
    Purged,
    /// In a way that nobody asked for.
    Otherwise,
}

impl Standing {
    fn live(content: &str) -> Self {
        Standing {
            content: content.to_owned(),
            ended: None,
        }
    }

    fn end(&self, ended: Ended) -> Self {
        Standing {
            content: self.content.clone(),
            ended: Some(ended),
        }
    }

    /// How a fact stands in the store; nothing where there is no row of it.
    pub fn stored(snapshot: &Snapshot, number: Number) -> Option<Self> {
        if let Some(row) = snapshot.open_version(number) {
            return Some(Standing::live(&row.body.claim.content));
        }
        let last = snapshot.versions(number).last()?;
        let ended = match last.end.map(|end| end.why) {
            Some(Why::Forgotten) => Ended::Forgotten,
            Some(Why::Trashed) => Ended::Trashed,
            Some(Why::Undone) => Ended::Undone,
            _ => Ended::Otherwise,
        };
        Some(Standing {
            content: last.body.claim.content.clone(),
            ended: Some(ended),
        })
    }

    fn is(&self, stored: Option<&Standing>) -> bool {
        match self.ended {
            Some(Ended::Purged) => stored.is_none(),
            _ => stored == Some(self),
        }
    }
}

/// One fact as its acknowledged writes left it.
#[derive(Debug)]
pub struct Fact {
    pub standing: Standing,
    /// Everything it said: no version is ever overwritten.
    said: BTreeSet<String>,
    trashed_in: u64,
    /// How each write found the fact, and how it left it.
    writes: HashMap<UndoToken, (Standing, Standing)>,
    /// The last write and when it came, while nothing else was asked for since.
    last: Option<(u64, UndoToken)>,
}

impl Fact {
    fn saved(content: &str) -> Self {
        Fact {
            standing: Standing::live(content),
            said: BTreeSet::from([content.to_owned()]),
            trashed_in: 0,
            writes: HashMap::new(),
            last: None,
        }
    }

    /// How the fact stands once this is done.
    fn after(&self, asked: &Asked) -> Option<Standing> {
        Some(match asked {
            Asked::Update { content, .. } => Standing::live(content),
            Asked::Forget { .. } => self.standing.end(Ended::Forgotten),
            Asked::Trash { .. } => self.standing.end(Ended::Trashed),
            Asked::Purge { .. } => self.standing.end(Ended::Purged),
            Asked::Restore { .. } => Standing::live(&self.standing.content),
            Asked::Undo { token, .. } => self.writes.get(token)?.0.clone(),
            Asked::Redo { token, .. } => self.writes.get(token)?.1.clone(),
            _ => return None,
        })
    }

    fn move_to(&mut self, standing: Standing, cycle: u64) {
        if standing.ended == Some(Ended::Trashed) {
            self.trashed_in = cycle;
        }
        self.said.insert(standing.content.clone());
        self.standing = standing;
    }
}

/// The facts of one user.
#[derive(Debug, Default)]
pub struct Facts {
    facts: BTreeMap<Number, Fact>,
    /// Writes so far.
    count: u64,
}

impl Facts {
    /// A write was acknowledged: `content` is what the fact says from now on, and nothing where it ended.
    pub fn written(
        &mut self,
        asked: &Asked,
        number: Number,
        content: Option<&str>,
        token: Option<UndoToken>,
        cycle: u64,
        findings: &mut Findings,
    ) {
        self.count += 1;
        if let Asked::Save { content: saved } = asked {
            findings.expect(!self.facts.contains_key(&number), Wrong::Failed, || {
                format!("{number} was given to two facts")
            });
            let mut fact = Fact::saved(saved);
            if let Some(token) = token {
                let undone = fact.standing.end(Ended::Undone);
                fact.writes.insert(token, (undone, fact.standing.clone()));
                fact.last = Some((self.count, token));
            }
            self.facts.insert(number, fact);
            return;
        }
        let Some(fact) = self.facts.get_mut(&number) else {
            findings.add(
                Wrong::Failed,
                format!("{number} was written to and is not known"),
            );
            return;
        };
        let Some(after) = fact.after(asked).filter(|_| asked.number() == Some(number)) else {
            findings.add(
                Wrong::Failed,
                format!("{} was answered with {number}", asked.word()),
            );
            return;
        };
        let says = after.ended.is_none().then_some(after.content.as_str());
        findings.expect(says == content, Wrong::Failed, || {
            format!(
                "{} of {number} was answered with {content:?}, not {says:?}",
                asked.word()
            )
        });
        let is_write = !matches!(asked, Asked::Undo { .. } | Asked::Redo { .. });
        fact.last = token.filter(|_| is_write).map(|token| (self.count, token));
        if let Some((_, token)) = fact.last {
            fact.writes
                .insert(token, (fact.standing.clone(), after.clone()));
        }
        fact.move_to(after, cycle);
    }

    /// The last acknowledged write that nothing has overtaken: its fact, its token, how it found the fact
    /// and how it left it.
    pub fn last_write(&self) -> Option<(Number, UndoToken, &Standing, &Standing)> {
        let writes = self.facts.iter().filter_map(|(number, fact)| {
            let (count, token) = fact.last?;
            let (before, after) = fact.writes.get(&token)?;
            Some((count, (*number, token, before, after)))
        });
        Some(writes.max_by_key(|(count, _)| *count)?.1)
    }

    /// Everything a fact ever said.
    pub fn said(&self, number: Number) -> impl Iterator<Item = &String> {
        self.facts
            .get(&number)
            .into_iter()
            .flat_map(|fact| &fact.said)
    }

    pub fn all_said(&self) -> impl Iterator<Item = &String> {
        self.facts.values().flat_map(|fact| &fact.said)
    }

    /// Holds the facts against what is stored, and takes over what is stored. Returns what is gone for good.
    pub fn settle(
        &mut self,
        snapshot: &Snapshot,
        in_flight: &[&Asked],
        swept: bool,
        cycle: u64,
        findings: &mut Findings,
    ) -> Vec<String> {
        let mut gone = Vec::new();
        for (number, fact) in &mut self.facts {
            let stored = Standing::stored(snapshot, *number);
            let asked = in_flight
                .iter()
                .find(|asked| asked.number() == Some(*number));
            let mut allowed = vec![fact.standing.clone()];
            allowed.extend(asked.and_then(|asked| fact.after(asked)));
            let is_trashed = fact.standing.ended == Some(Ended::Trashed);
            if swept && is_trashed && cycle >= fact.trashed_in + DAY_CYCLES {
                allowed.push(fact.standing.end(Ended::Purged));
            }
            let found = allowed.iter().find(|one| one.is(stored.as_ref())).cloned();
            if found.is_none() {
                let wrong = if asked.is_some() {
                    Wrong::HalfApplied
                } else {
                    Wrong::Lost
                };
                findings.add(
                    wrong,
                    format!("{number} is {stored:?}, not one of {allowed:?}"),
                );
            }
            if asked.is_some() {
                fact.last = None;
            }
            let was_purged = fact.standing.ended == Some(Ended::Purged);
            let now = found
                .or(stored)
                .unwrap_or_else(|| fact.standing.end(Ended::Purged));
            let is_purged = now.ended == Some(Ended::Purged);
            if now != fact.standing {
                fact.last = None;
                fact.move_to(now, cycle);
            }
            if is_purged && !was_purged {
                gone.extend(fact.said.iter().cloned());
            }
            if !is_purged {
                let kept: BTreeSet<&str> = snapshot
                    .versions(*number)
                    .map(|row| row.body.claim.content.as_str())
                    .collect();
                for said in fact
                    .said
                    .iter()
                    .filter(|said| !kept.contains(said.as_str()))
                {
                    findings.add(
                        Wrong::Lost,
                        format!("{number} no longer knows that it said {said:?}"),
                    );
                }
            }
        }
        self.take_new(snapshot, in_flight, findings);
        gone
    }

    /// What is stored and was not acknowledged must have been announced.
    fn take_new(&mut self, snapshot: &Snapshot, in_flight: &[&Asked], findings: &mut Findings) {
        let mut announced: BTreeSet<&str> = in_flight
            .iter()
            .filter_map(|asked| match asked {
                Asked::Save { content } => Some(content.as_str()),
                _ => None,
            })
            .collect();
        // What a close tells, and what is compiled, nobody asks for by its words.
        let facts = snapshot
            .memories()
            .filter(|row| row.body.claim.layer == Layer::Fact);
        let stored: BTreeSet<Number> = facts.map(|row| row.body.number).collect();
        for number in stored {
            if self.facts.contains_key(&number) {
                continue;
            }
            let Some(standing) = Standing::stored(snapshot, number) else {
                continue;
            };
            let is_announced = announced.remove(standing.content.as_str());
            findings.expect(
                is_announced && standing.ended.is_none(),
                Wrong::HalfApplied,
                || format!("{number} is {standing:?}, and nobody asked for it"),
            );
            let mut fact = Fact::saved(&standing.content);
            fact.standing = standing;
            self.facts.insert(number, fact);
        }
    }
}
