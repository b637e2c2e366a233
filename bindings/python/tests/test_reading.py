"""What the library answers is read the same, whether orjson is installed or not."""

from __future__ import annotations

import sys

import pytest

from keepmind import Keepmind, _calls, _json
from keepmind._library import library

ODD = {"long": 2**63, "short": -(2**63), "share": 0.1, "tiny": 5e-324, "texts": ["é", "😀", "\u2028", '"\\/'], "none": [{}]}


def test_both_readers_read_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    with Keepmind("memory:") as keepmind:
        alice = keepmind.user("alice")
        alice.save("I drink tea ☕ at 5", value=ODD)
        request = _json.written({"query": "recall", "text": "tea"})
        answer = _calls.text(library.km_user_request, alice._handle.number, request, len(request))
    monkeypatch.setitem(sys.modules, "orjson", None)
    by_standard_library = _json._reader()
    assert by_standard_library.__module__ == "keepmind._json"
    read = by_standard_library(answer)
    assert read == _json.read(answer)
    assert read["hits"][0]["row"]["body"]["claim"]["value"] == ODD


def test_orjson_is_used_where_it_is_installed() -> None:
    orjson = pytest.importorskip("orjson")
    assert _json._reader() is orjson.loads
