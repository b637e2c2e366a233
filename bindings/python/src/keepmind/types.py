"""What goes in and what comes out, for type checkers and for reading. At run time all of it is plain dicts.

Moments are texts in RFC 3339, in UTC. What a TypedDict marks NotRequired is left out where there is none.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NotRequired, Protocol, TypeAlias, TypedDict, runtime_checkable

Which: TypeAlias = "str | int"
"""Which fact: its number (`12` or `"#12"`), a row's id, or part of its content that no other fact has."""

Moment: TypeAlias = "datetime.datetime | str"
"""A moment: a datetime with a time zone, or RFC 3339."""

Role: TypeAlias = Literal["system", "user", "assistant", "tool"]
Shape: TypeAlias = Literal["openai", "anthropic", "mcp"]
Authority: TypeAlias = Literal["note", "rule"]
TimeToLive: TypeAlias = Literal["lasting", "contextual", "temporary", "deadline"]
Behaviour: TypeAlias = Literal["confirmed", "contradicted"]
RecallBy: TypeAlias = Literal["both", "words", "meaning"]
Layer: TypeAlias = Literal["episode", "fact", "digest"]
Status: TypeAlias = Literal["active", "candidate", "expired", "superseded", "inactive"]
Source: TypeAlias = Literal["user", "agent", "extracted", "derived", "imported"]
Tier: TypeAlias = Literal["baseline", "domain", "recalled"]
Reader: TypeAlias = Literal["user", "model"]
Visibility: TypeAlias = Literal["live", "held", "expired", "ended"]
SessionStatus: TypeAlias = Literal["active", "idle", "archived"]
Durability: TypeAlias = Literal["full", "normal", "off"]
Check: TypeAlias = Literal["automatic", "always", "header"]
UsageKind: TypeAlias = Literal["retrieved", "applied", "cited", "conflicted", "overridden"]
LogLevel: TypeAlias = Literal["error", "warning", "info"]


class ModelRequest(TypedDict):
    """One question to a model."""

    task: Literal["extract", "summarise", "title", "rerank", "compile"]
    system: str
    prompt: str
    schema: dict[str, Any] | None
    """The JSON Schema that the answer should follow, where one is wanted."""
    max_output_tokens: int


Model: TypeAlias = Callable[[ModelRequest], str]
"""A language model. Its answers are untrusted; what it raises is a failure: it is asked again at once, unless the
exception has `retryable = False`, and by later sweeps in any case. Called on threads of Python's own, several at once."""

Log: TypeAlias = Callable[[LogLevel, str], object]
"""Hears what the library has to say, in English, without any user's words."""


@runtime_checkable
class EmbedderPlug(Protocol):
    """An object that turns texts into vectors. `Embedder` makes one of a function."""

    @property
    def embedder_id(self) -> str:
        """A name that changes whenever the vectors would."""

    @property
    def dimensions(self) -> int:
        """How many numbers a vector has."""

    def __call__(self, texts: list[str], /) -> Sequence[Sequence[float]]:
        """One vector for each text, in order. Called on threads of Python's own, several at once."""


class Span(TypedDict):
    """A range of bytes of a text in UTF-8."""

    start: int
    end: int


class Revision(TypedDict):
    """How far a user's data has moved."""

    epoch: str
    count: int


class Evidence(TypedDict):
    """What a memory rests on: the user's own words, or behaviour."""

    kind: Literal["quote", "observation"]
    session: NotRequired[str]
    message: NotRequired[int]
    span: NotRequired[Span]
    quote: NotRequired[str]
    id: NotRequired[str]


class Claim(TypedDict):
    """What a memory says and how it knows."""

    layer: Layer
    category: str
    authority: Authority
    domain: NotRequired[str]
    key: NotRequired[str]
    value: NotRequired[Any]
    content: str
    summary: NotRequired[str]
    body: NotRequired[str]
    tags: NotRequired[list[str]]
    source: Source
    trust: Literal["derived", "extracted", "agent", "user"]
    held: NotRequired[bool]
    session: NotRequired[str]
    messages: NotRequired[list[int]]
    evidence: NotRequired[list[Evidence]]
    valid_from: str
    expires_at: NotRequired[str]
    authorises_action: NotRequired[bool]


