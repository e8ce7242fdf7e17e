"""Pictures of the page in a browser: the running program, photographed by Chromium.

Letters are those of the machine, so two machines make pictures that differ a little. Roboto and
Noto Color Emoji look as in the docs.
"""

import asyncio
import re
import socket
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image
from selenium.webdriver import Chrome, Keys
from selenium.webdriver.common.by import By

from pictures.phone import phone
from tests.browser.chromium import chromium, sized
from tests.browser.driving import waits_for
from tests.e2e.browser import LINK
from tests.e2e.steward import Steward
from tests.ports import free_port
from tests.standins.messages_api import Gate, calls, text, tool

SIZES: Mapping[str, tuple[int, int]] = {"desk": (1280, 860), "phone": (390, 844)}
SHOTS = (
    *("chat-desk-light", "chat-desk-dark", "chat-phone-light", "chat-phone-dark"),
    *("cards-desk-light", "turn-desk-light", "now-desk-light"),
    *("cards-phone-dark", "turn-phone-dark", "now-phone-dark"),
)
"""The page, the size and the scheme of each picture."""

_COLOURS = 256
_FOLDER = "/srv/steward/workspace"
_NAMED = """
for (const e of document.querySelectorAll('.facts dd'))
  if (e.textContent === arguments[0]) e.textContent = arguments[1];
"""

_WHY = "return document.querySelector('.why')?.getAttribute('href')"
_PRESSES = """
const key = [...document.querySelectorAll('.card.open .key')]
  .find((one) => one.textContent.includes('{}'));
key?.click();
return key;
"""
_WEATHER = "It stays dry until the evening."
_BACKUP = """\
[backup]
folder = /srv/photos
keep   = 7 days
at     = 02:30
"""
_DISKS = """\
The photo disk has room for about **five months** at your pace. Backups are kept for **7 days**, \
although the disk for them is only half full.

| Disk | Size | Used | Free | Full at this pace |
|---|--:|--:|--:|---|
| Photos | 1.8 TB | 83 % | 310 GB | April 2027 |
| Backups | 3.6 TB | 58 % | 1.5 TB | not in the next two years |
"""


def places(folder: Path) -> Sequence[Path]:
    """Returns the files of all pictures of the page."""
    return [folder / f"page-{name}.png" for name in SHOTS]


async def make(folder: Path) -> None:
    """Plays a morning on the page, and writes its pictures into a folder."""
    async with phone(LOGNAME="Ann", STEWARD_WEB_PORT=str(free_port())) as at:
        (at.steward.workspace / "backup.conf").write_text(_BACKUP)
        (at.steward.workspace / "old-offer.txt").write_text("Valid until March.\n")
        await at.steward.start()
        async with _at_the_machine(at.steward) as (browser, origin):
            turn = await _explained(at.steward, browser)
            await _denied(at.steward, browser)
            asked = await _morning(at.steward, browser)
            chat = browser.current_url
            addresses = {
                "chat": chat,
                "cards": f"{origin}/cards",
                "turn": f"{origin}{turn}",
                "now": f"{origin}/now",
            }
            named = (str(at.steward.workspace), _FOLDER)
            for shot, path in zip(SHOTS, places(folder), strict=True):
                address = addresses[shot.partition("-")[0]]
                await asyncio.to_thread(_photograph, browser, address, shot, named, path)
            asked.release()
            await at.steward.sees(_WEATHER)


@asynccontextmanager
async def _at_the_machine(steward: Steward) -> AsyncGenerator[tuple[Chrome, str]]:
    link = await steward.eventually(lambda: LINK.search(steward.output))
    await steward.eventually(lambda: answers(link[1]))
    async with signed_in(link) as browser:
        yield browser, link[1]


@asynccontextmanager
async def signed_in(link: re.Match[str]) -> AsyncGenerator[Chrome]:
    """Opens Chromium, in which the person of a link has signed in."""
    with chromium() as browser:
        await asyncio.to_thread(browser.get, link[0])
        await _waits(browser, "return document.getElementById('code').value")
        await asyncio.to_thread(browser.find_element(By.CSS_SELECTOR, ".door .key").click)
        await _waits(browser, "return document.getElementById('live')?.textContent === 'Live'")
        yield browser


