"""A model that the host plugs in: whatever it does, the chat goes on."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from keepmind import CancelledError, Keepmind, ReentrantError, Session, User
from keepmind.types import Model, ModelRequest

FOUND = json.dumps(
    {
        "ops": [
            {
                "op": "add",
                "content": "User rows on Sundays",
                "quote": "On Sundays I row",
                "confidence": 0.9,
            }
        ]
    }
)


@contextmanager
def chat_with(model: Model, **options: Any) -> Iterator[tuple[User, Session]]:
    options = {"model_retries": 0, "retry_pause": 0, **options}
    with Keepmind("memory:", model=model, **options) as keepmind:
        alice = keepmind.user("alice")
        chat = alice.open_session()
        chat.push("user", "On Sundays I row.")
        yield alice, chat


def test_its_answer_is_learned_from() -> None:
    asked: list[ModelRequest] = []

    def model(request: ModelRequest) -> str:
        asked.append(request)
        return FOUND if request["task"] == "extract" else "A title"

    with chat_with(model) as (alice, chat):
        closed = chat.close()
        assert closed["closing"] == "learned"
        assert alice.list()["rows"][0]["body"]["claim"]["content"] == "User rows on Sundays"
    request = next(request for request in asked if request["task"] == "extract")
    assert set(request) == {"task", "system", "prompt", "schema", "max_output_tokens"}
    assert "On Sundays I row." in request["prompt"]
    assert request["max_output_tokens"] > 0


class LastingError(Exception):
    """Asking again will not help."""

    retryable = False


class HidingError(Exception):
    """Does not say whether asking again will help."""

    @property
    def retryable(self) -> bool:
        raise RuntimeError


async def answers_later(request: ModelRequest) -> str:
    return "{}"


def raises(raised: BaseException) -> Model:
    def model(request: ModelRequest) -> str:
        raise raised

    return model


def answers(answer: Any) -> Model:
    return lambda request: answer


@pytest.mark.parametrize(
    ("model", "told", "retryable"),
    [
        (raises(ConnectionError("with somebody's words")), "the model raised ConnectionError", True),
        (raises(LastingError()), "the model raised LastingError", False),
        (raises(HidingError()), "the model raised HidingError", True),
        (raises(KeyboardInterrupt()), "the model raised KeyboardInterrupt", True),
        (raises(SystemExit(3)), "the model raised SystemExit", True),
        (raises(StopIteration()), "the model raised StopIteration", True),
        (answers(None), "the model answered with a NoneType, where a str is wanted", False),
        (answers(b"bytes"), "the model answered with a bytes, where a str is wanted", False),
        (answers_later, "the model answered with a coroutine, where a str is wanted", False),
        (answers("half a pair \ud800"), "the model raised InvalidError", False),
    ],
)
def test_a_failure_is_told_and_tried_again_later(model: Model, told: str, retryable: bool) -> None:
    with chat_with(model) as (alice, chat):
        closed = chat.close()
        assert closed["closing"] == "deferred"
        assert closed["failure"] == {"message": told, "retryable": retryable}
        assert alice.save("Lives in Ghent")["verdict"] == "done"


def test_what_may_pass_is_asked_again_and_what_lasts_is_not() -> None:
    for raised, is_asked_again in ((ConnectionError(), True), (LastingError(), False)):
        asked: list[str] = []

        def model(request: ModelRequest, raised: Exception = raised) -> str:
            asked.append(request["task"])
            raise raised

        with chat_with(model, model_retries=2) as (_, chat):
            chat.close()
        assert (asked.count("extract") > 1) == is_asked_again


def test_a_slow_answer_is_not_waited_for() -> None:
    ended = threading.Event()

    def model(request: ModelRequest) -> str:
        time.sleep(0.5)
        ended.set()
        return FOUND

    heard: list[str] = []
    log = lambda level, message: heard.append(f"{level}: {message}")  # noqa: E731
    with chat_with(model, model_timeout=0.05, log=log) as (_, chat):
        started = time.monotonic()
        closed = chat.close()
        assert time.monotonic() - started < 0.45
        assert closed["closing"] == "deferred"
        assert closed["failure"]["retryable"]
        # The answer that comes too late harms nobody.
        assert ended.wait(5)
        assert chat.view()["messages"]
    assert "warning: the model was not waited for any longer" in heard


def test_a_model_that_calls_the_library_is_told() -> None:
    seen: list[BaseException] = []
    calls: list[Callable[[], object]] = []

    def model(request: ModelRequest) -> str:
        for call in calls:
            try:
                call()
            except ReentrantError as raised:
                seen.append(raised)
        return FOUND

    with chat_with(model) as (alice, chat):
        calls += [
            lambda: alice.save("Lives in Ghent"),
            lambda: alice.open_session(),
            lambda: chat.cancel(),
            lambda: Keepmind("memory:"),
            lambda: alice._keepmind.close(),
        ]
        assert chat.close()["closing"] == "learned"
        assert len(seen) >= 5
        rows = alice.list()["rows"]
        assert len([row for row in rows if row["body"]["claim"]["layer"] == "fact"]) == 1


def test_a_close_is_cancelled_while_the_model_thinks() -> None:
    thinking, go_on = threading.Event(), threading.Event()

    def model(request: ModelRequest) -> str:
        thinking.set()
        go_on.wait(10)
        return FOUND

    raised: list[BaseException] = []

    def close(chat: Session) -> None:
        try:
            chat.close()
        except CancelledError as error:
            raised.append(error)

    with chat_with(model) as (_, chat):
        closing = threading.Thread(target=close, args=(chat,))
        closing.start()
        assert thinking.wait(10)
        chat.cancel()
        closing.join(10)
        assert not closing.is_alive()
        assert len(raised) == 1
        go_on.set()


def test_a_model_that_hangs_does_not_cost_a_thread_for_every_chat() -> None:
    go_on = threading.Event()

    def model(request: ModelRequest) -> str:
        go_on.wait(30)
        return FOUND

    def thinking() -> int:
        return sum(thread.name == "keepmind model" for thread in threading.enumerate())

    with Keepmind("memory:", model=model, model_timeout=0.001, retry_pause=0) as keepmind:
        alice = keepmind.user("alice")
        for _ in range(80):
            with alice.open_session() as chat:
                chat.push("user", "On Sundays I row.")
        assert thinking() == 64
        go_on.set()
        while thinking():
            time.sleep(0.01)
        # One that has come round is asked again.
        assert chat.push("user", "And I swim.")
        assert chat.close()["closing"] in ("learned", "deferred")


def test_an_answer_may_be_long() -> None:
    with chat_with(answers("x" * 10_000_000)) as (_, chat):
        assert chat.close()["closing"] in ("learned", "deferred")
