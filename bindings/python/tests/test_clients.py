"""The clients of OpenAI and of Anthropic take the tools as they are, and give calls that are taken as they are. What they
send is answered by a server of our own."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from socketserver import TCPServer
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest

from keepmind import User

if TYPE_CHECKING:
    import anthropic
    import openai
else:
    anthropic = pytest.importorskip("anthropic")
    openai = pytest.importorskip("openai")

SAVE = {"name": "save_memory", "arguments": json.dumps({"content": "Only buys funds"})}
ANSWERS: dict[str, dict[str, Any]] = {
    "/chat/completions": {
        "id": "chat_1",
        "object": "chat.completion",
        "created": 0,
        "model": "some",
        "choices": [
            {
                "index": 0,
                "finish_reason": "tool_calls",
                "message": {
                    "role": "assistant",
                    "content": None,
                    "tool_calls": [{"id": "call_1", "type": "function", "function": SAVE}],
                },
            }
        ],
    },
    "/v1/messages": {
        "id": "message_1",
        "type": "message",
        "role": "assistant",
        "model": "some",
        "stop_reason": "tool_use",
        "stop_sequence": None,
        "usage": {"input_tokens": 0, "output_tokens": 0},
        "content": [
            {"type": "tool_use", "id": "call_1", "name": "save_memory", "input": {"content": "Only buys funds"}}
        ],
    },
}


class Provider(TCPServer):
    """Answers on this machine, and keeps what it was sent."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Endpoint)
        self.asked: list[dict[str, Any]] = []

    @property
    def url(self) -> str:
        return "http://{}:{}".format(*self.server_address)


class Endpoint(BaseHTTPRequestHandler):
    server: Provider

    def do_POST(self) -> None:
        self.server.asked.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
        answer = json.dumps(ANSWERS[self.path]).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *arguments: object) -> None:
        pass


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> Iterator[Provider]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with Provider() as provider:
        thread = Thread(target=provider.serve_forever)
        thread.start()
        yield provider
        provider.shutdown()
        thread.join()


def test_openais_client_takes_the_tools_and_gives_the_call(alice: User, provider: Provider) -> None:
    chat = alice.open_session()
    chat.push("user", "I only buy funds.")
    tools = chat.tools("openai")
    with openai.OpenAI(api_key="none", base_url=provider.url, max_retries=0) as client:
        completion = client.chat.completions.create(
            model="some", messages=[{"role": "user", "content": "I only buy funds."}], tools=tools
        )
    assert provider.asked[0]["tools"] == tools
    (call,) = completion.choices[0].message.tool_calls or []
    reply = chat.call_tool(call)
    assert (reply["is_error"], reply["call"]) == (False, "call_1"), reply
    assert reply["event"]["line"] == "Saved #1: Only buys funds"


def test_anthropics_client_takes_the_tools_and_gives_the_call(alice: User, provider: Provider) -> None:
    chat = alice.open_session()
    chat.push("user", "I only buy funds.")
    tools = chat.tools("anthropic")
    with anthropic.Anthropic(api_key="none", base_url=provider.url, max_retries=0) as client:
        message = client.messages.create(
            model="some", max_tokens=100, messages=[{"role": "user", "content": "I only buy funds."}], tools=tools
        )
    assert provider.asked[0]["tools"] == tools
    (call,) = message.content
    reply = chat.call_tool(call)
    assert (reply["is_error"], reply["call"]) == (False, "call_1"), reply
    assert reply["event"]["line"] == "Saved #1: Only buys funds"
