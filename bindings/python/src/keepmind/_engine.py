"""The door: a memory for every user of the host, in one file, in PostgreSQL, or in the process's memory."""

from __future__ import annotations

import atexit
import operator
import os
import sys
import threading
import warnings
import weakref
from collections.abc import Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, cast

from keepmind import _calls, _json, _plugs
from keepmind._handles import Handle, free_waiting, in_forked_child
from keepmind._library import library
from keepmind._user import User
from keepmind.errors import ClosedError, ForkedError, KeepmindError, ReentrantError, invalid
from keepmind.types import EmbedderPlug, Log, Model, Moment, Policy

if TYPE_CHECKING:
    from keepmind.types import Check, Durability, Metrics, Progress, SweepReport


_request = _calls.asking(library.km_engine_request)


class Keepmind:
    """Long-term memory for every user of a host. All methods may be called from all threads at once.

    Close it when it is not needed any more, or use it in a `with` statement. It must not be used in a
    process that was forked from one that uses it: start processes with `spawn`, or open it after the fork.

    path: the SQLite file, made where it is not there; a URL `postgres://user:password@host/database`, for a memory
        that as many processes share as open it; or `"memory:"` for a memory that ends with it.
    policy: a preset's name, or what differs from one as a mapping or as JSON.
    model: asked what is worth remembering, for summaries and titles. Without one, code does what it can.
    embedder: with one, memories are found by meaning too; see `Embedder`.
    log: hears what the library has to say; when left out, the logger `keepmind` of `logging` does.
    durability: `full` (what is answered is on disk), `normal` or `off`.
    check: how much of a file is read before it is used: `automatic`, `always` or `header`.
    model_timeout, embedder_timeout: in seconds, how long an answer is waited for.
    model_retries, retry_pause: how often a failing model is asked again, and after how many seconds.
    busy_timeout: in seconds, how long another process may keep the file from us.
    cache_bytes, max_bytes, readers: what caches may take, how large the file may grow, connections that read.
        With PostgreSQL, readers is how many connections there may be, and busy_timeout how long to wait for one and for
        other writers; durability, check and max_bytes are the server's own.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        policy: Policy | None = None,
        model: Model | None = None,
        embedder: EmbedderPlug | None = None,
        log: Log | None = None,
        durability: Durability | None = None,
        check: Check | None = None,
        model_timeout: float | None = None,
        embedder_timeout: float | None = None,
        model_retries: int | None = None,
        retry_pause: float | None = None,
        busy_timeout: float | None = None,
        cache_bytes: int | None = None,
        max_bytes: int | None = None,
        readers: int | None = None,
    ) -> None:
        self._path = os.fspath(path)
        config = _calls.handle(library.km_config_free, library.km_config_new)
        try:
            settings: dict[str, str | None] = {
                "store": self._path,
                "durability": durability,
                "check": check,
                "model_timeout_ms": _milliseconds(model_timeout),
                "embedder_timeout_ms": _milliseconds(embedder_timeout),
                "model_retries": _whole(model_retries),
                "retry_pause_ms": _milliseconds(retry_pause),
                "busy_timeout_ms": _milliseconds(busy_timeout),
                "cache_bytes": _whole(cache_bytes),
                "max_bytes": _whole(max_bytes),
                "readers": _whole(readers),
            }
            for key, value in settings.items():
                if value is not None:
                    _set(config, key, value)
            if policy is not None:
                _set_policy(config, policy)
            if model is not None:
                _set_model(config, model)
            if embedder is not None:
                _set_embedder(config, embedder)
            _set_log(config, _plugs.log_to_logging if log is None else log)
            self._handle = _calls.handle(library.km_engine_free, library.km_engine_open, config.number)
        finally:
            config.free()
        self._given_out: weakref.WeakSet[Handle] = weakref.WeakSet()
        # A signal's handler that closes may run while this thread holds it.
        self._giving = threading.RLock()
        _open.add(self)

    def user(
        self,
        name: str,
        *,
        offset_minutes: int = 0,
        offset_before: tuple[Moment, int] | None = None,
    ) -> User:
        """The memory of one user: the only door to data. `name` is your stable id of the user.

        offset_minutes: how far the user's clock is ahead of UTC.
        offset_before: a moment, and how far the clock was ahead before it, where clocks were moved lately.
        """
        options: dict[str, object] = {"offset_minutes": offset_minutes}
        if offset_before is not None:
            moment, minutes = offset_before
            options["offset_before"] = {"moment": _json.moment(moment), "minutes": minutes}
        told, said = _json.utf8(name), _json.written(options)
        place = (told, len(told), said, len(said))
        handle = _calls.handle(library.km_user_free, library.km_engine_user, self._handle.number, *place)
        return User(handle, name, self)

    def sweep(self, progress: Progress | None = None) -> SweepReport:
        """Does everything that is due, for every user: closes chats that nobody closed, tries again what a
        model failed at, ends what has expired, empties trash. Call it now and then; several processes may.

        progress: hears where it is; what it raises, and False, stop the sweep. The next one goes on.
        """
        watching = 0 if progress is None else _plugs.reserve()
        callback = _plugs.tell_progress if watching else _plugs.nobody_watches
        try:
            if progress is not None:
                _plugs.plug_at(watching, progress)
            report = _calls.text(library.km_engine_sweep, self._handle.number, callback, watching)
        finally:
            _plugs.unplug(watching)
        return cast("SweepReport", _json.read(report))

    def policy(self) -> dict[str, Any]:
        """The policy as it is in force."""
        return self.request({"request": "policy"})

    def metrics(self) -> Metrics:
        """What this process has done so far, for all users together: counts and times. Nothing of it leaves
        the process."""
        return cast("Metrics", self.request({"request": "metrics"}))

    def request(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Runs a request that names its `user`, and its `session` where it is about one."""
        answer: dict[str, Any] = _request(self._handle.number, dict(request), _json.slowly_written)
        return answer

    def close(self) -> None:
        """Finishes what is being written and lets go of the file. Calls that wait for a model go on without
        it. From now on every call on it and on what it gave out raises ClosedError. Closing twice is fine.
        """
        if self._handle.is_freed:
            return
        try:
            _calls.do(library.km_engine_close, self._handle.number)
        except ClosedError:
            pass  # Another thread was faster.
        except (ForkedError, ReentrantError):
            raise  # Nothing was done.
        except BaseException:
            self._let_go()
            raise
        self._let_go()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        raised: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        state = " (closed)" if self._handle.is_freed else ""
        # A URL may hold a password.
        scheme, url, _ = self._path.partition("://")
        shown = f"{scheme}{url}..." if url else self._path
        return f"<Keepmind {shown!r}{state}>"

    def __del__(self) -> None:
        handle = getattr(self, "_handle", None)
        # At the end of the program it is closed in order, and nobody listens any more.
        if handle is not None and not handle.is_freed and not sys.is_finalizing():
            warnings.warn(f"unclosed {self!r}: call close()", ResourceWarning, source=self, stacklevel=2)

    def _gave(self, handle: Handle) -> None:
        """Remembers a handle of a user or a chat, to free it with its own."""
        with self._giving:
            if not self._handle.is_freed:
                self._given_out.add(handle)
                return
        handle.free()

    def _let_go(self) -> None:
        """Frees all handles: what the host plugged in is let go of when the last one is gone."""
        with self._giving:
            self._handle.free()
            given_out = list(self._given_out)
        for handle in given_out:
            handle.free()
        free_waiting()
        _calls.free_texts()


