"""The server as a client sees it that we did not write: the official Python SDK (`pip install mcp`).

    python examples/mcp/tests/sdk_client.py target/debug/keepmind-mcp

Both protocols that the SDK speaks (the handshake of 2025 and the one of 2026-07-28 that has none), over stdio and over
HTTP; two clients at once on one file; two owners; and clients that mean harm. Prints what it tried, and fails on the
first thing that is wrong.
"""

import asyncio
import json
import re
import subprocess
import sys
import tempfile
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, AsyncIterator

import httpx2
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

MODES = ("legacy", "2026-07-28", "auto")
ALICE, BOB = "alice-0123456789abcdef", "bob-0123456789abcdef"
PATIENCE = 20.0


def token(owner: str) -> str:
    return f"token-0123456789-of-{owner}"


tried = 0


def check(holds: bool, what: str, *shown: object) -> None:
    global tried
    tried += 1
    if not holds:
        raise AssertionError(f"{what}: {shown}")


def said(result: Any) -> str:
    return "".join(block.text for block in result.content)


class Heard:
    """What a client was told without asking."""

    def __init__(self) -> None:
        self.methods: set[str] = set()
        self.news = asyncio.Event()

    async def __call__(self, message: Any) -> None:
        method = getattr(message, "method", None)
        if method:
            self.methods.add(method)
            self.news.set()

    async def wait_for(self, method: str) -> None:
        async with asyncio.timeout(PATIENCE):
            while method not in self.methods:
                self.news.clear()
                await self.news.wait()


class Program:
    """The server, started as people start it."""

    def __init__(self, program: str, db: Path) -> None:
        self.program, self.db = program, db

    def stdio(self, user: str, mode: str, heard: Heard | None = None) -> Client:
        arguments = ["--db", str(self.db), "--user", user]
        server = StdioServerParameters(command=self.program, args=arguments)
        return Client(server, mode=mode, message_handler=heard, read_timeout_seconds=PATIENCE)

    @asynccontextmanager
    async def http(self) -> AsyncIterator[str]:
        tokens = self.db.with_suffix(".tokens")
        lines = [f"{ALICE} alice", f"{BOB} bob", *(f"{token(mode)} {mode}" for mode in MODES)]
        tokens.write_text("\n".join(lines))
        arguments = ["--db", str(self.db), "--http", "127.0.0.1:0", "--tokens", str(tokens)]
        server = subprocess.Popen([self.program, *arguments], stderr=subprocess.PIPE, text=True)
        try:
            assert server.stderr is not None
            line = await asyncio.to_thread(server.stderr.readline)
            found = re.search(r"http://\S+", line)
            assert found, line
            yield found.group()
        finally:
            server.terminate()
            check(await asyncio.to_thread(server.wait, 15) == 0, "the server ends in peace")


@asynccontextmanager
async def over_http(url: str, token: str, mode: str, heard: Heard | None = None) -> AsyncIterator[Client]:
    async with httpx2.AsyncClient(headers={"authorization": f"Bearer {token}"}, timeout=PATIENCE) as http:
        transport = streamable_http_client(url, http_client=http)
        async with Client(transport, mode=mode, message_handler=heard, read_timeout_seconds=PATIENCE) as client:
            yield client


