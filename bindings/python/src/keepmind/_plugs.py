"""What a host plugs in, as the library calls it: model, embedder, log, progress.

The library is given a number in place of a Python object, so that no pointer can outlive what it points to;
its finaliser takes the object off the table. The functions that it calls are made once and stay.

Models and embedders run on threads of Python's own, never on the library's. When the program ends, Python ends
every thread that wants to run Python code, and with frames of another language below that ends the process.
"""

from __future__ import annotations

import contextlib
import ctypes
import inspect
import itertools
import json
import logging
import threading
import time
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from keepmind import _json
from keepmind._calls import inside_callback, interrupt
from keepmind._handles import in_forked_child
from keepmind._library import library
from keepmind._signatures import (
    LOG_LEVELS,
    EmbedderCallback,
    Finalizer,
    LogCallback,
    ModelCallback,
    ProgressCallback,
)
from keepmind.errors import Status

logger = logging.getLogger("keepmind")
# A library prints nothing unless the host asks for it.
logger.addHandler(logging.NullHandler())

# How many questions one model or embedder may have without an answer: one that hangs must not cost a thread
# for every chat.
_QUESTIONS = 64
# How long the end of the program waits for calls of other threads to return, in seconds.
_LAST_CALLS = 5.0


@dataclass(frozen=True, slots=True, eq=False)
class _Plug:
    """What was plugged in."""

    function: Callable[..., Any]
    free_questions: threading.Semaphore = field(
        default_factory=lambda: threading.Semaphore(_QUESTIONS)
    )


_plugged: dict[int, _Plug] = {}
_numbers = itertools.count(1)
in_forked_child(_plugged.clear)


def reserve() -> int:
    """A number to plug something in at. Whoever has it can take off the table what an interrupt left there."""
    return next(_numbers)


def plug_at(number: int, function: Callable[..., Any]) -> None:
    """Puts it on the table at a reserved number, until `unplug` or the library's finaliser takes it off."""
    _plugged[number] = _Plug(function)


def unplug(number: int) -> None:
    """Takes it off the table."""
    _plugged.pop(number, None)


@contextlib.contextmanager
def plugging(function: Callable[..., Any]) -> Iterator[int]:
    """Puts it on the table, and takes it off where the library could not be told of it."""
    number = reserve()
    try:
        plug_at(number, function)
        yield number
    except BaseException:
        unplug(number)
        raise


def wait_until_unplugged() -> None:
    """At the end of the program: waits until the library will not call Python again."""
    last = time.monotonic() + _LAST_CALLS
    while _plugged and time.monotonic() < last:
        time.sleep(0.001)


def _finalizer(number: int) -> None:
    unplug(number)


def _ask_model(number: int, request: bytes, reply: int) -> None:
    _ask("model", _answer_text, number, request, reply)


def _ask_embedder(number: int, request: bytes, reply: int) -> None:
    _ask("embedder", _answer_vectors, number, request, reply)


_Answer = Callable[[Callable[..., Any], Any, int], None]


def _ask(who: str, answer: _Answer, number: int, request: bytes, reply: int) -> None:
    """Starts a thread that asks it and completes the reply."""
    try:
        plugged = _plugged[number]
        question = json.loads(request)
        if not plugged.free_questions.acquire(blocking=False):
            raise _TooManyQuestions
        arguments = (who, answer, plugged, question, reply)
        try:
            threading.Thread(
                target=_work, args=arguments, name=f"keepmind {who}", daemon=True
            ).start()
        except BaseException:
            plugged.free_questions.release()
            raise
    except BaseException as raised:  # noqa: BLE001 - nothing may be raised into the library
        _failed(who, reply, raised)


def _work(who: str, answer: _Answer, plugged: _Plug, question: Any, reply: int) -> None:
    try:
        with inside_callback():
            answer(plugged.function, question, reply)
    except BaseException as raised:  # noqa: BLE001 - whatever a host's code raises is a failure to answer
        _failed(who, reply, raised)
    finally:
        plugged.free_questions.release()