class Memory(TypedDict):
    """One version of a fact."""

    number: int
    version: int
    claim: Claim


class Marks(TypedDict):
    """What may change about a memory while it is live."""

    importance: float
    confidence: NotRequired[float]
    last_confirmed_at: NotRequired[str]
    confirmations: int
    contradictions: int


class Why(TypedDict):
    """Why a row ended."""

    reason: str
    by: NotRequired[str]
    until: NotRequired[str]


class End(TypedDict):
    """How a row ended."""

    at: str
    why: Why


class MemoryRow(TypedDict):
    """A row that holds a memory."""

    id: str
    origin: str
    recorded_at: str
    end: NotRequired[End]
    marks: NotRequired[Marks]
    body: Memory


class Proposal(TypedDict):
    """What waits for the user's word."""

    operation: dict[str, Any]
    reasoning: str
    evidence: NotRequired[list[Evidence]]
    session: NotRequired[str]
    expires_at: NotRequired[str]


class ProposalRow(TypedDict):
    """A row that holds a proposal. Its id is what `accept` and `reject` take."""

    id: str
    origin: str
    recorded_at: str
    end: NotRequired[End]
    body: Proposal


class MemoryEvent(TypedDict):
    """What a host shows of a write: the quiet line with its undo."""

    kind: str
    before: NotRequired[MemoryRow]
    after: NotRequired[MemoryRow]
    proposal: NotRequired[ProposalRow]
    line: str
    undo: NotRequired[str]
    revision: Revision
    at: str


class Candidate(TypedDict):
    """A fact that says nearly the same."""

    number: int
    content: str


class Outcome(TypedDict):
    """What became of a command that was not refused."""

    verdict: Literal["done", "unchanged", "proposed"]
    line: str
    number: NotRequired[int]
    event: NotRequired[MemoryEvent]
    closest: NotRequired[list[Candidate]]
    codes: NotRequired[list[str]]


Link = TypedDict("Link", {"from": int, "to": int, "relation": str})
"""A relation between two facts."""


class Fact(TypedDict):
    """A fact as it stands."""

    row: MemoryRow
    links: list[Link]


class Memories(TypedDict):
    """A page of memories, in order of number and version."""

    rows: list[MemoryRow]
    next: NotRequired[str]
    revision: Revision


class Recalled(TypedDict):
    """A memory that was found, and why."""

    row: MemoryRow
    score: float
    words: NotRequired[float]
    meaning: NotRequired[float]
    matched: NotRequired[list[str]]
    around: NotRequired[list[Literal["neighbour", "speaker", "time"]]]
    reranked_from: NotRequired[int]


class LineageChat(TypedDict):
    """A chat that a row came from."""

    session: str
    is_gone: bool
    messages: list[int]


class LineageQuote(TypedDict):
    """The user's words that a row rests on."""

    session: str
    message: int
    quote: str
    is_gone: bool


class LineageObservation(TypedDict):
    """Behaviour that a row rests on; what was `seen` is left out where it is gone."""

    id: str
    seen: NotRequired[dict[str, Any]]


class LineageRow(TypedDict):
    """One row, and what it rests on itself."""

    number: int
    version: int
    id: str
    layer: Layer
    content: str
    source: Source
    recorded_at: str
    ended: NotRequired[str]
    chat: NotRequired[LineageChat]
    quotes: NotRequired[list[LineageQuote]]
    observations: NotRequired[list[LineageObservation]]


class LineageStep(LineageRow):
    """A row on the way, and where the way goes on."""

    is_repeated: NotRequired[bool]
    steps: NotRequired[list[LineageStep]]


