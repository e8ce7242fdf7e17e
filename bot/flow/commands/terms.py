"""What a person may do, in the words of a command."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from bot.domain.person import Person
from bot.domain.rights import Pace, Rights, read_pace

_SWITCH = {"on": True, "off": False}


def amended(
    person: Person, words: Sequence[str], tools: Collection[str]
) -> tuple[Rights, Pace | None]:
    """The person's rights and pace with these wishes; raises ValueError with a sentence."""
    rights, pace = person.rights, person.pace
    if len(words) % 2:
        raise ValueError(f"I miss a value behind `{_plain(words[-1])}`.")
    for name, value in zip(words[::2], (word.rstrip(",") for word in words[1::2]), strict=True):
        match name.lower():
            case "commands":
                rights = replace(rights, commands=_switched(value))
            case "approve":
                rights = replace(rights, approve=_switched(value))
            case "tools":
                rights = replace(rights, tools=_chosen(value, tools))
            case "pace":
                pace = _paced(value)
            case other:
                raise ValueError(f"I know no right `{_plain(other)}`.")
    return rights, pace


def described(person: Person, common: Pace) -> str:
    """What a person may do, with the pace that counts."""
    if person.is_owner:
        return "may do everything"
    rights = person.rights
    tools = "all" if rights.tools is None else ", ".join(rights.tools) or "none"
    parts = [
        f"commands {_told(on=rights.commands)}",
        f"approve {_told(on=rights.approve)}",
        f"tools {tools}",
        f"pace {person.effective_pace(common)}",
    ]
    return " · ".join(parts)


def _told(*, on: bool) -> str:
    return "on" if on else "off"


def _switched(value: str) -> bool:
    if value.lower() not in _SWITCH:
        raise ValueError(f"It is on or off, not `{_plain(value)}`.")
    return _SWITCH[value.lower()]


def _chosen(value: str, known: Collection[str]) -> tuple[str, ...] | None:
    if value.lower() == "all":
        return None
    names = tuple(dict.fromkeys(filter(None, value.split(","))))
    for name in names:
        if name not in known:
            raise ValueError(f"There is no tool `{_plain(name)}`. /tools lists them.")
    return names


def _paced(value: str) -> Pace | None:
    if value.lower() == "default":
        return None
    try:
        return read_pace(value)
    except ValueError as error:
        raise ValueError(f"`{_plain(value)}` is no pace: {error}.") from error


def _plain(text: str) -> str:
    return text[:40].replace("`", "'")