async def walk_through(client: Client, word: str) -> None:
    """Everything a client does, once."""
    if client.mode != "2026-07-28":  # with a version that is given beforehand, the SDK does not ask
        check(client.instructions is not None, "the server says what it is for")
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    check("save_memory" in tools and "recall_memories" in tools, "the tools are there", sorted(tools))
    check(tools["recall_memories"].annotations.read_only_hint is True, "a read is marked as one")
    saved = await client.call_tool("save_memory", {"content": f"Keeps a {word} in the garden"})
    check(not saved.is_error and said(saved).startswith("Saved #"), "a save is done", said(saved))
    number = re.search(r"#(\d+)", said(saved)).group(1)
    event = (saved.meta or {}).get("keepmind/event")
    check(bool(event and event["undo"]), "a write carries its undo", saved.meta)
    found = await client.call_tool("recall_memories", {"query": f"Which {word}?"})
    check(word in said(found), "it is recalled", said(found))
    uris: set[str] = set()
    cursor = None
    while cursor is not None or not uris:
        page = await client.list_resources(cursor=cursor, cache_mode="bypass")
        uris |= {str(resource.uri) for resource in page.resources}
        cursor = page.next_cursor
    check({"keepmind://memory", f"keepmind://fact/{number}"} <= uris, "it is among the resources", uris)
    read = await client.read_resource(f"keepmind://fact/{number}", cache_mode="bypass")
    check(f"[#{number} v1] Keeps a {word}" in read.contents[0].text, "it is read as Markdown", read)
    check(read.contents[0].mime_type == "text/markdown", "and says so")
    prompts = (await client.list_prompts()).prompts
    prompt = await client.get_prompt(prompts[0].name)
    check(word in prompt.messages[0].content.text, "the prompt holds it", prompt)
    wrong = await client.call_tool("save_memory", {"text": "x"})
    check(bool(wrong.is_error) and "content" in said(wrong), "a wrong call says how to call it right", said(wrong))
    gone = await client.call_tool("forget_memory", {"id_or_substring": f"#{number}"})
    check(not gone.is_error, "it is forgotten", said(gone))
    try:
        await client.read_resource(f"keepmind://fact/{number}", cache_mode="bypass")
        check(False, "what is forgotten is no resource")
    except MCPError:
        check(True, "what is forgotten is no resource")


async def hears_of_changes(first: Client, second: Client, heard: Heard, word: str) -> None:
    """What one client writes, the other is told."""
    change = {"content": f"Has painted {word} portraits since {word} school"}
    if second.protocol_version >= "2026-07-28":
        async with second.listen(resources_list_changed=True) as changes:
            await first.call_tool("save_memory", change)
            async with asyncio.timeout(PATIENCE):
                event = await anext(aiter(changes))
            check("ResourcesListChanged" in type(event).__name__, "a change is told", event)
    else:
        await first.call_tool("save_memory", change)
        await heard.wait_for("notifications/resources/list_changed")
        check(True, "a change is told")


async def together(first: Client, second: Client, word: str) -> None:
    """Two clients write at once: nothing is lost, and no number is given out twice."""
    words = [f"Has visited {word} town number {number}" for number in range(40)]
    calls = [(first, second)[place % 2].call_tool("save_memory", {"content": word}) for place, word in enumerate(words)]
    answers = [said(answer) for answer in await asyncio.gather(*calls)]
    check(all(answer.startswith("Saved #") for answer in answers), "every one is saved", answers)
    numbers = {re.search(r"#(\d+)", answer).group(1) for answer in answers}
    check(len(numbers) == len(words), "every call has a number of its own", answers)
    # Nobody writes any more: whoever reads reads the same.
    kept = (await first.read_resource("keepmind://memory", cache_mode="bypass")).contents[0].text
    check(all(f"] {word} <" in kept for word in words), "nothing is lost")
    again = (await second.read_resource("keepmind://memory", cache_mode="bypass")).contents[0].text
    check(again == kept, "both see the same")


