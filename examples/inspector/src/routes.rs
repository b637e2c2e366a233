//! Every operation, in one table: the router, the reading of what is asked and the OpenAPI document follow it.

use crate::route::Answers::{Json, Outcome, Text};
use crate::route::Kind::{Any, Count, Flag, Minutes, Moment, Object, OneOf, Share, Words};
use crate::route::Run::{Own as Here, Request};
use crate::route::Verb::{Delete, Get, Patch, Post};
use crate::route::{Answers, Field, Kind, Own, Route, Run, Verb};
use crate::words;

/// The most rows of one page.
pub const MOST: u64 = 1_000;
/// The most tokens of a budget.
const TOKENS: u64 = 1_000_000;

const TYPE: &[&str] = &["HARD", "SOFT"];
const STATUS: &[&str] = &[
    "ACTIVE",
    "CANDIDATE",
    "EXPIRED",
    "SUPERSEDED",
    "INACTIVE",
    "PROPOSED",
];
const TTL: &[&str] = &["lasting", "contextual", "temporary", "deadline"];

const fn field(name: &'static str, kind: Kind, about: &'static str) -> Field {
    Field {
        name,
        kind,
        is_needed: false,
        about,
    }
}

const fn needed(name: &'static str, kind: Kind, about: &'static str) -> Field {
    Field {
        is_needed: true,
        ..field(name, kind, about)
    }
}

const fn route(
    method: Verb,
    path: &'static str,
    id: &'static str,
    summary: &'static str,
    takes: &'static [Field],
    answers: Answers,
    run: Run,
) -> Route {
    Route {
        method,
        path,
        id,
        summary,
        takes,
        answers,
        run,
    }
}

const LIMIT: Field = field("limit", Count(MOST), "how many at most");
const CURSOR: Field = field("cursor", Kind::Text, "`next` of the page before");
const OFFSET: Field = field(
    "offset_minutes",
    Minutes,
    "how far the user's clock is ahead of UTC",
);
const MEMORIES: Answers = Json(&["answer"]);

/// What a new memory says of itself.
const NEW: &[Field] = &[
    needed(
        "content",
        Any,
        "what it says: a line, or a structured value",
    ),
    field("type", OneOf(TYPE), "HARD must be respected, SOFT informs"),
    field("category", Kind::Text, "the policy's category"),
    field("domain", Kind::Text, "the policy's domain"),
    field("key", Kind::Text, "a structured key"),
    field("value", Any, "a structured value"),
    field("summary", Kind::Text, "a shorter line for the block"),
    field("detail", Kind::Text, "found by recall, never in the block"),
    field("tags", Words, "free words"),
    field("importance", Share, "how much it matters"),
    field("since", Moment, "since when it is true"),
    field("ttl", OneOf(TTL), "how long it is meant to live"),
];

