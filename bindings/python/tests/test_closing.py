"""Closing: in use, twice, used after, forgotten, at the end of the program."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from keepmind import ClosedError, Keepmind, KeepmindError
from keepmind.types import ModelRequest


def test_closing_twice_is_fine_and_nothing_works_after(tmp_path: Path) -> None:
    keepmind = Keepmind(tmp_path / "memories.db")
    alice = keepmind.user("alice")
    chat = alice.open_session()
    name = chat.id
    keepmind.close()
    keepmind.close()
    assert "closed" in repr(keepmind)
    for call in (
        lambda: keepmind.user("alice"),
        lambda: keepmind.sweep(),
        lambda: keepmind.policy(),
        lambda: alice.save("Lives in Ghent"),
        lambda: alice.open_session(),
        lambda: chat.push("user", "Hello"),
        lambda: chat.block(),
        lambda: chat.tools(),
        lambda: chat.cancel(),
        lambda: chat.close(),
    ):
        with pytest.raises(ClosedError):
            call()
    assert chat.id == name
    # The file was let go of: nothing is left beside it.
    assert [path.name for path in tmp_path.iterdir()] == ["memories.db"]


def test_closing_while_others_use_it(tmp_path: Path) -> None:
    keepmind = Keepmind(tmp_path / "memories.db", durability="off")
    alice = keepmind.user("alice")
    started = threading.Barrier(9)

    def work(number: int) -> int:
        started.wait()
        saved = 0
        try:
            for turn in range(10_000):
                alice.save(f"Owns boat {number} of fleet {turn}")
                saved += 1
        except ClosedError:
            return saved
        raise AssertionError("it was not closed")

    with ThreadPoolExecutor(8) as pool:
        working = [pool.submit(work, number) for number in range(8)]
        started.wait()
        time.sleep(0.1)
        keepmind.close()
        saved = sum(done.result() for done in working)
    with Keepmind(tmp_path / "memories.db") as again:
        entries = 0
        feed = again.user("alice").changes()
        while feed["entries"]:
            entries += len(feed["entries"])
            feed = again.user("alice").changes(feed["next"])
    # A save that was being written when the engine closed may have been written.
    assert saved <= entries <= saved + 8


def test_closing_from_many_threads_while_users_are_made() -> None:
    for _ in range(20):
        keepmind = Keepmind("memory:")
        together = threading.Barrier(8)

        def work(
            number: int, keepmind: Keepmind = keepmind, together: threading.Barrier = together
        ) -> None:
            together.wait()
            if number % 2:
                keepmind.close()
                return
            try:
                for turn in range(1_000):
                    keepmind.user(f"user {turn}").open_session()
            except ClosedError:
                return
            raise AssertionError("it was not closed")

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(work, range(8)))


def test_closing_while_a_model_thinks() -> None:
    thinking, go_on, ended = threading.Event(), threading.Event(), threading.Event()

    def model(request: ModelRequest) -> str:
        thinking.set()
        go_on.wait(30)
        ended.set()
        return "{}"

    keepmind = Keepmind("memory:", model=model)
    chat = keepmind.user("alice").open_session()
    chat.push("user", "On Sundays I row.")
    told: list[object] = []

    def close() -> None:
        try:
            told.append(chat.close())
        except KeepmindError as error:
            told.append(error)

    closing = threading.Thread(target=close)
    closing.start()
    assert thinking.wait(10)
    keepmind.close()
    closing.join(10)
    assert not closing.is_alive()
    assert len(told) == 1
    # The answer comes after everything is gone.
    go_on.set()
    assert ended.wait(10)


@pytest.mark.filterwarnings("always::ResourceWarning")
def test_one_that_is_forgotten_is_closed_and_told_of(tmp_path: Path) -> None:
    keepmind = Keepmind(tmp_path / "memories.db")
    alice = keepmind.user("alice")
    chat = alice.open_session()
    alice.save("Lives in Ghent")
    # What it gave out holds it, and goes on.
    del keepmind
    gc.collect()
    chat.push("user", "Hello")
    del chat
    assert len(alice.list()["rows"]) == 1
    with pytest.warns(ResourceWarning, match="unclosed"):
        del alice
        gc.collect()
    assert [path.name for path in tmp_path.iterdir()] == ["memories.db"]


def run(program: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-X", "dev", "-c", program],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_the_end_of_the_program_closes_it(tmp_path: Path) -> None:
    path = tmp_path / "memories.db"
    done = run(
        "import keepmind\n"
        f"opened = keepmind.Keepmind({str(path)!r})\n"
        "alice = opened.user('alice')\n"
        "alice.save('Lives in Ghent')\n"
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert [path.name for path in tmp_path.iterdir()] == ["memories.db"]


@pytest.mark.parametrize("work", ["time.sleep(0.0005)", "sum(range(1000))"])
def test_the_end_of_the_program_does_not_wait_for_a_model_that_hangs(work: str) -> None:
    done = run(
        "import keepmind, sys, threading, time\n"
        "thinking = threading.Event()\n"
        "def model(request):\n"
        "    thinking.set()\n"
        f"    while True: {work}\n"
        "def close():\n"
        "    try: chat.close()\n"
        "    except keepmind.KeepmindError: pass\n"
        "opened = keepmind.Keepmind('memory:', model=model)\n"
        "chat = opened.user('alice').open_session()\n"
        "chat.push('user', 'On Sundays I row.')\n"
        "threading.Thread(target=close, daemon=True).start()\n"
        "thinking.wait(10)\n"
        # Python goes on for a while after it has ended its threads.
        "class Slow:\n"
        "    def __init__(self): self.sleep = time.sleep\n"
        "    def __del__(self): [self.sleep(0.001) for _ in range(100)]\n"
        "sys.slow = Slow()\n"
    )
    assert done.returncode == 0, done.stderr
    assert "FATAL" not in done.stderr


def test_a_sweep_of_a_thread_that_is_left_behind_ends_with_the_program() -> None:
    done = run(
        "import keepmind, threading, time\n"
        "opened = keepmind.Keepmind('memory:')\n"
        "for number in range(50): opened.user(f'user {number}').save('Lives in Ghent')\n"
        "begun = threading.Event()\n"
        "def told(progress):\n"
        "    begun.set(); time.sleep(0.01)\n"
        "def sweep():\n"
        "    try: opened.sweep(told)\n"
        "    except keepmind.KeepmindError: pass\n"
        "threading.Thread(target=sweep, daemon=True).start()\n"
        "begun.wait(10)\n"
    )
    assert done.returncode == 0, done.stderr
