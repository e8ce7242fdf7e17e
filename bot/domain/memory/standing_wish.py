"""Wishes that hold always, as “always cite in APA”; what they are about is asked in other words."""

import re

WISH = "\ue000wish"
"""The mark in the index of words of a passage in which the person said one; no word is like it."""

_LONGEST = 4_000
_WISHES = re.compile(
    r"\b(?:always|never|from now on|every time|whenever i|by default|allergic|i(?:'d| would) rather"
    r"|i(?: would|'d| really| generally| usually)? prefer|i (?:do not|don't|can't|cannot) eat"
    r"|immer|niemals?|von (?:jetzt|nun) an|ab (?:jetzt|sofort)|allergisch|ich bevorzuge"
    r"|siempre|nunca|de ahora en adelante|prefiero|alérgic[oa]|toujours|jamais|désormais"
    r"|je préfère|allergique|всегда|никогда)\b"
    "|总是|永远|从现在起|今后|过敏|我更喜欢|いつも|これからは",
    re.IGNORECASE,
)


def is_wish(said: str) -> bool:
    """Returns True when a person's words may hold a wish that holds always."""
    return _WISHES.search(said[:_LONGEST].replace("’", "'")) is not None
