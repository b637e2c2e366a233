"""Commands and queries, through the methods of a user."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from keepmind import ConflictError, InvalidError, Keepmind, NotFoundError, RefusedError, User


def content(alice: User, target: int) -> str:
    return alice.get(target)["row"]["body"]["claim"]["content"]


def test_a_fact_through_its_life(alice: User) -> None:
    saved = alice.save("Lives in Ghent", tags=["home"], importance=0.9)
    assert saved["verdict"] == "done"
    assert saved["event"]["line"] == "Saved #1: Lives in Ghent"
    assert saved["event"]["after"]["body"]["claim"]["tags"] == ["home"]
    assert alice.save("Lives in Ghent")["verdict"] == "unchanged"

    alice.update(1, "Lives in Bruges")
    assert content(alice, 1) == "Lives in Bruges"
    assert [row["body"]["version"] for row in alice.history("#1")["rows"]] == [1, 2]

    alice.confirm("Bruges")
    alice.observed(1, "contradicted")
    alice.forget(1)
    assert alice.visibility(1) == "ended"
    with pytest.raises(NotFoundError):
        alice.get(1)
    alice.restore(1)
    assert alice.visibility(1) == "live"
    alice.trash(1)
    alice.restore(1)
    purged = alice.purge(1)
    assert "undo" not in purged["event"]
    with pytest.raises(NotFoundError):
        alice.history(1)


def test_a_life_a_lineage_and_a_review(alice: User) -> None:
    alice.save("Lives in Ghent")
    alice.update(1, "Lives in Bruges")
    life = alice.timeline(1)
    assert [version["version"] for version in life["versions"]] == [1, 2]
    assert [event["what"] for event in life["events"]] == ["recorded", "superseded", "recorded"]
    assert "Lives in Bruges" in life["text"]
    lineage = alice.lineage("#1")
    assert lineage["row"]["version"] == 2
    assert lineage["made_from"] == [] and not lineage["is_cut"]

    review = alice.review()
    fact = review["known"][0]["facts"][0]
    assert fact["sure"] == "stated"
    assert "Lives in Bruges" in review["markdown"]
    alice.request(fact["actions"][0]["command"])
    assert alice.get(1)["row"]["marks"]["confirmations"] == 1
    assert alice.reviewed()["verdict"] == "done"
    assert "last_reviewed_at" in alice.review()
    assert alice.sweep()["reviews_due"] == []

    then = datetime(2020, 1, 1, tzinfo=timezone.utc)
    assert alice.context("where?", as_of=(then, then))["text"] == ""


def test_undo_and_redo(alice: User) -> None:
    token = alice.save("Lives in Ghent")["event"]["undo"]
    undone = alice.undo(token)
    assert alice.list()["rows"] == []
    alice.redo(undone["event"]["undo"])
    assert content(alice, 1) == "Lives in Ghent"


def test_links(alice: User) -> None:
    alice.save("Lives in Ghent")
    alice.save("Rows on the Leie")
    alice.link(1, 2, "relates_to")
    assert alice.get(1)["links"] == [{"from": 1, "to": 2, "relation": "relates_to"}]
    alice.unlink(1, 2, "relates_to")
    assert alice.get(1)["links"] == []


def test_a_task_is_completed() -> None:
    with Keepmind("memory:", policy="default") as keepmind:
        alice = keepmind.user("alice")
        alice.save("Has to renew the passport", category="task")
        alice.complete("passport")
        assert alice.list(category="task")["rows"] == []


def test_proposals(alice: User) -> None:
    alice.propose({"change": "save", "content": "Flies only by day"}, "Asked twice")
    (waiting,) = alice.pending()
    assert waiting["body"]["reasoning"] == "Asked twice"
    alice.accept(waiting["id"], content="Flies by day")
    assert content(alice, 1) == "Flies by day"
    alice.propose({"change": "forget", "target": 1}, "May have changed")
    alice.reject(alice.pending()[0]["id"])
    assert alice.pending() == []


def test_a_proposal_accepted_with_another_value(alice: User) -> None:
    alice.save("Prefers Kroger", authority="rule", domain="shopping", key="store", value="Kroger")
    change = {"change": "update", "target": 1, "content": "Prefers Aldi", "value": "Aldi"}
    alice.propose(change, "ordered there twice")
    alice.accept(alice.pending()[0]["id"], content="Prefers Lidl", value="Lidl")
    claim = alice.get(1)["row"]["body"]["claim"]
    assert (claim["content"], claim["value"]) == ("Prefers Lidl", "Lidl")


def test_lists_by_authority_status_and_words(alice: User) -> None:
    alice.save("Lives in Ghent")
    alice.save("No calls on Fridays", authority="rule", domain="work", key="calls")
    alice.update(1, "Lives in Bruges")

    def contents(**wanted: Any) -> list[str]:
        return [row["body"]["claim"]["content"] for row in alice.list(**wanted)["rows"]]

    assert contents(authority="rule") == ["No calls on Fridays"]
    assert contents(status="superseded") == ["Lives in Ghent"]
    assert contents(text="live bruges") == ["Lives in Bruges"]
    with pytest.raises(InvalidError):
        contents(text="x" * 1_001)


def test_consent(alice: User) -> None:
    alice.consent("health", True)
    (word,) = alice.consents()
    assert (word["domain"], word["granted"]) == ("health", True)


def test_structured_rules(alice: User) -> None:
    rule = {"domain": "travel", "key": "seat", "authority": "rule"}
    alice.request({"command": "save", "content": "Window seats", "value": {"seat": "window"}, **rule})
    alice.save(
        "Aisle seats", value={"seat": "aisle"}, domain="travel", key="seat", authority="rule"
    )
    (row,) = alice.list(domain="travel")["rows"]
    assert row["body"]["claim"]["value"] == {"seat": "aisle"}
    assert row["body"]["version"] == 2


def test_moments_are_datetimes_or_texts(alice: User) -> None:
    here = timezone(timedelta(hours=2))
    alice.save("Lives in Ghent", since=datetime(2020, 5, 1, 12, tzinfo=here))
    (row,) = alice.list()["rows"]
    assert row["body"]["claim"]["valid_from"] == "2020-05-01T10:00:00Z"
    assert alice.as_of("2020-05-01T09:00:00Z")["rows"] == []
    later = datetime(2020, 5, 2, tzinfo=timezone.utc)
    assert len(alice.as_of(later)["rows"]) == 1
    assert alice.as_of(later, known=later)["rows"] == []
    with pytest.raises(InvalidError, match="time zone"):
        alice.as_of(datetime(2020, 5, 2))


def test_pages(alice: User) -> None:
    for number in range(7):
        alice.save(f"Owns bicycle number {number}")
    seen: list[int] = []
    after = None
    while True:
        page = alice.list(limit=3, after=after)
        seen += [row["body"]["number"] for row in page["rows"]]
        after = page.get("next")
        if after is None:
            break
    assert seen == list(range(1, 8))
    everything = {"selection": {"rows": "all"}}
    alice.forget(1)
    assert len(alice.list(filter=everything, limit=50)["rows"]) == 7


def test_recall_and_changes(alice: User) -> None:
    alice.save("Plays the cello")
    alice.save("Lives in Ghent")
    (hit,) = alice.recall("cello", limit=3)
    assert hit["row"]["body"]["number"] == 1
    assert hit["matched"] == ["cello"]
    assert hit["score"] > 0
    feed = alice.changes(limit=1)
    assert [entry["line"] for entry in feed["entries"]] == ["saved #1"]
    feed = alice.changes(feed["next"])
    assert [entry["line"] for entry in feed["entries"]] == ["saved #2"]
    assert alice.changes(feed["next"])["entries"] == []


def test_recall_narrowed_down(alice: User) -> None:
    alice.save("Plays the cello", tags=["music", "home"])
    alice.save("Sold a cello", tags=["music"])
    both = alice.recall("cello", layer="fact", source="user", min_confidence=0.9)
    assert len(both) == 2
    (hit,) = alice.recall("cello", tags=["music", "home"])
    assert hit["row"]["body"]["number"] == 1
    past = "2020-01-01T00:00:00Z"
    assert alice.recall("cello", since_until=past) == []
    assert alice.recall("cello", as_of=(past, past)) == []
    with pytest.raises(InvalidError, match="min_confidence"):
        alice.recall("cello", min_confidence=2.0)


def test_context_outside_of_a_chat(alice: User) -> None:
    alice.save("Plays the cello")
    context = alice.context("What do I play?", budget=200)
    assert context["text"].startswith(context["baseline"])
    assert "Plays the cello" in context["text"]
    assert context["tokens"] <= 200
    assert alice.context("What do I play?", budget=0)["text"] == ""


def test_export_erase_and_bring_back(alice: User) -> None:
    alice.save("Lives in Ghent")
    lines = alice.export()
    with pytest.raises(ConflictError):
        alice.restore_export(lines)
    assert alice.erase() is True
    assert alice.erase() is False
    assert alice.list()["rows"] == []
    assert alice.restore_export(lines)["count"] >= 1
    assert content(alice, 1) == "Lives in Ghent"


def test_an_import_joins_what_is_known(keepmind: Keepmind, alice: User) -> None:
    alice.save("Lives in Ghent")
    lines = alice.export()
    bob = keepmind.user("bob")
    bob.save("Likes tea")
    with pytest.raises(InvalidError):
        bob.import_export(lines)
    assert bob.import_export(lines, owner="alice", dry_run=True)["lines"][0]["fate"] == "imported"
    assert len(bob.list()["rows"]) == 1
    report = bob.import_export(lines, owner="alice")
    assert [line["number"] for line in report["lines"]] == [2]
    assert content(bob, 2) == "Lives in Ghent"
    bob.undo(report["event"]["undo"])
    assert len(bob.list()["rows"]) == 1


def test_what_was_put_away_is_listed_to_be_restored(alice: User) -> None:
    for place in ["Ghent", "Bruges", "Namur"]:
        alice.save(f"Has lived in {place}")
    alice.forget(1)
    alice.trash(2)
    first = alice.forgotten(limit=1)
    assert [row["body"]["number"] for row in first["rows"]] == [2]
    rest = alice.forgotten(after=first["next"])
    assert [row["body"]["number"] for row in rest["rows"]] == [1]
    alice.restore(2)
    assert [row["body"]["number"] for row in alice.forgotten()["rows"]] == [1]


def test_a_model_reads_what_it_may_be_told(alice: User) -> None:
    alice.save("Has gout", domain="health")
    alice.save("Plays chess")
    alice.consent("health", False)
    copy = alice.markdown(reader="model")
    assert "chess" in copy and "gout" not in copy
    assert "gout" in alice.markdown(reader="user")
    files = alice.markdown_files(reader="model")
    assert not any("gout" in file["text"] for file in files)
    assert alice.read_markdown(files, dry_run=True, reader="model")["lines"] == []
    with pytest.raises(InvalidError):
        alice.read_markdown(files)
    with pytest.raises(InvalidError):
        alice.read_markdown(files, reader="model")


def test_memory_is_edited_as_markdown(alice: User) -> None:
    alice.save("Lives in Ghent", category="profile")
    text = alice.markdown()
    assert "- [#1 v1] Lives in Ghent" in text
    assert alice.read_markdown(alice.markdown_files())["lines"] == []
    edited = text.replace("Ghent", "Bruges")
    dry = alice.read_markdown(edited, dry_run=True)
    assert [(line["fate"], line["after"]) for line in dry["lines"]] == [("updated", "Lives in Bruges")]
    assert content(alice, 1) == "Lives in Ghent"
    report = alice.read_markdown(edited)
    assert content(alice, 1) == "Lives in Bruges"
    assert alice.read_markdown(edited.replace("Bruges", "Mons"))["applies"] is False
    alice.undo(report["event"]["undo"])
    assert content(alice, 1) == "Lives in Ghent"
    with pytest.raises(InvalidError):
        alice.read_markdown("# nothing of ours")


def test_users_see_nothing_of_each_other(keepmind: Keepmind, alice: User) -> None:
    bob = keepmind.user("bob")
    token = alice.save("Lives in Ghent")["event"]["undo"]
    chat = alice.open_session()
    chat.push("user", "I live in Ghent")
    assert bob.list()["rows"] == []
    assert bob.recall("Ghent") == []
    assert bob.search_sessions("Ghent") == []
    assert "Ghent" not in bob.block()["prompt"]
    assert bob.changes()["entries"] == []
    for attempt in (
        lambda: bob.get(1),
        lambda: bob.undo(token),
        lambda: bob.session(chat.id),
        lambda: bob.forget("Ghent"),
    ):
        with pytest.raises((NotFoundError, RefusedError)):
            attempt()
    assert len(alice.list()["rows"]) == 1


def test_the_engine_takes_requests_that_name_their_user(keepmind: Keepmind, alice: User) -> None:
    keepmind.request({"user": "alice", "command": "save", "content": "Lives in Ghent"})
    assert content(alice, 1) == "Lives in Ghent"
    assert keepmind.policy()["name"] == "default"


def test_a_users_day_is_at_their_offset(keepmind: Keepmind) -> None:
    moved = datetime(2026, 3, 29, 1, tzinfo=timezone.utc)
    user = keepmind.user("carol", offset_minutes=120, offset_before=(moved, 60))
    assert user.name == "carol"
    user.open_session().push("user", "Hello")
    assert user.sessions()["sessions"][0]["recency"] == "today"
    with pytest.raises(InvalidError):
        keepmind.user("carol", offset_minutes=10_000)


@pytest.mark.parametrize("one", ["travel", ""])
def test_one_text_is_not_taken_for_several(alice: User, one: Any) -> None:
    chat = alice.open_session()
    calls: list[Callable[[], object]] = [
        lambda: alice.save("Likes trains", tags=one),
        lambda: alice.recall("trains", tags=one),
        lambda: alice.sessions(statuses=one),
        lambda: alice.context("Hello", domains=one),
        lambda: alice.check_phrasing("You like trains.", one),
        lambda: chat.context("Hello", domains=one),
        lambda: chat.push("user", "Hello", calls=one),
    ]
    for call in calls:
        with pytest.raises(TypeError, match="several texts are wanted"):
            call()
    assert alice.list()["rows"] == []
    assert chat.messages()["messages"] == []
