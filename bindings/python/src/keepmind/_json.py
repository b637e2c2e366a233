"""Requests as JSON, and what Python has other words for: moments, ranges of characters, providers' objects."""

from __future__ import annotations

import datetime
import enum
import json
import uuid
from collections.abc import Callable, Iterable, Mapping
from operator import index
from typing import Any

from keepmind._extension import extension
from keepmind.errors import InvalidError, Status, invalid


def _in_plain_words(value: object) -> object:
    """What the standard library does not write, or a mixed enumeration's member by another word than its value."""
    if isinstance(value, enum.Enum):
        return _in_plain_words(value.value)
    if isinstance(value, uuid.UUID):
        return str(value)
    if isinstance(value, dict):
        return {key: _in_plain_words(held) for key, held in value.items()}
    if isinstance(value, (list, tuple)):
        return [_in_plain_words(held) for held in value]
    return value


def _writer(*, allow_nan: bool) -> Callable[[object], bytes]:
    """What writes JSON as the standard library does: whatever JSON has words for, and errors that say what not."""
    encoder = json.JSONEncoder(ensure_ascii=False, allow_nan=allow_nan, separators=(",", ":"))
    # Half of a surrogate pair has no UTF-8, but it has an escape in JSON. In a request it is refused.
    errors = "backslashreplace" if allow_nan else "strict"
    return lambda value: encoder.encode(_in_plain_words(value)).encode(errors=errors)


def _quick_writer(write: Callable[[object], bytes]) -> Callable[[object], bytes]:
    """The same, quickly where that may be: of what is not plain the extension writes nothing."""

    def quick(value: object) -> bytes:
        told: bytes | None = None
        if extension is not None and type(value) is dict:
            told = extension.write(value)
        return write(value) if told is None else told

    return quick


# Not `decode`, which looks for white space around the value: there is none.
_decode = json.JSONDecoder().raw_decode


def read_slowly(answer: bytes) -> Any:
    """What the library answered, by the standard library."""
    return _decode(answer.decode())[0]


def read(answer: bytes) -> Any:
    """What the library answered."""
    if extension is not None:
        try:
            return extension.read(answer)
        except ValueError:
            # Nested deeply, with a longer number than others, or an escape in a name: or no JSON.
            pass
    return read_slowly(answer)


def utf8(text: str) -> bytes:
    """A text for the library."""
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise _not_unicode(f" at character {error.start}") from None
    except AttributeError:
        if isinstance(text, str):
            raise
        raise TypeError(f"a str is wanted, not {type(text).__name__}") from None


def text(name: str, given: str) -> str:
    """A text that must be there: None would be left out of the request."""
    if not isinstance(given, str):
        raise TypeError(f"{name}: a str is wanted, not {type(given).__name__}")
    return given


def _not_unicode(where: str = "") -> InvalidError:
    message = f"a text holds half of a surrogate pair{where}: it is not Unicode"
    return InvalidError(message, status=Status.NOT_UTF8)


_write = _writer(allow_nan=False)


def slowly_written(value: object) -> bytes:
    """A value as JSON, by the standard library."""
    try:
        return _write(value)
    except RecursionError:
        raise invalid("a request is nested too deeply") from None
    except UnicodeEncodeError:
        # Where in the request says nothing of where in the text.
        raise _not_unicode() from None
    except ValueError:
        raise invalid("a request holds a number that JSON has no word for, or holds itself") from None


written = _quick_writer(slowly_written)
"""A value as JSON."""


def fields(table: str, name: str, given: Mapping[str, object]) -> dict[str, object]:
    """A request of a table, with what was given: None means left out."""
    request: dict[str, object] = {field: value for field, value in given.items() if value is not None}
    request[table] = name
    return request


def moment(given: datetime.datetime | str | None) -> str | None:
    """A moment as RFC 3339. One without a time zone would mean another on every machine."""
    if given is None or isinstance(given, str):
        return given
    try:
        has_zone = given.tzinfo is not None and given.utcoffset() is not None
    except AttributeError:
        # It is asked, not its type: other libraries' moments are datetimes in all but the name.
        wanted = "a datetime with a time zone, or a str as RFC 3339 has it"
        raise TypeError(f"a moment is {wanted}, not {type(given).__name__}") from None
    if not has_zone:
        raise invalid("a moment needs a time zone: datetime(…, tzinfo=timezone.utc)")
    try:
        return given.astimezone(datetime.timezone.utc).isoformat()
    except OverflowError:
        raise invalid("a moment lies before the first or after the last that there is in UTC") from None


def as_of(given: tuple[datetime.datetime | str, datetime.datetime | str] | None) -> object:
    """A question about the past: when it was true, and when it was known."""
    if given is None:
        return None
    try:
        valid, known = given
    except (TypeError, ValueError):
        raise TypeError("as_of: two moments are wanted, when it was true and when it was known") from None
    return {"valid": moment(valid), "known": moment(known)}


def spans(content: str, given: bool | Iterable[tuple[int, int]]) -> list[dict[str, int]]:
    """Ranges of characters as the ranges of bytes that the library counts in."""
    if isinstance(given, bool):
        given = [(0, len(content))] if given and content else []
    try:
        pairs = [(index(start), index(end)) for start, end in given]
    except (TypeError, ValueError):
        wanted = "True, or pairs of a start and an end, in a list or the like"
        raise TypeError(f"untrusted: {wanted}, are wanted") from None
    ranges = []
    for start, end in pairs:
        if not 0 <= start <= end <= len(content):
            raise invalid(f"untrusted: {start} to {end} is no range of {len(content)} characters")
        first = len(utf8(content[:start]))
        ranges.append({"start": first, "end": first + len(utf8(content[start:end]))})
    return ranges


def texts(name: str, given: Iterable[str]) -> list[str]:
    """Several texts. One alone is also an iterable of texts: of its letters, which nobody means."""
    if isinstance(given, (str, bytes)):
        # It is not shown: it may be a user's.
        raise TypeError(f"{name}: several texts are wanted, in a list or the like, not one")
    try:
        several = iter(given)
    except TypeError:
        kind = type(given).__name__
        raise TypeError(f"{name}: several texts are wanted, in a list or the like, not {kind}") from None
    return list(several)


_encode_call = _quick_writer(_writer(allow_nan=True))
_CALL = ("id", "call_id", "type", "name", "arguments", "input")
_TOO_DEEP = b"[" * 1_000 + b"]" * 1_000


def tool_call(call: object) -> bytes:
    """A model's tool call as JSON: a text as it is, a mapping, or an object of a provider's client.

    Whatever a model may have written becomes a text, for the library to refuse: it answers the model.
    """
    if isinstance(call, str):
        # Half of a surrogate pair as its escape: see _writer.
        return call.encode(errors="backslashreplace")
    if isinstance(call, dict):
        told = call
    elif isinstance(call, Mapping):
        told = dict(call)
    else:
        # The clients' objects also carry what is only of interest to them.
        told = {name: getattr(call, name) for name in _CALL if getattr(call, name, None) is not None}
        function = getattr(call, "function", None)
        if function is not None:
            told["function"] = {"name": function.name, "arguments": function.arguments}
        given = getattr(call, "args", None)
        if isinstance(given, Mapping) and not {"arguments", "input", "function"} & told.keys():
            # As Gemini's client has it.
            told["arguments"] = dict(given)
        if not told:
            kind = type(call).__name__
            raise TypeError(f"a tool call is a str, a mapping or a provider's object, not {kind}")
    try:
        return _encode_call(told)
    except (RecursionError, ValueError):
        # Nested too deeply, or with no end; or a number that is longer than Python writes.
        return _TOO_DEEP
