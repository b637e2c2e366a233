"""What a failed call raises, and what it says."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

import keepmind as package
from keepmind import (
    FullError,
    InvalidError,
    Keepmind,
    KeepmindError,
    NotFoundError,
    RefusedError,
    Status,
    StoreError,
    User,
)


def test_an_error_says_what_and_which_rule(alice: User) -> None:
    with pytest.raises(NotFoundError) as missing:
        alice.get(7)
    assert missing.value.status is Status.NOT_FOUND
    assert missing.value.code == "E_NOT_FOUND"
    assert missing.value.retryable is False
    assert "#7" in str(missing.value)
    alice.save("Owns a red boat")
    alice.save("Owns a blue boat")
    with pytest.raises(KeepmindError) as ambiguous:
        alice.forget("boat")
    assert ambiguous.value.code == "E_AMBIGUOUS"
    token = alice.save("Rows on Sundays")["event"]["undo"]
    alice.undo(token)
    with pytest.raises(RefusedError) as undone:
        alice.undo(token)
    assert undone.value.code == "E_STALE"


def test_errors_quote_nobody(alice: User) -> None:
    for request in (
        {"command": "save", "content": ["SECRET"]},
        {"command": "save", "importance": "SECRET"},
        {"command": "SECRET"},
        {"query": "recall", "text": {"SECRET": 1}},
    ):
        with pytest.raises(InvalidError) as raised:
            alice.request(request)
        assert "SECRET" not in str(raised.value)


@pytest.mark.parametrize(
    "options",
    [
        {"policy": "no such preset"},
        {"policy": {"no such field": 1}},
        {"policy": '{"no such field": 1}'},
        {"durability": "maybe"},
        {"check": "maybe"},
        {"model_timeout": -1},
        {"model_timeout": float("nan")},
        {"busy_timeout": float("inf")},
        {"readers": -1},
        {"cache_bytes": 1 << 80},
    ],
)
def test_wrong_settings_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(InvalidError):
        Keepmind("memory:", **options)


def test_policies_come_as_name_mapping_or_json() -> None:
    for policy in ("advisor", {"preset": "advisor"}, '{"preset": "advisor"}'):
        try:
            opened = Keepmind("memory:", policy=policy)
        except InvalidError as error:
            raise AssertionError(f"{policy!r}: {error}") from error
        with opened:
            names = [tool["function"]["name"] for tool in opened.user("a").open_session().tools()]
            assert "save_preference" in names


def test_files_that_cannot_be_used(tmp_path: Path) -> None:
    foreign = tmp_path / "foreign.db"
    foreign.write_bytes(b"something else entirely" * 1000)
    before = foreign.read_bytes()
    for path in (foreign, tmp_path, tmp_path / "no" / "folder.db"):
        with pytest.raises(StoreError):
            Keepmind(path)
    assert foreign.read_bytes() == before
    with pytest.raises(InvalidError):
        Keepmind("")
    with pytest.raises(TypeError):
        Keepmind(7)  # type: ignore[arg-type]


def test_another_type_is_refused_with_the_one_that_is_wanted(keepmind: Keepmind) -> None:
    alice = keepmind.user("alice")
    chat = alice.open_session()
    wrong: Any = 5
    calls: list[tuple[Callable[[], object], str]] = [
        (lambda: keepmind.user(wrong), "a str is wanted, not int"),
        (lambda: keepmind.user(b"alice"), "a str is wanted, not bytes"),  # type: ignore[arg-type]
        (lambda: alice.session(wrong), "a str is wanted, not int"),
        (lambda: chat.push("user", wrong), "a str is wanted, not int"),
        (lambda: Keepmind("memory:", durability=wrong), "a str is wanted, not int"),
        (lambda: Keepmind(b"memories.db"), "a str is wanted, not bytes"),  # type: ignore[arg-type]
        (lambda: alice.save("Lives in Ghent", since=wrong), "a moment is a datetime with a time zone, or a str"),
        (lambda: chat.push("user", wrong, untrusted=True), "a str is wanted, not int"),
        (lambda: alice.recall("Ghent", as_of=wrong), "as_of: two moments are wanted"),
        (lambda: alice.recall("Ghent", as_of=()), "as_of: two moments are wanted"),  # type: ignore[arg-type]
        (lambda: alice.recall("Ghent", as_of=("a", "b", "c")), "as_of: two"),  # type: ignore[arg-type]
        (lambda: alice.recall("Ghent", as_of=("2026-01-01T00:00:00Z", wrong)), "a moment is"),
        (lambda: alice.save("Lives in Ghent", tags=wrong), "tags: several texts are wanted, .* not int"),
        (lambda: chat.push("user", "Hello", calls=None), "calls: several texts"),  # type: ignore[arg-type]
        (lambda: chat.push("user", "Hello", untrusted=(0, 5)), "untrusted: True, or pairs"),  # type: ignore[arg-type]
        (lambda: chat.push("user", "Hello", untrusted=wrong), "untrusted: True, or pairs"),
        (lambda: chat.push("user", "Hello", untrusted=[("a", "b")]), "untrusted: True, or pairs"),  # type: ignore[list-item]
        (lambda: alice.search_sessions(None), "text: a str is wanted"),  # type: ignore[arg-type]
        (lambda: alice.restore_export(None), "lines: a str is wanted"),  # type: ignore[arg-type]
        (lambda: alice.context(None), "message: a str is wanted, not NoneType"),  # type: ignore[arg-type]
        (lambda: chat.context(None), "message: a str is wanted, not NoneType"),  # type: ignore[arg-type]
    ]
    for call, said in calls:
        with pytest.raises(TypeError, match=said):
            call()
    for no_number in (1.5, "many"):
        with pytest.raises(TypeError, match="as an integer"):
            chat.view(no_number)  # type: ignore[arg-type]
    with pytest.raises(InvalidError, match="half of a surrogate pair: "):
        alice.save("Lives in \ud800")
    with pytest.raises(InvalidError, match="half of a surrogate pair at character 9: "):
        chat.push("user", "Lives in \ud800")
    west = timezone(-timedelta(hours=14))
    with pytest.raises(InvalidError, match="after the last that there is in UTC"):
        alice.save("Lives in Ghent", since=datetime.max.replace(tzinfo=west))
    for budget in (0, -1, 1 << 32):
        with pytest.raises(InvalidError, match="a number of tokens"):
            chat.view(budget)
    assert alice.list()["rows"] == [] and chat.messages()["messages"] == []


def test_what_behaves_like_the_type_that_is_wanted_will_do(alice: User) -> None:
    class Count:
        def __index__(self) -> int:
            return 4_000

    class Moment:
        """As other libraries have them."""

        tzinfo = timezone.utc

        def utcoffset(self) -> timedelta:
            return timedelta()

        def astimezone(self, _: timezone) -> datetime:
            return datetime(2026, 1, 2, tzinfo=timezone.utc)

    count: Any = Count()
    moment: Any = Moment()
    assert "messages" in alice.open_session().view(count)
    alice.save("Lives in Ghent", since=moment)
    assert alice.recall("Ghent", since_from=moment) != []
    moments: Any = (given for given in (moment, moment))
    assert alice.recall("Ghent", as_of=moments) == []


def test_a_file_that_may_not_grow(tmp_path: Path) -> None:
    with Keepmind(tmp_path / "memories.db", max_bytes=600_000) as keepmind:
        chat = keepmind.user("alice").open_session()
        with pytest.raises(FullError):
            for _ in range(200):
                chat.push("user", "a long sentence " * 4_000)


def test_the_log_goes_to_logging_unless_told_otherwise(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="keepmind"):
        Keepmind("memory:").close()
    assert [record.getMessage() for record in caplog.records] == ["opened", "closed"]
    heard: list[tuple[str, str]] = []
    Keepmind("memory:", log=lambda level, message: heard.append((level, message))).close()
    assert heard == [("info", "opened"), ("info", "closed")]


def test_a_log_that_raises_harms_nobody() -> None:
    def log(level: str, message: str) -> None:
        raise ValueError

    with Keepmind("memory:", log=log) as keepmind:
        assert keepmind.user("alice").save("Lives in Ghent")["verdict"] == "done"


def test_ctrl_c_inside_a_log_is_raised_where_the_library_was_called() -> None:
    def log(level: str, message: str) -> None:
        if message == "closed":
            raise KeyboardInterrupt

    keepmind = Keepmind("memory:", log=log)
    with pytest.raises(KeyboardInterrupt):
        keepmind.close()
    keepmind.close()


def test_the_version_is_the_librarys() -> None:
    assert package.__version__ == package.version()
    assert package.__version__.count(".") == 2


def test_a_log_is_a_function() -> None:
    with pytest.raises(TypeError):
        Keepmind("memory:", log=5)  # type: ignore[arg-type]


def test_an_interrupt_while_opening_is_raised_before_anything_else_is_done() -> None:
    interrupted = [False]

    def log(level: str, message: str) -> None:
        if message == "opened":
            interrupted[0] = True
            raise KeyboardInterrupt

    keepmind = Keepmind("memory:", log=log)
    assert interrupted == [True]
    with pytest.raises(KeyboardInterrupt):
        keepmind.user("alice")
    alice = keepmind.user("alice")
    alice.save("Rows a boat")
    assert len(alice.list()["rows"]) == 1
    keepmind.close()


def test_a_handler_of_a_signal_may_close() -> None:
    """It runs on the main thread, between any two lines of it."""
    keepmind = Keepmind("memory:")
    with keepmind._giving:
        keepmind.close()
    assert repr(keepmind).endswith("(closed)>")
