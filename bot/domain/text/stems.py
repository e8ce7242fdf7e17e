"""Stems: the forms of words under which a passage is found, the same for every database.

A stemmer that is handed in takes the endings off. Scripts that put no spaces between words
(Chinese, Japanese, Thai and others) are cut into pairs of characters, since any cut into words
would need a dictionary.
"""

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

Stem: TypeAlias = Callable[[str], str]
"""Returns the stem of a word that is in small letters."""

_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003134f"
)
_MARKS = "\u0591-\u05c7\u064b-\u065f\u0670\u0900-\u0dff"
_RUN = re.compile(f"[{_UNSPACED}]+|(?:(?![{_UNSPACED}])(?:[^\\W_]|[{_MARKS}]))+")
_FIRST_UNSPACED = re.compile(f"[{_UNSPACED}]")
_NOT_PLAIN = re.compile(f"[{_UNSPACED}{_MARKS}]")
_PLAIN_RUN = re.compile(r"[^\W_]+")
_GAPS = {n: " " for n in range(128) if not chr(n).isalnum()}
_ACCENTS = re.compile("[\u0300-\u036f]")
LONGEST = 40
"""Characters of a stem; longer words are cut, since they are rarely words."""

SOFT = 0.15
"""The part that a word counts which questions consist of; names and things count whole."""

_COMMON = 0.4
"""The part that a word counts which asks for a thing, and is rarely said with it."""

_BEGINNING, _ENDING = 3, 2
"""The characters of a word that all its forms have, and those that an ending may have."""

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
_ASKING = "art arten kind kinds many much often sort sorts type types viele"
_ASKS = frozenset(_ASKING.split())


def stems(text: str, stem: Stem) -> list[str]:
    """Returns the stems of a text in their order; a word that occurs twice stands there twice."""
    found: list[str] = []
    for run in _runs(text):
        if run.isascii() or not _FIRST_UNSPACED.match(run):
            found.append(stem(run))
        else:
            found.extend(_pairs(run))
    return found


def sought(text: str, stem: Stem, most: int = 48) -> Mapping[str, float]:
    """Returns the stems of a question with the part that each counts, at most so many.

    Nothing is returned when no word tells anything.
    """
    telling: dict[str, float] = {}
    others: dict[str, float] = {}
    for run in _runs(text[: most * 200]):
        if _FIRST_UNSPACED.match(run):
            telling.update(dict.fromkeys(_pairs(run), 1.0))
        elif unaccented(run) in _STOP_WORDS:
            others[stem(run)] = SOFT
        elif not _single(run):
            telling[stem(run)] = _COMMON if run in _ASKS else 1.0
    if not telling:
        return {}
    first = list(telling.items())[:most]
    rest = [(one, part) for one, part in others.items() if one not in telling]
    return dict((*first, *rest)[:most])


def soft(parts: Mapping[str, float]) -> frozenset[str]:
    """Returns the stems of a question of which it consists, and that tell nothing."""
    return frozenset(one for one, part in parts.items() if part <= SOFT)


def beginnings(text: str, most: int = 48) -> Sequence[str]:
    """Returns the beginnings of the telling words of a question, as their forms share them."""
    found: dict[str, None] = {}
    for run in _runs(text[: most * 200]):
        if _FIRST_UNSPACED.match(run):
            found.update(dict.fromkeys(_pairs(run)))
        elif run not in _ASKS and unaccented(run) not in _STOP_WORDS and not _single(run):
            found[run[: max(_BEGINNING, len(run) - _ENDING)]] = None
    return list(found)[:most]


def pairs(stem: str) -> bool:
    """Returns True for a pair of characters of a script without spaces."""
    return not stem.isascii() and _FIRST_UNSPACED.match(stem[-2:]) is not None


def unaccented(word: str) -> str:
    if word.isascii():
        return word
    return _ACCENTS.sub("", unicodedata.normalize("NFD", word))


def _runs(text: str) -> list[str]:
    """Returns the words of a text, and its parts in scripts without spaces, in small letters."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    # All three cut alike; the last one takes five times as long as the first.
    if plain.isascii():
        return [run[: LONGEST * 2] for run in plain.translate(_GAPS).split()]
    if not _NOT_PLAIN.search(plain):
        return [run[: LONGEST * 2] for run in _PLAIN_RUN.findall(plain)]
    return [
        run if _FIRST_UNSPACED.match(run) else run[: LONGEST * 2] for run in _RUN.findall(plain)
    ]


def _single(word: str) -> bool:
    """Returns True for a lone letter, as of “Ann's” or “l'eau”."""
    return len(word) == 1 and word.isascii() and not word.isdigit()


def _pairs(run: str) -> Sequence[str]:
    return [run[n : n + 2] for n in range(len(run) - 1)] if len(run) > 1 else [run]
