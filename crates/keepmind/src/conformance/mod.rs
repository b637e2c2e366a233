//! The rules that every store keeps, as tests: for the stores of this crate and for a host's own.
//!
//! A rule is a plain `async fn` over `Arc<dyn MemoryStore>`, named as a sentence, that panics with what
//! went wrong. It writes to the store, so each is given a fresh one. [`conformance_suite!`] yields one
//! `#[test]` for each rule; no other crate is needed for it:
//!
//! ```
//! use std::sync::Arc;
//! use keepmind::{InMemoryStore, MemoryStore};
//!
//! async fn fresh_store() -> Arc<dyn MemoryStore> {
//!     Arc::new(InMemoryStore::new())
//! }
//!
//! mod in_memory {
//!     keepmind::conformance_suite!(super::fresh_store);
//! }
//!
//! # fn main() {
//! // One rule by hand:
//! use keepmind::conformance::{self, commits};
//! conformance::run(fresh_store, commits::a_stale_commit_conflicts_and_changes_nothing);
//! # }
//! ```
//!
//! A store that lives in a folder comes with what keeps the folder alive, as a pair:
//! `async fn fresh_store() -> (Arc<MyStore>, TempDir)`. See [`Subject`].
//!
//! Modules are listed in reading order: what the rules are made with, what a commit promises, the life
//! of a row, what can be asked, chats and records, owners, and bad input.
//!
//! [`conformance_suite!`]: crate::conformance_suite

pub mod fixtures;
pub mod furnish;

pub mod cancellation;
pub mod commits;
pub mod counters;

pub mod lifecycle;
pub mod purges;
pub mod uniqueness;

pub mod as_of;
pub mod lists;
pub mod pages;
pub mod recalls;
pub mod searches;
pub mod slices;
pub mod vectors;

pub mod messages;
pub mod records;
pub mod sessions;

pub mod exports;
pub mod isolation;
pub mod maintenance;

pub mod bad_input;

use std::pin::Pin;
use std::sync::Arc;

use crate::store::MemoryStore;

/// A store to be tested, with whatever must live as long as it does.
pub trait Subject {
    /// The store. `None` where there is none to be had, as of a server that is not installed: then there is
    /// nothing to test.
    fn store(&self) -> Option<Arc<dyn MemoryStore>>;
}

impl Subject for Arc<dyn MemoryStore> {
    fn store(&self) -> Option<Arc<dyn MemoryStore>> {
        Some(Arc::clone(self))
    }
}

impl<S: MemoryStore + 'static> Subject for Arc<S> {
    fn store(&self) -> Option<Arc<dyn MemoryStore>> {
        Some(Arc::<S>::clone(self))
    }
}

impl<S: Subject, Guard> Subject for (S, Guard) {
    fn store(&self) -> Option<Arc<dyn MemoryStore>> {
        self.0.store()
    }
}

impl<S: Subject> Subject for Option<S> {
    fn store(&self) -> Option<Arc<dyn MemoryStore>> {
        self.as_ref()?.store()
    }
}

/// Runs one rule on a fresh store, on a runtime of its own, and closes the store.
///
/// # Panics
///
/// When the rule is broken, or the store cannot be closed.
pub fn run<S: Subject>(
    fresh_store: impl AsyncFnOnce() -> S,
    rule: impl AsyncFnOnce(Arc<dyn MemoryStore>),
) {
    block_on(Box::pin(async {
        let subject = fresh_store().await;
        let Some(store) = subject.store() else {
            return;
        };
        rule(Arc::clone(&store)).await;
        let closed = store.close().await;
        closed.expect("the store can be closed");
    }));
}

/// Apart from `run`, so that the runtime is compiled once and not with each rule.
fn block_on(future: Pin<Box<dyn Future<Output = ()> + '_>>) {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime can be built")
        .block_on(future);
}

