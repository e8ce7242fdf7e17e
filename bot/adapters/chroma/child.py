"""The process that holds Chroma: it reads frames from its input and writes one answer to each.

Chroma is native code: a damaged folder can end its process by a signal, and no call of it can be
cut off. Both cost this process alone. It ends when its input ends, so it never outlives its owner.
"""

import contextlib
import json
import os
import sys
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any, BinaryIO, cast

from bot.adapters.chroma.faults import Away, Lost, told
from bot.adapters.chroma.frames import HEAD, frame, sizes

Answer = tuple[Mapping[str, Any], bytes]
Work = Callable[[Mapping[str, Any], bytes], Answer]


def main(kind: str) -> None:
    """Serves one kind of work, `index` or `embed`, until the input ends."""
    # Libraries print what they like: only frames may reach the pipe.
    pipe = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)

    def tell(answer: Mapping[str, Any], numbers: bytes = b"") -> None:
        pipe.write(frame(answer, numbers))
        pipe.flush()

    work = _work(kind, tell)
    while (asked := _read(sys.stdin.buffer)) is not None:
        request, numbers = asked
        try:
            answer, found = work(request, numbers)
        except (Away, Lost) as fault:
            answer, found = {"fault": fault.kind, "why": str(fault)}, b""
        except Exception as fault:  # the last border of this process: it must answer
            answer, found = {"fault": told(fault), "why": _short(fault)}, b""
        tell({"id": request["id"], **answer}, found)


def _work(kind: str, tell: Callable[[Mapping[str, Any]], None]) -> Work:
    # Chroma loads httpx, and httpx a command line of its own where it finds one: 5 MB for nothing.
    sys.modules["httpx._main"] = cast(ModuleType, None)
    if kind == "index":
        from bot.adapters.chroma.index import Index

        return Index().work
    from bot.adapters.chroma.model import Model

    return Model(tell).work


def _read(pipe: BinaryIO) -> tuple[Mapping[str, Any], bytes] | None:
    head = pipe.read(HEAD.size)
    if len(head) < HEAD.size:
        return None
    line, numbers = sizes(head)
    return json.loads(pipe.read(line)), pipe.read(numbers)


def _short(fault: Exception) -> str:
    return " ".join(f"{type(fault).__name__}: {fault}".split())[:300]


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt, BrokenPipeError):
        main(sys.argv[1])
