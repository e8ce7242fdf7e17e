"""The bytes by which the vector of a passage is found in the files of an index.

`python -m tests.vector_traces <folder>...` prints how many vectors Chroma finds there.
"""

import sys
from array import array
from importlib import import_module
from pathlib import Path

from bot.domain.memory.meaning import Vector, unit


def traces_of(vector: Vector) -> list[bytes]:
    """Returns the vector as it was sent, and the one of length 1; many of its numbers are zero."""
    sent = array("f", vector)
    return [each.tobytes() for each in (sent, array("f", unit(sent)))]


def holding(folder: Path, traces: list[bytes]) -> list[Path]:
    """Returns the files that hold one of the traces."""
    held = {each: each.read_bytes() for each in folder.rglob("*") if each.is_file()}
    return [each for each, found in held.items() if any(trace in found for trace in traces)]


def main() -> None:
    chromadb, config = import_module("chromadb"), import_module("chromadb.config")
    quiet = config.Settings(anonymized_telemetry=False)
    clients = [chromadb.PersistentClient(each, settings=quiet) for each in sys.argv[1:]]
    held = sum(c.count() - 1 for client in clients for c in client.list_collections())
    sys.stdout.write(f"{held}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
