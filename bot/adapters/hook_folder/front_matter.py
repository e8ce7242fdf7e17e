"""Reads the file of a hook: YAML between two lines of dashes, then the words of its runs."""

import re
from collections.abc import Mapping
from typing import Any, cast

import yaml

from bot.domain.hook import OWNER, SHORTEST_SECRET, BrokenHook, Hook, ProofKind, is_secret_name
from bot.domain.hook_words import MOST_BLANKS, MOST_WORDS, blanks_in, unclear_in
from bot.domain.task import Allowed

_FENCE = "---"
_KEYS = (
    *("for", "chat", "secret", "proof", "header", "key_header"),
    *("allowed", "conversation", "daily", "tells_answer"),
)
_ACCOUNT = re.compile(r"[a-z]+:-?[A-Za-z0-9_]{1,40}(?:/\d{1,20})?")
_PERSON = re.compile(rf"{OWNER}|{_ACCOUNT.pattern}")
_HEADER = re.compile(r"[A-Za-z0-9-]{1,60}")
_CONVERSATIONS = {"own": True, "chat": False}
_SIGNATURE, _KEY = "x-steward-signature", "idempotency-key"
_MOST_DAILY = 10_000
_UNREADABLE = (
    yaml.YAMLError,
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    ValueError,
)
"""Errors for a value that does not fit its tag, or for too large a number."""


class _Wrong(Exception):
    """The fault of a file, at a key; line 1 when it has none."""

    def __init__(self, key: str, why: str) -> None:
        super().__init__(why)
        self.key = key


def read(text: str, file: str, name: str, environ: Mapping[str, str]) -> Hook | BrokenHook:
    """Returns the hook in a file, or the file's fault; never raises."""
    head = ""
    try:
        head, words = _parted(text)
        return _hook(_Keys(_keys(head)), words, name, environ)
    except _Wrong as wrong:
        return BrokenHook(name, file, _line(head, wrong.key), str(wrong))
    except _UNREADABLE as fault:
        told = str(fault).partition("\n")[0] or type(fault).__name__
        return BrokenHook(name, file, 1, f"this is no YAML: {told}")


class _Keys:
    """The keys of a file; each look raises _Wrong for a value that does not fit."""

    def __init__(self, known: Mapping[str, Any]) -> None:
        self._known = known

    def word(self, key: str, form: re.Pattern[str], wish: str, default: str | None = None) -> str:
        told = self._known.get(key, default)
        if told is None:
            raise _Wrong("", f"the key {key!r} is missing: {wish}")
        if not isinstance(told, str) or form.fullmatch(told) is None:
            raise _Wrong(key, f"{key} should be {wish}")
        return told

    def one_of(self, key: str, choices: tuple[str, ...]) -> str:
        told = self._known.get(key, choices[0])
        if told not in choices:
            raise _Wrong(key, f"{key} should be {' or '.join(choices)}")
        return str(told)

    def number(self, key: str, default: int, most: int) -> int:
        told = self._known.get(key, default)
        if not isinstance(told, int) or isinstance(told, bool) or not 1 <= told <= most:
            raise _Wrong(key, f"{key} should be a number from 1 to {most:,}")
        return told

    def switch(self, key: str) -> bool:
        told = self._known.get(key, False)
        if not isinstance(told, bool):
            raise _Wrong(key, f"{key} should be true or false")
        return told


def _hook(keys: _Keys, words: str, name: str, environ: Mapping[str, str]) -> Hook:
    person = keys.word("for", _PERSON, "owner, or an account as in telegram:42", OWNER)
    secret_name = keys.word("secret", re.compile(r".*"), "a variable, as in HOOK_BUILD_SECRET")
    if not is_secret_name(secret_name):
        raise _Wrong("secret", "secret should name a variable that begins with HOOK_, not hold it")
    secret = environ.get(secret_name, "").strip()
    if secret and len(secret) < SHORTEST_SECRET:
        raise _Wrong("secret", f"{secret_name} has fewer than {SHORTEST_SECRET} characters")
    _check(words)
    wish = "the name of a header"
    return Hook(
        name=name,
        person=person,
        chat=keys.word("chat", _ACCOUNT, "a chat, as in telegram:-100123", person),
        words=words,
        secret_name=secret_name,
        secret=secret,
        proof=ProofKind(keys.one_of("proof", tuple(ProofKind))),
        header=keys.word("header", _HEADER, wish, _SIGNATURE).lower(),
        key_header=keys.word("key_header", _HEADER, wish, _KEY).lower(),
        allowed=Allowed(keys.one_of("allowed", tuple(Allowed))),
        fresh=_CONVERSATIONS[keys.one_of("conversation", tuple(_CONVERSATIONS))],
        daily=keys.number("daily", 100, _MOST_DAILY),
        tells_answer=keys.switch("tells_answer"),
    )


def _check(words: str) -> None:
    if not words:
        raise _Wrong("", "there are no words below the front matter")
    if len(words) > MOST_WORDS:
        raise _Wrong("", f"the words have more than {MOST_WORDS:,} characters")
    if len(blanks_in(words)) > MOST_BLANKS:
        raise _Wrong("", f"there are more than {MOST_BLANKS} placeholders")
    if unclear := unclear_in(words):
        raise _Wrong("", f"“{unclear}” is no placeholder: write names and dots, as in {{{{a.b}}}}")


def _parted(text: str) -> tuple[str, str]:
    lines = text.lstrip("\ufeff").splitlines()
    if not lines or lines[0].rstrip() != _FENCE:
        raise _Wrong("", "the file should begin with a line of three dashes")
    ends = [n for n, line in enumerate(lines[1:], start=1) if line.rstrip() == _FENCE]
    if not ends:
        raise _Wrong("", "the front matter has no end: a second line of three dashes")
    return "\n".join(lines[1 : ends[0]]), "\n".join(lines[ends[0] + 1 :]).strip()


def _keys(head: str) -> Mapping[str, Any]:
    keys: object = yaml.safe_load(head)
    if not isinstance(keys, dict):
        raise _Wrong("", "the front matter should be keys with values")
    known = cast("dict[Any, Any]", keys)
    for key in known:
        if key not in _KEYS:
            raise _Wrong(str(key), f"the key {key!r} is none of {', '.join(_KEYS)}")
    return known


def _line(head: str, key: str) -> int:
    """Returns the line of a key of the front matter; the first line when the key is absent."""
    found = (n for n, line in enumerate(head.splitlines(), 2) if key and line.startswith(key))
    return next(found, 1)