/// One `#[test]` for each rule of the [conformance suite](crate::conformance), each on a fresh store.
///
/// Takes the path of an async function without arguments, or an async closure, that answers a
/// [`Subject`](crate::conformance::Subject). Put it in a module named after the store.
#[macro_export]
macro_rules! conformance_suite {
    ($fresh_store:expr) => {
        $crate::conformance_suite! { @rules $fresh_store;
            commits: [
                a_commit_answers_where_the_data_stands,
                a_commit_means_what_the_reference_says,
                a_stale_commit_conflicts_and_changes_nothing,
                a_revision_that_never_was_conflicts,
                a_checked_set_needs_a_revision,
                the_same_operation_answers_the_same_receipt,
                a_refused_set_changes_nothing,
                unchecked_sets_never_conflict_and_do_not_move_the_revision,
                an_unchecked_set_may_ask_for_a_revision,
            ]
            counters: [
                what_is_checked_needs_a_journal_entry,
                journal_entries_count_up_without_gaps,
                stamps_go_up,
                numbers_are_never_given_out_twice,
                the_order_of_ids_does_not_matter,
            ]
            lifecycle: [
                an_ended_row_never_changes,
                an_end_carries_the_stamp_of_its_commit,
                marks_change_while_a_row_is_open,
                what_is_not_there_cannot_be_altered_or_purged,
                links_need_their_facts,
                lineage_needs_its_rows,
                consent_is_recorded_once_for_a_moment,
                the_journal_is_enough_to_undo_and_redo,
            ]
            uniqueness: [
                one_open_row_for_an_origin,
                one_open_version_for_a_number,
                held_candidates_stand_beside_the_open_version,
                one_open_rule_for_domain_and_key,
                a_rule_may_take_the_place_of_one_that_goes,
                versions_of_a_number_are_unique,
                a_row_id_is_used_once,
            ]
            purges: [
                purging_a_memory_takes_lineage_embeddings_usage_and_index_entries,
                purging_a_fact_leaves_tombstones_and_the_journal,
                a_fact_keeps_its_links_or_is_not_purged,
                a_purged_version_may_be_replaced_in_the_same_set,
                what_was_purged_does_not_weigh,
            ]
            cancellation: [
                a_dropped_commit_is_whole_or_nothing,
                a_dropped_read_changes_nothing,
                a_dropped_erasure_is_whole_or_nothing,
                a_dropped_close_is_finished_by_closing_again,
            ]
            slices: [
                an_unknown_owner_has_no_data,
                every_slice_brings_the_counters,
                a_number_reaches_its_whole_fact,
                a_row_reaches_its_fact_or_itself,
                an_origin_reaches_its_copies,
                a_domain_and_key_reach_their_rule,
                a_content_reaches_those_that_say_the_same,
                other_rows_come_when_asked_for,
                accepted_proposals_stay_away_when_not_wanted,
                journal_entries_come_when_asked_for,
                the_fields_of_a_slice_add_up,
            ]
            lists: [
                a_list_is_what_the_filter_lets_pass,
                a_list_is_in_order_of_number_and_version,
            ]
            pages: [
                pages_show_everything_exactly_once,
                pages_go_on_after_a_write,
                chats_are_in_order_of_their_last_moment,
                a_page_is_bounded,
                a_cursor_of_another_owner_or_question_is_refused,
                little_is_found_behind_much,
            ]
            as_of: [
                the_past_is_answered_alike_by_list_and_searches,
                as_of_now_is_the_live_set,
                a_list_as_of_is_what_the_reference_picks,
            ]
            searches: [
                words_inside_thai_chinese_and_japanese_sentences_are_found,
                folding_and_stemming_find_other_forms,
                a_body_weighs_less_than_content,
                every_text_of_a_claim_is_searched,
                syntax_characters_are_plain,
                a_hit_says_what_matched,
                hits_come_best_first_and_the_newest_of_equals,
                a_search_sees_the_last_commit,
                a_filter_only_takes_hits_away,
                what_holds_too_few_of_the_words_is_not_found,
                the_few_that_have_ended_are_found_among_many,
                messages_are_found_by_what_was_said,
                however_many_messages_there_are_they_rank_alike,
                a_place_that_is_free_again_holds_what_came_there_last,
            ]
            vectors: [
                vectors_are_searched_exactly,
                vectors_are_filtered_before_they_are_counted,
                only_vectors_of_one_kind_are_compared,
                an_embedding_is_replaced_and_removed,
                embeddings_of_missing_rows_are_dropped,
            ]
            recalls: [
                words_and_meaning_are_fused_alike,
                a_word_that_is_asked_for_twice_counts_once,
                what_was_said_beside_a_memory_leads_to_it,
            ]
            sessions: [
                a_session_is_edited_column_by_column,
                the_watermark_is_checked,
                a_lease_is_a_compare_and_set,
                expect_last_message_conflicts,
                expect_state_conflicts,
                expect_titled_conflicts,
                the_users_title_stays,
                a_recap_does_not_go_back,
                a_session_is_opened_once,
                purging_a_session_takes_messages_and_traces,
                sessions_come_most_recent_first,
            ]
            messages: [
                messages_are_numbered_by_the_store,
                a_message_may_bring_its_place,
                a_message_needs_its_session,
                messages_are_read_in_both_directions,
                a_message_number_needs_its_session,
            ]
            records: [
                the_first_observation_stays,
                observations_are_read_by_source_words_and_time,
                the_first_trace_of_a_call_stays,
                traces_are_read_oldest_first,
                usage_of_missing_rows_is_dropped,
                usage_is_read_by_session_and_memory,
            ]
            isolation: [
                two_owners_may_use_the_same_ids,
                owners_are_compared_byte_by_byte,
                ranking_does_not_depend_on_other_owners,
                an_unknown_owner_answers_nothing,
            ]
            maintenance: [
                owners_are_shown_page_by_page,
                retention_lets_go_of_what_is_older,
                retention_forgets_operation_ids,
                erasure_takes_everything_of_an_owner,
                a_new_epoch_after_erasure_refuses_old_plans,
                erasure_forgets_operation_ids,
                calls_after_close_answer_closed,
            ]
            exports: [
                an_export_is_restored_without_loss,
                odd_values_are_refused_or_kept,
                equal_data_give_equal_exports,
                a_restore_never_touches_a_living_owner,
                a_damaged_export_is_refused,
            ]
            bad_input: [
                unclean_text_is_refused,
                numbers_out_of_range_are_refused,
                a_huge_query_is_answered,
                the_ends_of_time_are_answered,
                a_journal_that_does_not_fit_is_refused,
            ]
        }
    };
    (@rules $fresh_store:expr; $($module:ident: [$($rule:ident),+ $(,)?])+) => {
        $($(
            #[test]
            fn $rule() {
                $crate::conformance::run($fresh_store, $crate::conformance::$module::$rule);
            }
        )+)+
    };
}

#[cfg(test)]
mod tests {
    use std::fs;

    #[test]
    fn every_rule_is_in_the_suite() {
        let suite = include_str!("mod.rs");
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/conformance");
        let mut count = 0;
        for file in fs::read_dir(folder).expect("the folder of the rules") {
            let source = fs::read_to_string(file.expect("a file").path()).expect("its source");
            for rule in source.split("\npub async fn ").skip(1) {
                let (name, rest) = rule.split_once('(').expect("a function");
                if rest.trim_start().starts_with("store: Arc<dyn MemoryStore>") {
                    assert!(
                        suite.contains(&format!(" {name},\n")),
                        "{name} is not in the list"
                    );
                    count += 1;
                }
            }
        }
        assert!(count > 50, "the rules are where this test looks for them");
    }
}
