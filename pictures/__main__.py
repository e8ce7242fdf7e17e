"""`python -m pictures [name ...]`: plays sessions with the running program, and draws them.

Writes a recording of each into pictures/recorded, its picture into docs/pictures, and the talk of
the first minute into README.md. `page` photographs the page in a browser, where Chromium is.
"""

import argparse
import asyncio
import logging
import shutil
import time
from collections.abc import Sequence

from pictures import page, page_film
from pictures.pages import ROOT, draw, picture_of, recording_of, write_transcript
from pictures.plays import PLAYS
from pictures.session import to_json

_AT_ONCE = 2
_LOCK = "🔐"
PAGE = "page"
"""The name of the pictures of the page in a browser."""


async def make(names: Sequence[str]) -> None:
    """Plays all of them; each picture is written as soon as its play is over."""
    room = asyncio.Semaphore(_AT_ONCE)
    async with asyncio.TaskGroup() as plays:
        for name in names:
            plays.create_task(_make(name, room), name=name)


async def _make_page() -> None:
    if shutil.which("chromium") is None or shutil.which("chromedriver") is None:
        print("page-*: left as they are, since Chromium with its driver is not installed")
        return
    if not await _has_signs():
        print("page-*: left as they are, since no font has the signs on cards.")
        print("  To make them: apt-get install fonts-noto-color-emoji")
        return
    begun = time.monotonic()
    folder = picture_of("page").parent
    await page.make(folder)
    await page_film.make(folder)
    print(f"{folder.relative_to(ROOT)}/page-*  {time.monotonic() - begun:.1f} s", flush=True)


async def _has_signs() -> bool:
    """Tells whether a font here has the lock of a card; a browser draws an empty box without."""
    asked = ("fc-list", f":charset={ord(_LOCK):x}", "family")
    process = await asyncio.create_subprocess_exec(*asked, stdout=asyncio.subprocess.PIPE)
    told, _ = await process.communicate()
    return bool(told.strip())


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
    parser.add_argument("names", nargs="*", metavar="name", help=", ".join((*PLAYS, PAGE)))
    chosen = parser.parse_args()
    if unknown := set(chosen.names) - {*PLAYS, PAGE}:
        parser.error(f"no picture named {', '.join(sorted(unknown))}")
    # A process that is killed leaves its long poll half answered, and asyncio warns about that.
    logging.getLogger("asyncio").setLevel(logging.ERROR)
    wanted = chosen.names or [*PLAYS, PAGE]
    asyncio.run(make([name for name in wanted if name != PAGE]))
    if PAGE in wanted:
        asyncio.run(_make_page())


if __name__ == "__main__":
    main()
