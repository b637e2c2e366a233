"""What a call costs from Python: CPU time of the calling thread and of the process, one JSON line for each
operation.

    python overhead.py --store memory: --rows 1000 --repeats 500

`microseconds` is of the whole process, the library's own threads included, as the Rust benchmark counts;
`thread_microseconds` of the calling thread alone. Both are medians of batches, for each call.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable

from keepmind import Keepmind, User

BATCH = 20


def rows(user: User, wanted: int) -> None:
    """Fills the store up to so many facts."""
    there = len(user.list(limit=1)["rows"]) and user.changes(limit=1)["next"]["count"]
    for number in range(there, wanted):
        user.save(f"Owns boat number {number}, painted in shade {number % 17} of blue")


def measured(operation: str, call: Callable[[int], object], repeats: int) -> None:
    """Calls it so often, and tells what one call costs."""
    for number in range(BATCH):
        call(-1 - number)
    whole: list[float] = []
    thread: list[float] = []
    for first in range(0, max(repeats, BATCH), BATCH):
        process_before, thread_before = time.process_time_ns(), time.thread_time_ns()
        for number in range(first, first + BATCH):
            call(number)
        thread.append((time.thread_time_ns() - thread_before) / BATCH / 1000)
        whole.append((time.process_time_ns() - process_before) / BATCH / 1000)
    told = {
        "operation": operation,
        "microseconds": round(statistics.median(whole), 2),
        "thread_microseconds": round(statistics.median(thread), 2),
        "repeats": len(whole) * BATCH,
    }
    print(json.dumps(told), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="What a call costs from Python.")
    parser.add_argument("--store", default="memory:", help="a file's path, or memory:")
    parser.add_argument("--rows", type=int, default=1_000, help="how many facts there are")
    parser.add_argument("--repeats", type=int, default=500, help="how often each is called")
    parser.add_argument("--durability", default="full", help="full, normal or off")
    options = parser.parse_args()
    with Keepmind(options.store, durability=options.durability) as keepmind:
        user = keepmind.user("bench")
        rows(user, options.rows)
        started = time.time_ns()
        measured("save", lambda n: user.save(f"Sails route {n} of season {started}"), options.repeats)
        measured("get", lambda n: user.get(1 + abs(n) % options.rows), options.repeats)
        measured("recall", lambda n: user.recall(f"boat {abs(n) % 100}", limit=5), options.repeats)


if __name__ == "__main__":
    main()
