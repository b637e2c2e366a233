"""The extension is there where a wheel was installed, can be left out, and is never half there."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import resources

import pytest


def loaded(named: str | None) -> subprocess.CompletedProcess[str]:
    """What Python says of its extension, with this one named."""
    environment = {name: value for name, value in os.environ.items() if name != "KEEPMIND_EXTENSION"}
    if named is not None:
        environment["KEEPMIND_EXTENSION"] = named
    program = "from keepmind._extension import extension; print(bool(extension))"
    return subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=60
    )


def test_it_is_left_out_where_none_is_named() -> None:
    assert loaded("").stdout == "False\n"


def test_what_is_named_must_be_there() -> None:
    told = loaded("/nowhere/_quick.so")
    assert told.returncode == 1 and "ImportError" in told.stderr


def test_a_wheel_has_it() -> None:
    if not any(file.name.startswith("libkeepmind.") for file in resources.files("keepmind").iterdir()):
        pytest.skip("this is no installed wheel")
    assert loaded(None).stdout == "True\n"
