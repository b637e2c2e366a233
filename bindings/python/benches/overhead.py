"""What a call costs from Python: one JSON line for each operation.

    python overhead.py --store memory: --rows 1000 --calls 40 --repeats 5

`microseconds` is CPU time of the whole process, the library's own threads included; `thread_microseconds` of the
calling thread alone. Both are the median of batches, for one call.

`keepmind-bench ops --through python` runs it beside the same calls in Rust.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from keepmind import Keepmind, Session, User

GLUE = "the a in and to of with for on at is was has from".split()


def made_up() -> Iterator[str]:
    """Sentences without end, no two alike: few words are used often, as in any language."""
    chance = random.Random("keepmind")
    letters = "bcdfghklmnprstvz", "aeiou"
    words = ["".join(chance.choice(letters[place % 2]) for place in range(6)) for _ in range(5_000)]
    weights = list(itertools.accumulate(1 / (rank + 2.7) for rank in range(len(words))))
    for number in itertools.count():
        wanted = 7 + chance.randrange(8)
        sentence = [
            chance.choice(GLUE) if chance.random() < 0.4 else word
            for word in chance.choices(words, cum_weights=weights, k=wanted)
        ]
        yield f"{chance.choice(words).capitalize()} {' '.join(sentence)}. {number}"


def given(path: Path) -> Iterator[str]:
    """The lines of a file, over and over; no two alike."""
    lines = path.read_text(encoding="utf-8").splitlines()
    yield from lines
    for number in itertools.count():
        yield from (f"{line} {number}" for line in lines)


class Calls:
    """What is called, by the names that the Rust benchmark has for it."""

    def __init__(self, user: User) -> None:
        self.user = user
        self.chat: Session = user.open_session()

    def save(self, text: str) -> None:
        self.user.save(text)

    def get(self, text: str) -> None:
        self.user.get(1)

    def recall(self, text: str) -> None:
        self.user.recall(text)

    def push(self, text: str) -> None:
        self.chat.push("user", text)

    def tool_save(self, text: str) -> None:
        self.chat.call_tool({"name": "save_memory", "arguments": {"content": text}})

    def block(self, text: str) -> None:
        self.chat.block()


def batch(call: Callable[[str], None], texts: list[str]) -> tuple[float, float]:
    """CPU time of one call, of the process and of this thread, in microseconds."""
    thread, process = time.thread_time_ns(), time.process_time_ns()
    for text in texts:
        call(text)
    process, thread = time.process_time_ns() - process, time.thread_time_ns() - thread
    return process / len(texts) / 1000, thread / len(texts) / 1000


def main() -> None:
    parser = argparse.ArgumentParser(description="What a call costs from Python.")
    parser.add_argument("--store", default="memory:", help="a file's path, or memory:")
    parser.add_argument("--rows", type=int, default=1_000, help="how many facts there are")
    parser.add_argument("--calls", type=int, default=40, help="how many calls a batch has")
    parser.add_argument("--repeats", type=int, default=5, help="how many batches count")
    parser.add_argument("--durability", default="off", choices=["full", "normal", "off"])
    parser.add_argument("--words", type=Path, help="what is said, a text a line; made up when left out")
    options = parser.parse_args()
    texts = given(options.words) if options.words else made_up()
    with Keepmind(options.store, durability=options.durability) as keepmind:
        user = keepmind.user("alice")
        for text in itertools.islice(texts, options.rows):
            user.save(text)
        calls = Calls(user)
        for call in (calls.save, calls.get, calls.recall, calls.push, calls.tool_save, calls.block):
            measured = []
            # The first batch warms and does not count.
            for _ in range(options.repeats + 1):
                inputs = list(itertools.islice(texts, options.calls))
                calls.chat = user.open_session()
                if call == calls.tool_save:
                    for text in inputs:
                        calls.push(text)
                measured.append(batch(call, inputs))
            process, thread = zip(*measured[1:], strict=True)
            told = {
                "operation": call.__name__,
                "microseconds": round(statistics.median(process), 2),
                "thread_microseconds": round(statistics.median(thread), 2),
                "calls": options.calls * options.repeats,
            }
            print(json.dumps(told), flush=True)


if __name__ == "__main__":
    main()
