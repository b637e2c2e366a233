"""Handles of the library, freed when nobody holds them any more."""

from __future__ import annotations

import os
import weakref
from collections import deque
from collections.abc import Callable

from keepmind.errors import Status

Free = Callable[[int], int]

# The garbage collector runs where it likes, also inside a callback, where nothing may be freed: what it finds
# there waits here for the next call. Appending to a deque and popping from it need no lock.
_waiting: deque[tuple[Free, int]] = deque()


class Handle:
    """One handle. Freed once: by `free`, when it is collected, or at the end of the program."""

    __slots__ = ("__weakref__", "_freeing", "number")

    def __init__(self, number: int, free: Free) -> None:
        free_waiting()
        self.number = number
        self._freeing = weakref.finalize(self, give_back, free, number)

    @property
    def is_freed(self) -> bool:
        """Whether it was given back."""
        return not self._freeing.alive

    def free(self) -> None:
        """Gives it back. Calls that run on it go on to their end."""
        self._freeing()


def give_back(free: Free, number: int) -> None:
    """Frees a handle now, or where it may not be freed here, with the next call."""
    # Any other failure is of a handle that is gone already, or of a process that was forked.
    if free(number) == Status.REENTRANT:
        _waiting.append((free, number))


def free_waiting() -> None:
    """Frees what could not be freed where it was found."""
    for _ in range(len(_waiting)):
        try:
            free, number = _waiting.popleft()
        except IndexError:
            return
        give_back(free, number)


def in_forked_child(forget: Callable[[], object]) -> None:
    """Has a process that is forked from this one forget what is not its own: the library answers nothing
    there, so it will not say either that it is done with anything."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=forget)
