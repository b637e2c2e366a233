"""What every test starts from: a memory of its own, and a user."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from keepmind import Keepmind, User


@pytest.fixture
def keepmind() -> Iterator[Keepmind]:
    """A memory that ends with the test."""
    with Keepmind("memory:") as opened:
        yield opened


@pytest.fixture
def alice(keepmind: Keepmind) -> User:
    """A user of it."""
    return keepmind.user("alice")