def _answer_text(model: Callable[..., Any], question: Any, reply: int) -> None:
    answer = model(question)
    if not isinstance(answer, str):
        if inspect.iscoroutine(answer):
            answer.close()
        raise _UnfitAnswer(f"the model answered with a {type(answer).__name__}, where a str is wanted")
    told = _json.utf8(answer)
    _taken(library.km_reply_text(reply, told, len(told), None))


def _answer_vectors(embedder: Callable[..., Any], question: Any, reply: int) -> None:
    flat, count, dimensions = _flat(embedder(question["texts"]))
    address, length = flat.buffer_info()
    if not length:
        raise _UnfitAnswer("the embedder answered without a number")
    values = ctypes.cast(address, ctypes.POINTER(ctypes.c_float))
    _taken(library.km_reply_vectors(reply, values, count, dimensions, None))


def _say(number: int, level: int, message: bytes) -> None:
    try:
        _plugged[number].function(LOG_LEVELS.get(level, "info"), message.decode(errors="replace"))
    except Exception as raised:
        logger.debug("the log raised", exc_info=raised)
    except BaseException as raised:  # noqa: BLE001 - it may run on the main thread, where Ctrl-C is heard
        interrupt(raised)


def _tell_progress(number: int, progress: bytes) -> int:
    try:
        return 1 if _plugged[number].function(json.loads(progress)) is False else 0
    except BaseException as raised:  # noqa: BLE001 - raised again where the sweep was called
        interrupt(raised)
        return 1


# What the library is given to call.
finalizer = Finalizer(_finalizer)
ask_model = ModelCallback(_ask_model)
ask_embedder = EmbedderCallback(_ask_embedder)
say = LogCallback(_say)
tell_progress = ProgressCallback(_tell_progress)
nobody_watches = ProgressCallback()


def log_to_logging(level: str, message: str) -> None:
    """What hears the library where the host plugs in no log of its own."""
    logger.log(getattr(logging, level.upper()), message)


def _flat(vectors: Iterable[Sequence[float]]) -> tuple[array[float], int, int]:
    """All numbers in a row, how many vectors there are, and how long each is."""
    flat = array("f")
    count = 0
    dimensions = 0
    for vector in vectors:
        before = len(flat)
        flat.extend(array("f", vector))
        length = len(flat) - before
        if count and length != dimensions:
            raise ValueError(f"vectors of {dimensions} and of {length} dimensions")
        dimensions = length
        count += 1
    return flat, count, dimensions


class _TooManyQuestions(Exception):
    """As many questions as there may be have no answer yet."""


class _UnfitAnswer(Exception):
    """An answer that cannot be taken; the same one again would fare no better. Its text holds
    nothing of the host's but the name of a type."""

    retryable = False


def _taken(status: int) -> None:
    # A stale reply came too late: nobody waits for it any more.
    if status not in (0, Status.STALE_HANDLE, Status.FORKED):
        raise _UnfitAnswer(f"the answer was not taken: {Status(status).name}")


def _failed(who: str, reply: int, raised: BaseException) -> None:
    """Completes a reply with a failure. Hosts keep its message, so it holds no words of a host's exception,
    which may be a user's."""
    why = str(raised) if isinstance(raised, _UnfitAnswer) else f"the {who} raised {type(raised).__name__}"
    told = why.encode(errors="replace")
    try:
        retryable = getattr(raised, "retryable", True) is not False
    except BaseException:  # noqa: BLE001 - the host's code, and whoever asked waits
        retryable = True
    library.km_reply_failure(reply, told, len(told), retryable, None)
    try:
        logger.warning("%s; at level DEBUG it is shown where", told.decode())
        logger.debug("the %s raised", who, exc_info=raised)
    except BaseException:  # noqa: BLE001, S110 - a log handler of the host's, and nobody to raise it to
        pass
