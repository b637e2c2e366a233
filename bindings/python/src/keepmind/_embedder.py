"""A function as an embedder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Embedder:
    """Plugs a function in as an embedder: `Embedder(model.encode, "all-MiniLM-L6-v2", 384)`.

    An object of your own with the same two attributes, that can be called, does as well.
    """

    embed: Callable[[list[str]], Sequence[Sequence[float]]]
    """One vector for each text, in order."""
    embedder_id: str
    """A name that changes whenever the vectors would."""
    dimensions: int
    """How many numbers a vector has."""

    def __call__(self, texts: list[str], /) -> Sequence[Sequence[float]]:
        return self.embed(texts)
