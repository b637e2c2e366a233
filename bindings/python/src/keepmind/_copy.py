"""From one store to another, before a memory is opened on it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, cast

from keepmind import _calls, _json, _plugs
from keepmind._library import library

if TYPE_CHECKING:
    from keepmind.types import CopyReport, WatchCopy


def copy(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    *,
    replace: bool = False,
    progress: WatchCopy | None = None,
) -> CopyReport:
    """Copies every user from one store into another, without loss: a SQLite file's path or a PostgreSQL URL each.

    Interrupted anywhere, it is called again: users who are there already, exactly so, are passed over. A user of
    whom the target has anything else is left as they are there, and named under `refused` in the report. Nobody
    should write to the source meanwhile.

    replace: they are erased in the target and copied anew instead.
    progress: hears of each user; what it raises, and False, stop the copy. The next one goes on.
    """
    told, wanted = _json.utf8(os.fspath(source)), _json.utf8(os.fspath(target))
    watching = 0 if progress is None else _plugs.reserve()
    callback = _plugs.tell_progress if watching else _plugs.nobody_watches
    try:
        if progress is not None:
            _plugs.plug_at(watching, progress)
        report = _calls.text(
            library.km_copy, told, len(told), wanted, len(wanted), bool(replace), callback, watching
        )
    finally:
        _plugs.unplug(watching)
    return cast("CopyReport", _json.read(report))
