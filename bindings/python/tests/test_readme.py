"""What the READMEs show works as it stands there."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1]
PROJECT = PACKAGE.parents[1]
EXAMPLE = PROJECT / "examples" / "python" / "chat.py"


@pytest.mark.parametrize("folder", [PACKAGE, PROJECT])
def test_the_code_runs(folder: Path, tmp_path: Path) -> None:
    readme = (folder / "README.md").read_text(encoding="utf-8")
    (program,) = re.findall(r"```python\n(from keepmind import .*?)```", readme, re.DOTALL)
    command = [sys.executable, "-X", "dev", "-c", program]
    done = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True)
    assert done.stdout == "Saved #1: Only buys funds\n"
    assert done.stderr == ""


def test_the_example_remembers_between_two_runs(tmp_path: Path) -> None:
    command = [sys.executable, "-X", "dev", str(EXAMPLE), "memories.db"]
    for _ in range(2):
        done = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True)
        assert "User works as a carpenter" in done.stdout
        assert "Undid forgot #1: Only buys funds" in done.stdout
        assert done.stderr == ""
