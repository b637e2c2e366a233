"""One call into the library: texts in, a text or a handle out, a failure raised."""

from __future__ import annotations

import contextlib
import threading
from collections import deque
from collections.abc import Callable, Iterator
from ctypes import byref, c_char_p, c_void_p, cast
from threading import get_ident
from typing import Any

from keepmind._extension import Extension, extension
from keepmind._handles import Free, Handle, give_back
from keepmind._json import read, read_slowly
from keepmind._library import library
from keepmind.errors import KeepmindError, Status, error_of

Function = Callable[..., Any]
Writer = Callable[[object], bytes]


class _Here(threading.local):
    """What is going on on this thread."""

    is_inside_callback = False
    raised: BaseException | None = None
    """What a callback wanted to raise: the call that it ran inside of raises it or, where that one made a
    handle, the next call before it begins."""


_here = _Here()

# The threads on which one of the two is going on: empty nearly always, which is all that a call looks at then. Numbers of
# threads that ended may stand in it; one that gets such a number looks, and takes it out.
_concerned: set[int] = set()


def _settle() -> None:
    if _here.is_inside_callback or _here.raised is not None:
        _concerned.add(get_ident())
    else:
        _concerned.discard(get_ident())


@contextlib.contextmanager
def inside_callback() -> Iterator[None]:
    """Refuses calls on this thread meanwhile, as the library does on its own: what it asks a model it asks in
    the middle of something."""
    _here.is_inside_callback = True
    _settle()
    try:
        yield
    finally:
        _here.is_inside_callback = False
        _settle()


def interrupt(raised: BaseException) -> None:
    """Has the call that is running on this thread, or the next one, raise it."""
    # First: whatever comes between the two, the next look finds it.
    _concerned.add(get_ident())
    _here.raised = raised


def do(function: Function, *arguments: object) -> None:
    """Calls a function that answers nothing."""
    if _concerned:
        _refuse()
    error = c_void_p()
    try:
        status = function(*arguments, byref(error))
        if status or _concerned:
            _raise(status, error)
    except BaseException:
        _forget()
        raise
    finally:
        _free_error(error)


def handle(free: Free, function: Function, *arguments: object) -> Handle:
    """Calls a function that answers a handle, which is freed by the other one."""
    if _concerned:
        _refuse()
    out = c_void_p()
    error = c_void_p()
    try:
        status = function(*arguments, byref(out), byref(error))
        if status:
            _raise(status, error)
        return Handle(out.value or 0, free)
    except BaseException:
        # Ctrl-C is heard when the function has returned, and nobody has the handle yet.
        if out.value:
            give_back(free, out.value)
        raise
    finally:
        _free_error(error)


# Where a text or an error is put, and how the library is told so: a call takes one and gives it back, so that they need
# not be made for each. Popping from a deque and appending to it need no lock. In these places there is nothing,
_places: deque[tuple[c_char_p, c_void_p, Any, Any]] = deque(maxlen=64)

# and in these what is still to be freed: many at once take a fraction of the time of each after its call.
_read_places: deque[tuple[c_char_p, c_void_p, Any, Any]] = deque()
_MOST_READ = 16
# A longer text is not kept.
_LONG = 16 << 10


def free_texts() -> None:
    """Frees the texts that were read."""
    while True:
        try:
            place = _read_places.popleft()
        except IndexError:
            return
        _empty(place)


def _forget() -> None:
    """Lets go of what a callback wanted the call to raise that has ended otherwise: it is no other call's."""
    if _concerned:
        _here.raised = None
        _settle()


def _empty(place: tuple[c_char_p, c_void_p, Any, Any]) -> None:
    out, error, _, _ = place
    if out:
        library.km_string_free(out)
        out.value = None
    _free_error(error)
    _places.append(place)


def _new_place() -> tuple[c_char_p, c_void_p, Any, Any]:
    out, error = c_char_p(), c_void_p()
    return out, error, byref(out), byref(error)


def text(function: Function, *arguments: object) -> bytes:
    """Calls a function that answers a text."""
    if _concerned:
        _refuse()
    try:
        place = _places.pop()
    except IndexError:
        place = _new_place()
    out, error, at_out, at_error = place
    try:
        # Ctrl-C is heard when the function has returned.
        status = function(*arguments, at_out, at_error)
        if status:
            _raise(status, error)
        told = out.value or b""
    except BaseException:
        _forget()
        _empty(place)
        raise
    _read_places.append(place)
    if len(_read_places) >= _MOST_READ or len(told) > _LONG:
        free_texts()
    if _concerned:
        _raise(0, error)
    return told


def ask(function: Function, number: int, asked: dict[str, Any], written: Writer) -> Any:
    """Calls a function of a handle that is asked in JSON and answers in JSON."""
    if _concerned:
        _refuse()
    told = written(asked)
    return _read_from(read, text(function, number, told, len(told)))


def _read_from(reader: Callable[[bytes], Any], answer: bytes) -> Any:
    try:
        return reader(answer)
    except ValueError:
        # A row that is handed on unread: the library writes none that is no JSON.
        raise error_of(Status.DAMAGED, "what the store holds is no JSON that can be read", None, False) from None


def asking(function: Function) -> Callable[[int, dict[str, Any], Writer], Any]:
    """What calls one of the library's functions so, in the extension where it is there: after a call has waited for the
    database, the interpreter's code is in no cache, and each step that a call takes in it then takes microseconds. `written`
    writes what is not written there."""
    if extension is None:
        return lambda number, asked, written: ask(function, number, asked, written)
    ask_quickly = extension.Function(*map(_address, (function, library.km_string_free, library.km_error_free))).ask

    def asked_quickly(number: int, asked: dict[str, Any], written: Writer) -> Any:
        if _concerned:
            _refuse()
        try:
            # Ctrl-C is heard when it has returned.
            answer = ask_quickly(number, asked)
            if type(answer) is not dict or _concerned:
                is_asked = answer is not NotImplemented
                return _settled(extension, answer) if is_asked else ask(function, number, asked, written)
        except BaseException:
            _forget()
            raise
        return answer

    return asked_quickly


def _address(function: Any) -> int:
    return cast(function, c_void_p).value or 0


def _settled(extension: Extension, answer: Any) -> Any:
    """What came of a call in the extension that is not just answered."""
    if isinstance(answer, extension.Failed):
        try:
            _raise(answer.status, c_void_p(answer.error))
        finally:
            answer.free()
    if _concerned:
        _raise(0, c_void_p())
    return _read_from(read_slowly, answer.answer) if isinstance(answer, extension.Unread) else answer


def _refuse() -> None:
    """Raises what keeps this thread from calling, where anything does."""
    if _here.is_inside_callback:
        message = "called from inside a model or an embedder: let it return, and go on from another thread"
        raise error_of(Status.REENTRANT, message, None, False)
    _raise(0, c_void_p())


def _raise(status: int, error: c_void_p) -> None:
    failed = _read(status, error) if status else None
    raised, _here.raised = _here.raised, None
    _settle()
    if raised is not None:
        raise raised
    if failed is not None:
        raise failed


def _read(status: int, error: c_void_p) -> KeepmindError:
    if not error:
        return error_of(status, "", None, False)
    message: bytes = library.km_error_message(error)
    code: bytes | None = library.km_error_code(error)
    retryable = bool(library.km_error_is_retryable(error))
    return error_of(status, message.decode(), code.decode() if code else None, retryable)


def _free_error(error: c_void_p) -> None:
    if error:
        library.km_error_free(error)
        error.value = None
