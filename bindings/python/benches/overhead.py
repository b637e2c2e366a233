"""What calls cost from Python, and what the same calls cost in Rust beside them: a line for each line.

    echo '{"side": "python", "call": "save", "inputs": ["I like tea"]}' | python overhead.py --store memory:

Each line of the input names a side, a call and what it is made with, once for each input; it is answered with a line of
numbers, for each of them the CPU time of this thread and of all threads, in microseconds.

`keepmind-bench ops --through python` asks so. Both sides are users of one engine in this process: what a call costs more
from Python is then all that it costs more, also where the library is slower because an interpreter ran before it. The
side `rust`, which makes all calls of a line in one, without the interpreter, is there where the library was built with it,
as the example `beside` of the crate `keepmind-ffi`.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import time
from collections.abc import Callable
from ctypes import CDLL, POINTER, c_bool, c_char_p, c_int64, c_size_t, c_void_p
from functools import partial

from keepmind import Keepmind, Session, User
from keepmind._extension import extension
from keepmind._library import library

Took = tuple[float, float]


def tool_call(text: str) -> dict[str, object]:
    return {"name": "save_memory", "arguments": {"content": text}}


class Python:
    """What is called, by the names that the Rust benchmark has for it, ready to be made: a host has its words, and a
    model's tool call, before it calls."""

    def __init__(self, keepmind: Keepmind) -> None:
        self.user: User = keepmind.user("bob")
        self.chat: Session = self.user.open_session()

    def new_chat(self) -> None:
        self.chat = self.user.open_session()

    def ready(self, call: str, text: str) -> Callable[[], object]:
        if call == "save":
            return partial(self.user.save, text)
        if call == "get":
            return partial(self.user.get, 1)
        if call == "recall":
            return partial(self.user.recall, text)
        if call == "push":
            return partial(self.chat.push, "user", text)
        if call == "tool_save":
            return partial(self.chat.call_tool, tool_call(text))
        if call == "block":
            return self.chat.block
        raise ValueError(call)

    def made(self, call: str, texts: list[str]) -> list[Took]:
        return [timed(self.ready(call, text)) for text in texts]


def timed(ready: Callable[[], object]) -> Took:
    # The thread's clock is looked at last and first: nothing but the call is in between.
    all_threads = time.process_time_ns()
    calling = time.thread_time_ns()
    ready()
    calling = time.thread_time_ns() - calling
    all_threads = time.process_time_ns() - all_threads
    return calling / 1000, all_threads / 1000


class Rust:
    """The same calls as a host in Rust makes them, each timed there."""

    def __init__(self, keepmind: Keepmind) -> None:
        self.engine = keepmind._handle.number
        beside = CDLL(library._name)
        self.open, self.call, self.end = beside.beside_new_chat, beside.beside_call, beside.beside_end
        self.open.restype = self.call.restype = c_bool
        self.open.argtypes = (c_void_p, c_char_p, c_size_t)
        self.call.argtypes = (c_char_p, c_size_t, c_char_p, c_size_t, POINTER(c_int64), c_size_t)
        self.end.restype = None
        self.new_chat()

    def new_chat(self) -> None:
        if not self.open(self.engine, b"alice", 5):
            raise RuntimeError("the user cannot be reached")

    def made(self, call: str, texts: list[str]) -> list[Took]:
        told = [json.dumps(tool_call(text)) if call == "tool_save" else text for text in texts]
        named, given = call.encode(), "\n".join(told).encode()
        took = (c_int64 * (2 * len(texts)))()
        if not self.call(named, len(named), given, len(given), took, len(texts)):
            raise RuntimeError(f"{call} failed")
        return [(took[place] / 1000, took[place + 1] / 1000) for place in range(0, len(took), 2)]


def interpreter() -> str:
    """What is measured: another build of Python, or one without the extension that a wheel has, takes longer."""
    way = "with the extension" if extension else "without the extension, which a wheel has"
    return f"{platform.python_implementation()} {platform.python_version()}, {way}"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--store", default="memory:", help="a path, or memory:")
    store: str = options.parse_args().store
    print(interpreter(), file=sys.stderr)
    with Keepmind(store, durability=None if store == "memory:" else "off") as keepmind:
        python = Python(keepmind)
        rust = Rust(keepmind) if hasattr(library, "beside_call") else None
        sides: dict[str, Python | Rust] = {"python": python, **({"rust": rust} if rust else {})}
        for line in sys.stdin:
            asked = json.loads(line)
            side = sides[asked["side"]]
            if asked["call"] == "new_chat":
                side.new_chat()
                print("[]", flush=True)
            else:
                print(json.dumps(side.made(asked["call"], asked["inputs"])), flush=True)
        if rust:
            rust.end()


if __name__ == "__main__":
    main()
