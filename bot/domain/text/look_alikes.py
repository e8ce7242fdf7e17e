"""Signs and letters that look like those of the program's own marks."""

import re
from unicodedata import category, normalize

BLOCK = "quoted_data"
"""The name of the block; no other program writes it, so hardly a text holds it by chance."""

_HEADS = frozenset(
    {
        *("steward", "lateresult", "planmode", "planapproved", "toolserver", "turnended"),
        *("summaryoftheconversationsofar", "memory", "skill"),
    }
)
"""The heads of the program's own notes, as `skeleton` returns them."""

_LONGER = ("turnended", "steward")
"""Heads behind which more may stand within the brackets."""

_NAME = re.compile(r"\w+")
"""A name in a file of settings, which holds no space."""

_COMMON = frozenset({"memory", "skill"})
"""Heads that stand alone on a line in files of settings, and never do so in a note."""

_SPEAKER = re.compile(r"\s*from\s*[\"“”'‘’＂]", re.IGNORECASE)
"""The head of a message in a group, as in `[From "Ann", telegram:1]`."""

_LEFT, _RIGHT = "<＜﹤‹〈⟨❮❬˂ᐸ⟪《", ">＞﹥›〉⟩❯❭˃ᐳ⟫》"
_TAG = re.compile(
    rf"[{_LEFT}](?=[\s/\\∕⁄／⧸]{{0,12}}([^\s{_LEFT}{_RIGHT}][^\n{_LEFT}{_RIGHT}]{{1,60}}))"
)
"""The sign that opens a tag, where its name may follow."""

_OPEN, _CLOSE = r"\[［【〔❲⟦〚", r"\]］】〕❳⟧〛"
_NOTE = re.compile(rf"[{_OPEN}](?=([^\n{_OPEN}{_CLOSE}]{{2,60}})[{_CLOSE}]?([^\n]?))")
"""The sign that opens a note, where its head and the letter behind it follow."""

_ALIKE = str.maketrans(
    {
        letter: plain
        for plain, letters in {
            "a": "аɑαᴀ@4",
            "b": "вᴃ",
            "c": "сϲᴄ",
            "d": "ԁᴅ",
            "e": "еєεᴇ3",
            "i": "іιıɪ1",
            "j": "ј",
            "k": "кκᴋ",
            "l": "ӏʟ|",
            "m": "мᴍ",
            "n": "ոɴ",
            "o": "оοօσᴏ0",
            "p": "рρᴘ",
            "q": "ԛգǫ",
            "r": "гʀ",
            "s": "ѕꜱ$5",
            "t": "тτᴛ",
            "u": "սυᴜ",
            "v": "νѵᴠ",
            "w": "ԝѡᴡ",
            "x": "хχ",
            "y": "уүγʏ",
        }.items()
        for letter in letters
    }
)
"""Letters that look like those of our own marks."""


def marked(text: str) -> str:
    """Returns a text with a backslash in whatever looks like a mark of the program."""
    return _NOTE.sub(_note, _TAG.sub(_tag, text))


def skeleton(text: str) -> str:
    """Returns the bare letters of a text, with those of other scripts as what they look like."""
    if not text.isascii():
        text = "".join(c for c in normalize("NFKD", text) if category(c) not in ("Mn", "Cf"))
    return "".join(filter(str.isalnum, text.casefold().translate(_ALIKE)))


def _tag(found: re.Match[str]) -> str:
    if not _begins(found[1], _BLOCK_ALIKE[0]):
        return found[0]
    return f"{found[0]}\\" if skeleton(found[1]).startswith(_BLOCK_ALIKE) else found[0]


def _note(found: re.Match[str]) -> str:
    if not _begins(found[1], _INITIALS):
        return found[0]
    head = skeleton(found[1])
    longer = any(head.startswith(one) for one in _LONGER) and not _NAME.fullmatch(found[1])
    ours = head in _HEADS or longer
    ours = ours and not (head in _COMMON and not found[2])
    return f"{found[0]}\\" if ours or _SPEAKER.match(found[1]) else found[0]


def _begins(text: str, initials: str) -> bool:
    """Tells quickly if a text can begin with one of these letters, or with a hidden one."""
    return not (first := skeleton(text.lstrip()[:1])) or first[0] in initials


_BLOCK_ALIKE = skeleton(BLOCK)
_INITIALS = "".join({head[0] for head in _HEADS} | {"f"})
