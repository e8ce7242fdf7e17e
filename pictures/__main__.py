"""`python -m pictures [name ...]`: plays sessions with the running program, and draws them.

Writes a recording of each into pictures/recorded, its picture into docs/pictures, and the talk of
the first minute into README.md.
"""

import argparse
import asyncio
import logging
import time
from collections.abc import Sequence

from pictures.pages import ROOT, draw, picture_of, recording_of, write_transcript
from pictures.plays import PLAYS
from pictures.session import to_json

_AT_ONCE = 2


async def make(names: Sequence[str]) -> None:
    """Plays all of them; each picture is written as soon as its play is over."""
    room = asyncio.Semaphore(_AT_ONCE)
    async with asyncio.TaskGroup() as plays:
        for name in names:
            plays.create_task(_make(name, room), name=name)


async def _make(name: str, room: asyncio.Semaphore) -> None:
    async with room:
        begun = time.monotonic()
        session = await PLAYS[name]()
        recording_of(name).write_text(to_json(session))
        picture_of(name).write_text(draw(session))
        print(f"{picture_of(name).relative_to(ROOT)}  {time.monotonic() - begun:.1f} s", flush=True)
        if name == "minute":
            write_transcript(ROOT / "README.md", session)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m pictures", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="name", help=", ".join(PLAYS))
    chosen = parser.parse_args()
    if unknown := set(chosen.names) - PLAYS.keys():
        parser.error(f"no picture named {', '.join(sorted(unknown))}")
    # A process that is killed leaves its long poll half answered, and asyncio warns about that.
    logging.getLogger("asyncio").setLevel(logging.ERROR)
    asyncio.run(make(chosen.names or list(PLAYS)))


if __name__ == "__main__":
    main()