_open: weakref.WeakSet[Keepmind] = weakref.WeakSet()
# They are the parent's to close.
in_forked_child(_open.clear)


@atexit.register
def _close_all() -> None:
    """At the end of the program: from then on the library must not call Python."""
    for keepmind in list(_open):
        try:
            keepmind.close()
        except KeepmindError as error:
            _plugs.logger.warning("not closed at the end of the program: %s", error)
        except BaseException as raised:  # noqa: BLE001 - an interrupt must not keep the others open
            _plugs.logger.warning("not closed at the end of the program", exc_info=raised)
    _plugs.wait_until_unplugged()


def _milliseconds(seconds: float | None) -> str | None:
    if seconds is None:
        return None
    if not 0 <= seconds < 1e12:
        raise invalid("a time in seconds is a number that is not negative")
    return str(round(seconds * 1000))


def _whole(number: int | None) -> str | None:
    return None if number is None else str(int(number))


def _set(config: Handle, key: str, value: str) -> None:
    name, told = _json.utf8(key), _json.utf8(value)
    _calls.do(library.km_config_set, config.number, name, len(name), told, len(told))


def _set_policy(config: Handle, policy: Policy) -> None:
    if not isinstance(policy, str):
        _set(config, "policy", _json.written(dict(policy)).decode())
    elif policy.lstrip().startswith("{"):
        _set(config, "policy", policy)
    else:
        _set(config, "preset", policy)


def _set_model(config: Handle, model: Model) -> None:
    if not callable(model):
        raise TypeError("a model is a function of a request that answers with a str")
    with _plugs.plugging(model) as number:
        _calls.do(
            library.km_config_set_model, config.number, _plugs.ask_model, number, _plugs.finalizer
        )


def _set_embedder(config: Handle, embedder: EmbedderPlug) -> None:
    if not isinstance(embedder, EmbedderPlug):
        raise TypeError("an embedder has embedder_id and dimensions, and can be called: see keepmind.Embedder")
    name = _json.utf8(embedder.embedder_id)
    dimensions = operator.index(embedder.dimensions)
    if not 1 <= dimensions < 1 << 31:
        raise invalid("an embedder has at least one dimension, and no more than a vector can have")
    with _plugs.plugging(embedder) as number:
        _calls.do(
            library.km_config_set_embedder,
            config.number,
            name,
            len(name),
            dimensions,
            _plugs.ask_embedder,
            number,
            _plugs.finalizer,
        )


def _set_log(config: Handle, log: Log) -> None:
    if not callable(log):
        raise TypeError("a log is a function of a level and a message")
    with _plugs.plugging(log) as number:
        _calls.do(library.km_config_set_log, config.number, _plugs.say, number, _plugs.finalizer)