class Lineage(TypedDict):
    """What a memory was made from and what was made from it; `text` is a drawn tree."""

    row: LineageRow
    made_from: list[LineageStep]
    made_into: list[LineageStep]
    is_cut: bool
    text: str


class TimelineVersion(TypedDict):
    """One version of a fact, by when it was true."""

    version: int
    content: str
    is_candidate: NotRequired[bool]
    is_copy: NotRequired[bool]
    valid_from: str
    valid_until: NotRequired[str]
    recorded_at: str
    ended_at: NotRequired[str]
    ended: NotRequired[str]
    confidence: NotRequired[float]
    confirmations: int
    contradictions: int


class TimelineEvent(TypedDict):
    """Something that happened to a version."""

    at: str
    version: int
    what: str
    who: Literal["user", "agent", "extractor", "consolidator", "sweep", "host"]
    session: NotRequired[str]


# `from` is a word of the language.
Timeline = TypedDict(
    "Timeline",
    {
        "number": int,
        "from": str,
        "until": str,
        "versions": list[TimelineVersion],
        "events": list[TimelineEvent],
        "told": str,
        "text": str,
    },
)


class ReviewAction(TypedDict):
    """What can be done, as a button: `command` is a request, `fill_in` the field to fill in first."""

    action: Literal["confirm", "correct", "forget", "accept", "reject", "consent"]
    command: dict[str, Any]
    fill_in: NotRequired[str]


class Known(TypedDict):
    """A fact, as a review tells it."""

    number: int
    version: int
    content: str
    authority: Authority
    domain: NotRequired[str]
    source: Source
    sure: Literal["stated", "saved", "sure", "likely", "unsure"]
    since: str
    recorded_at: str
    confirmed_at: NotRequired[str]
    actions: list[ReviewAction]


class KnownCategory(TypedDict):
    """What is known of one category."""

    category: str
    title: str
    facts: list[Known]


class Doubt(TypedDict):
    """Something that the user should have a word on."""

    kind: Literal[
        "proposal", "candidate", "contradiction", "contradicted", "unsure", "tentative", "expiring"
    ]
    facts: list[int]
    proposal: NotRequired[str]
    content: str
    reason: str
    actions: list[ReviewAction]


class Review(TypedDict):
    """What is known, what is new and what is doubtful; `markdown` is the same as a page."""

    at: str
    last_reviewed_at: NotRequired[str]
    due_at: NotRequired[str]
    is_due: bool
    new_since: str
    known: list[KnownCategory]
    new: list[Known]
    doubtful: list[Doubt]
    withdrawn: int
    markdown: str


class RecallStats(TypedDict):
    """How often a chat recalled, and how often that took no search."""

    recalls: int
    cached: int
    hit_rate: float


class Used(TypedDict):
    """Something that stands in a context: a memory with `number` and `row`, or a `message`."""

    item: Literal["memory", "message"]
    number: NotRequired[int]
    row: NotRequired[str]
    message: NotRequired[int]
    tier: Tier
    relevance: NotRequired[float]
    why: str


class LeftOut(TypedDict):
    """Something that could have helped and does not stand in a context."""

    item: Literal["memory", "message"]
    number: NotRequired[int]
    row: NotRequired[str]
    message: NotRequired[int]
    tier: Tier
    relevance: NotRequired[float]
    reason: str


class Context(TypedDict):
    """What a model is told for one message: `text`, which begins with `baseline`, and `standing` after it."""

    text: str
    baseline: str
    standing: str
    tokens: int
    domains: list[str]
    used: list[Used]
    left_out: list[LeftOut]


class Consent(TypedDict):
    """The user's word on a domain."""

    domain: str
    recorded_at: str
    granted: bool


