"""Requests are written and answers are read the same, with the extension and without it."""

from __future__ import annotations

import collections
import dataclasses
import datetime
import decimal
import enum
import json
import uuid
from ctypes import CFUNCTYPE, addressof, c_size_t, c_uint32, c_void_p, create_string_buffer, string_at
from functools import partial
from typing import Any, cast

import pytest

from keepmind import InvalidError, Keepmind, KeepmindError, ReentrantError, StoreError, _calls, _json
from keepmind._extension import extension
from keepmind._library import library
from keepmind.errors import Status

ODD = {"long": 2**64 - 1, "short": -(2**63), "share": 0.1, "tiny": 5e-324, "texts": ["é", "😀", "\u2028", '"\\/'], "none": [{}]}


def nested(depth: int) -> list[object]:
    return [nested(depth - 1)] if depth else []


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
    {"longer": "é" * 1_000, "short": "☕", "most": 2**63 - 1, "least": -(2**63)},
    {},
    {"a": "é", "b": 1, "c": {}, "d": {"e": None, "f": True}},
    {"zero": "\0", "control": "\x1f\x7f\u2028", "quotes": '"\\/'},
    {"deep": {"a": {"b": {}}}, "none": [{"a": [{}, [None]]}]},
    {"a": None, "b": "null", "c": [None, True, False, 1, -0.0, 1e300, 5e-324, 0.1]},
]
WRITTEN: list[object] = [
    ODD,
    {"much": ["a" * 1_000] * 2_000},
    {"long": "é" * 1_100_000},
    {"big": 2**70, "small": -(2**70)},
    {"deep": [[[[[[[[[[]]]]]]]]]] * 2, "deeper": nested(200)},
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
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where there is no extension."""
    for module in (_json, _calls):
        monkeypatch.setattr(module, "extension", None)


needs_extension = pytest.mark.skipif(extension is None, reason="there is no extension")


def test_answers_are_read_without_the_extension(plain: None) -> None:
    assert value_of(_json.read(answer())) == repr(ODD)


@needs_extension
def test_both_readers_read_the_same() -> None:
    assert extension
    told = answer()
    assert value_of(extension.read(told)) == repr(ODD)
    assert repr(extension.read(told)) == repr(_json.read_slowly(told))
    for told in (b'{"a":1,"a":2}', b'[{},[],"",0,-1,true,false,null,0.5,1e-7]', '{"é\u2028":"\\ud83d\\ude00☕"}'.encode()):
        assert repr(extension.read(told)) == repr(_json.read_slowly(told))


@needs_extension
def test_what_the_extension_does_not_read_is_read_slowly() -> None:
    assert extension
    deep = b"[" * 500 + b"]" * 500
    for told in (deep, b"18446744073709551616", b"-9223372036854775809", b"-0", b"1e300", b'"\\ud800"', b'{"\\"":1}'):
        with pytest.raises(ValueError):
            extension.read(told)
        assert repr(_json.read(told)) == repr(json.loads(told))
    for told in (b"", b"{", b"[1,]", b'"\xff"', b"nil", b"\x00"):
        for read in (extension.read, _json.read):
            with pytest.raises(ValueError):
                read(told)


@needs_extension
@pytest.mark.parametrize("told", [b'{"a":1}', b"7", b"no JSON", b""])
def test_an_answer_is_freed_once(told: bytes) -> None:
    assert extension
    held = create_string_buffer(told)
    freed: list[int | None] = []

    def function(number: int, asked: int, length: int, answer: int, error: int) -> int:
        c_void_p.from_address(answer).value = addressof(held)
        return 0

    ask, free = ASKED(function), CFUNCTYPE(None, c_void_p)(freed.append)
    answered = extension.Function(*map(_calls._address, (ask, free, library.km_error_free))).ask(7, {})
    assert freed == [addressof(held)]
    if isinstance(answered, extension.Unread):
        assert answered.answer == told
        # What is no JSON is the store's fault, wherever it is noticed.
        with pytest.raises(StoreError) as raised:
            _calls._settled(extension, answered)
        assert raised.value.status == Status.DAMAGED
    else:
        assert _calls._settled(extension, answered) == answered == json.loads(told)


@needs_extension
@pytest.mark.parametrize("is_told", [True, False])
def test_the_error_of_a_call_in_the_extension_is_freed_once(is_told: bool) -> None:
    assert extension
    made: list[int | None] = []

    def function(number: int, asked: int, length: int, answer: int, error: int) -> int:
        status = library.km_config_set(0, b"", 0, b"", 0, c_void_p.from_address(error))
        made.append(c_void_p.from_address(error).value)
        return int(status)

    failing = ASKED(function)
    if is_told:
        with pytest.raises(KeepmindError) as raised:
            _calls.asking(failing)(7, {}, _json.written)
        assert raised.value.status == Status.NULL and str(raised.value)
    else:
        # As where something else was raised when it had returned.
        frees = (library.km_string_free, library.km_error_free)
        failed = extension.Function(*map(_calls._address, (failing, *frees))).ask(7, {})
        assert isinstance(failed, extension.Failed) and failed.error == made[0]
        del failed
    (error,) = made
    assert error and library.km_error_free(error) == Status.STALE_HANDLE


@pytest.mark.parametrize("value", [{"no number": float("nan")}, {"no word": {1}}, {"plain": 1}])
def test_a_call_from_inside_a_callback_is_refused_before_it_is_written(value: dict[str, object]) -> None:
    for ask in (_calls.asking(library.km_user_request), partial(_calls.ask, library.km_user_request)):
        with _calls.inside_callback(), pytest.raises(ReentrantError):
            ask(0, value, _json.written)


def test_both_writers_write_the_same() -> None:
    plain = _json._writer(allow_nan=False)
    for value in [*QUICK, *WRITTEN]:
        told = _json.written(value)
        assert repr(json.loads(told)) == repr(json.loads(plain(value)))
        assert asked(value) == told
    assert _json.written(QUICK[1]) == plain(QUICK[1])


@needs_extension
def test_the_extension_writes_what_is_plain() -> None:
    assert extension
    for value in QUICK:
        assert extension.write(cast("dict[Any, Any]", value)) is not None
    for value in [*WRITTEN, *REFUSED, *NO_WORD]:
        assert extension.write(cast("dict[Any, Any]", value)) is None


@needs_extension
def test_the_extension_takes_no_address_of_nothing() -> None:
    assert extension
    for addresses in ((0, 1, 1), (1, 0, 1), (1, 1, 0)):
        with pytest.raises(ValueError):
            extension.Function(*addresses)
    for wrong in ((-1, 1, 1), (2**64, 1, 1), ("1", 1, 1), (1.5, 1, 1), (1, 1)):
        with pytest.raises((TypeError, OverflowError)):
            extension.Function(*wrong)


def test_what_json_has_no_word_for_is_refused() -> None:
    refuses()


def test_what_json_has_no_word_for_is_refused_without_the_extension(plain: None) -> None:
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


def test_what_a_model_wrote_becomes_a_text_without_the_extension(plain: None) -> None:
    becomes_a_text()


def becomes_a_text() -> None:
    assert _json.tool_call({"name": "half \ud800"}) == b'{"name":"half \\ud800"}'
    assert _json.tool_call({"arguments": {"share": float("nan")}}) == b'{"arguments":{"share":NaN}}'
    for deep in (DEEP, DEEPER):
        assert len(_json.tool_call({"arguments": deep})) <= 2_000


# As the library's functions that are asked in JSON and answer in JSON.
ASKED = CFUNCTYPE(c_uint32, c_void_p, c_void_p, c_size_t, c_void_p, c_void_p)


def asked(value: Any) -> bytes:
    """What the library is asked with."""
    taken: list[bytes] = []

    def function(number: int, told: int, length: int, *places: object) -> int:
        assert number == 7
        taken.append(string_at(told, length))
        return Status.REFUSED

    try:
        _calls.asking(ASKED(function))(7, value, _json.written)
    except KeepmindError:
        if not taken:
            raise
    (told,) = taken
    return told


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
