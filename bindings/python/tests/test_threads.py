"""Everything may be used from all threads at once, and other threads run meanwhile."""

from __future__ import annotations

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from keepmind import Keepmind
from keepmind.types import ModelRequest

THREADS = 32


def test_many_threads_on_one_chat(tmp_path: Path) -> None:
    with Keepmind(tmp_path / "memories.db", durability="off") as keepmind:
        alice = keepmind.user("alice")
        chat = alice.open_session()
        together = threading.Barrier(THREADS)

        def work(number: int) -> None:
            together.wait()
            chat.push("user", f"I own boat number {number}.")
            alice.save(f"Owns boat number {number}")
            chat.call_tool({"name": "list_memories", "arguments": {}})
            assert chat.view()["messages"]
            assert alice.recall("boat")

        with ThreadPoolExecutor(THREADS) as pool:
            list(pool.map(work, range(THREADS)))
        numbers = [message["number"] for message in chat.messages(limit=100)["messages"]]
        assert numbers == list(range(1, THREADS + 1))
        rows = alice.list(limit=100)["rows"]
        assert len({row["body"]["claim"]["content"] for row in rows}) == THREADS


def test_other_threads_run_while_the_library_waits() -> None:
    def model(request: ModelRequest) -> str:
        time.sleep(0.4)
        return '{"ops":[]}'

    ticks = 0
    done = threading.Event()

    def tick() -> None:
        nonlocal ticks
        while not done.wait(0.005):
            ticks += 1

    with Keepmind("memory:", model=model) as keepmind:
        chat = keepmind.user("alice").open_session()
        chat.push("user", "On Sundays I row.")
        ticking = threading.Thread(target=tick)
        ticking.start()
        chat.close()
        done.set()
        ticking.join()
    assert ticks > 10


def test_asyncio_to_thread(tmp_path: Path) -> None:
    async def host() -> int:
        keepmind = await asyncio.to_thread(Keepmind, tmp_path / "memories.db")
        alice = keepmind.user("alice")
        chat = await asyncio.to_thread(alice.open_session)
        pushing = (asyncio.to_thread(chat.push, "user", f"Sentence {n}") for n in range(16))
        await asyncio.gather(*pushing)
        await asyncio.to_thread(chat.close)
        messages = await asyncio.to_thread(chat.messages, limit=100)
        await asyncio.to_thread(keepmind.close)
        return len(messages["messages"])

    assert asyncio.run(host()) == 16
