"""What a failed call raises: one class for each thing that a caller does about it."""

from __future__ import annotations

import enum


class Status(enum.IntEnum):
    """How a call ended, as the C interface numbers it."""

    NULL = 1
    NOT_UTF8 = 2
    TOO_LONG = 3
    STALE_HANDLE = 4
    WRONG_HANDLE = 5
    REENTRANT = 6
    FORKED = 7
    PANIC = 8
    CANCELLED = 9
    INVALID = 20
    CONFLICT = 21
    NOT_FOUND = 22
    REFUSED = 23
    BUSY = 24
    FULL = 25
    OUTCOME_UNKNOWN = 26
    CLOSED = 27
    DAMAGED = 28
    FOREIGN = 29
    NEWER = 30
    UNSUPPORTED = 31
    IO = 32


class KeepmindError(Exception):
    """A call failed. The message says what was wrong and what to do, without any user's words.

    What a model does wrong is never raised: see `Session.call_tool`.
    """

    status: Status | int
    """How the call ended."""
    code: str | None
    """The stable name of the rule that objected, such as `E_AMBIGUOUS`; None where none did."""
    retryable: bool
    """Whether the same call can succeed later without a change."""

    def __init__(
        self, message: str, *, status: int, code: str | None = None, retryable: bool = False
    ) -> None:
        super().__init__(message)
        try:
            self.status = Status(status)
        except ValueError:
            self.status = status  # A newer library than this package knows.
        self.code = code
        self.retryable = retryable

    # Exceptions travel between processes, and by themselves would leave all but the message behind.
    def __reduce__(self) -> tuple[object, ...]:
        return _again, (type(self), str(self), int(self.status), self.code, self.retryable)


def _again(
    kind: type[KeepmindError], message: str, status: int, code: str | None, retryable: bool
) -> KeepmindError:
    return kind(message, status=status, code=code, retryable=retryable)


class InvalidError(KeepmindError):
    """The input is wrong; nothing was changed. Mend it and call again."""


class NotFoundError(KeepmindError):
    """What the call names is not there; nothing was changed."""


class RefusedError(KeepmindError):
    """A rule says no; nothing was changed. `code` says which."""


class ConflictError(KeepmindError):
    """The data moved on meanwhile; nothing was changed. Call again."""


class BusyError(KeepmindError):
    """Another writer kept the store busy for too long; nothing was changed. Call again."""


class FullError(KeepmindError):
    """No room is left; nothing was changed."""


class OutcomeUnknownError(KeepmindError):
    """Whether it was written is not known. Look, or call again."""


class ClosedError(KeepmindError):
    """The Keepmind was closed. Open another one."""


class CancelledError(KeepmindError):
    """`Session.cancel` ended the call. What was being written may have been written."""


class ReentrantError(KeepmindError):
    """Called from inside a callback. Let it return, and go on from another thread."""


class ForkedError(KeepmindError):
    """This process was forked from one that uses the library. Start processes with `spawn`, or open a
    Keepmind only after the fork."""


class StoreError(KeepmindError):
    """The file or the disk cannot be used; `status` says why. A file that is there was left as it is."""


class FaultError(KeepmindError):
    """A fault in the library, which was caught. Please report it."""


_KINDS: dict[int, type[KeepmindError]] = {
    Status.NULL: FaultError,
    Status.NOT_UTF8: InvalidError,
    Status.TOO_LONG: InvalidError,
    # Closing a Keepmind frees the handles that it gave out, and nothing else frees one that is in use.
    Status.STALE_HANDLE: ClosedError,
    Status.WRONG_HANDLE: FaultError,
    Status.REENTRANT: ReentrantError,
    Status.FORKED: ForkedError,
    Status.PANIC: FaultError,
    Status.CANCELLED: CancelledError,
    Status.INVALID: InvalidError,
    Status.CONFLICT: ConflictError,
    Status.NOT_FOUND: NotFoundError,
    Status.REFUSED: RefusedError,
    Status.BUSY: BusyError,
    Status.FULL: FullError,
    Status.OUTCOME_UNKNOWN: OutcomeUnknownError,
    Status.CLOSED: ClosedError,
    Status.DAMAGED: StoreError,
    Status.FOREIGN: StoreError,
    Status.NEWER: StoreError,
    Status.UNSUPPORTED: StoreError,
    Status.IO: StoreError,
}

_MESSAGES: dict[int, str] = {
    Status.STALE_HANDLE: "this was closed: open another Keepmind",
    Status.FORKED: "this process was forked from one that uses keepmind: start it with `spawn`, or open a "
    "Keepmind only after the fork",
}


def error_of(status: int, message: str, code: str | None, retryable: bool) -> KeepmindError:
    """The exception for how a call ended."""
    message = _MESSAGES.get(status) or message or f"the call failed with status {status}"
    kind = _KINDS.get(status, KeepmindError)
    return kind(message, status=status, code=code, retryable=retryable)


def invalid(message: str) -> InvalidError:
    """Input that is wrong before the library is asked."""
    return InvalidError(message, status=Status.INVALID)
