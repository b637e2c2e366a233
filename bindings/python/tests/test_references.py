"""Nothing is kept that nobody needs: what is plugged in, handles, memory, threads, files."""

from __future__ import annotations

import gc
import os
import threading
import time
import weakref
from ctypes import byref, c_char_p, c_void_p, cast
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from keepmind import Embedder, Keepmind, KeepmindError, Status, StoreError, _calls, _handles, _json, _plugs, _user, copy
from keepmind._library import library
from keepmind.types import ModelRequest


class Model:
    """A model that can be watched going away, and that holds on to the engine that it is plugged into."""

    keepmind: Keepmind | None = None

    def __call__(self, request: ModelRequest) -> str:
        return '{"ops":[]}'


def gone(reference: weakref.ref[Any]) -> bool:
    """Whether it went away: a call that has just ended may take a moment to let go."""
    for _ in range(200):
        gc.collect()
        if reference() is None:
            return True
        time.sleep(0.01)
    return False


def test_what_is_plugged_in_goes_when_the_engine_is_closed() -> None:
    model, embed, log = Model(), lambda texts: [[1.0, 2.0]] * len(texts), lambda level, message: None
    watched = [weakref.ref(thing) for thing in (model, embed, log)]
    keepmind = Keepmind("memory:", model=model, embedder=Embedder(embed, "e", 2), log=log)
    model.keepmind = keepmind
    alice = keepmind.user("alice")
    with alice.open_session() as chat:
        chat.push("user", "On Sundays I row.")
    alice.save("Lives in Ghent")
    keepmind.close()
    del model, embed, log
    gc.collect()
    # Its users and chats are still held; the model is held by nobody.
    assert all(gone(reference) for reference in watched[1:])
    del keepmind
    assert gone(watched[0])
    assert alice.name == "alice"


@pytest.mark.parametrize(
    "options", [{"policy": "no such preset"}, {"durability": "maybe"}, {"max_bytes": -1}]
)
def test_what_is_plugged_in_goes_when_opening_fails(options: dict[str, object]) -> None:
    model = Model()
    watched = weakref.ref(model)
    before = dict(_plugs._plugged)
    with pytest.raises(Exception):  # noqa: B017, PT011
        Keepmind("memory:", model=model, **options)  # type: ignore[arg-type]
    with pytest.raises(Exception):  # noqa: B017, PT011
        Keepmind("/no/such/folder/memories.db", model=model)
    del model
    assert gone(watched)
    assert before == _plugs._plugged


def test_a_handle_that_is_collected_inside_a_callback_is_freed_later() -> None:
    with Keepmind("memory:") as keepmind:
        keepmind.user("alice").save("Lives in Ghent")
        held = [keepmind.user(f"user {number}") for number in range(10)]

        def progress(told: object) -> None:
            held.clear()

        keepmind.sweep(progress)
        assert len(_handles._waiting) == 10
        keepmind.user("bob")
        assert len(_handles._waiting) == 0


def resident() -> int:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="there is no /proc here")
def test_a_handle_that_nobody_got_is_freed() -> None:
    freed: list[int] = []

    def free(number: int) -> int:
        freed.append(number)
        return int(library.km_config_free(number))

    def interrupted(out: Any, error: Any) -> int:
        assert library.km_config_new(out, error) == 0
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        _calls.handle(free, interrupted)
    (number,) = freed
    assert library.km_config_free(number) == Status.STALE_HANDLE


@pytest.mark.parametrize("quickly", [False, True])
def test_a_text_or_an_error_that_nobody_got_is_freed(keepmind: Keepmind, quickly: bool) -> None:
    made: list[tuple[int | None, int | None]] = []

    def call(function: Any) -> None:
        if quickly:
            _calls.ask(function, 0, {}, lambda asked: b"{}")
        else:
            _calls.text(function)

    def interrupted(number: int) -> Any:
        def function(*arguments: Any) -> int:
            *_, out, error = arguments
            asked = b'{"query": "get", "target": 1}'
            status = int(library.km_user_request(number, asked, len(asked), out, error))
            made.append((cast(out._obj, c_void_p).value, error._obj.value))
            raise KeyboardInterrupt

        return function

    alice = keepmind.user("alice")
    alice.save("Lives in Ghent")
    _calls.free_texts()
    _calls._places.clear()
    for number in (alice._handle.number, 0):
        with pytest.raises(KeyboardInterrupt):
            call(interrupted(number))
    (text, no_error), (no_text, error) = made
    assert text and error and not no_error and not no_text
    assert library.km_error_free(error) == Status.STALE_HANDLE
    # Both came back empty, and nothing is freed a second time.
    assert not _calls._read_places
    assert all(not out and not error for out, error, _, _ in _calls._places)
    assert alice.get(1)["row"]["body"]["number"] == 1


def test_the_error_of_a_call_that_failed_is_freed() -> None:
    errors: list[int] = []

    def failing(*arguments: Any) -> int:
        status = int(library.km_engine_open(0, *arguments))
        errors.append(arguments[-1]._obj.value)
        return status

    def failing_to_do(error: Any) -> int:
        return failing(byref(c_void_p()), error)

    with pytest.raises(KeepmindError):
        _calls.handle(library.km_engine_free, failing)
    with pytest.raises(KeepmindError):
        _calls.do(failing_to_do)
    assert len(errors) == 2 and all(errors)
    for error in errors:
        assert library.km_error_free(error) == Status.STALE_HANDLE


