"""What was used, how much there is, how well it does, and what wants a look."""

from __future__ import annotations

import pytest

from keepmind import InvalidError, Keepmind, NotFoundError, User


def test_a_chat_says_what_it_used(alice: User) -> None:
    alice.save("User lives in Ghent")
    chat = alice.open_session()
    chat.used(1, "applied", influence="Took the train")
    (cited,) = chat.cite("Since you live in Ghent, take the train.")
    assert (cited["number"], cited["by"]) == (1, "words")
    assert "Ghent" in cited["sentence"]
    assert chat.cite("Hello!") == []
    (memory,) = chat.why()["memories"]
    assert memory["line"] == "User lives in Ghent"
    assert [use["kind"] for use in memory["uses"]] == ["retrieved", "applied", "cited"]
    assert memory["uses"][1]["influences"] == ["Took the train"]
    assert alice.why(chat.id) == chat.why()


def test_the_ledger_is_read_page_by_page(alice: User) -> None:
    alice.save("User lives in Ghent")
    alice.recall("Ghent")
    alice.used("Ghent", "overridden")
    first = alice.usage(1, limit=1)
    assert [use["kind"] for use in first["uses"]] == ["retrieved"]
    rest = alice.usage(1, after=first["next"])
    assert [use["kind"] for use in rest["uses"]] == ["overridden"]
    assert alice.usage(kind="overridden")["uses"] == rest["uses"]
    assert alice.usage(since="2100-01-01T00:00:00Z")["uses"] == []
    with pytest.raises(NotFoundError):
        alice.used(9, "applied")
    with pytest.raises(InvalidError):
        alice.used(1, "applied", influence="")


def test_counts_rates_and_health(keepmind: Keepmind, alice: User) -> None:
    alice.save("User likes green tea")
    alice.save("User does not like green tea")
    stats = alice.stats()
    assert (stats["facts"], stats["by_status"]) == (2, {"live": 2})
    assert alice.metrics()["acceptance_rate"] is None
    (concern,) = alice.health()["concerns"]
    assert (concern["kind"], concern["facts"]) == ("contradiction", [1, 2])
    assert keepmind.metrics()["operations"]["save"]["count"] == 2