/// All of them.
#[rustfmt::skip]
pub const ROUTES: &[Route] = &[
    route(
        Get, "/api/memory", "listMemories", "Memories, page by page",
        &[
            field("type", OneOf(TYPE), "HARD must be respected, SOFT informs"),
            field("domain", Kind::Text, "of this domain only"),
            field("category", Kind::Text, "of this category only"),
            field("status", OneOf(STATUS), "ACTIVE when left out; PROPOSED answers proposals"),
            field("search", Kind::Text, "with all of these words, in any form"),
            LIMIT, CURSOR,
        ],
        MEMORIES, Request(words::list),
    ),
    route(
        Post, "/api/memory", "createMemory", "Keeps a new memory, as the user's own word",
        NEW, Outcome, Request(words::create),
    ),
    route(
        Post, "/api/memory/propose", "proposeMemory", "Suggests a memory that waits for the user's word",
        &[
            needed("content", Any, "what it says: a line, or a structured value"),
            needed("reasoning", Kind::Text, "why, in a line"),
            field("type", OneOf(TYPE), "HARD must be respected, SOFT informs"),
            field("category", Kind::Text, "the policy's category"),
            field("domain", Kind::Text, "the policy's domain"),
            field("key", Kind::Text, "a structured key"),
            field("value", Any, "a structured value"),
        ],
        Outcome, Request(words::propose),
    ),
    route(
        Post, "/api/memory/retrieve", "retrieveMemories", "What to tell a model with a message",
        &[
            field("query", Kind::Text, "what the user said"),
            field("domains", Words, "whose memories are wanted besides"),
            field("budget", Count(TOKENS), "how many tokens the text may take"),
            field("window", Count(TOKENS), "how many tokens the model's window holds"),
        ],
        Json(&["text", "used"]), Request(words::retrieve),
    ),
    route(Get, "/api/memory/{id}", "getMemory", "A live memory with its links", &[], MEMORIES, Request(words::get)),
    route(
        Patch, "/api/memory/{id}", "updateMemory", "A new version; the old one is kept as history",
        &[
            needed("content", Kind::Text, "what it says from now on"),
            field("correction", Flag, "the old value was never right"),
            field("since", Moment, "since when it holds"),
            field("category", Kind::Text, "another category"),
            field("summary", Kind::Text, "a shorter line for the block"),
            field("detail", Kind::Text, "found by recall, never in the block"),
            field("value", Any, "a structured value"),
        ],
        Outcome, Request(words::update),
    ),
    route(Delete, "/api/memory/{id}", "deleteMemory", "Into the trash", &[], Outcome, Request(words::trash)),
    route(
        Post, "/api/memory/{id}/confirm", "confirmProposal", "The user's word on a proposal",
        &[
            needed("confirm", Flag, "true accepts it, false turns it down"),
            field("content", Kind::Text, "other words for it"),
            field("value", Any, "another value for it"),
        ],
        Outcome, Request(words::confirm),
    ),
    route(Post, "/api/memory/{id}/forget", "forgetMemory", "Ends it; kept for audit, never learned again", &[], Outcome, Request(words::forget)),
    route(Post, "/api/memory/{id}/restore", "restoreMemory", "Brings back what was forgotten or thrown away", &[], Outcome, Request(words::restore)),
    route(Get, "/api/memory/{id}/timeline", "memoryTimeline", "Its life: versions, events, what it used to be", &[], MEMORIES, Request(words::timeline)),
    route(Get, "/api/memory/{id}/history", "memoryHistory", "Every row of it, oldest first", &[], MEMORIES, Request(words::history)),
    route(Get, "/api/memory/{id}/lineage", "memoryLineage", "What it was made from, and what was made from it", &[], MEMORIES, Request(words::lineage)),
    route(Get, "/api/proposals", "listProposals", "What waits for the user's word", &[], MEMORIES, Request(words::pending)),
    route(Get, "/api/forgotten", "listForgotten", "What was forgotten or thrown away and can be restored, the latest first", &[LIMIT, CURSOR], MEMORIES, Request(words::forgotten)),
    route(
        Get, "/api/as-of", "memoriesAsOf", "What was true at one moment, as known at another",
        &[
            needed("valid", Moment, "when it was true"),
            field("known", Moment, "when it was known; now when left out"),
            LIMIT, CURSOR,
        ],
        MEMORIES, Request(words::as_of),
    ),
    route(Get, "/api/chats", "listChats", "Chats, the most recently active first", &[LIMIT, CURSOR, OFFSET, field("trashed", Flag, "those in the trash")], Json(&["sessions"]), Request(words::chats)),
    route(Get, "/api/chats/search", "searchChats", "Chats in which something was said that fits", &[needed("text", Kind::Text, "what was said"), LIMIT, OFFSET], Json(&["hits"]), Request(words::search_chats)),
    route(Get, "/api/chats/{id}/messages", "chatMessages", "What was said last, oldest first", &[LIMIT], Json(&["messages"]), Request(words::messages)),
    route(Get, "/api/chats/{id}/traces", "chatTraces", "Finished tool calls, oldest first", &[LIMIT, CURSOR], Json(&["traces"]), Request(words::traces)),
    route(Get, "/api/chats/{id}/why", "chatWhy", "Which memories were used in it, and how", &[], MEMORIES, Request(words::why)),
    route(Get, "/api/block", "memoryBlock", "What a model is told, and how much room it takes", &[], Json(&["prompt", "tokens", "budget"]), Here(Own::Block)),
    route(Get, "/api/stats", "memoryStats", "How much is kept", &[], MEMORIES, Request(words::stats)),
    route(Get, "/api/metrics", "memoryMetrics", "How well the memory does", &[], MEMORIES, Request(words::metrics)),
    route(Get, "/api/health", "memoryHealth", "What wants a look", &[], MEMORIES, Request(words::health)),
    route(Get, "/api/review", "memoryReview", "What is known, new and doubtful, each with what can be done", &[], MEMORIES, Request(words::review)),
    route(Get, "/api/about", "about", "Whose memory it is, and what the policy calls things", &[], Json(&["owner", "categories"]), Here(Own::About)),
    route(Get, "/api/changes", "listChanges", "What was written, the latest first, each with its undo", &[LIMIT], Json(&["changes"]), Here(Own::Changes)),
    route(Post, "/api/undo", "undo", "Takes a write back", &[needed("token", Kind::Text, "of an event or a change")], Outcome, Request(words::undo)),
    route(Post, "/api/redo", "redo", "Takes an undo back", &[needed("token", Kind::Text, "of an event or a change")], Outcome, Request(words::redo)),
    route(Post, "/api/command", "command", "Any command of keepmind: docs/REQUESTS.md", &[needed("command", Object, "as in docs/REQUESTS.md: {\"command\": \"save\", …}")], Outcome, Request(words::command)),
    route(Get, "/api/export", "export", "Everything of the user, as JSON Lines", &[], Text("application/x-ndjson"), Here(Own::Export)),
    route(Get, "/api/export.md", "exportMarkdown", "What is live, as Markdown", &[], Text("text/markdown"), Here(Own::Markdown)),
    route(Get, "/api/events", "events", "What is written from now on, as server-sent events", &[], Text("text/event-stream"), Here(Own::Events)),
];
