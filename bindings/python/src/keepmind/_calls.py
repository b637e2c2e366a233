"""One call into the library: texts in, a text or a handle out, a failure raised."""

from __future__ import annotations

import contextlib
import ctypes
import threading
from collections.abc import Callable, Iterator
from ctypes import byref, c_void_p
from typing import Any

from keepmind._library import library
from keepmind.errors import KeepmindError, Status, error_of

Function = Callable[..., Any]


class _Here(threading.local):
    """What is going on on this thread."""

    is_inside_callback = False
    raised: BaseException | None = None
    """What a callback wanted to raise: the call that it ran inside of raises it or, where that one made a
    handle, the next call before it begins."""


_here = _Here()


@contextlib.contextmanager
def inside_callback() -> Iterator[None]:
    """Refuses calls on this thread meanwhile, as the library does on its own: what it asks a model it asks in
    the middle of something."""
    _here.is_inside_callback = True
    try:
        yield
    finally:
        _here.is_inside_callback = False


def interrupt(raised: BaseException) -> None:
    """Has the call that is running on this thread, or the next one, raise it."""
    _here.raised = raised


def do(function: Function, *arguments: object) -> None:
    """Calls a function that answers nothing."""
    _may_call()
    error = c_void_p()
    status = function(*arguments, byref(error))
    if status or _here.raised is not None:
        _raise(status, error)


def handle(function: Function, *arguments: object) -> int:
    """Calls a function that answers a handle."""
    _may_call()
    out = c_void_p()
    error = c_void_p()
    status = function(*arguments, byref(out), byref(error))
    if status:
        _raise(status, error)
    return out.value or 0


def text(function: Function, *arguments: object) -> bytes:
    """Calls a function that answers a text."""
    _may_call()
    out = c_void_p()
    error = c_void_p()
    status = function(*arguments, byref(out), byref(error))
    if status:
        _raise(status, error)
    try:
        told = ctypes.string_at(out.value or 0)
    finally:
        library.km_string_free(out)
    if _here.raised is not None:
        _raise(0, error)
    return told


def _may_call() -> None:
    if _here.is_inside_callback:
        message = "called from inside a model or an embedder: let it return, and go on from another thread"
        raise error_of(Status.REENTRANT, message, None, False)
    if _here.raised is not None:
        _raise(0, c_void_p())


def _raise(status: int, error: c_void_p) -> None:
    failed = _read(status, error) if status else None
    raised, _here.raised = _here.raised, None
    if raised is not None:
        raise raised
    if failed is not None:
        raise failed


def _read(status: int, error: c_void_p) -> KeepmindError:
    if not error:
        return error_of(status, "", None, False)
    try:
        message: bytes = library.km_error_message(error)
        code: bytes | None = library.km_error_code(error)
        retryable = bool(library.km_error_is_retryable(error))
    finally:
        library.km_error_free(error)
    return error_of(status, message.decode(), code.decode() if code else None, retryable)
