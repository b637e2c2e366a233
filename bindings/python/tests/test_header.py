"""What is declared here is what include/keepmind.h says."""

from __future__ import annotations

import re
from pathlib import Path

from keepmind import Status, _signatures

HEADER = (Path(__file__).resolve().parents[3] / "include" / "keepmind.h").read_text(encoding="utf-8")
CODE = re.sub(r"//.*", "", HEADER)


def test_every_function_is_declared_with_as_many_parameters() -> None:
    found = {}
    for name, parameters in re.findall(r"\b(km_\w+)\(([^()]*)\);", CODE):
        wanted = [] if parameters.strip() == "void" else parameters.split(",")
        found[name] = len(wanted)
    declared = {name: len(arguments) for name, (_, arguments) in _signatures.FUNCTIONS.items()}
    assert len(found) > 30
    assert declared == found


def numbers(prefix: str) -> dict[str, int]:
    return {name: int(value) for name, value in re.findall(rf"#define {prefix}(\w+) (\d+)\b", CODE)}


def test_numbers_are_the_same() -> None:
    assert numbers("KM_ABI()") == {} and f"#define KM_ABI {_signatures.ABI}\n" in HEADER
    assert {name.lower(): value for name, value in numbers("KM_ROLE_").items()} == _signatures.ROLES
    assert {name.lower(): value for name, value in numbers("KM_TOOLS_").items()} == _signatures.SHAPES
    levels = {value: name.lower() for name, value in numbers("KM_LOG_").items()}
    assert levels == _signatures.LOG_LEVELS


def test_every_status_is_known() -> None:
    others = ("ABI", "OK", "ROLE_", "TOOLS_", "LOG_", "MAX_BYTES")
    statuses = {name: value for name, value in numbers("KM_").items() if not name.startswith(others)}
    assert {status.name: status.value for status in Status} == statuses
