"""Stems: the forms of words under which a passage is found, the same for every database.

Words lose accents, case and endings. Scripts that put no spaces between words (Chinese, Japanese,
Thai and others) are cut into pairs of characters, since any cut into words would need a dictionary.
"""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003134f"
)
_MARKS = "\u0591-\u05c7\u064b-\u065f\u0670\u0900-\u0dff"
_RUN = re.compile(f"[{_UNSPACED}]+|(?:(?![{_UNSPACED}])(?:[^\\W_]|[{_MARKS}]))+")
_ENDINGS = (
    *((ending, "") for ending in ("ingly", "edly", "ings", "ing")),
    *((ending, "y") for ending in ("ied", "ies")),
    *((ending, "") for ending in ("ed", "ly", "ern", "em", "en", "es", "er", "s", "n")),
)
_FIRST_UNSPACED = re.compile(f"[{_UNSPACED}]")
_ACCENTS = re.compile("[\u0300-\u036f]")
_LONGEST = 40
"""Characters of a stem; longer words are cut, since they are rarely words."""

_SHORTEST = 3
"""Characters that an ending must leave."""

_TELLS_NOTHING = """
a aber about after again al all als also am an and any are as ask at au auch auf aus aux avec be
because been before bei being bin bist but by can ce ces como con could cual cuando da dans das
dass de del dem den der des did die dir do does doing don donde du ein eine einem einen einer el
ella elle en era es est esta este et etait for from fue fur get give go got ha hab habe haben had
has hast hat hatte have having hay he her here him his how i ich if ihm ihn ihr il ils im in into
is ist it its ja je just kann kein know la las le les let leur like ll lo los m ma mais make may
me mein meine meinem meinen meiner mes mi mich might mir mis mit moi mon my nach ne need nicht no
noch nor not nous now nun nur o ob oder of off ok on one only or other ou our out over par para
pas pero please por porque pour put qu quand que qui quien re remember s sa sag said say se see
ses she should si sich sie sind so some son su such sur sus t ta te tell tes than thank thanks
that the their them then there these they thing this those through tiene to toi ton too tu uber um
un una und une uns until up us use ve very von vous wann want war waren warum was we welche
welcher well wem wen wenn wer were what when where which while who whom whose why wie will wir
wird with wo would y ya yes yet yo you your yours zu zum zur
"""
"""Words of English, German, Spanish and French questions that tell nothing."""

_STOP_WORDS = frozenset(_TELLS_NOTHING.split())


def stems(text: str) -> list[str]:
    """Returns the stems of a text in their order; a word that occurs twice stands there twice."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    found: list[str] = []
    for run in _RUN.findall(plain):
        if _FIRST_UNSPACED.match(run):
            found.extend(_pairs(run))
        else:
            found.append(_stem(run[: _LONGEST * 2]))
    return found


def sought(text: str, most: int = 48) -> list[str]:
    """Returns the telling stems of a question, each once, at most so many."""
    plain = unicodedata.normalize("NFKC", text[: most * 200]).casefold()
    telling: dict[str, None] = {}
    others: dict[str, None] = {}
    for run in _RUN.findall(plain):
        if _FIRST_UNSPACED.match(run):
            telling.update(dict.fromkeys(_pairs(run)))
        else:
            word = run[: _LONGEST * 2]
            stopped = len(word) == 1 and word.isascii() and not word.isdigit()
            known = _unaccented(word) in _STOP_WORDS
            (others if stopped or known else telling)[_stem(word)] = None
    return list(telling)[:most]


def pairs(stem: str) -> bool:
    """Returns True for a pair of characters of a script without spaces."""
    return not stem.isascii() and _FIRST_UNSPACED.match(stem[-2:]) is not None


def _pairs(run: str) -> Sequence[str]:
    return [run[n : n + 2] for n in range(len(run) - 1)] if len(run) > 1 else [run]


def _unaccented(word: str) -> str:
    if word.isascii():
        return word
    return _ACCENTS.sub("", unicodedata.normalize("NFD", word))


@lru_cache(maxsize=50_000)
def _stem(word: str) -> str:
    """Returns a word without accents and without the commonest endings of several languages."""
    word = _unaccented(word)
    if not word.isascii() or len(word) <= _SHORTEST or not word.isalpha():
        return word[:_LONGEST]
    word = _without_ending(word)
    if len(word) > _SHORTEST and word[-1] == word[-2] and word[-1] not in "aeiouls":
        word = word[:-1]
    if len(word) > _SHORTEST and word[-1] in "aeo":
        word = word[:-1]
    if len(word) > _SHORTEST and word[-1] == "y":
        word = f"{word[:-1]}i"
    return word[:_LONGEST]


def _without_ending(word: str) -> str:
    for ending, instead in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST:
            kept = word[: -len(ending)]
            belongs = ending == "s" and kept[-1] in "su"
            belongs = belongs or (ending == "n" and kept[-1] not in "aeiou")
            return word if belongs else f"{kept}{instead}"
    return word
