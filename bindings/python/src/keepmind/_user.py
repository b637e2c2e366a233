"""One user's memory: every command, every query, chats, export and erasure."""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, cast

from keepmind import _calls, _json
from keepmind._handles import Handle
from keepmind._library import library
from keepmind._session import Session

if TYPE_CHECKING:
    from keepmind._engine import Keepmind
    from keepmind.types import (
        Authority,
        Behaviour,
        Block,
        Changes,
        Consent,
        Consolidated,
        Context,
        Digest,
        Fact,
        Health,
        ImportReport,
        Layer,
        Lineage,
        MarkdownFile,
        MarkdownReport,
        Memories,
        Moment,
        Observation,
        Observations,
        Outcome,
        Phrasing,
        ProposalRow,
        Reader,
        RecallBy,
        Recalled,
        Review,
        Revision,
        SessionHit,
        SessionPage,
        SessionStatus,
        SessionUsage,
        Source,
        Stats,
        Status,
        SweepReport,
        Timeline,
        TimeToLive,
        UsageKind,
        UsagePage,
        UserMetrics,
        Visibility,
        Which,
    )

# What is left out is told by what it is: asking whether `tags` are true fails for an array, and lets "" pass for none.
_NO_TEXTS: tuple[str, ...] = ()


_request = _calls.asking(library.km_user_request)