class JournalEntry(TypedDict):
    """What one commit did, without any text."""

    revision: int
    operation: str
    stamp: str
    who: Literal["user", "agent", "extractor", "consolidator", "sweep", "host"]
    session: NotRequired[str]
    group: NotRequired[str]
    effects: NotRequired[list[dict[str, Any]]]
    undoes: NotRequired[list[int]]
    redoes: NotRequired[list[int]]
    line: str


class Changes(TypedDict):
    """What was written since a revision."""

    entries: list[JournalEntry]
    next: Revision
    restarted: bool


class SessionLine(TypedDict):
    """A chat in a list."""

    id: str
    title: NotRequired[str]
    status: SessionStatus
    recency: Literal["today", "yesterday", "previous_seven_days", "older"]
    opened_at: str
    active_at: str
    deleted_at: NotRequired[str]


class SessionPage(TypedDict):
    """A page of chats, the most recently active first."""

    sessions: list[SessionLine]
    next: NotRequired[str]


class Snippet(TypedDict):
    """What was said, around the words that fit."""

    text: str
    highlights: list[Span]


class SessionHit(TypedDict):
    """A chat in which something was said that fits."""

    session: SessionLine
    message: int
    role: Role
    at: str
    snippet: Snippet
    score: float


class Block(TypedDict):
    """The block as a chat that is opened now would get it. `prompt` goes into the system prompt."""

    prompt: str
    text: str
    standing: str
    rows: list[str]
    left_out: int


class SweepProgress(TypedDict):
    """Where a sweep is."""

    owner: str
    step: str
    done: int
    owners: int


class ImportedLine(TypedDict):
    """A line of an imported file, and what became of it."""

    line: int
    fate: Literal["imported", "proposed", "known", "refused", "left_out"]
    number: NotRequired[int]
    proposal: NotRequired[str]
    codes: NotRequired[list[str]]
    reason: str


class ImportReport(TypedDict):
    """What an import came to."""

    dry_run: bool
    lines: list[ImportedLine]
    left_out: dict[str, int]
    event: NotRequired[MemoryEvent]


class MarkdownFile(TypedDict):
    """One file of Markdown."""

    name: str
    text: str


class MarkdownLine(TypedDict):
    """A difference between Markdown that was read and what is kept."""

    file: str
    line: int
    fate: Literal[
        "saved", "updated", "forgotten", "known", "outdated", "ignored", "conflict", "refused"
    ]
    number: NotRequired[int]
    before: NotRequired[str]
    after: NotRequired[str]
    codes: NotRequired[list[str]]
    reason: str


class MarkdownReport(TypedDict):
    """What reading edited Markdown came to."""

    dry_run: bool
    applies: bool
    lines: list[MarkdownLine]
    unchanged: int
    absent: list[str]
    event: NotRequired[MemoryEvent]


class Phrasing(TypedDict):
    """A place in a reply that presumes what the user thinks, feels or is. The span is in bytes of UTF-8."""

    span: Span
    kind: Literal["belief", "thought", "feeling", "type", "personality"]
    suggestion: str


class Settled(TypedDict, total=False):
    """A row that a consolidation settled: always with a `fate` and a `reason`."""

    fate: Literal[
        "promoted",
        "derived",
        "reinforced",
        "merged",
        "overruled",
        "absorbed",
        "proposed",
        "discarded",
        "refused",
        "compiled",
    ]
    number: int
    other: int
    grade: Literal["candidate", "tentative", "strong"]
    proposal: str
    codes: list[str]
    reason: str


class Failed(TypedDict):
    """What went wrong after part of something was written."""

    kind: str
    operation: str
    message: str
    code: NotRequired[str]


class Consolidated(TypedDict):
    """What became of a memory when it was consolidated. Without an event nothing was written."""

    settled: list[Settled]
    event: NotRequired[MemoryEvent]
    model_failed: NotRequired[bool]
    failed: NotRequired[Failed]


class DigestLine(TypedDict):
    """One line of a digest, and the facts and episodes that it was made from."""

    text: str
    cites: list[int]
    by_model: NotRequired[bool]