def test_what_a_callback_raised_is_not_raised_by_a_call_after_one_that_was_interrupted(keepmind: Keepmind) -> None:
    def interrupted(*arguments: Any) -> int:
        _calls.interrupt(ValueError("of the first call"))
        raise KeyboardInterrupt

    alice = keepmind.user("alice")
    alice.save("Lives in Ghent")
    for call in (
        lambda: _calls.do(interrupted),
        lambda: _calls.text(interrupted),
        lambda: _calls.ask(interrupted, 0, {}, lambda asked: b"{}"),
    ):
        with pytest.raises(KeyboardInterrupt):
            call()
        assert alice.get(1)["row"]["body"]["number"] == 1


def test_an_answer_that_cannot_be_read_is_the_stores_fault(keepmind: Keepmind, monkeypatch: pytest.MonkeyPatch) -> None:
    alice = keepmind.user("alice")
    monkeypatch.setattr(_user, "_request", partial(_calls.ask, library.km_user_request))
    monkeypatch.setattr(_calls, "read", lambda answer: _json.read(answer[:-1]))
    with pytest.raises(StoreError) as raised:
        alice.recall("Ghent")
    assert raised.value.status == Status.DAMAGED and raised.value.__cause__ is None

    def no_room(answer: bytes) -> object:
        raise MemoryError

    monkeypatch.setattr(_calls, "read", no_room)
    with pytest.raises(MemoryError):
        alice.recall("Ghent")


def test_opening_and_closing_leaves_nothing_behind(tmp_path: Path) -> None:
    def once() -> None:
        with Keepmind(tmp_path / "memories.db", model=Model(), durability="off") as keepmind:
            alice = keepmind.user("alice")
            with alice.open_session() as chat:
                chat.push("user", "On Sundays I row.")
            alice.erase()

    def counts() -> tuple[int, int, int, int]:
        gc.collect()
        files = len(os.listdir("/proc/self/fd"))
        system_threads = len(os.listdir("/proc/self/task"))
        return files, system_threads, threading.active_count(), len(_plugs._plugged)

    for _ in range(10):
        once()
    before, memory = counts(), resident()
    for _ in range(60):
        once()
    for _ in range(100):
        if counts() <= before:
            break
        time.sleep(0.02)
    assert counts() <= before
    assert resident() - memory < 8 << 20


def test_every_text_is_freed_once_and_none_waits_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    freed: list[int | None] = []
    real = library.km_string_free

    def free(text: c_char_p) -> None:
        freed.append(cast(text, c_void_p).value)
        real(text)

    _calls.free_texts()
    monkeypatch.setattr(library, "km_string_free", free)
    monkeypatch.setattr(_user, "_request", partial(_calls.ask, library.km_user_request))
    with Keepmind("memory:") as keepmind:
        alice = keepmind.user("alice")
        for number in range(40):
            alice.save(f"Lives in Ghent, in house {number}")
        assert 16 < len(freed) < 40
        alice.export()
        assert len(freed) == 41
        alice.get(1)
        assert len(freed) == 41
    assert len(freed) == 42
    assert None not in freed


def test_a_thread_that_gets_the_number_of_one_that_was_interrupted_calls_on(keepmind: Keepmind) -> None:
    alice = keepmind.user("alice")
    _calls._concerned.add(threading.get_ident())
    alice.save("Lives in Ghent")
    assert not _calls._concerned
    # Of another thread nothing is known here.
    _calls._concerned.add(-1)
    try:
        assert alice.get(1)["row"]["body"]["number"] == 1
        assert _calls._concerned == {-1}
    finally:
        _calls._concerned.discard(-1)


def test_calls_leave_nothing_behind(keepmind: Keepmind) -> None:
    alice = keepmind.user("alice")
    alice.save("Lives in Ghent")

    def calls(times: int) -> None:
        for _ in range(times):
            alice.get(1)
            alice.recall("Ghent")
            try:
                alice.get(99)
            except Exception:  # noqa: BLE001, S110
                pass

    calls(200)
    gc.collect()
    before, memory = len(gc.get_objects()), resident() if Path("/proc/self/statm").exists() else 0
    calls(2_000)
    gc.collect()
    assert len(gc.get_objects()) - before < 100
    if memory:
        assert resident() - memory < 4 << 20


def test_what_watches_goes_with_an_interrupt(keepmind: Keepmind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is left on the table, the end of the program waits for."""
    plug_at = _plugs.plug_at

    def interrupted(number: int, function: Any) -> None:
        plug_at(number, function)
        raise KeyboardInterrupt

    before = dict(_plugs._plugged)
    monkeypatch.setattr(_plugs, "plug_at", interrupted)
    with pytest.raises(KeyboardInterrupt):
        keepmind.sweep(lambda told: None)
    with pytest.raises(KeyboardInterrupt):
        copy(tmp_path / "one.db", tmp_path / "other.db", progress=lambda told: None)
    with pytest.raises(KeyboardInterrupt):
        Keepmind("memory:", model=lambda request: "")
    assert _plugs._plugged == before
