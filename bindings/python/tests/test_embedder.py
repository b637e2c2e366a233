"""An embedder that the host plugs in: memories are found by meaning, and its failures cost only its hits."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

import pytest

from keepmind import Embedder, InvalidError, Keepmind, RefusedError, _plugs

WORDS = ("boat", "row", "tea")


def by_words(texts: list[str]) -> list[list[float]]:
    return [[0.1 + text.lower().count(word) for word in WORDS] for text in texts]


class Own:
    """An embedder as a class of the host's."""

    embedder_id = "own-1"
    dimensions = len(WORDS)

    def __call__(self, texts: list[str]) -> Sequence[Sequence[float]]:
        return tuple(tuple(vector) for vector in by_words(texts))


@pytest.mark.parametrize("embedder", [Embedder(by_words, "words-1", len(WORDS)), Own()])
def test_memories_are_found_by_meaning(embedder: Any) -> None:
    with Keepmind("memory:", embedder=embedder) as keepmind:
        alice = keepmind.user("alice")
        alice.save("Rows a boat")
        alice.save("Drinks tea")
        hits = alice.recall("tea tea", by="meaning")
        assert hits[0]["row"]["body"]["claim"]["content"] == "Drinks tea"


def test_arrays_of_numpy_are_vectors() -> None:
    numpy = pytest.importorskip("numpy")
    for kind in (numpy.float32, numpy.float64):
        embedder = Embedder(lambda texts: numpy.array(by_words(texts), dtype=kind), "n", len(WORDS))
        with Keepmind("memory:", embedder=embedder) as keepmind:
            alice = keepmind.user("alice")
            alice.save("Drinks tea")
            assert alice.recall("tea", by="meaning")


def failing(texts: list[str]) -> list[list[float]]:
    raise ConnectionError


@pytest.mark.parametrize(
    "embed",
    [
        failing,
        lambda texts: None,
        lambda texts: [],
        lambda texts: [[] for _ in texts],
        lambda texts: [[1.0]] * len(texts),
        lambda texts: [[1.0, 2.0, 3.0]] * (len(texts) + 1),
        lambda texts: [[1.0] * (3 + number) for number in range(len(texts) + 1)],
        lambda texts: [["a", "b", "c"]] * len(texts),
        lambda texts: [[float("nan")] * 3] * len(texts),
        lambda texts: 7,
    ],
)
def test_a_failing_embedder_costs_only_its_hits(embed: Any) -> None:
    with Keepmind(
        "memory:", embedder=Embedder(embed, "e", 3), model_retries=0, retry_pause=0
    ) as keepmind:
        alice = keepmind.user("alice")
        assert alice.save("Drinks tea")["verdict"] == "done"
        assert alice.recall("tea", by="meaning") == []
        assert len(alice.recall("tea")) == 1


def test_answers_that_cannot_be_used_are_told(caplog: pytest.LogCaptureFixture) -> None:
    embedder = Embedder(lambda texts: [[1.0]] * len(texts), "e", 3)
    warned: list[str] = []

    def log(level: str, message: str) -> None:
        if level == "warning":
            warned.append(message)

    unfit = "the embedder answered a vector of 1 dimensions, 3 are wanted: it is not used"
    with Keepmind("memory:", embedder=embedder, log=log) as keepmind:
        keepmind.user("alice").save("Drinks tea")
    assert set(warned) == {unfit}
    # An embedder of a test before may still have something to say to the logger that all share.
    with Keepmind("memory:", embedder=embedder) as keepmind, caplog.at_level(logging.WARNING, logger="keepmind"):
        keepmind.user("alice").save("Drinks tea")
    assert unfit in {record.getMessage() for record in caplog.records}


def test_what_is_no_embedder_is_refused() -> None:
    with pytest.raises(TypeError, match="embedder_id"):
        Keepmind("memory:", embedder=by_words)  # type: ignore[arg-type]
    for embedder in (Embedder(by_words, "", 3), Embedder(by_words, "e", 0)):
        with pytest.raises(InvalidError):
            Keepmind("memory:", embedder=embedder)
    with Keepmind("memory:") as keepmind, pytest.raises((InvalidError, RefusedError)):
        keepmind.user("alice").recall("tea", by="meaning")


@pytest.mark.parametrize("dimensions", [3.0, "3", None])
def test_dimensions_that_are_no_whole_number_are_refused(dimensions: Any) -> None:
    before = len(_plugs._plugged)
    with pytest.raises(TypeError):
        Keepmind("memory:", embedder=Embedder(by_words, "words-1", dimensions))
    assert len(_plugs._plugged) == before


@pytest.mark.parametrize("name", ["", " ", "two\nlines", "\u200b", "e" * 129])
def test_a_name_that_cannot_be_kept_is_refused(name: str) -> None:
    before = len(_plugs._plugged)
    with pytest.raises(InvalidError):
        Keepmind("memory:", embedder=Embedder(by_words, name, 3))
    assert len(_plugs._plugged) == before


@pytest.mark.parametrize("dimensions", [0, -1, 8_193, 2**64 + 3])
def test_there_are_as_many_dimensions_as_a_vector_can_have(dimensions: int) -> None:
    before = len(_plugs._plugged)
    with pytest.raises(InvalidError):
        Keepmind("memory:", embedder=Embedder(by_words, "words-1", dimensions))
    assert len(_plugs._plugged) == before
