"""Texts of every kind go through whole, or are refused."""

from __future__ import annotations

import pytest

from keepmind import InvalidError, Keepmind, KeepmindError, Status, User

WORDS = "Ĝojo 喜び 🎻 שמחה ความสุข é \u202e \U0010ffff"


def test_every_script_comes_back_as_it_went(alice: User) -> None:
    chat = alice.open_session()
    chat.push("user", WORDS, hidden=WORDS)
    said = chat.messages()["messages"][0]["utterance"]
    assert said["content"] == WORDS
    assert said["hidden"] == WORDS
    assert chat.view()["messages"][0]["utterance"]["content"] == WORDS
    alice.save("喜び is joy 🎻", detail=WORDS.split("\u202e")[0])
    assert alice.recall("喜び")[0]["row"]["body"]["claim"]["content"] == "喜び is joy 🎻"


def test_users_of_every_script_are_their_own(keepmind: Keepmind) -> None:
    for name in ("Ĝojo", "Ĝojo ", "喜び", "🎻"):
        keepmind.user(name).save(f"Is called {name.strip()}")
    assert len(keepmind.user("Ĝojo").list()["rows"]) == 1


def test_nul_is_nowhere_the_end_of_a_text(keepmind: Keepmind, alice: User) -> None:
    chat = alice.open_session()
    for call in (
        lambda: alice.save("before\0after"),
        lambda: chat.push("user", "before\0after"),
        lambda: alice.recall("before\0after"),
        lambda: chat.rename("before\0after"),
    ):
        try:
            call()
        except KeepmindError as error:
            assert error.status in (Status.INVALID, Status.REFUSED)
    for row in alice.list()["rows"]:
        assert row["body"]["claim"]["content"] != "before"
    for message in chat.messages()["messages"]:
        assert message["utterance"]["content"] != "before"
    with pytest.raises(InvalidError):
        keepmind.user("alice\0bob")
    with pytest.raises(InvalidError):
        Keepmind("memories\0.db")


def test_half_a_pair_is_no_text(keepmind: Keepmind, alice: User) -> None:
    chat = alice.open_session()
    for call in (
        lambda: alice.save("\ud800"),
        lambda: chat.push("user", "\ud800"),
        lambda: keepmind.user("\udfff"),
        lambda: alice.session("\ud800"),
        lambda: alice.request({"\ud800": 1}),
    ):
        with pytest.raises(InvalidError) as raised:
            call()
        assert raised.value.status == Status.NOT_UTF8


def test_huge_texts_are_refused_or_kept_whole(alice: User) -> None:
    chat = alice.open_session()
    kept = "a word " * 10_000
    chat.push("user", kept)
    assert chat.messages()["messages"][0]["utterance"]["content"] == kept
    for call in (
        lambda: alice.save("x" * 1_000_000),
        lambda: chat.push("user", "x" * (65 << 20)),
        lambda: alice.restore_export("x" * (65 << 20)),
    ):
        with pytest.raises(KeepmindError) as raised:
            call()
        assert not raised.value.retryable


def test_what_json_has_no_word_for_is_refused(alice: User) -> None:
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    itself: list[object] = []
    itself.append(itself)
    for value in (float("nan"), float("inf"), deep, itself):
        with pytest.raises(InvalidError):
            alice.save("Lives in Ghent", value=value)
    with pytest.raises(TypeError):
        alice.save("Lives in Ghent", value=object())
    assert alice.list()["rows"] == []
