"""The rule of what makes a sound: a task calls people when it needs them, and when it is done."""

from collections.abc import Sequence
from typing import TypeVar

from bot.domain.change.outbox import Show
from bot.domain.talk.message import Call
from bot.domain.value import replace

W = TypeVar("W")


def with_one_sound(writes: Sequence[W | Show], *, asked: bool) -> tuple[W | Show, ...]:
    """Returns what a turn writes at once, with at most one message in each chat that sounds.

    The first that needs people sounds, unless they are `asked` by this task already and have not
    answered. Otherwise the first that tells of an end sounds. All else is silent.
    """
    loud = {id(one) for one in _loud([w for w in writes if isinstance(w, Show)], asked=asked)}
    return tuple(
        _silenced(write) if isinstance(write, Show) and id(write) not in loud else write
        for write in writes
    )


def _loud(shown: Sequence[Show], *, asked: bool) -> list[Show]:
    first: dict[tuple[int, Call], Show] = {}
    for one in shown:
        first.setdefault((one.chat, one.call), one)
    chats = dict.fromkeys(one.chat for one in shown)
    needs = {chat: first[chat, Call.NEEDS] for chat in chats if (chat, Call.NEEDS) in first}
    ends = {chat: first[chat, Call.DONE] for chat in chats if (chat, Call.DONE) in first}
    return list((ends if asked else ends | needs).values())


def _silenced(show: Show) -> Show:
    if show.content.silent:
        return show
    return replace(show, content=replace(show.content, silent=True))
