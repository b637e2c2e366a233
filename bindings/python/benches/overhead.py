"""What calls cost from Python: a line for each line.

    echo '{"call": "save", "inputs": ["I like tea"]}' | python overhead.py --store memory:

Each line of the input names a call and what it is made with, once for each input; it is answered with a line of
numbers, what each of them took besides the library's functions that it called: CPU time in microseconds.

`keepmind-bench ops --through python` asks so, and makes the same calls through C itself: what is done in the library
is the same work, and two processes differ by more than what is looked for.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from ctypes import byref, c_char_p
from functools import partial
from typing import Any

from keepmind import Keepmind, Session, User, _signatures
from keepmind._library import library


class Counted:
    """A function of the library that counts the CPU time spent in it, without the way there and back."""

    __slots__ = ("function",)

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    def __call__(self, *arguments: object) -> Any:
        global spent
        before = time.thread_time_ns()
        try:
            return self.function(*arguments)
        finally:
            spent += time.thread_time_ns() - before - way


# What was spent in the library since it was set to nothing, and what of each function's time is not its own. Not kept
# in the class: a class that changes is looked up anew at each use.
spent = 0
way = 0


def count() -> None:
    """Counts every function from now on."""
    global spent, way
    plain = library.km_user_request
    for name in _signatures.FUNCTIONS:
        setattr(library, name, Counted(getattr(library, name)))
    counted = library.km_user_request
    # A call that is refused at once: what it takes is the way there and back, which is Python's. What it takes more
    # where it is counted is this program's, which a host does not pay.
    out = c_char_p()
    inside, around, bare = [], [], []
    for _ in range(2001):
        spent = 0
        before = time.thread_time_ns()
        counted(None, b"{}", 2, byref(out), None)
        around.append(time.thread_time_ns() - before)
        inside.append(spent)
        before = time.thread_time_ns()
        plain(None, b"{}", 2, byref(out), None)
        bare.append(time.thread_time_ns() - before)
    counting = statistics.median(around) - statistics.median(bare)
    way = int(statistics.median(inside) - counting)


class Calls:
    """What is called, by the names that the Rust benchmark has for it, ready to be made: a host has its words, and a
    model's tool call, before it calls."""

    def __init__(self, user: User) -> None:
        self.user = user
        self.chat: Session = user.open_session()

    def new_chat(self, _: str) -> Callable[[], object]:
        def open_session() -> None:
            self.chat = self.user.open_session()

        return open_session

    def save(self, text: str) -> Callable[[], object]:
        return partial(self.user.save, text)

    def get(self, _: str) -> Callable[[], object]:
        return partial(self.user.get, 1)

    def recall(self, text: str) -> Callable[[], object]:
        return partial(self.user.recall, text)

    def push(self, text: str) -> Callable[[], object]:
        return partial(self.chat.push, "user", text)

    def tool_save(self, text: str) -> Callable[[], object]:
        return partial(self.chat.call_tool, {"name": "save_memory", "arguments": {"content": text}})

    def block(self, _: str) -> Callable[[], object]:
        return self.chat.block


def timed(call: Callable[[], object]) -> float:
    """CPU time of this thread for one call, in microseconds, besides what the library's functions took."""
    global spent
    spent = 0
    before = time.thread_time_ns()
    call()
    return (time.thread_time_ns() - before - spent) / 1000


def main() -> None:
    parser = argparse.ArgumentParser(description="What calls cost from Python.")
    parser.add_argument("--store", default="memory:", help="a file's path, or memory:")
    parser.add_argument("--durability", default="off", choices=["full", "normal", "off"])
    options = parser.parse_args()
    count()
    with Keepmind(options.store, durability=options.durability) as keepmind:
        calls = Calls(keepmind.user("alice"))
        for line in sys.stdin:
            asked = json.loads(line)
            call = getattr(calls, asked["call"])
            print(json.dumps([timed(call(text)) for text in asked["inputs"]]), flush=True)


if __name__ == "__main__":
    main()
