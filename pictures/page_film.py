"""The film of the page beside the phone: one conversation, one card, a press on the page.

Chromium photographs the running page; the phone is drawn from the chat of the same moment.
"""

import asyncio
from base64 import b64encode
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

from PIL import Image
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By

from pictures.chat_drawing import WIDTH, draw
from pictures.page import answers, says, signed_in
from pictures.phone import Phone, phone
from pictures.session import Session
from tests.browser.chromium import sized
from tests.browser.driving import waits_for
from tests.e2e.browser import LINK
from tests.ports import free_port
from tests.standins.messages_api import Gate, calls, text, tool

TITLE = "A chat on the page and on the phone: the same card, one press, both told"
PAGE, HEIGHT = 900, 640
SIZE = (PAGE + 16 + int(WIDTH), HEIGHT)
_WALL = (238, 242, 246)
_SECONDS = (4.0, 4.0, 2.5, 4.0)
"""Seconds for which each frame is shown."""

FRAMES = len(_SECONDS)

_COLOURS = 128
_BACKUP = "[backup]\nfolder = /srv/photos\nkeep   = 7 days\nat     = 02:30\n"
_CHANGE = {"path": "backup.conf", "old_text": "7 days", "new_text": "30 days"}
_TOLD = (
    "Backups are kept for **30 days** now.\n\n"
    "| Disk | Size | Free |\n|---|--:|--:|\n| Backups | 3.6 TB | 1.5 TB |"
)
_ROOM = "Yes: at your pace it is full in **about two years**. I look again each month if you like."


def place(folder: Path) -> Path:
    """Returns the file of the film."""
    return folder / "page-film.webp"


async def make(folder: Path) -> None:
    """Plays the conversation on both, and writes its film into a folder."""
    async with phone(STEWARD_WEB_PORT=str(free_port())) as at:
        (at.steward.workspace / "backup.conf").write_text(_BACKUP)
        await at.steward.start()
        at.steward.say("/login")
        told = (await at.steward.sees("Open this link in your browser")).text
        link = LINK.search(told)
        assert link is not None
        await at.steward.eventually(lambda: answers(link[1]))
        at.clear()
        async with signed_in(link) as browser:
            await asyncio.to_thread(sized, browser, PAGE, HEIGHT)
            await asyncio.to_thread(browser.get, f"{link[1]}/chat/telegram:42")
            shots = await _played(at, browser)
            frames = await asyncio.to_thread(_composed, browser, shots, at)
    _write(frames, place(folder))


async def _played(at: Phone, browser: Chrome) -> Sequence[bytes]:
    """Plays it; returns the pictures of the page, one for each moment of the phone."""
    steward, gate, shots = at.steward, Gate(), list[bytes]()

    async def shot() -> None:
        await at.steward.recorded()
        await asyncio.to_thread(browser.execute_script, "document.activeElement.blur()")
        shots.append(await asyncio.to_thread(browser.get_screenshot_as_png))
        at.look(0)

    steward.script(calls(tool("edit_file", _CHANGE)), text(_TOLD))
    steward.say("Keep the backups for 30 days instead of 7")
    await steward.card()
    await _shows(browser, "return document.querySelector('.card.open')")
    # The list of conversations is looked up a moment later.
    await _shows(browser, "return document.querySelector('h1').textContent.startsWith('Keep')")
    await shot()
    key = browser.find_element(By.CSS_SELECTOR, ".card.open .key.main")
    await asyncio.to_thread(key.click)
    await _shows(browser, "return !document.querySelector('.card.open')")
    await steward.sees("30 days now")
    await _shows(browser, "return document.body.innerText.includes('30 days now')")
    await _shows(browser, "return !document.querySelector('#chats .count')")
    await shot()
    steward.script(text(_ROOM).in_pieces(6).held(gate, after=6))
    await says(browser, "Is there room for that?")
    await steward.sees("You wrote on the page")
    await _shows(browser, "return document.getElementById('draft').innerText.includes('Yes')")
    await shot()
    gate.release()
    await steward.sees("two years")
    await _shows(browser, "return !document.getElementById('draft').firstChild")
    await shot()
    return shots


async def _shows(browser: Chrome, told: str) -> None:
    await asyncio.to_thread(waits_for, browser, told)


def _composed(browser: Chrome, shots: Sequence[bytes], at: Phone) -> Sequence[Image.Image]:
    """Puts each picture of the page beside the phone of the same moment."""
    frames = list[Image.Image]()
    for page, moment in zip(shots, at.moments, strict=True):
        drawn = b64encode(draw(Session(TITLE, (moment,))).encode()).decode()
        browser.get(f"data:image/svg+xml;base64,{drawn}")
        sized(browser, int(WIDTH), HEIGHT)
        tall = int(browser.execute_script("return document.documentElement.height.baseVal.value"))
        whole = Image.open(BytesIO(browser.get_screenshot_as_png())).convert("RGB")
        beside = whole.crop((0, 0, int(WIDTH), min(tall, HEIGHT)))
        frame = Image.new("RGB", SIZE, _WALL)
        frame.paste(Image.open(BytesIO(page)).convert("RGB"), (0, 0))
        frame.paste(beside, (PAGE + 16, 0))
        frames.append(frame)
    return frames


def _write(frames: Sequence[Image.Image], path: Path) -> None:
    first, *others = (frame.quantize(_COLOURS).convert("RGB") for frame in frames)
    times = [int(seconds * 1000) for seconds in _SECONDS]
    first.save(path, save_all=True, append_images=others, duration=times, loop=0, lossless=True)