class Digest(TypedDict):
    """What is known of something, in short."""

    kind: Literal["profile", "procedures", "briefing", "domain", "floors"]
    domain: NotRequired[str]
    title: str
    lines: list[DigestLine]
    left_out: int


class SweepReport(TypedDict):
    """What a sweep did."""

    owners: int
    done: dict[str, int]
    reviews_due: list[str]
    failures: list[dict[str, Any]]
    stopped: bool


Progress: TypeAlias = Callable[[SweepProgress], object]
"""Hears where a sweep is. Returns False to stop it."""


class CopyProgress(TypedDict):
    """A user is done, and how far a copy is."""

    owner: str
    outcome: Literal["copied", "unchanged", "replaced", "refused"]
    owners: int
    total: int


class CopyRefusal(TypedDict):
    """A user who was not copied: the target has other data of theirs."""

    owner: str
    error: dict[str, Any]


class CopyReport(TypedDict):
    """What a copy did."""

    owners: int
    copied: int
    unchanged: int
    replaced: int
    refused: list[CopyRefusal]
    stopped: bool


WatchCopy: TypeAlias = Callable[[CopyProgress], object]
"""Hears where a copy is. Returns False to stop it."""


class Pushed(TypedDict):
    """What became of a message: its place, and the new block where it resumed the chat."""

    number: int
    block: NotRequired[str]


class Utterance(TypedDict):
    """What was said, by whom and when."""

    role: Role
    content: str
    hidden: NotRequired[str]
    origin: Literal["typed", "prefill"]
    untrusted: NotRequired[list[Span]]
    calls: NotRequired[list[str]]
    at: str


class Message(TypedDict):
    """One message of a chat."""

    session: str
    number: int
    ordinal: int
    utterance: Utterance


class Messages(TypedDict):
    """A page of what was said, oldest first."""

    messages: list[Message]
    next: NotRequired[int | None]


class View(TypedDict):
    """A chat as the model sees it: the summary of what came before, then the messages word for word."""

    summary: NotRequired[str]
    messages: list[Message]
    replaced: int
    tokens: int
    saved_tokens: int
    notice: NotRequired[str]


class ToolReply(TypedDict):
    """What became of a tool call. Push `message` with `calls=[reply["call"]]`, show `event` to the user."""

    call: str
    message: str
    is_error: bool
    event: NotRequired[MemoryEvent]
    codes: NotRequired[list[str]]
    shown: NotRequired[list[int]]


class RunningCall(TypedDict):
    """A tool call that has not finished."""

    call: str
    tool: str
    started_at: str


class TraceKey(TypedDict):
    """What a trace is found by."""

    session: str
    call: str


class Trace(TypedDict):
    """The record of a finished tool call."""

    key: TraceKey
    tool: str
    arguments: Any
    result: str
    outcome: Literal["complete", "failed"]
    started_at: str
    finished_at: str


class Traces(TypedDict):
    """A page of records of tool calls, oldest first."""

    traces: list[Trace]
    next: NotRequired[str | None]


class Lesson(TypedDict):
    """A candidate for memory, and what became of it."""

    fate: Literal["learned", "updated", "confirmed", "proposed", "skipped", "refused"]
    number: NotRequired[int]
    proposal: NotRequired[str]
    content: NotRequired[str]
    quote: NotRequired[str]
    codes: NotRequired[list[str]]
    reason: str


class Report(TypedDict):
    """What learning from a chat came to."""

    lessons: list[Lesson]
    episode: NotRequired[int]


class PlugFailure(TypedDict):
    """Why a model did not answer."""

    message: str
    retryable: bool


class Closed(TypedDict):
    """What closing a chat came to."""

    closing: Literal[
        "nothing_new", "learned", "still_active", "deferred", "without_model", "by_another"
    ]
    messages: int
    failure: NotRequired[PlugFailure]
    retry_at: NotRequired[str]
    report: Report
    undo: NotRequired[str]
    dropped_turns: int


