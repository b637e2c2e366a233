//! What happened in a chat, as a model tells it: a row that is found by recall and never in the block.

use crate::memory::{Claim, Layer, Marks, Source, Trust};
use crate::plan::Planning;
use crate::plan::learn::Lessons;
use crate::plan::learn::support::is_supported;
use crate::plan::trust::Given;
use crate::policy::CategoryKind;

impl Lessons<'_> {
    /// Keeps an episode where it holds nothing that a memory may not, and no name or number that was not
    /// said. Otherwise there is none: nobody waits for it.
    pub(super) fn keep_episode(&mut self, told: &str) -> Planning<()> {
        let planner = &self.planner;
        let categories = &planner.policy.categories;
        let Some(category) = categories
            .iter()
            .find(|category| category.kind == CategoryKind::Episode)
        else {
            return Ok(());
        };
        let Ok(content) = planner.content(told) else {
            return Ok(());
        };
        let is_allowed = matches!(planner.own_domains(&content), Ok(None));
        if !is_allowed || !is_supported(&content, "", None, self.turn) {
            return Ok(());
        }
        let domain = planner.found_domain(&Given::new([content.as_str()].into_iter(), None));
        if domain.is_some() && planner.reading(&content).is_about_another() {
            return Ok(());
        }
        let messages = self.turn.said.iter().map(|said| said.message);
        let messages = messages.take(crate::change::limits::EVIDENCE);
        let claim = Claim {
            layer: Layer::Episode,
            source: Source::Extracted,
            trust: Trust::Extracted,
            session: Some(self.turn.session),
            messages: messages.collect(),
            // Once consent is withdrawn, it is in no answer any more.
            domain,
            ..Claim::note(&category.name, content, planner.now())
        };
        let marks = Marks {
            confidence: Some(planner.policy.floors.inject),
            ..Marks::default()
        };
        let number = self.planner.draft.new_number()?;
        self.planner.draft.insert_version(number, claim, marks)?;
        self.is_any = true;
        Ok(())
    }
}
