"""One chat: what a host's loop calls."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self, cast

from keepmind import _calls, _json
from keepmind._handles import Handle
from keepmind._library import library
from keepmind._signatures import ROLES, SHAPES
from keepmind.errors import invalid

if TYPE_CHECKING:
    from keepmind._engine import Keepmind
    from keepmind.types import (
        Citation,
        Closed,
        Context,
        Messages,
        Moment,
        Phrasing,
        Pushed,
        RecallStats,
        Recalled,
        Role,
        RunningCall,
        SessionRecord,
        SessionUsage,
        Shape,
        ToolReply,
        Traces,
        UsageKind,
        View,
        Which,
    )


_call_tool = _calls.asking(library.km_session_call_tool)
_request = _calls.asking(library.km_session_request)


class Session:
    """One chat of one user. Made by `User.open_session` and `User.session`; all methods may be called from
    all threads at once. Leaving a `with` statement closes the chat.
    """

    def __init__(self, handle: Handle, keepmind: Keepmind) -> None:
        self._handle = handle
        # As a user does: see there.
        self._keepmind = keepmind
        keepmind._gave(handle)
        self.id: str = _calls.text(library.km_session_id, handle.number).decode()
        """The chat's id, to find it again with `User.session`."""

    def push(
        self,
        role: Role,
        content: str,
        *,
        hidden: str | None = None,
        origin: Literal["typed", "prefill"] | None = None,
        untrusted: bool | Iterable[tuple[int, int]] = (),
        calls: Iterable[str] = (),
    ) -> Pushed:
        """Appends a message: every message of the chat belongs here as it is said, tools' answers too.

        hidden: a part that the model sees and nobody is shown.
        origin: `prefill` where the words were filled in for the speaker, by a link or a button.
        untrusted: ranges of characters of the content that are not the speaker's own words, such as a
        pasted page, as `(start, end)`; True for all of it.
        calls: ids of the tool calls that the message makes or answers.

        The answer has a `block` where the message resumed the chat: it goes into the system prompt from
        then on.
        """
        number = ROLES.get(role)
        if number is None:
            raise invalid(f"a role is one of {', '.join(ROLES)}")
        told = _json.utf8(content)
        options: dict[str, object] = {}
        if hidden is not None:
            options["hidden"] = hidden
        if origin is not None:
            options["origin"] = origin
        if spans := _json.spans(content, untrusted):
            options["untrusted"] = spans
        if named := _json.texts("calls", calls):
            options["calls"] = named
        said = _json.written(options) if options else None
        length = len(said) if said is not None else 0
        answer = _calls.text(
            library.km_session_push, self._handle.number, number, told, len(told), said, length
        )
        return cast("Pushed", _json.read(answer))

    def block(self) -> str:
        """What goes into the system prompt: the same text while the chat is active."""
        return _calls.text(library.km_session_block, self._handle.number).decode()

    def view(self, budget: int | None = None) -> View:
        """What to send to the model, within so many tokens, or the policy's budget when left out."""
        tokens = 0
        if budget is not None:
            tokens = operator.index(budget)
            if not 0 < tokens < 1 << 32:
                raise invalid("a budget is a number of tokens, at least 1")
        answer = _calls.text(library.km_session_view, self._handle.number, tokens)
        return cast("View", _json.read(answer))

    def recall(self, text: str, **filters: Any) -> list[Recalled]:
        """What `User.recall` finds, with the filters that the request takes as they are written in JSON. The
        same question again within a few minutes takes no search, unless something was written."""
        hits: list[Recalled] = self._request("recall", text=text, **filters)["hits"]
        return hits

    def recall_stats(self) -> RecallStats:
        """How often this chat recalled, and how often without a search."""
        return cast("RecallStats", self._request("recall_stats"))

    def context(
        self,
        message: str,
        *,
        budget: int | None = None,
        window: int | None = None,
        recent_messages: int | None = None,
        domains: Iterable[str] = (),
        as_of: tuple[Moment, Moment] | None = None,
    ) -> Context:
        """What to tell the model with a message, for a host that makes the prompt anew each time: `text` and
        `standing` take the place of the block. `used` and `left_out` say what stands in it, and what does not.

        budget: how many tokens the text may take; memories' share of the window when left out.
        recent_messages: how many of the last messages it may tell; 0 where the model is sent the chat itself.
        domains: those whose memories are wanted besides those that the message speaks of.
        as_of: as it would have been: from what was true at one moment, as known at another.
        """
        answer = self._request(
            "context",
            message=_json.text("message", message),
            budget=budget,
            window=window,
            recent_messages=recent_messages,
            domains=_json.texts("domains", domains),
            as_of=_json.as_of(as_of),
        )
        return cast("Context", answer)

    def used(self, target: Which, kind: UsageKind, *, influence: str | None = None) -> None:
        """Records what a fact was used for in this chat, and what that changed, in one line. What is retrieved
        is recorded by itself. It is written with the next message, or when the chat or the engine is closed."""
        self._request("used", target=target, kind=kind, influence=influence)

    def cite(self, answer: str) -> list[Citation]:
        """Which of the memories that were told in this chat an answer of the model's cites, by their numbers or
        in their words. It is recorded."""
        return cast("list[Citation]", self._request("cite", answer=answer)["citations"])

    def why(self) -> SessionUsage:
        """What was used in this chat, by memory: how, how often, and what it changed."""
        answer = self.request({"query": "why"})
        del answer["answer"]
        return cast("SessionUsage", answer)

    def tools(self, shape: Shape = "openai") -> list[Any]:
        """The tools to offer the model: dicts that are ready for the clients of OpenAI (chat completions, and everything
        modelled on them), of Anthropic, or for a server of the Model Context Protocol. Each client has types of its own
        for what it takes, so that the dicts are of any."""
        number = SHAPES.get(shape)
        if number is None:
            raise invalid(f"a shape is one of {', '.join(SHAPES)}")
        answer = _calls.text(library.km_session_tools, self._handle.number, number)
        return cast("list[Any]", _json.read(answer))

    def call_tool(self, call: str | Mapping[str, Any] | object) -> ToolReply:
        """Runs a tool call of the model's.

        call: as the provider wrote it: JSON, a mapping, or the object of its Python client (OpenAI's
        `message.tool_calls[0]`, a `tool_use` block of Anthropic's); or `{"name": …, "arguments": …}`.

        Whatever the model wrote, there is a reply: a refused call is one with `is_error`, and its `message`
        tells the model why. Push the message: `push("tool", reply["message"], calls=[reply["call"]])`.
        """
        number = self._handle.number
        if type(call) is dict:
            reply: ToolReply = _call_tool(number, call, _json.tool_call)
            return reply
        told = _json.tool_call(call)
        return cast("ToolReply", _json.read(_calls.text(library.km_session_call_tool, number, told, len(told))))

    def close(self) -> Closed:
        """Closes the chat: learns from what is new in it. May wait for the model; see `cancel`. A later
        message resumes the chat."""
        return cast("Closed", _json.read(_calls.text(library.km_session_close, self._handle.number)))

    def cancel(self) -> None:
        """Ends the calls that other threads have running on this object: they raise CancelledError. A close
        that was cancelled is finished by a later one, or by the sweep, when its lease has run out
        (`close.lease_seconds` of the policy); until then closing says `by_another`."""
        _calls.do(library.km_session_cancel, self._handle.number)

    def resume(self) -> str:
        """Talks on in a chat that was closed: its new block."""
        return cast(str, self._request("resume")["block"])

    def archive(self) -> None:
        """Puts the chat aside."""
        self._request("archive")

    def trash(self) -> None:
        """Puts the chat in the trash."""
        self._request("trash")

    def restore(self) -> None:
        """Takes the chat out of the trash."""
        self._request("restore")

    def check_phrasing(self, reply: str) -> list[Phrasing]:
        """Where a reply presumes what the user thinks, feels or is, instead of telling what they said. What
        the user wrote lately in this chat may be repeated."""
        return cast("list[Phrasing]", self._request("check_phrasing", reply=reply)["findings"])

    def rename(self, title: str) -> None:
        """Gives the chat a title."""
        self._request("rename", title=title)

    def purge(self) -> None:
        """The chat is gone for good, with its messages."""
        self._request("purge")

    def messages(
        self, *, after: int | None = None, recent: bool = False, limit: int | None = None
    ) -> Messages:
        """What was said, oldest first: after a message's number, or the last ones where `recent`."""
        answer = self._request("messages", after=after, recent=recent or None, limit=limit)
        return cast("Messages", answer)

    def traces(self, *, after: str | None = None, limit: int | None = None) -> Traces:
        """The records of finished tool calls, oldest first."""
        return cast("Traces", self._request("traces", after=after, limit=limit))

    def running(self) -> list[RunningCall]:
        """The tool calls that have not finished."""
        return cast("list[RunningCall]", self._request("running")["calls"])

    def flush(self) -> None:
        """Writes the records of tool calls that wait."""
        self._request("flush")

    def record(self) -> SessionRecord:
        """The chat's record: where it is in its life, its title, its running summary."""
        return cast("SessionRecord", self._request("record"))

    def request(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Runs a request as the C interface takes it: one of this chat, `{"request": …}`, or any command or
        query of its user."""
        answer: dict[str, Any] = _request(self._handle.number, dict(request), _json.slowly_written)
        return answer

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        raised: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # Closing may wait for a model. Whoever presses Ctrl-C does not want to: the sweep closes the chat.
        if raised is None or isinstance(raised, Exception):
            self.close()

    def __repr__(self) -> str:
        return f"<Session {self.id}>"

    def _request(self, request: str, **given: object) -> dict[str, Any]:
        return self.request(_json.fields("request", request, given))
