"""A host that touches the files of a store which is open in the same process: SQLite's locks belong to the process, and
Python has a SQLite of its own, which gives them up for both."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from keepmind import Keepmind, KeepmindError

if sys.platform == "win32":
    pytest.skip("files in use are not removed there", allow_module_level=True)

FACTS = "SELECT count(*) FROM memory"


def look(file: Path) -> None:
    """Looks into the file, as one does."""
    connection = sqlite3.connect(file)
    connection.execute(FACTS).fetchone()
    connection.close()


def back_up(file: Path) -> None:
    """Copies what lies there. Meanwhile somebody else looks into it, and is alone with it by then."""
    for name in (file, Path(f"{file}-wal"), Path(f"{file}-shm")):
        shutil.copyfile(name, f"{name}.copy")
    look = f"import sqlite3; c = sqlite3.connect({str(file)!r}); c.execute({FACTS!r}).fetchone(); c.close()"
    subprocess.run([sys.executable, "-c", look], check=True)


@pytest.mark.parametrize("touch", [look, back_up])
def test_nothing_is_acknowledged_that_nobody_would_find(touch: Callable[[Path], None], tmp_path: Path) -> None:
    file = tmp_path / "memories.db"
    with Keepmind(file) as keepmind:
        alice = keepmind.user("alice")
        alice.save("Lives in Lisbon")
        touch(file)
        for _ in range(2):
            with pytest.raises(KeepmindError, match="close this store and open it again"):
                alice.save("Has moved to Porto")
    with Keepmind(file) as keepmind:
        alice = keepmind.user("alice")
        contents = [row["body"]["claim"]["content"] for row in alice.list()["rows"]]
        assert "Lives in Lisbon" in contents
        alice.save("Has moved to Faro")
    connection = sqlite3.connect(file)
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()
