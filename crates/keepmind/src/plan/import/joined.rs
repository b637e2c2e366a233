//! What joins memories of a file: it follows those that came in.

use crate::imported::ImportFate;
use crate::link::{Link, is_relation};
use crate::memory::Lineage;
use crate::plan::Planning;
use crate::plan::import::{ALONE, Arrival, ENDED, place, refused, told};
use crate::refusal::{Code, Refusal};
use crate::row::{Body, Row};

impl Arrival<'_> {
    pub(super) fn link(&mut self, row: &Row<Link>) -> Planning<()> {
        let place = place(self.shipment.places.rows.get(&row.id));
        let Link { from, to, relation } = &row.body;
        let ends = (self.numbers.get(from), self.numbers.get(to));
        let line = match ends {
            _ if !row.is_open() => told(place, ImportFate::LeftOut, ENDED),
            _ if !is_relation(relation) => {
                let message = "a relation is a word of a-z, 0-9 and _";
                refused(place, &Refusal::new(Code::Schema, message))
            }
            (Some(from), Some(to)) if from != to => {
                let link = Link {
                    from: *from,
                    to: *to,
                    relation: relation.clone(),
                };
                let is_new = self.new.contains(from) || self.new.contains(to);
                if self.is_joined(&link) {
                    told(place, ImportFate::Known, "it is known already")
                } else if is_new {
                    self.joined
                        .insert((link.from, link.to, link.relation.clone()));
                    self.planner.draft.insert(Body::Link(link))?;
                    told(place, ImportFate::Imported, "it joins facts that came in")
                } else {
                    // What was known before is not for a file to join.
                    told(place, ImportFate::LeftOut, ALONE)
                }
            }
            _ => told(place, ImportFate::LeftOut, ALONE),
        };
        self.lines.push(line);
        Ok(())
    }

    /// Whether two facts are joined so already.
    fn is_joined(&self, link: &Link) -> bool {
        let mut known = self.planner.base().links_of(link.from);
        let key = (link.from, link.to, link.relation.clone());
        known.any(|row| row.is_open() && row.body == *link) || self.joined.contains(&key)
    }

    pub(super) fn lineage(&mut self, step: Lineage) {
        let place = place(self.shipment.places.lineage.get(&step));
        let line = match (self.rows.get(&step.row), self.rows.get(&step.from)) {
            (Some(&row), Some(&from)) => {
                let lineage = &mut self.planner.draft.others().lineage;
                lineage.insert(Lineage { row, from });
                told(place, ImportFate::Imported, "both of its memories came in")
            }
            _ => told(place, ImportFate::LeftOut, ALONE),
        };
        self.lines.push(line);
    }
}
