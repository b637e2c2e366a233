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
from keepmind import Keepmind, KeepmindError, User

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
    elsewhere(f"import sqlite3; c = sqlite3.connect({str(file)!r}); c.execute({FACTS!r}).fetchone(); c.close()")


def look_while_another_saves(file: Path) -> None:
    """Looks into the file; then another process saves something, and is through."""
    look(file)
    elsewhere(f"from keepmind import Keepmind\nwith Keepmind({str(file)!r}) as k: k.user('bob').save('Drinks tea')")


def move(file: Path) -> None:
    """Moves the file, and back when it was closed."""
    file.rename(file.with_name("moved.db"))


def contents(user: User) -> list[str]:
    """What is known of somebody."""
    return [row["body"]["claim"]["content"] for row in user.list()["rows"]]


def elsewhere(program: str) -> None:
    """Runs it in another process."""
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.parametrize("is_opened_again", [False, True])
@pytest.mark.parametrize("touch", [look, back_up, look_while_another_saves, move])
def test_nothing_is_acknowledged_that_nobody_would_find(
    touch: Callable[[Path], None], is_opened_again: bool, tmp_path: Path
) -> None:
    file = tmp_path / "memories.db"
    keepmind = Keepmind(file)
    keepmind.user("alice").save("Lives in Lisbon")
    if is_opened_again:
        # And nothing was written since.
        keepmind.close()
        keepmind = Keepmind(file)
    with keepmind:
        alice = keepmind.user("alice")
        touch(file)
        for _ in range(2):
            with pytest.raises(KeepmindError, match="close this store and open it again"):
                alice.save("Has moved to Porto")
    if touch is move:
        file.with_name("moved.db").rename(file)
    with Keepmind(file) as keepmind:
        alice = keepmind.user("alice")
        assert contents(alice) == ["Lives in Lisbon"]
        alice.save("Has moved to Faro")
        assert len(contents(keepmind.user("bob"))) == (touch is look_while_another_saves)
    connection = sqlite3.connect(file)
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()


def test_a_file_without_a_log_that_is_only_read_stays_as_it_is(tmp_path: Path) -> None:
    with Keepmind(tmp_path / "memories.db") as keepmind:
        keepmind.user("alice").save("Lives in Lisbon")
    file = tmp_path / "copy.db"
    connection = sqlite3.connect(tmp_path / "memories.db")
    connection.execute("VACUUM INTO ?", [str(file)])
    connection.close()
    before = file.read_bytes()
    with Keepmind(file) as keepmind:
        assert contents(keepmind.user("alice")) == ["Lives in Lisbon"]
    assert file.read_bytes() == before
    with Keepmind(file) as keepmind:
        keepmind.user("alice").save("Drinks tea")
    with Keepmind(file) as keepmind:
        assert sorted(contents(keepmind.user("alice"))) == ["Drinks tea", "Lives in Lisbon"]


def test_a_file_that_is_put_back_while_it_is_only_read_stays_as_it_was_put_there(tmp_path: Path) -> None:
    file = tmp_path / "memories.db"
    with Keepmind(file) as keepmind:
        keepmind.user("alice").save("Lives in Lisbon")
    backup = file.read_bytes()
    # Somebody saves, and dies.
    save = "for n in range(40): k.user('alice').save(f'Has been to town {n}')"
    elsewhere(f"import os\nfrom keepmind import Keepmind\nk = Keepmind({str(file)!r})\n{save}\nos._exit(0)")
    with Keepmind(file) as keepmind:
        assert len(contents(keepmind.user("alice"))) > 1
        for name in ("memories.db-wal", "memories.db-shm"):
            (tmp_path / name).unlink()
        file.write_bytes(backup)
    assert file.read_bytes() == backup
    with Keepmind(file) as keepmind:
        assert contents(keepmind.user("alice")) == ["Lives in Lisbon"]


def test_a_path_means_the_same_wherever_the_process_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "there").mkdir()
    monkeypatch.chdir(tmp_path)
    with Keepmind("memories.db") as keepmind:
        keepmind.user("alice").save("Lives in Lisbon")
    # What writes is opened later.
    with Keepmind("memories.db") as keepmind:
        monkeypatch.chdir(tmp_path / "there")
        keepmind.user("alice").save("Drinks tea")
    assert list((tmp_path / "there").iterdir()) == []
    with Keepmind(tmp_path / "memories.db") as keepmind:
        assert sorted(contents(keepmind.user("alice"))) == ["Drinks tea", "Lives in Lisbon"]
