"""The module in Rust that does what is asked most without the interpreter, where it is there: in a wheel for CPython, or as
KEEPMIND_EXTENSION names it. All works without it, and what a call costs more from Python is up to twice as much."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any, Protocol, cast

if TYPE_CHECKING:
    from keepmind import _quick


class Extension(Protocol):
    """What the module has."""

    Function: type[_quick.Function]
    Failed: type[_quick.Failed]
    Unread: type[_quick.Unread]

    def write(self, value: dict[Any, Any]) -> bytes | None: ...

    def read(self, answer: bytes) -> Any: ...


def _load() -> Extension | None:
    place = os.environ.get("KEEPMIND_EXTENSION")
    # It is made for an interpreter with its lock: one without is another interpreter.
    if place == "" or "t" in getattr(sys, "abiflags", ""):
        return None
    if place is None:
        try:
            from keepmind import _quick
        except ImportError:
            return None
        return _quick
    # Only who works on the package waits for these.
    from importlib.machinery import ExtensionFileLoader
    from importlib.util import module_from_spec, spec_from_loader

    loader = ExtensionFileLoader("keepmind._quick", place)
    spec = spec_from_loader(loader.name, loader)
    if spec is None:
        raise ImportError(f"{place} is no module of Python's")
    named = module_from_spec(spec)
    loader.exec_module(named)
    return cast(Extension, named)


extension = _load()
