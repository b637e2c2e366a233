"""Requests are written and answers are read the same, whether msgspec is installed or not."""

from __future__ import annotations

import collections
import dataclasses
import datetime
import decimal
import enum
import json
import sys
import uuid
from collections.abc import Iterator
from typing import Any, cast

import pytest

from keepmind import InvalidError, Keepmind, _calls, _json
from keepmind._library import library

ODD = {"long": 2**64 - 1, "short": -(2**63), "share": 0.1, "tiny": 5e-324, "texts": ["é", "😀", "\u2028", '"\\/'], "none": [{}]}


class Drink(enum.Enum):
    TEA = "tea"


class Size(str, enum.Enum):
    """Another word than its value."""

    LARGE = ("large", 7)

    def __new__(cls, word: str, value: int) -> Size:
        member = str.__new__(cls, word)
        member._value_ = value
        return member


class Word(str):
    pass


@dataclasses.dataclass
class Cup:
    drink: str


Pair = collections.namedtuple("Pair", "one other")
SELF: list[object] = []
SELF.append(SELF)

QUICK: list[object] = [
    {},
    {"a": "é", "b": 1, "c": {}, "d": {"e": None, "f": True}},
    {"zero": "\0", "control": "\x1f\x7f\u2028", "quotes": '"\\/'},
    {"big": 2**70, "small": -(2**70), "deep": {"a": {"b": {}}}, "none": [{"a": [{}, [None]]}]},
    {"a": None, "b": "null", "c": [None, True, False, 1, -0.0, 1e300, 5e-324, 0.1]},
    ODD,
]
WRITTEN: list[object] = [
    {1: "a", 2.5: "b", True: "c", None: "d"},
    {"deep": {"in": [{1: "a"}]}},
    {"subclass": Word("w"), "pair": Pair(1, 2), "tuple": (1, (2,))},
    {"member": Drink.TEA, "id": uuid.UUID(int=7), "size": Size.LARGE},
    {"member": [Drink.TEA, {"size": Size.LARGE}], "none": None},
    {"ordered": collections.OrderedDict(a=1)},
]
DEEP: list[object] = []
DEEPER: dict[str, object] = {}
for _ in range(100_000):
    DEEP, DEEPER = [DEEP], {"": DEEPER}
REFUSED: list[object] = [
    {"deep": DEEP},
    {"deep": DEEPER},
    {"not a number": float("nan")},
    {"endless": float("inf")},
    {"long": 10**5_000},
    {"half": "\ud800"},
    {"\udfff": 1},
    {"deep": [[[]]] * 3, "self": SELF},
]
NO_WORD: list[object] = [
    {"cup": Cup("tea")},
    {"bytes": b"tea"},
    {"set": {1}},
    {"array": bytearray(b"tea")},
    {"span": datetime.timedelta(1)},
    {"price": decimal.Decimal(1)},
    {"deep": {"set": {1}}},
    {"deep": [{"set": {1}}]},
    {"moment": datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)},
    {(1, 2): 3},
]


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """As where msgspec is not installed."""
    monkeypatch.setitem(sys.modules, "msgspec.json", None)
    for module in (_json, _calls):
        monkeypatch.setattr(module, "dump", _json._dumper())
        monkeypatch.setattr(module, "read", _json._reader())
    yield monkeypatch


def test_answers_are_read_without_msgspec(plain: pytest.MonkeyPatch) -> None:
    assert value_of(_json.read(answer())) == repr(ODD)


def test_both_readers_read_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    quick = pytest.importorskip("msgspec.json").Decoder().decode
    assert type(_json.read) is type(quick)
    told = answer()
    assert value_of(quick(told)) == repr(ODD)
    monkeypatch.setitem(sys.modules, "msgspec.json", None)
    assert repr(_json._reader()(told)) == repr(quick(told))


def test_both_writers_write_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    quick = pytest.importorskip("msgspec.json").Encoder().encode
    plain = _json._writer(allow_nan=False)
    taken: list[object] = []

    def watched(value: object) -> bytes:
        taken.append(value)
        told: bytes = quick(value)
        return told

    for module in (_json, _calls):
        monkeypatch.setattr(module, "dump", watched)
    for value in [*QUICK, *WRITTEN]:
        told = _json.written(value)
        assert repr(json.loads(told)) == repr(json.loads(plain(value)))
        assert asked(value) == told
    assert _json.written(QUICK[1]) == plain(QUICK[1])
    taken.pop()
    # Twice each: once as a whole, and once before a call.
    assert taken[::2] == QUICK == taken[1::2]


def test_what_json_has_no_word_for_is_refused() -> None:
    refuses()


def test_what_json_has_no_word_for_is_refused_without_msgspec(plain: pytest.MonkeyPatch) -> None:
    refuses()


def refuses() -> None:
    for value in REFUSED:
        with pytest.raises(InvalidError):
            _json.written(value)
        with pytest.raises(InvalidError):
            asked(value)
    for value in NO_WORD:
        with pytest.raises(TypeError):
            _json.written(value)
        with pytest.raises(TypeError):
            asked(value)


def test_what_a_model_wrote_becomes_a_text() -> None:
    becomes_a_text()


def test_what_a_model_wrote_becomes_a_text_without_msgspec(plain: pytest.MonkeyPatch) -> None:
    becomes_a_text()


def becomes_a_text() -> None:
    assert _json.tool_call({"name": "half \ud800"}) == b'{"name":"half \\ud800"}'
    assert _json.tool_call({"arguments": {"share": float("nan")}}) == b'{"arguments":{"share":NaN}}'
    for deep in (DEEP, DEEPER):
        assert len(_json.tool_call({"arguments": deep})) <= 2_000


def asked(value: Any) -> bytes:
    """What the library is asked with."""

    class Told(Exception):
        pass

    def function(number: int, told: bytes, length: int, *places: object) -> int:
        assert number == 7 and length == len(told)
        raise Told(told)

    with pytest.raises(Told) as told:
        _calls.ask(function, 7, value, _json.written)
    return cast(bytes, told.value.args[0])


def answer() -> bytes:
    """What the library answers, before it is read."""
    with Keepmind("memory:") as keepmind:
        alice = keepmind.user("alice")
        alice.save("I drink tea ☕ at 5", value=ODD)
        request = _json.written({"query": "recall", "text": "tea"})
        return _calls.text(library.km_user_request, alice._handle.number, request, len(request))


def value_of(answered: Any) -> str:
    """Its value, with a word for what is a whole number and what is none."""
    value: dict[str, object] = answered["hits"][0]["row"]["body"]["claim"]["value"]
    return repr({name: value[name] for name in ODD})
