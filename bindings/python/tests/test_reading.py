"""What the library answers is read the same, whether orjson is installed or not."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from keepmind import Keepmind, _calls, _json
from keepmind._library import library

ODD = {"long": 2**64 - 1, "short": -(2**63), "share": 0.1, "tiny": 5e-324, "texts": ["é", "😀", "\u2028", '"\\/'], "none": [{}]}


def test_answers_are_read_without_orjson(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "orjson", None)
    assert value_of(_json._reader()(answer())) == repr(ODD)


def test_both_readers_read_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    orjson = pytest.importorskip("orjson")
    assert _json._reader() is orjson.loads
    told = answer()
    assert value_of(orjson.loads(told)) == repr(ODD)
    monkeypatch.setitem(sys.modules, "orjson", None)
    assert repr(_json._reader()(told)) == repr(orjson.loads(told))


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
