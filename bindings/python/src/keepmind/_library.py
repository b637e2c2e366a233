"""Finding and loading the library: the file inside the package, or the one that KEEPMIND_LIBRARY names."""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path

from keepmind._signatures import ABI, declare

_NAMES = {"darwin": "libkeepmind.dylib", "win32": "keepmind.dll"}


def _place() -> Path:
    override = os.environ.get("KEEPMIND_LIBRARY")
    if override:
        return Path(override)
    return Path(__file__).with_name(_NAMES.get(sys.platform, "libkeepmind.so"))


def _load() -> ctypes.CDLL:
    place = _place()
    if not place.is_file():
        raise ImportError(
            f"there is no library of keepmind at {place}: install a wheel, or set KEEPMIND_LIBRARY to one "
            "that was built with `cargo build --release --package keepmind-ffi`"
        )
    # CDLL, not PyDLL: the interpreter's lock is released for as long as a call takes.
    library = ctypes.CDLL(str(place))
    declare(library)
    # But for freeing a text, which waits for nothing.
    free = ctypes.PyDLL(str(place)).km_string_free
    free.restype, free.argtypes = library.km_string_free.restype, library.km_string_free.argtypes
    setattr(library, "km_string_free", free)
    found = library.km_abi()
    if found != ABI:
        raise ImportError(f"the library at {place} has interface {found}, this package speaks {ABI}")
    return library


library = _load()


def version() -> str:
    """The library's version, such as 0.1.0."""
    told: bytes = library.km_version()
    return told.decode()
