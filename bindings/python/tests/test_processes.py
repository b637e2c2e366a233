"""Other processes: one that was forked is told, one that was spawned works, exceptions travel."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

import keepmind
from keepmind import BusyError, ForkedError, Keepmind, KeepmindError, NotFoundError, Status

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")


def in_child(work: object) -> str:
    """Forks, and answers what the child said."""
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        # That threads and fork do not go together is what this is about.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        try:
            told = work()  # type: ignore[operator]
        except BaseException as raised:  # noqa: BLE001
            told = type(raised).__name__
        os.write(writing, str(told).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as told_by_child:
        told = told_by_child.read()
    assert os.waitpid(child, 0)[1] == 0
    return told


@needs_fork
def test_a_forked_process_is_told_and_the_parent_goes_on(keepmind: Keepmind) -> None:
    alice = keepmind.user("alice")
    alice.save("Lives in Ghent")
    chat = alice.open_session()
    for work in (
        lambda: alice.list(),
        lambda: chat.push("user", "Hello"),
        lambda: keepmind.user("bob"),
        lambda: keepmind.close(),
        lambda: Keepmind("memory:"),
        lambda: Keepmind("memory:", model=lambda request: ""),
    ):
        assert in_child(work) == "ForkedError"
    assert len(alice.list()["rows"]) == 1


@needs_fork
def test_a_child_of_multiprocessing_is_told(keepmind: Keepmind) -> None:
    alice = keepmind.user("alice")
    context = multiprocessing.get_context("fork")
    answers = context.SimpleQueue()

    def work() -> None:
        try:
            alice.save("Lives in Ghent")
        except ForkedError as raised:
            answers.put(str(raised))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        child = context.Process(target=work)
        child.start()
    child.join(30)
    assert child.exitcode == 0
    assert "spawn" in answers.get()


@needs_fork
def test_a_forked_process_that_ends_in_order_does_not_hang(tmp_path: Path) -> None:
    program = (
        "import os, sys, keepmind\n"
        "opened = keepmind.Keepmind('memory:', model=lambda request: '')\n"
        "alice = opened.user('alice'); chat = alice.open_session()\n"
        "child = os.fork()\n"
        "if child == 0: sys.exit(7)\n"
        "status = os.waitpid(child, 0)[1]\n"
        "assert os.waitstatus_to_exitcode(status) == 7\n"
        "alice.save('Lives in Ghent')\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=30)


@needs_fork
def test_what_was_only_imported_may_be_forked() -> None:
    program = (
        "import os, keepmind\n"
        "child = os.fork()\n"
        "with keepmind.Keepmind('memory:') as opened:\n"
        "    assert opened.user('alice').save('Lives in Ghent')['verdict'] == 'done'\n"
        "if child: assert os.waitpid(child, 0)[1] == 0\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=30)


def save_in(path: str, name: str) -> str:
    """What a process of its own does; at the top of the module, where `spawn` finds it."""
    with Keepmind(path) as opened:
        opened.user(name).save("Lives in Ghent")
        try:
            opened.user(name).get(99)
        except NotFoundError:
            raise
    return name


def test_a_spawned_process_works_and_its_exceptions_travel(tmp_path: Path) -> None:
    path = tmp_path / "memories.db"
    with Keepmind(path) as opened:
        with multiprocessing.get_context("spawn").Pool(2) as pool:
            for name in ("alice", "bob"):
                with pytest.raises(NotFoundError) as raised:
                    pool.apply(save_in, (str(path), name))
                assert raised.value.code == "E_NOT_FOUND"
        for name in ("alice", "bob"):
            assert len(opened.user(name).list()["rows"]) == 1


@pytest.mark.parametrize("name", [name for name in keepmind.__all__ if name.endswith("Error")])
def test_every_exception_survives_pickling(name: str) -> None:
    kind = getattr(keepmind, name)
    assert issubclass(kind, KeepmindError)
    assert kind.__doc__
    error = kind("why", status=Status.BUSY, code="E_CODE", retryable=True)
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is kind
    assert str(again) == "why"
    assert (again.status, again.code, again.retryable) == (Status.BUSY, "E_CODE", True)
    assert BusyError("x", status=99).status == 99
