"""People's names and rights, in the words of commands and their answers."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from bot.domain.talk.person import Person
from bot.domain.talk.reach import Level
from bot.domain.talk.rights import Pace, Rights, read_pace
from bot.domain.text.markdown import inline_code
from bot.flow.people.levels import BRIEF, READ, SPELLED

_SWITCH = {"on": True, "off": False}
_LONGEST_WORD = 40


def amended(
    person: Person, words: Sequence[str], tools: Collection[str]
) -> tuple[Rights, Pace | None]:
    """Returns the person's rights and pace with these wishes; raises ValueError with a sentence."""
    rights, pace = person.rights, person.pace
    if len(words) % 2:
        raise ValueError(f"{_cited(words[-1])} needs a value.")
    for name, value in zip(words[::2], (word.rstrip(",") for word in words[1::2]), strict=True):
        match name.lower():
            case "commands":
                rights = replace(rights, commands=_switched(value))
            case "approve":
                rights = replace(rights, approves=_level(value))
            case "tools":
                rights = replace(rights, tools=_chosen(value, tools))
            case "pace":
                pace = _paced(value)
            case other:
                raise ValueError(f"There is no right called {_cited(other)}.")
    return rights, pace


def described(person: Person, common: Pace) -> str:
    """Describes the rights of a person and the pace that counts."""
    if person.is_owner:
        return "may do everything"
    rights = person.rights
    tools = "all" if rights.tools is None else ", ".join(rights.tools) or "none"
    parts = [
        f"commands {_told(on=rights.commands)}",
        f"approve {SPELLED[rights.level]}",
        f"tools {tools}",
        f"pace {person.effective_pace(common)}",
    ]
    return " · ".join(parts)


def in_words(person: Person, common: Pace) -> str:
    """Tells what a person may do, and how many messages they can send, for a list of people."""
    if person.is_owner:
        return "may do everything"
    rights = person.rights
    named_tools = ", ".join(inline_code(name) for name in rights.tools or ())
    parts = [
        BRIEF[rights.level],
        *(() if rights.commands else ("may not run commands",)),
        "may use all tools" if rights.tools is None else f"may use {named_tools or 'no tool'}",
        _paced_in_words(person.effective_pace(common)),
    ]
    return " · ".join(parts)


def _paced_in_words(pace: Pace) -> str:
    bounds = ((pace.minute, "a minute"), (pace.hour, "an hour"), (pace.day, "a day"))
    told = ", ".join(f"{count:,} {each}" for count, each in bounds if count is not None)
    return f"messages: at most {told}" if told else "messages: no limit"


def _told(*, on: bool) -> str:
    return "on" if on else "off"


def _switched(value: str) -> bool:
    if value.lower() not in _SWITCH:
        raise ValueError(f"Use on or off, not {_cited(value)}.")
    return _SWITCH[value.lower()]


def _level(value: str) -> Level:
    level = READ.get(value.lower())
    if level is None:
        raise ValueError(f"Use off, changes or commands, not {_cited(value)}.")
    return level


def _chosen(value: str, known: Collection[str]) -> tuple[str, ...] | None:
    if value.lower() == "all":
        return None
    names = tuple(dict.fromkeys(filter(None, value.split(","))))
    for name in names:
        if name not in known:
            raise ValueError(f"There is no tool {_cited(name)}. /tools lists them.")
    return names


def _paced(value: str) -> Pace | None:
    if value.lower() == "default":
        return None
    try:
        return read_pace(value)
    except ValueError as error:
        raise ValueError(f"{_cited(value)} is not a rate: {error}.") from error


def _cited(word: str) -> str:
    return inline_code(word[:_LONGEST_WORD])
