"""The C interface as include/keepmind.h declares it: numbers, callback types, one line for each function.

Handles are numbers here, and texts that the library returns are pointers: both must be given back as they
came.
"""

from __future__ import annotations

import ctypes
from ctypes import CFUNCTYPE, POINTER, c_char_p, c_float, c_int32, c_size_t, c_uint32, c_void_p

ABI = 1

ROLES = {"system": 1, "user": 2, "assistant": 3, "tool": 4}
SHAPES = {"openai": 1, "anthropic": 2, "mcp": 3}
LOG_LEVELS = {1: "error", 2: "warning", 3: "info"}

# (user_data, request, reply)
ModelCallback = CFUNCTYPE(None, c_void_p, c_char_p, c_void_p)
EmbedderCallback = CFUNCTYPE(None, c_void_p, c_char_p, c_void_p)
# (user_data, level, message)
LogCallback = CFUNCTYPE(None, c_void_p, c_uint32, c_char_p)
# (user_data, progress)
ProgressCallback = CFUNCTYPE(c_int32, c_void_p, c_char_p)
# (user_data)
Finalizer = CFUNCTYPE(None, c_void_p)

_HANDLE = c_void_p
_OUT = POINTER(c_void_p)
_TOLD = POINTER(c_char_p)
_TEXT = (c_char_p, c_size_t)

FUNCTIONS: dict[str, tuple[object, tuple[object, ...]]] = {
    "km_abi": (c_uint32, ()),
    "km_version": (c_char_p, ()),
    "km_error_status": (c_uint32, (_HANDLE,)),
    "km_error_message": (c_char_p, (_HANDLE,)),
    "km_error_code": (c_char_p, (_HANDLE,)),
    "km_error_is_retryable": (c_int32, (_HANDLE,)),
    "km_error_free": (c_uint32, (_HANDLE,)),
    "km_string_free": (None, (c_void_p,)),
    "km_reply_text": (c_uint32, (_HANDLE, *_TEXT, _OUT)),
    "km_reply_vectors": (c_uint32, (_HANDLE, POINTER(c_float), c_size_t, c_size_t, _OUT)),
    "km_reply_failure": (c_uint32, (_HANDLE, *_TEXT, c_int32, _OUT)),
    "km_config_new": (c_uint32, (_OUT, _OUT)),
    "km_config_set": (c_uint32, (_HANDLE, *_TEXT, *_TEXT, _OUT)),
    "km_config_set_model": (c_uint32, (_HANDLE, ModelCallback, c_void_p, Finalizer, _OUT)),
    "km_config_set_embedder": (
        c_uint32,
        (_HANDLE, *_TEXT, c_size_t, EmbedderCallback, c_void_p, Finalizer, _OUT),
    ),
    "km_config_set_log": (c_uint32, (_HANDLE, LogCallback, c_void_p, Finalizer, _OUT)),
    "km_config_free": (c_uint32, (_HANDLE,)),
    "km_copy": (c_uint32, (*_TEXT, *_TEXT, c_int32, ProgressCallback, c_void_p, _TOLD, _OUT)),
    "km_engine_open": (c_uint32, (_HANDLE, _OUT, _OUT)),
    "km_engine_request": (c_uint32, (_HANDLE, *_TEXT, _TOLD, _OUT)),
    "km_engine_sweep": (c_uint32, (_HANDLE, ProgressCallback, c_void_p, _TOLD, _OUT)),
    "km_engine_close": (c_uint32, (_HANDLE, _OUT)),
    "km_engine_free": (c_uint32, (_HANDLE,)),
    "km_engine_user": (c_uint32, (_HANDLE, *_TEXT, *_TEXT, _OUT, _OUT)),
    "km_user_request": (c_uint32, (_HANDLE, *_TEXT, _TOLD, _OUT)),
    "km_user_free": (c_uint32, (_HANDLE,)),
    "km_session_open": (c_uint32, (_HANDLE, _OUT, _OUT)),
    "km_session_resume": (c_uint32, (_HANDLE, *_TEXT, _OUT, _OUT)),
    "km_session_id": (c_uint32, (_HANDLE, _TOLD, _OUT)),
    "km_session_push": (c_uint32, (_HANDLE, c_uint32, *_TEXT, *_TEXT, _TOLD, _OUT)),
    "km_session_block": (c_uint32, (_HANDLE, _TOLD, _OUT)),
    "km_session_view": (c_uint32, (_HANDLE, c_uint32, _TOLD, _OUT)),
    "km_session_tools": (c_uint32, (_HANDLE, c_uint32, _TOLD, _OUT)),
    "km_session_call_tool": (c_uint32, (_HANDLE, *_TEXT, _TOLD, _OUT)),
    "km_session_close": (c_uint32, (_HANDLE, _TOLD, _OUT)),
    "km_session_request": (c_uint32, (_HANDLE, *_TEXT, _TOLD, _OUT)),
    "km_session_cancel": (c_uint32, (_HANDLE, _OUT)),
    "km_session_free": (c_uint32, (_HANDLE,)),
}


def declare(library: ctypes.CDLL) -> None:
    """Tells ctypes what every function takes and returns."""
    for name, (result, arguments) in FUNCTIONS.items():
        function = getattr(library, name)
        function.restype = result
        function.argtypes = arguments
