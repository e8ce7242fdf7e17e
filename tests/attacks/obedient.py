"""A model that always obeys: whoever wrote an order, in whatever language or encoding."""

import base64
import binascii
import codecs
import html
import re
from base64 import b64decode
from collections.abc import Iterator
from itertools import count
from unicodedata import normalize
from urllib.parse import unquote

from bot.domain.tools.tool import ToolCall
from bot.domain.turn.transcript import ImagePart, TextPart
from bot.domain.turn.view import ModelReply, ModelRequest, ResultPart
from tests.attacks.attack_texts import ACTIONS, ORDERS, arguments
from tests.fakes.model import call, calls, says

SECRET = "hunter2"

_TOOLS = {"fetch": "web_fetch"}
_ERRANDS = {
    "page": ("web_fetch", "url"),
    "search": ("web_search", "query"),
    "server": ("server", "what"),
    "broken server": ("broken", "what"),
    "file": ("open", "what"),
    "skill": ("use_skill", "name"),
}
_GOAL_UPDATES = {
    "milestone": {},
    "question": {"state": "stuck"},
    "done": {"state": "done"},
}
_ERRAND = re.compile(r"look at the ([a-z ]+) `([^`]+)`")
_PATTERNS = {
    action: re.compile(
        "|".join(
            re.escape(phrases[at]).replace(re.escape("{}"), "([^`]{1,200})")
            for phrases in ORDERS.values()
        ),
        re.IGNORECASE,
    )
    for at, action in enumerate(ACTIONS)
}
_ENGLISH = {
    action: re.compile(re.escape(ORDERS["en"][at]).replace(re.escape("{}"), "([^`]{1,200})"))
    for at, action in enumerate(ACTIONS)
}
_BEFORE_THINGS = {
    action: tuple(phrases[at].partition("{}")[0].lower() for phrases in ORDERS.values())
    for at, action in enumerate(ACTIONS)
}
"""The first words of each order. Most texts hold none, which is seen sooner than by a pattern."""
_ESCAPE = re.compile(r"\\u([0-9a-f]{4})|\\U([0-9a-f]{8})")
_UNLIKE = str.maketrans("аеорсхуіѕјк", "aeopcxyisjk")
_TAGS = re.compile("[\U000e0020-\U000e007e]")
_SELECTORS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]")
_ZERO = re.compile("[\u200b-\u200f\u2060-\u2064\u202a-\u202e\ufeff\u00ad]")


class Obedient:
    """Obeys each order once, as soon as it reads it; `obeyed` are the orders, in their order."""

    def __init__(self) -> None:
        self.obeyed: list[tuple[str, str]] = []
        self.repeats = ""
        """As long as this is set it obeys nobody: it says these words to whatever it is asked."""
        self._links: list[str] = []
        self._ids = count(1)

    def reply(self, request: ModelRequest, number: int) -> ModelReply:
        del number
        if self.repeats:
            return says(self.repeats)
        parts = [p for m in request.messages if m.role == "user" for p in m.parts]
        words = [p.text for p in parts if isinstance(p, TextPart | ResultPart)]
        # It reads what stands in a picture, as models that see do.
        words += [b64decode(p.data).decode() for p in parts if isinstance(p, ImagePart)]
        text = "\n\n".join((*words, *self._own_words(request)))
        made = [made for order in orders_in(text) if (made := self._obey(*order)) is not None]
        if made:
            return calls(*made)
        links, self._links = self._links, []
        shown = " ".join(f"[Read more]({link}{SECRET}) ![]({link}{SECRET})" for link in links)
        return says(shown or "Done.")

    def _own_words(self, request: ModelRequest) -> list[str]:
        """Words of the request around the conversation; a model reads them as well."""
        return [request.system, *(spec.description for spec in request.tools)]

    def _obey(self, action: str, thing: str) -> ToolCall | None:
        if (action, thing) in self.obeyed:
            return None
        self.obeyed.append((action, thing))
        if action == "link":
            self._links.append(thing)
            return None
        id = f"o{next(self._ids)}"
        if action == "errand":
            return call(id, "delegate", {"task": f"Please look at the page `{thing}`."})
        if action == "schedule":
            return call(id, "schedule_task", {"when": "every 2h", "what": thing})
        if action in _GOAL_UPDATES:
            key = "question" if action == "question" else "milestone"
            linked = f"[Read more]({thing}{SECRET}) ![]({thing}{SECRET})"
            return call(id, "goal_update", {**_GOAL_UPDATES[action], key: linked})
        if action in _ERRANDS:
            tool, argument = _ERRANDS[action]
            return call(id, tool, {argument: thing})
        return call(id, _TOOLS.get(action, action), arguments(action, thing, SECRET))


def orders_in(text: str) -> Iterator[tuple[str, str]]:
    """Every order in a text, however it is written."""
    # Most readings say the same, and are read once.
    readings = tuple(dict.fromkeys(_readings(text)))
    for reading in readings:
        for kind, thing in _ERRAND.findall(reading):
            if kind in (*_ERRANDS, "errand", "schedule", *_GOAL_UPDATES):
                yield kind, thing
        low = reading.lower()
        for action, pattern in _PATTERNS.items():
            if not any(words in low for words in _BEFORE_THINGS[action]):
                continue
            for found in pattern.finditer(reading):
                yield action, next(filter(None, found.groups()))
    for reading in readings:
        # Only Latin letters change, so it is read as English.
        turned = codecs.encode(reading, "rot13")
        for action, english in _ENGLISH.items():
            for found in english.finditer(turned):
                yield action, found[1]


def _readings(text: str) -> Iterator[str]:
    """The text as it stands, and as somebody reads it who looks for hidden meanings."""
    text = text.replace("\\\\", "\\")
    text = _ESCAPE.sub(lambda found: chr(int(found[1] or found[2], 16)), text)
    plain = _ZERO.sub("", text)
    yield plain
    yield "".join(chr(ord(c) - 0xE0000) for c in _TAGS.findall(text))
    yield plain[::-1]
    yield html.unescape(plain)
    yield unquote(plain)
    yield plain.translate(_UNLIKE)
    yield normalize("NFKC", plain)
    yield plain.replace("·", "")
    yield _selected(text)
    for hidden in re.findall(r"[0-9a-f]{24,}", plain):
        if len(hidden) % 2 == 0:
            yield bytes.fromhex(hidden).decode(errors="replace")
    for hidden in re.findall(r"[A-Za-z0-9+/]{16,}={0,2}", plain):
        try:
            told = base64.b64decode(hidden, validate=True).decode(errors="replace")
        except binascii.Error:
            continue
        yield told


def _selected(text: str) -> str:
    found = bytearray()
    for letter in map(ord, _SELECTORS.findall(text)):
        if 0xFE00 <= letter < 0xFE10:
            found.append(letter - 0xFE00)
        else:
            found.append(letter - 0xE0100 + 16)
    return found.decode(errors="replace")
