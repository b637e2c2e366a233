//! Joining two facts with a relation, and parting them.

use crate::command::Join;
use crate::event::EventKind;
use crate::ids::Origin;
use crate::link::{Link, is_relation};
use crate::memory::Layer;
use crate::plan::grounding::Asked;
use crate::plan::{Planned, Planner, Planning, Told};
use crate::refusal::{Code, Refusal};
use crate::row::{Body, Kind, Why};

impl Planner<'_> {
    pub(super) fn link(mut self, join: &Join) -> Planning<Planned> {
        let ends = [self.live(join.from)?, self.live(join.to)?];
        let [from, to] = ends.map(|row| row.body.number);
        check(join)?;
        if let Some(digest) = ends
            .iter()
            .find(|row| row.body.claim.layer == Layer::Digest)
        {
            let message = format!(
                "{} is a digest, which is made anew from facts and goes with them: link the facts",
                digest.body.number
            );
            return Err(Refusal::new(Code::NotApplicable, message).into());
        }
        if !ends
            .iter()
            .all(|row| self.is_asked_for(Asked::Anything, row))
        {
            let message =
                "the user did not speak of these facts themselves: ask them, and link then";
            return Err(Refusal::new(Code::QuoteWrongRole, message).into());
        }
        if self.joined(join).is_some() {
            let line = format!("{from} {} {to} already", join.relation);
            return self.unchanged(Some(from), line);
        }
        self.draft.insert(Body::Link(Link {
            from,
            to,
            relation: join.relation.clone(),
        }))?;
        self.told(EventKind::Linked, join)
    }

    pub(super) fn unlink(mut self, join: &Join) -> Planning<Planned> {
        check(join)?;
        let Some(origin) = self.joined(join) else {
            let message = format!("no link says {} {} {}", join.from, join.relation, join.to);
            return Err(Refusal::new(Code::NotFound, message).into());
        };
        self.draft.end(Kind::Link, origin, Why::Discarded)?;
        self.told(EventKind::Unlinked, join)
    }

    fn joined(&self, join: &Join) -> Option<Origin> {
        let same = |link: &Link| {
            link.from == join.from && link.to == join.to && link.relation == join.relation
        };
        let mut links = self.base().links_of(join.from);
        links
            .find(|row| row.is_open() && same(&row.body))
            .map(|row| row.origin)
    }

    fn told(self, kind: EventKind, join: &Join) -> Planning<Planned> {
        let subject = format!("{} {} {}", join.from, join.relation, join.to);
        let told = Told {
            number: Some(join.from),
            ..Told::default()
        };
        self.done(kind, subject, told)
    }
}

fn check(join: &Join) -> Result<(), Refusal> {
    if !is_relation(&join.relation) {
        let message = "a relation is a word of a-z, 0-9 and _, like relates_to, supersedes, \
                       contradicts or supports";
        return Err(Refusal::new(Code::Schema, message));
    }
    if join.from == join.to {
        return Err(Refusal::new(
            Code::Schema,
            "a fact cannot be linked with itself",
        ));
    }
    Ok(())
}