def answers(origin: str) -> bool:
    """Tells if anything listens at an address."""
    with socket.socket() as probe:
        host, _, port = origin.removeprefix("http://").partition(":")
        return probe.connect_ex((host, int(port))) == 0


async def _explained(steward: Steward, browser: Chrome) -> str:
    """Lets an answer wait for a person and live through a kill; returns the page about it."""
    gate, note = Gate(), {"path": "notes/disks.md", "content": "# Disks\n\nPhotos: 83 % full\n"}
    look = calls(tool("read_file", {"path": "backup.conf"}))
    steward.script(look, calls(tool("write_file", note)), text("Lost").held(gate))
    await says(browser, "Write down how full the disks are")
    await _decides(browser, "Approve", 9.0)
    await gate.arrived()
    await steward.kill()
    gate.release()
    steward.script(text("It stands in `notes/disks.md`."))
    await steward.start()
    return await _waits(browser, _WHY)


async def _denied(steward: Steward, browser: Chrome) -> None:
    """Lets something be asked for that a person does not want, and sets a task."""
    steward.script(calls(tool("delete_file", {"path": "old-offer.txt"})), text("I left it there."))
    await says(browser, "Is anything here that nobody needs?")
    await _decides(browser, "Deny", 4.0)
    await _waits(browser, "return document.body.innerText.includes('I left it there.')")
    await says(browser, "/schedule every weekday 07:30 | Look if the backup of the night went well")
    await _waits(browser, "return document.body.innerText.includes('Scheduled.')")


async def _decides(browser: Chrome, label: str, seconds: float) -> None:
    """Presses a key of the open card some seconds after it came, as people do who read it."""
    await _waits(browser, "return document.querySelector('.card.open')")
    await asyncio.sleep(seconds)
    await _waits(browser, _PRESSES.format(label))
    await _waits(browser, "return !document.querySelector('.card.open')")


async def _morning(steward: Steward, browser: Chrome) -> Gate:
    """Asks and lets a change be asked for, while somebody on the phone is being answered.

    Returns the gate that holds the answer on the phone.
    """
    look, gate = tool("read_file", {"path": "backup.conf"}), Gate()
    steward.script(calls(look), text(_DISKS))
    await says(browser, "How full are the disks, and how long do our backups last?")
    await _waits(browser, "return document.querySelector('#messages table')")
    steward.script(text(_WEATHER).held(gate))
    steward.say("Do I need an umbrella today?")
    await gate.arrived()
    change = {"path": "backup.conf", "old_text": "7 days", "new_text": "30 days"}
    steward.script(calls(tool("edit_file", change)))
    await says(browser, "Keep the backups for 30 days instead of 7")
    await _waits(browser, "return document.querySelector('.card.open')")
    await asyncio.to_thread(browser.execute_script, "document.activeElement.blur()")
    return gate


async def says(browser: Chrome, words: str) -> None:
    """Writes a message on the page, and sends it."""
    field = browser.find_element(By.ID, "words")
    await asyncio.to_thread(field.send_keys, words, Keys.ENTER)


async def _waits(browser: Chrome, told: str) -> Any:
    return await asyncio.to_thread(waits_for, browser, told)


def _photograph(
    browser: Chrome, address: str, shot: str, named: tuple[str, str], path: Path
) -> None:
    _, size, scheme = shot.split("-")
    sized(browser, *SIZES[size], dark=scheme == "dark")
    browser.get(address)
    live = "document.querySelector('#live')?.textContent === 'Live'"
    waits_for(browser, f"return !document.body.dataset.stream || {live}")
    browser.execute_script(_NAMED, *named)
    with Image.open(BytesIO(browser.get_screenshot_as_png())) as taken:
        taken.convert("RGB").quantize(_COLOURS).save(path, optimize=True)
