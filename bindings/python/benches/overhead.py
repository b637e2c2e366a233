"""What calls cost from Python: a line for each line.

    echo '{"call": "save", "inputs": ["I like tea"]}' | python overhead.py --store memory:

Each line of the input names a call and what it is made with, once for each input; it is answered with a line of
numbers, what each of them took: CPU time of the whole process, the library's own threads included, in microseconds.

`keepmind-bench ops --through python` asks so, in turns with the same calls in Rust.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable

from keepmind import Keepmind, Session, User


class Calls:
    """What is called, by the names that the Rust benchmark has for it."""

    def __init__(self, user: User) -> None:
        self.user = user
        self.chat: Session = user.open_session()

    def new_chat(self, _: str) -> None:
        self.chat = self.user.open_session()

    def save(self, text: str) -> None:
        self.user.save(text)

    def get(self, _: str) -> None:
        self.user.get(1)

    def recall(self, text: str) -> None:
        self.user.recall(text)

    def push(self, text: str) -> None:
        self.chat.push("user", text)

    def tool_save(self, text: str) -> None:
        self.chat.call_tool({"name": "save_memory", "arguments": {"content": text}})

    def block(self, _: str) -> None:
        self.chat.block()


def timed(call: Callable[[str], None], text: str) -> float:
    """CPU time of the process for one call, in microseconds."""
    before = time.process_time_ns()
    call(text)
    return (time.process_time_ns() - before) / 1000


def main() -> None:
    parser = argparse.ArgumentParser(description="What calls cost from Python.")
    parser.add_argument("--store", default="memory:", help="a file's path, or memory:")
    parser.add_argument("--durability", default="off", choices=["full", "normal", "off"])
    options = parser.parse_args()
    with Keepmind(options.store, durability=options.durability) as keepmind:
        calls = Calls(keepmind.user("alice"))
        for line in sys.stdin:
            asked = json.loads(line)
            call = getattr(calls, asked["call"])
            print(json.dumps([timed(call, text) for text in asked["inputs"]]), flush=True)


if __name__ == "__main__":
    main()
