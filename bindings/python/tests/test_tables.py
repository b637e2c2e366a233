"""Every entry of the library's tables has a method: the error for an unknown one lists them all."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from keepmind import InvalidError, Keepmind, Session, User


def entries(request: Callable[[Mapping[str, Any]], object], table: str) -> list[str]:
    with pytest.raises(InvalidError) as raised:
        request({table: "no such entry"})
    named = re.findall(r"`(\w+)`", str(raised.value))
    assert len(named) > 1
    return named


def assert_documented_methods(names: list[str], kind: type) -> None:
    for name in names:
        method = getattr(kind, name, None)
        assert callable(method), f"{kind.__name__} has no {name}"
        assert inspect.getdoc(method), f"{kind.__name__}.{name} is not documented"


def test_commands_and_queries_are_methods_of_a_user(alice: User) -> None:
    commands, queries = entries(alice.request, "command"), entries(alice.request, "query")
    assert len(commands) >= 17
    assert len(queries) >= 9
    assert_documented_methods(commands + queries, User)


def test_requests_of_a_user_are_its_methods(alice: User) -> None:
    assert_documented_methods(entries(alice.request, "request"), User)


def test_requests_of_a_chat_are_its_methods(alice: User) -> None:
    chat = alice.open_session()
    assert_documented_methods(entries(chat.request, "request"), Session)
    assert entries(chat.request, "command") == entries(alice.request, "command")


def test_requests_of_the_engine_are_its_methods(keepmind: Keepmind) -> None:
    assert_documented_methods(entries(keepmind.request, "request"), Keepmind)


# Where Python takes it under another name, or as part of another argument.
RENAMED = {
    ("link", "from"): "from_number",
    ("link", "to"): "to_number",
    ("unlink", "from"): "from_number",
    ("unlink", "to"): "to_number",
    ("import_export", "from"): "owner",
    ("read_markdown", "text"): "edited",
    ("read_markdown", "files"): "edited",
    ("call_tool", "name"): "call",
    ("call_tool", "arguments"): "call",
}
# A chat's messages, where there is no chat.
LEFT_OUT = {(User, "context", "recent_messages")}


@pytest.mark.parametrize(
    ("kind", "table", "least"), [(User, "command", 40), (User, "query", 40), (User, "request", 25), (Session, "request", 35)]
)
def test_methods_take_what_the_table_takes(alice: User, kind: type, table: str, least: int) -> None:
    """An argument that the table has and the method has not: the error for an unknown field lists them."""
    request = alice.request if kind is User else alice.open_session().request
    checked = 0
    for name in entries(request, table):
        with pytest.raises(InvalidError) as raised:
            request({table: name, "no_such_field": 1})
        told = str(raised.value)
        assert "no_such_field" in told, told
        fields = re.findall(r"`(\w+)`", told.split("expected", 1)[1]) if "expected" in told else []
        parameters = inspect.signature(getattr(kind, name)).parameters
        takes_any = any(one.kind is one.VAR_KEYWORD for one in parameters.values())
        for field in fields:
            taken = RENAMED.get((name, field), field) in parameters
            assert taken or takes_any or (kind, name, field) in LEFT_OUT, f"{name} does not take {field}"
        checked += len(fields)
    assert checked >= least


@pytest.mark.parametrize("name", ["save", "recall"])
def test_each_argument_arrives_under_its_own_name(
    alice: User, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those that most calls leave out are taken up one by one."""
    asked: list[dict[str, Any]] = []

    def ask(_: User, request: dict[str, Any]) -> dict[str, Any]:
        asked.append(request)
        return {"hits": []}

    monkeypatch.setattr(User, "_ask", ask)
    _, text, *optional = inspect.signature(getattr(User, name)).parameters
    assert len(optional) > 10
    getattr(alice, name)("some text")
    plain = asked.pop()
    assert plain == {**plain, text: "some text"} and len(plain) == 2 and name in plain.values()
    # What is empty was given too.
    told: dict[str, list[Any]] = {"tags": [[], ["a tag"]], "as_of": [("then", "now")], "authorises_action": [True]}
    arrived = {"as_of": {"valid": "then", "known": "now"}}
    for argument in optional:
        for value in told.get(argument, [f"some {argument}", ""]):
            getattr(alice, name)("some text", **{argument: value})
            assert asked.pop() == {**plain, argument: arrived.get(argument, value)}


@pytest.mark.parametrize("kind", [Keepmind, User, Session])
def test_everything_public_is_documented(kind: type) -> None:
    assert inspect.getdoc(kind)
    public = [name for name in vars(kind) if not name.startswith("_")]
    assert_documented_methods(public, kind)