class Usage(TypedDict):
    """One use of a memory."""

    id: str
    at: str
    session: NotRequired[str]
    memory: str
    kind: UsageKind
    influence: NotRequired[str]


class Observation(TypedDict):
    """Behaviour that a host saw."""

    id: str
    source: str
    payload: Any
    at: str


class Observations(TypedDict):
    """A page of what a host saw, oldest first."""

    observations: list[Observation]
    next: NotRequired[str]


class UsagePage(TypedDict):
    """A page of the usage ledger, oldest first."""

    uses: list[Usage]
    next: NotRequired[str]


class KindUsage(TypedDict):
    """How often a row was used in one way."""

    kind: UsageKind
    times: int
    first: str
    last: str
    influences: NotRequired[list[str]]


class MemoryUsage(TypedDict):
    """How one row was used in a chat."""

    number: int
    version: int
    row: str
    visibility: Visibility
    line: NotRequired[str]
    uses: list[KindUsage]


class SessionUsage(TypedDict):
    """What was used in a chat, and how."""

    session: str
    memories: list[MemoryUsage]


class Citation(TypedDict):
    """A memory that an answer cites."""

    number: int
    row: str
    by: Literal["number", "words"]
    sentence: NotRequired[str]
    matched: NotRequired[list[str]]


class Stats(TypedDict):
    """How much is kept of a user."""

    facts: int
    rows: int
    by_status: dict[str, int]
    by_category: dict[str, int]
    by_domain: dict[str, int]
    by_source: dict[str, int]
    by_authority: dict[str, int]
    by_layer: dict[str, int]
    proposals: dict[str, int]
    sessions: dict[str, int]
    sizes: dict[str, int]


class UserMetrics(TypedDict):
    """How well the memory of a user does. A rate is None where there is nothing to take a share of."""

    proposals: dict[str, int]
    edited: int
    acceptance_rate: float | None
    correction_rate: float | None
    uses: dict[str, int]
    used: int
    cited: int
    citation_rate: float | None
    used_rate: float | None
    override_rate: float | None


class Latency(TypedDict):
    """How long an operation takes, in microseconds."""

    count: int
    failed: int
    p50: int
    p90: int
    p99: int
    longest: int


class Metrics(TypedDict):
    """What this process did, for all users together."""

    extraction: dict[str, dict[str, int]]
    recalls: int
    cached_recalls: int
    tokens: dict[str, int]
    uses_waiting: int
    uses_lost: int
    operations: dict[str, Latency]


class Concern(TypedDict):
    """Something that wants a look. The reason quotes no memory."""

    kind: Literal["duplicate", "contradiction", "orphan", "junk_like", "stale", "oversized"]
    facts: list[int]
    reason: str


class BlockPressure(TypedDict):
    """How full the block is."""

    budget: int
    tokens: int
    shown: int
    left_out: int
    left_out_by_category: dict[str, int]
    left_out_facts: list[int]


class Health(TypedDict):
    """What wants a look."""

    facts: int
    counts: dict[str, int]
    concerns: list[Concern]
    block: BlockPressure


class SessionRecord(TypedDict):
    """A chat's record: where it is in its life, its title, its running summary."""

    id: str
    opened_at: str
    active_at: str
    status: SessionStatus
    deleted_at: NotRequired[str]
    title: NotRequired[dict[str, Any]]
    extracted_through: NotRequired[int]
    attempts: int
    retry_at: NotRequired[str]
    lease: NotRequired[dict[str, Any]]
    recap: NotRequired[dict[str, Any]]
    block: NotRequired[dict[str, Any]]
    served: NotRequired[list[str]]


Policy: TypeAlias = "str | Mapping[str, Any]"
"""A preset's name (`default`, `advisor`, `chat`, `assistant`, `personal`, `observer`), or what differs from
one as a mapping or as JSON."""