class User:
    """One user's memory. Made by `Keepmind.user`; all methods may be called from all threads at once.

    What is called here counts as the user's own word. What a model asks for goes through a chat's tools,
    `Session.call_tool`, where it is held against what the user wrote.

    Commands answer with an Outcome: its `event`, where something was written, has a `line` to show to the
    user and a token for `undo`.
    """

    def __init__(self, handle: Handle, name: str, keepmind: Keepmind) -> None:
        self._handle = handle
        # What is reached through it must not be closed for want of somebody who holds it.
        self._keepmind = keepmind
        keepmind._gave(handle)
        self.name = name
        """The host's id of the user."""

    # Commands: everything that writes.

    def save(
        self,
        content: str,
        *,
        category: str | None = None,
        summary: str | None = None,
        detail: str | None = None,
        domain: str | None = None,
        key: str | None = None,
        value: Any = None,
        authority: Authority | None = None,
        tags: Iterable[str] = _NO_TEXTS,
        importance: float | None = None,
        since: Moment | None = None,
        ttl: TimeToLive | None = None,
        authorises_action: bool = False,
    ) -> Outcome:
        """A new fact, active at once. Saving what is there already changes nothing.

        content: what it says, in one line.
        category, domain: the policy's; its default category when left out.
        summary: a shorter line for the block. detail: found by recall, never in the block.
        key, value: structured. Saving a rule for a (domain, key) that has one updates it.
        authority: a `rule` must be respected; a `note`, the default, informs.
        importance: how much it matters, 0 to 1.
        since: since when it is true; now when left out, never later.
        ttl: how long it is meant to live; the category's class when left out.
        authorises_action: it permits acting for the user.
        """
        request: dict[str, object] = {"command": "save", "content": content}
        # One by one: to gather all of them, most of them left out, takes longer than to write the request.
        if category is not None:
            request["category"] = category
        if summary is not None:
            request["summary"] = summary
        if detail is not None:
            request["detail"] = detail
        if domain is not None:
            request["domain"] = domain
        if key is not None:
            request["key"] = key
        if value is not None:
            request["value"] = value
        if authority is not None:
            request["authority"] = authority
        if tags is not _NO_TEXTS:
            request["tags"] = _json.texts("tags", tags)
        if importance is not None:
            request["importance"] = importance
        if since is not None:
            request["since"] = _json.moment(since)
        if ttl is not None:
            request["ttl"] = ttl
        if authorises_action:
            request["authorises_action"] = authorises_action
        outcome: Outcome = self._ask(request)
        return outcome

    def update(
        self,
        target: Which,
        content: str,
        *,
        summary: str | None = None,
        detail: str | None = None,
        value: Any = None,
        category: str | None = None,
        since: Moment | None = None,
        correction: bool = False,
    ) -> Outcome:
        """A new version of a fact. What is left out stays, but for the old summary, detail and value, which
        spoke of the old content. `correction` says that the old content was never right."""
        return self._command(
            "update",
            target=target,
            content=content,
            summary=summary,
            detail=detail,
            value=value,
            category=category,
            since=_json.moment(since),
            correction=correction or None,
        )

    def forget(self, target: Which) -> Outcome:
        """Ends a fact; it is kept for audit and never learned again from the same words."""
        return self._command("forget", target=target)

    def confirm(self, target: Which) -> Outcome:
        """Re-affirms a fact: it reads as current and does not fade. A candidate is believed from then on."""
        return self._command("confirm", target=target)

    def observed(self, target: Which, behaviour: Behaviour) -> Outcome:
        """Behaviour spoke for or against a fact."""
        return self._command("observed", target=target, behaviour=behaviour)

    def complete(self, target: Which) -> Outcome:
        """A task is done."""
        return self._command("complete", target=target)

    def link(self, from_number: int, to_number: int, relation: str) -> Outcome:
        """Joins two facts: `relates_to`, `supersedes`, `contradicts`, `supports`, or a word of your own."""
        return self._command("link", **{"from": from_number, "to": to_number, "relation": relation})

    def unlink(self, from_number: int, to_number: int, relation: str) -> Outcome:
        """Parts two facts."""
        return self._command("unlink", **{"from": from_number, "to": to_number, "relation": relation})

    def propose(
        self, change: Mapping[str, Any], reasoning: str, *, evidence: str | None = None
    ) -> Outcome:
        """Something that waits for the user's word.

        change: what accepting does: `{"change": "save", "content": …}` with what `save` takes, or `update`
        and `forget` with what they take.
        reasoning: why, in a line. evidence: the user's words that speak for it.
        """
        return self._command("propose", change=dict(change), reasoning=reasoning, evidence=evidence)

    def accept(self, proposal: str, *, content: str | None = None, value: Any = None) -> Outcome:
        """Accepts a proposal by its id: exactly what it holds is stored, or `content` and `value` in its place."""
        return self._command("accept", proposal=proposal, content=content, value=value)

    def reject(self, proposal: str) -> Outcome:
        """Turns a proposal down by its id: its words are not learned from again."""
        return self._command("reject", proposal=proposal)

    def trash(self, target: Which) -> Outcome:
        """Puts a fact in the trash, from where it can be restored for the policy's days."""
        return self._command("trash", target=target)

    def restore(self, target: Which) -> Outcome:
        """Brings a fact back that was trashed or forgotten."""
        return self._command("restore", target=target)

    def purge(self, target: Which) -> Outcome:
        """A fact is gone for good: all versions, with everything that quotes them but the user's messages."""
        return self._command("purge", target=target)

    def consent(self, domain: str, granted: bool) -> Outcome:
        """The user's word on a domain. Withdrawn, its rows leave prompt and recall at once."""
        return self._command("consent", domain=domain, granted=granted)

    def reviewed(self) -> Outcome:
        """The user has looked through what `review` told: the next one is due the policy's days from now."""
        return self._command("reviewed")

    def undo(self, token: str) -> Outcome:
        """Takes a write, or a group of writes, back: all of it, or nothing."""
        return self._command("undo", token=token)

    def redo(self, token: str) -> Outcome:
        """Takes an undo back, by the token of the undo or of the write that was undone."""
        return self._command("redo", token=token)

    # Queries: everything that reads.

    def get(self, target: Which) -> Fact:
        """The live row of a fact, with its links."""
        answer = self._query("get", target=target)
        return cast("Fact", {"row": answer["row"], "links": answer["links"]})

    def visibility(self, target: Which) -> Visibility:
        """What a fact is to a reader now."""
        return cast("Visibility", self._query("visibility", target=target)["visibility"])

    def list(
        self,
        *,
        filter: Mapping[str, Any] | None = None,
        category: str | None = None,
        domain: str | None = None,
        authority: Authority | None = None,
        status: Status | None = None,
        text: str | None = None,
        limit: int | None = None,
        after: str | None = None,
    ) -> Memories:
        """Facts page by page; live ones unless `status` or `filter` says otherwise
        (`{"selection": {"rows": "all"}}`). `text` wants all of its words. `after` is the `next` of the page before."""
        answer = self._query(
            "list",
            filter=None if filter is None else dict(filter),
            category=category,
            domain=domain,
            authority=authority,
            status=status,
            text=text,
            limit=limit,
            after=after,
        )
        return cast("Memories", answer)

    def history(self, target: Which) -> Memories:
        """Every row of a fact, oldest first."""
        return cast("Memories", self._query("history", target=target))

    def lineage(self, target: Which) -> Lineage:
        """What a memory was made from, down to the user's words and what the host saw, and what was made from
        it, up to digests; `text` is the same as a drawn tree."""
        answer = self._query("lineage", target=target)
        return cast("Lineage", {**answer["tree"], "text": answer["text"]})

    def timeline(self, target: Which) -> Timeline:
        """A fact's life: its versions by when they were true, what happened to them, and what it used to be;
        `text` is the same as a picture."""
        answer = self._query("timeline", target=target)
        return cast("Timeline", {**answer["timeline"], "text": answer["text"]})

    def forgotten(self, *, limit: int | None = None, after: str | None = None) -> Memories:
        """What was forgotten or put in the trash and `restore` can bring back, the latest first. For the user's
        own eyes: what consent was withdrawn for is there too."""
        return cast("Memories", self._query("forgotten", limit=limit, after=after))

    def as_of(
        self,
        valid: Moment,
        *,
        known: Moment | None = None,
        limit: int | None = None,
        after: str | None = None,
    ) -> Memories:
        """What was true at one moment, as known at another; as known now when left out."""
        answer = self._query(
            "as_of", valid=_json.moment(valid), known=_json.moment(known), limit=limit, after=after
        )
        return cast("Memories", answer)

    def recall(
        self,
        text: str,
        *,
        limit: int | None = None,
        category: str | None = None,
        domain: str | None = None,
        layer: Layer | None = None,
        source: Source | None = None,
        tags: Iterable[str] = _NO_TEXTS,
        min_confidence: float | None = None,
        since_from: Moment | None = None,
        since_until: Moment | None = None,
        as_of: tuple[Moment, Moment] | None = None,
        by: RecallBy | None = None,
    ) -> builtins.list[Recalled]:
        """Live facts that fit, best first: by words and, where an embedder is plugged in, by meaning.

        tags: only what has all of them.
        since_from, since_until: only what is true since a moment in between.
        as_of: what was true at one moment, as known at another, instead of what is live.
        """
        request: dict[str, object] = {"query": "recall", "text": text}
        # One by one, as in `save`.
        if limit is not None:
            request["limit"] = limit
        if category is not None:
            request["category"] = category
        if domain is not None:
            request["domain"] = domain
        if layer is not None:
            request["layer"] = layer
        if source is not None:
            request["source"] = source
        if tags is not _NO_TEXTS:
            request["tags"] = _json.texts("tags", tags)
        if min_confidence is not None:
            request["min_confidence"] = min_confidence
        if since_from is not None:
            request["since_from"] = _json.moment(since_from)
        if since_until is not None:
            request["since_until"] = _json.moment(since_until)
        if as_of is not None:
            request["as_of"] = _json.as_of(as_of)
        if by is not None:
            request["by"] = by
        hits: builtins.list[Recalled] = self._ask(request)["hits"]
        return hits

    def pending(self) -> builtins.list[ProposalRow]:
        """Proposals that wait, oldest first."""
        return cast("builtins.list[ProposalRow]", self._query("pending")["proposals"])

    def consents(self) -> builtins.list[Consent]:
        """The user's last word on each domain."""
        return cast("builtins.list[Consent]", self._query("consents")["consents"])

    def changes(self, since: Revision | None = None, *, limit: int | None = None) -> Changes:
        """What was written since a revision, the `next` of the last answer: the change feed."""
        answer = self._query("changes", since=since, limit=limit)
        return cast("Changes", answer)

    # Chats.

    def observations(
        self,
        *,
        source: str | None = None,
        text: str | None = None,
        since: Moment | None = None,
        until: Moment | None = None,
        limit: int | None = None,
        after: str | None = None,
    ) -> Observations:
        """What the host saw, oldest first, page by page: `after` is the `next` of the page before."""
        answer = self._query(
            "observations",
            source=source,
            text=text,
            since=_json.moment(since),
            until=_json.moment(until),
            limit=limit,
            after=after,
        )
        return cast("Observations", answer)

    def why(self, session: str) -> SessionUsage:
        """What was used in a chat, by memory: how, how often, and what it changed."""
        return cast("SessionUsage", self._query("why", session=session))

    def usage(
        self,
        target: Which | None = None,
        *,
        session: str | None = None,
        kind: UsageKind | None = None,
        since: Moment | None = None,
        limit: int | None = None,
        after: str | None = None,
    ) -> UsagePage:
        """The usage ledger, oldest first: of a fact, in a chat, of a kind, since a moment; page by page."""
        answer = self._query(
            "usage", target=target, session=session, kind=kind, since=_json.moment(since), limit=limit, after=after
        )
        return cast("UsagePage", answer)

    def stats(self) -> Stats:
        """How much is kept: facts, proposals and chats, by what they are."""
        return cast("Stats", self._query("stats"))

    def metrics(self) -> UserMetrics:
        """How well the memory does: which share of proposals was accepted, of memories used and cited."""
        return cast("UserMetrics", self._query("metrics"))

    def health(self) -> Health:
        """What wants a look: duplicates, contradictions, orphans, what is stale, looks like junk or takes much
        room, and what the block cannot hold. No model is asked."""
        return cast("Health", self._query("health"))

    def review(self) -> Review:
        """What is known, what is new since the last review and what is doubtful, each with what can be done
        about it. When the user is through, say so with `reviewed`."""
        answer = self._query("review")
        return cast("Review", {**answer["review"], "markdown": answer["markdown"]})

    def observe(self, source: str, payload: Any, *, at: Moment | None = None) -> Observation:
        """Keeps behaviour that the host saw: any JSON but null. It is evidence for what is derived, and nothing more."""
        answer = self._request("observe", source=source, payload=payload, at=_json.moment(at))
        return cast("Observation", answer)

    def used(self, target: Which, kind: UsageKind, *, influence: str | None = None) -> None:
        """Records what a fact was used for, outside of any chat, and what that changed, in one line."""
        self._request("used", target=target, kind=kind, influence=influence)

    def open_session(self) -> Session:
        """Opens a chat: the block is rendered, and frozen with it. In a `with` statement it is closed."""
        handle = _calls.handle(library.km_session_free, library.km_session_open, self._handle.number)
        return Session(handle, self._keepmind)

    def session(self, id: str) -> Session:
        """A chat that was opened before, here or in another process, by its id. A closed one is talked in
        again with the next message, which returns its new block."""
        told = _json.utf8(id)
        own = self._handle.number
        handle = _calls.handle(library.km_session_free, library.km_session_resume, own, told, len(told))
        return Session(handle, self._keepmind)

    def sessions(
        self,
        *,
        statuses: Iterable[SessionStatus] = (),
        trashed: bool = False,
        limit: int | None = None,
        after: str | None = None,
    ) -> SessionPage:
        """The user's chats, the most recently active first; those in the trash where `trashed`."""
        answer = self._request(
            "sessions",
            statuses=_json.texts("statuses", statuses) or None,
            trashed=trashed or None,
            limit=limit,
            after=after,
        )
        return cast("SessionPage", answer)

    def search_sessions(self, text: str, *, limit: int | None = None) -> builtins.list[SessionHit]:
        """The chats in which something was said that fits."""
        answer = self._request("search_sessions", text=_json.text("text", text), limit=limit)
        return cast("builtins.list[SessionHit]", answer["hits"])

    def block(self) -> Block:
        """The block as a chat that is opened now would get it."""
        return cast("Block", self._request("block"))

    def context(
        self,
        message: str,
        *,
        budget: int | None = None,
        window: int | None = None,
        domains: Iterable[str] = (),
        as_of: tuple[Moment, Moment] | None = None,
    ) -> Context:
        """What to tell a model with a message, outside of any chat; see `Session.context`."""
        answer = self._request(
            "context",
            message=_json.text("message", message),
            budget=budget,
            window=window,
            domains=_json.texts("domains", domains),
            as_of=_json.as_of(as_of),
        )
        return cast("Context", answer)

    def check_phrasing(self, reply: str, said: Iterable[str] = ()) -> builtins.list[Phrasing]:
        """Where a reply presumes what the user thinks, feels or is; see `Session.check_phrasing`. `said` are
        messages of the user's, whose words may be repeated."""
        answer = self._request("check_phrasing", reply=reply, said=_json.texts("said", said))
        return cast("builtins.list[Phrasing]", answer["findings"])

    # Everything of the user.

    def consolidate(self) -> Consolidated:
        """Makes one memory of many: candidates are believed or let go, what says the same becomes one, what
        cannot be true together is settled or asked, what observations repeat becomes a habit, and digests are
        compiled. One step: the event's token takes all of it back."""
        return cast("Consolidated", self._request("consolidate"))

    def digests(self) -> builtins.list[Digest]:
        """What is known, in short, as lines that cite their facts. Made from what is live right now."""
        return cast("builtins.list[Digest]", self._request("digests")["digests"])

    def sweep(self) -> SweepReport:
        """Does everything that is due for this user; see `Keepmind.sweep`."""
        return cast("SweepReport", self._request("sweep"))

    def export(self) -> str:
        """Everything of the user, as JSON Lines."""
        return cast(str, self._request("export")["lines"])

    def restore_export(self, lines: str) -> Revision:
        """Brings an export back, for a user of whom nothing is known. That it is this user's is your word: where a user
        brings the file, `import_export` looks at whose it is. At most 64 MiB; `keepmind.copy` backs up what is larger."""
        return cast("Revision", self._request("restore_export", lines=_json.text("lines", lines))["revision"])

    def import_export(
        self, lines: str, *, owner: str | None = None, dry_run: bool | None = None
    ) -> ImportReport:
        """Takes over what an export holds in force, beside what is known already: one write, undone as
        one. `owner` says whose export it is, where it is not this user's own."""
        given = {"lines": _json.text("lines", lines), "from": owner, "dry_run": dry_run}
        return cast("ImportReport", self._request("import_export", **given))

    def markdown(self, *, reader: Reader | None = None) -> str:
        """What is live of the user, as one Markdown document to read and edit. For the reader "model" without
        what consent was withdrawn for and without digests."""
        return cast(str, self._request("markdown", reader=reader)["text"])

    def markdown_files(self, *, reader: Reader | None = None) -> builtins.list[MarkdownFile]:
        """The same as a folder: a file for each category."""
        files = self._request("markdown_files", reader=reader)["files"]
        return cast("builtins.list[MarkdownFile]", files)

    def read_markdown(
        self,
        edited: str | Iterable[MarkdownFile],
        *,
        dry_run: bool | None = None,
        reader: Reader | None = None,
    ) -> MarkdownReport:
        """Makes what was edited in such Markdown so: one write, undone as one. A document, or the files
        that were edited. What the reader "model" edited is not the user's word: it needs `dry_run`, and is
        for tools to write."""
        whole = isinstance(edited, str)
        given = {
            "text" if whole else "files": edited if whole else [*edited],
            "dry_run": dry_run,
            "reader": reader,
        }
        return cast("MarkdownReport", self._request("read_markdown", **given))

    def erase(self) -> bool:
        """Everything of the user is gone for good. Whether there was anything."""
        return cast(bool, self._request("erase")["erased"])

    def request(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Runs a request as the C interface takes it: `{"command": …}`, `{"query": …}` or
        `{"request": …}`."""
        answer: dict[str, Any] = self._ask(dict(request))
        return answer

    def __repr__(self) -> str:
        return f"<User {self.name!r}>"

    def _command(self, command: str, **given: object) -> Outcome:
        outcome: Outcome = self._ask(_json.fields("command", command, given))
        return outcome

    def _query(self, query: str, **given: object) -> dict[str, Any]:
        answer: dict[str, Any] = self._ask(_json.fields("query", query, given))
        # Which query it answers is known here.
        del answer["answer"]
        return answer

    def _request(self, request: str, **given: object) -> dict[str, Any]:
        answer: dict[str, Any] = self._ask(_json.fields("request", request, given))
        return answer

    def _ask(self, request: dict[str, object]) -> Any:
        return _request(self._handle.number, request, _json.slowly_written)
