"""Reads the file of a hook: YAML between two lines of dashes, then the words of its runs."""

import re
from collections.abc import Mapping
from typing import Any

from bot.adapters.front_matter import UNREADABLE, keys_of, line_of, parted, unreadable
from bot.adapters.markdown_folder import Wrong
from bot.domain.assignments.hook import (
    OWNER,
    SHORTEST_SECRET,
    BrokenHook,
    Hook,
    ProofKind,
    is_secret_name,
)
from bot.domain.assignments.hook_words import MOST_BLANKS, MOST_WORDS, blanks_in, unclear_in
from bot.domain.assignments.task import Allowed

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


class _Fault(Exception):
    """The fault of a file, at a key; line 1 when it has none."""

    def __init__(self, key: str, why: str) -> None:
        super().__init__(why)
        self.key = key


def read(text: str, file: str, name: str, environ: Mapping[str, str]) -> Hook | BrokenHook:
    """Returns the hook in a file, or the file's fault; never raises."""
    head = ""
    try:
        head, words, _ = parted(text)
        return _hook(_Keys(keys_of(head, _KEYS)), words.strip(), name, environ)
    except Wrong as wrong:
        return BrokenHook(name, file, wrong.line, str(wrong))
    except _Fault as wrong:
        return BrokenHook(name, file, line_of(head, wrong.key), str(wrong))
    except UNREADABLE as fault:
        return BrokenHook(name, file, 1, unreadable(fault))


class _Keys:
    """The keys of a file; each look raises _Fault for a value that does not fit."""

    def __init__(self, known: Mapping[str, Any]) -> None:
        self._known = known

    def __contains__(self, key: str) -> bool:
        return key in self._known

    def word(self, key: str, form: re.Pattern[str], wish: str, default: str | None = None) -> str:
        told = self._known.get(key, default)
        if told is None:
            raise _Fault("", f"the key {key!r} is missing: {wish}")
        if not isinstance(told, str) or form.fullmatch(told) is None:
            raise _Fault(key, f"{key} should be {wish}")
        return told

    def one_of(self, key: str, choices: tuple[str, ...]) -> str:
        told = self._known.get(key, choices[0])
        if told not in choices:
            raise _Fault(key, f"{key} should be {' or '.join(choices)}")
        return str(told)

    def number(self, key: str, default: int, most: int) -> int:
        told = self._known.get(key, default)
        if not isinstance(told, int) or isinstance(told, bool) or not 1 <= told <= most:
            raise _Fault(key, f"{key} should be a number from 1 to {most:,}")
        return told

    def switch(self, key: str) -> bool:
        told = self._known.get(key, False)
        if not isinstance(told, bool):
            raise _Fault(key, f"{key} should be true or false")
        return told


def _hook(keys: _Keys, words: str, name: str, environ: Mapping[str, str]) -> Hook:
    person = keys.word("for", _PERSON, "owner, or an account as in telegram:42", OWNER)
    secret_name = keys.word("secret", re.compile(r".*"), "a variable, as in HOOK_BUILD_SECRET")
    if not is_secret_name(secret_name):
        raise _Fault("secret", "secret should name a variable that begins with HOOK_, not hold it")
    secret = environ.get(secret_name, "").strip()
    if secret and len(secret) < SHORTEST_SECRET:
        raise _Fault("secret", f"{secret_name} has fewer than {SHORTEST_SECRET} characters")
    _check(words)
    wish = "the name of a header"
    return Hook(
        name=name,
        person=person,
        chat=keys.word("chat", _ACCOUNT, "a chat, as in telegram:-100123")
        if "chat" in keys
        else person,
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
        raise _Fault("", "there are no words below the front matter")
    if len(words) > MOST_WORDS:
        raise _Fault("", f"the words have more than {MOST_WORDS:,} characters")
    if len(blanks_in(words)) > MOST_BLANKS:
        raise _Fault("", f"there are more than {MOST_BLANKS} placeholders")
    if unclear := unclear_in(words):
        raise _Fault("", f"“{unclear}” is no placeholder: write names and dots, as in {{{{a.b}}}}")
