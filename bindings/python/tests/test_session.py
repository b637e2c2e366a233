"""Chats: what a host's loop calls."""

from __future__ import annotations

import pytest

from keepmind import InvalidError, Keepmind, NotFoundError, User


def test_a_chat_learns_when_it_is_left_and_the_next_one_knows(alice: User) -> None:
    with alice.open_session() as chat:
        assert chat.push("user", "I work as a carpenter.") == {"number": 1}
        assert chat.push("assistant", "Noted.")["number"] == 2
    assert alice.recall("carpenter")
    assert "carpenter" in alice.open_session().block()
    assert "carpenter" in alice.block()["prompt"]
    assert chat.record()["status"] == "idle"


def test_a_closed_chat_says_what_it_came_to(alice: User) -> None:
    chat = alice.open_session()
    chat.push("user", "I work as a carpenter.")
    closed = chat.close()
    assert closed["closing"] == "learned"
    assert [lesson["fate"] for lesson in closed["report"]["lessons"]] == ["learned"]
    alice.undo(closed["undo"])
    assert alice.list()["rows"] == []
    assert chat.close()["closing"] == "nothing_new"


def test_the_block_is_frozen_until_the_chat_is_resumed(alice: User) -> None:
    chat = alice.open_session()
    before = chat.block()
    alice.save("Lives in Ghent")
    assert chat.block() == before
    chat.push("user", "Hello")
    chat.close()
    assert "Ghent" in chat.resume()
    chat.close()
    again = alice.session(chat.id)
    assert "Ghent" in again.push("user", "And on")["block"]


def test_the_life_of_a_chat(alice: User) -> None:
    chat = alice.open_session()
    chat.push("user", "Hello there")
    chat.rename("Greetings")
    assert chat.record()["title"] == {"text": "Greetings", "by_user": True}
    chat.close()
    chat.archive()
    assert alice.sessions(statuses=["archived"])["sessions"][0]["title"] == "Greetings"
    chat.trash()
    assert alice.sessions()["sessions"] == []
    assert len(alice.sessions(trashed=True)["sessions"]) == 1
    chat.restore()
    (hit,) = alice.search_sessions("hello", limit=5)
    assert hit["snippet"]["text"] == "Hello there"
    chat.trash()
    chat.purge()
    with pytest.raises(NotFoundError):
        alice.session(chat.id)


def test_messages_and_views(alice: User) -> None:
    chat = alice.open_session()
    for number in range(6):
        chat.push("user", f"This is sentence number {number}.")
        chat.push("assistant", "Go on.")
    page = chat.messages(limit=5)
    assert [message["number"] for message in page["messages"]] == [1, 2, 3, 4, 5]
    rest = chat.messages(after=page["next"], limit=50)
    assert [message["number"] for message in rest["messages"]] == list(range(6, 13))
    recent = chat.messages(recent=True, limit=2)
    assert recent["messages"][-1]["number"] == 12
    assert len(chat.view()["messages"]) == 12
    short = chat.view(budget=30)
    assert 0 < len(short["messages"]) < 12
    assert short["replaced"] > 0
    for budget in (0, -1, 1 << 32):
        with pytest.raises(InvalidError):
            chat.view(budget)


def test_what_is_said_of_a_message(alice: User) -> None:
    chat = alice.open_session()
    content = "Voilà: “I love margin loans”, it says"
    start, end = content.index("“"), content.index("”") + 1
    chat.push("user", content, hidden="the date", untrusted=[(start, end)], calls=["call_1"])
    (message,) = chat.messages()["messages"]
    said = message["utterance"]
    assert said["hidden"] == "the date"
    assert said["calls"] == ["call_1"]
    (span,) = said["untrusted"]
    quoted = content.encode()[span["start"] : span["end"]].decode()
    assert quoted == "“I love margin loans”"

    chat.push("user", "I work as a carpenter.", untrusted=True)
    chat.push("user", "I work as a diver.", origin="prefill")
    assert chat.close()["report"]["lessons"] == []
    for wrong in [(0, 99), (-1, 2), (3, 2)]:
        with pytest.raises(InvalidError):
            chat.push("user", "short", untrusted=[wrong])
    with pytest.raises(InvalidError, match="role"):
        chat.push("robot", "Hello")  # type: ignore[arg-type]


def test_a_chat_that_raises_is_closed_and_one_that_is_interrupted_is_left(alice: User) -> None:
    with pytest.raises(LookupError), alice.open_session() as chat:
        chat.push("user", "I work as a carpenter.")
        raise LookupError
    assert chat.record()["status"] == "idle"
    with pytest.raises(KeyboardInterrupt), alice.open_session() as chat:
        chat.push("user", "I live in Ghent.")
        raise KeyboardInterrupt
    assert chat.record()["status"] == "active"


def test_a_file_is_found_again(tmp_path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "memories.db"
    with Keepmind(path) as keepmind, keepmind.user("alice").open_session() as chat:
        chat.push("user", "I work as a carpenter.")
    with Keepmind(str(path), durability="normal", check="always", readers=1) as keepmind:
        alice = keepmind.user("alice")
        assert alice.recall("carpenter")
        assert alice.session(chat.id).messages()["messages"][0]["number"] == 1
        assert keepmind.sweep()["owners"] == 1
        assert alice.sweep()["owners"] == 1


def test_a_sweep_is_watched_and_stopped(keepmind: Keepmind) -> None:
    for name in ("alice", "bob"):
        keepmind.user(name).save("Lives in Ghent")
    heard: list[str] = []
    report = keepmind.sweep(lambda progress: heard.append(progress["owner"]))
    assert set(heard) == {"alice", "bob"}
    assert not report["stopped"]
    assert keepmind.sweep(lambda progress: False)["stopped"]

    def interrupted(progress: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        keepmind.sweep(interrupted)
    assert keepmind.sweep()["owners"] == 2


def test_recall_and_context_of_a_chat(alice: User) -> None:
    alice.save("Plays the cello")
    chat = alice.open_session()
    alice.save("Keeps bees in the garden")
    assert len(chat.recall("bees", limit=3)) == 1
    assert chat.recall("bees", limit=3) == chat.recall("bees", limit=3)
    assert chat.recall_stats() == {"recalls": 3, "cached": 2, "hit_rate": 2 / 3}
    context = chat.context("Tell me more about my bees", recent_messages=0)
    assert chat.block().startswith(context["baseline"])
    assert "Keeps bees in the garden" in context["text"]
    assert {used["tier"] for used in context["used"]} >= {"baseline"}


def test_a_reply_that_presumes_is_found(alice: User) -> None:
    chat = alice.open_session()
    chat.push("user", "My song goes: you believe in magic and rain")
    [found] = chat.check_phrasing("You believe in early starts.")
    assert (found["kind"], found["suggestion"]) == ("belief", "You mentioned that")
    assert chat.check_phrasing("Yes, you believe in magic is a fine line.") == []
    assert alice.check_phrasing("You told me that you like tea.", ["I like tea"]) == []
