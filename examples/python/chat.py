"""Two chats and what is remembered between them. No key and no server: code reads what the user says, and
the tool call is the one that a model would make."""

import sys

from keepmind import Keepmind

path = sys.argv[1] if len(sys.argv) > 1 else "memory:"
with Keepmind(path, policy="advisor") as keepmind:
    alice = keepmind.user("alice")

    print("-- the first chat")
    with alice.open_session() as chat:
        chat.push("user", "I only buy funds. By the way, I work as a carpenter.")
        offered = [tool["function"]["name"] for tool in chat.tools("openai")]
        print("tools:", ", ".join(offered))
        arguments = {"content": "Only buys funds", "category": "finance_context"}
        reply = chat.call_tool({"id": "call_1", "name": "save_preference", "arguments": arguments})
        chat.push("tool", reply["message"], calls=[reply["call"]])
        print("*", reply["event"]["line"] if "event" in reply else reply["message"])
        chat.push("assistant", "Noted.")

    print("-- the second chat begins with")
    with alice.open_session() as chat:
        print(alice.block()["text"], end="")
        chat.push("user", "What do you know about me?")

    print("-- and everything can be taken back")
    forgotten = alice.forget("funds")
    print("*", forgotten["event"]["line"])
    print("*", alice.undo(forgotten["event"]["undo"])["event"]["line"])
    for hit in alice.recall("what does she buy? funds?"):
        print("found:", hit["row"]["body"]["claim"]["content"])
