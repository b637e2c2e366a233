//! Lines of what is compiled: it follows what it is made from, so an edit is told and not made.

use crate::edited::MarkdownFate;
use crate::markdown::{Item, Part};
use crate::memory::Layer;
use crate::plan::edit::{COMPILED, Editing, Place};
use crate::refusal::{Code, Refusal};
use crate::row::MemoryRow;

impl Editing<'_> {
    /// A line of an episode or a digest, or one that stands among them.
    pub(super) fn compiled_line(
        &mut self,
        place: Place<'_>,
        part: &Part,
        item: &Item,
        shown: &MemoryRow,
        live: Option<&MemoryRow>,
    ) {
        let number = shown.body.number;
        let claim = &shown.body.claim;
        if *part != Part::of(shown) {
            let message = match claim.layer {
                Layer::Fact => {
                    format!("{number} is a fact, and cannot stand among what is compiled")
                }
                _ => format!("{number} is compiled, and cannot stand among facts"),
            };
            let refusal = Refusal::new(Code::NotApplicable, message);
            self.refuse(place, &refusal).number = Some(number);
            return;
        }
        let is_edited = item.text.trim() != claim.content;
        // What was compiled anew since then needs no word.
        if is_edited && live.is_some_and(|live| live.origin == shown.origin) {
            let line = self.tell(place, MarkdownFate::Ignored, COMPILED);
            line.number = Some(number);
        } else if live.is_some_and(|live| live.origin == shown.origin) {
            self.unchanged += 1;
        }
    }
}
