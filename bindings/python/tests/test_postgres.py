"""The same memory on a server, and copies there and back.

`KEEPMIND_POSTGRES_URL` names a server whose database may be written to. The program `cluster` of the Rust tests makes one:

    target/debug/cluster python -m pytest bindings/python
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import keepmind
from keepmind import Keepmind, KeepmindError, NotFoundError, Status
from keepmind.types import CopyProgress

URL = os.environ.get("KEEPMIND_POSTGRES_URL", "")
needs_server = pytest.mark.skipif(not URL, reason="there is no server: KEEPMIND_POSTGRES_URL is not set")


def filled(path: Path) -> Path:
    with Keepmind(path) as opened:
        for name in ("alice", "bob"):
            opened.user(name).save("Lives in Ghent")
    return path


def test_a_copy_tells_of_every_user_and_passes_over_who_is_there(tmp_path: Path) -> None:
    source, target = filled(tmp_path / "one.db"), tmp_path / "two.db"
    told: list[CopyProgress] = []
    report = keepmind.copy(source, target, progress=told.append)
    assert (report["copied"], report["refused"], report["stopped"]) == (2, [], False)
    assert [(at["owner"], at["outcome"], at["owners"], at["total"]) for at in told] == [
        ("alice", "copied", 1, 2),
        ("bob", "copied", 2, 2),
    ]
    assert keepmind.copy(source, target)["unchanged"] == 2
    with Keepmind(target) as opened:
        opened.user("bob").save("Drinks tea")
    report = keepmind.copy(source, target)
    assert [refused["owner"] for refused in report["refused"]] == ["bob"]
    assert keepmind.copy(source, target, replace=True)["replaced"] == 1


def test_a_copy_stops_when_told_and_raises_what_was_raised(tmp_path: Path) -> None:
    source, target = filled(tmp_path / "one.db"), tmp_path / "two.db"
    report = keepmind.copy(source, target, progress=lambda at: at["owners"] < 1)
    assert report["stopped"]

    def fail(_: CopyProgress) -> None:
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        keepmind.copy(source, target, progress=fail)
    with pytest.raises(NotFoundError):
        keepmind.copy(tmp_path / "none.db", target)


def test_no_password_is_shown() -> None:
    url = "postgres://alice:s3cret@127.0.0.1:1/none"
    with pytest.raises(KeepmindError) as raised:
        Keepmind(url, busy_timeout=0.1)
    assert raised.value.status in (Status.IO, Status.UNSUPPORTED)
    assert "s3cret" not in f"{raised.value!r} {raised.value}"
    with pytest.raises(KeepmindError) as raised:
        keepmind.copy(url, "memory:")
    assert "s3cret" not in str(raised.value)


@needs_server
def test_a_server_is_opened_by_its_url(tmp_path: Path) -> None:
    with Keepmind(URL) as opened:
        assert URL not in repr(opened)
        alice = opened.user("alice of python")
        alice.save("Lives in Ghent")
        with alice.open_session() as chat:
            chat.push("user", "I only buy funds.")
        assert alice.recall("ghent")
    with Keepmind(URL, readers=2, busy_timeout=5) as again:
        rows = again.user("alice of python").list()["rows"]
        contents = [row["body"]["claim"]["content"] for row in rows]
        assert contents[:2] == ["Lives in Ghent", "User only buys funds"]
    assert keepmind.copy(URL, tmp_path / "back.db")["copied"] >= 1
    assert keepmind.copy(tmp_path / "back.db", URL)["unchanged"] >= 1
    with Keepmind(tmp_path / "back.db") as back:
        assert back.user("alice of python").recall("ghent")