async def means_harm(client: Client) -> None:
    """Calls that are too long, unknown or malformed, many at once: each is answered, and nothing is written."""
    calls: list[tuple[str, dict[str, Any]]] = [
        ("save_memory", {"content": "x" * 100_000}),
        ("save_memory", {"content": ["a list"]}),
        ("save_memory", {"content": "Tea", "owner": "bob"}),
        ("save_memory", {"content": "a\u202eb"}),
        ("save_memory", {"content": {"a": {"b": {"c": {}}}}}),
        ("drop_tables", {}),
        ("save_memory ", {"content": "Tea"}),
        ("forget_memory", {"id_or_substring": ""}),
        ("link_memories", {"from_id": 1}),
    ]

    async def attempt(name: str, arguments: dict[str, Any]) -> bool:
        try:
            return bool((await client.session.call_tool(name, arguments)).is_error)
        except MCPError:
            return True

    refused = await asyncio.gather(*(attempt(*call) for call in calls * 10))
    check(all(refused), "each is refused", refused)
    for uri in ("file:///etc/passwd", "keepmind://fact/0x1", "keepmind://category/..%2f..%2fx"):
        try:
            await client.read_resource(uri, cache_mode="bypass")
            check(False, "no other address is read", uri)
        except MCPError:
            check(True, "no other address is read")
    listed = await client.call_tool("list_memories", {})
    check("nothing saved" in said(listed), "nothing was written", said(listed))


async def no_token_no_data(url: str) -> None:
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "list_memories"}}
    accept = {"accept": "application/json, text/event-stream"}
    async with httpx2.AsyncClient(timeout=PATIENCE) as http:
        for headers in ({}, {"authorization": "Bearer guess"}, {"authorization": f"Basic {ALICE}"}):
            answer = await http.post(url, headers={**accept, **headers}, json=request)
            check(answer.status_code == 401, "no token, no data", answer.status_code)
        bearer = {"authorization": f"Bearer {ALICE}", **accept}
        long = await http.post(url, headers=bearer, content=json.dumps({**request, "x": "y" * 300_000}))
        check(long.status_code >= 400, "a request that is too long", long.status_code)
        for other in ({"host": "evil.example"}, {"origin": "https://evil.example"}):
            answer = await http.post(url, headers={**bearer, **other}, json=request)
            check(answer.status_code == 403, "another page's request", answer.status_code)


async def owners_are_apart(url: str) -> None:
    async with over_http(url, ALICE, "auto") as alice, over_http(url, BOB, "legacy") as bob:
        await alice.call_tool("save_memory", {"content": "Keeps a canary called Zephyrine"})
        answers = [
            said(await bob.call_tool("list_memories", {})),
            said(await bob.call_tool("recall_memories", {"query": "canary Zephyrine"})),
            said(await bob.call_tool("forget_memory", {"id_or_substring": "canary"})),
            (await bob.list_resources()).model_dump_json(),
            (await bob.read_resource("keepmind://memory")).model_dump_json(),
            (await bob.get_prompt("memory")).model_dump_json(),
        ]
        check(not any("Zephyrine" in answer for answer in answers), "no canary crosses", answers)
        check("Zephyrine" in said(await alice.call_tool("list_memories", {})), "and it is still there")


async def main(program: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        server = Program(program, Path(folder) / "memory.db")
        for mode, word in zip(MODES, ("hedgehog", "magpie", "walrus")):
            async with server.stdio("harmed", mode) as client:
                await means_harm(client)
            first_heard, heard = Heard(), Heard()
            who = f"stdio {mode}"
            async with server.stdio(who, mode, first_heard) as first, server.stdio(who, mode, heard) as second:
                await walk_through(first, word)
                await hears_of_changes(first, second, heard, word)
                await together(first, second, word)
                print(f"stdio, {mode} ({first.protocol_version}): {tried} checks")
        async with server.http() as url:
            await no_token_no_data(url)
            for mode, word in zip(MODES, ("heron", "lizard", "badger")):
                heard = Heard()
                key = token(mode)
                async with over_http(url, key, mode) as first, over_http(url, key, mode, heard) as second:
                    await walk_through(first, word)
                    await hears_of_changes(first, second, heard, word)
                    await together(first, second, word)
                    async with server.stdio(mode, mode) as third:
                        await together(second, third, f"foreign {word}")
                    print(f"http, {mode} ({first.protocol_version}): {tried} checks")
            await owners_are_apart(url)
    print(f"all of {tried} checks hold")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
