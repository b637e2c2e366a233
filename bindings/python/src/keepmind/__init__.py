"""Long-term memory for LLM assistants.

    from keepmind import Keepmind

    with Keepmind("memories.db", policy="advisor") as keepmind:
        alice = keepmind.user("alice")
        with alice.open_session() as chat:
            system = chat.block()
            tools = chat.tools("openai")
            chat.push("user", "I only buy funds.")

Calls release the interpreter's lock, and all objects may be used from all threads: in asyncio, call
`await asyncio.to_thread(chat.push, "user", text)`.
"""

from keepmind import types
from keepmind._copy import copy
from keepmind._embedder import Embedder
from keepmind._engine import Keepmind
from keepmind._library import version
from keepmind._session import Session
from keepmind._user import User
from keepmind.errors import (
    BusyError,
    CancelledError,
    ClosedError,
    ConflictError,
    FaultError,
    ForkedError,
    FullError,
    InvalidError,
    KeepmindError,
    NotFoundError,
    OutcomeUnknownError,
    ReentrantError,
    RefusedError,
    Status,
    StoreError,
)

__version__ = version()

__all__ = [
    "BusyError",
    "CancelledError",
    "ClosedError",
    "ConflictError",
    "Embedder",
    "FaultError",
    "ForkedError",
    "FullError",
    "InvalidError",
    "Keepmind",
    "KeepmindError",
    "NotFoundError",
    "OutcomeUnknownError",
    "ReentrantError",
    "RefusedError",
    "Session",
    "Status",
    "StoreError",
    "User",
    "copy",
    "types",
    "version",
]
