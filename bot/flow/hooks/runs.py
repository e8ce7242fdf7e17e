"""The row of an accepted call, and the turn that carries it out, as it is queued."""

import secrets
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from bot.domain.assignments.hook import Hook, HookCall, turn_of_call
from bot.domain.assignments.hook_words import filled
from bot.domain.change import SaveConversation, SaveTurn, Write
from bot.domain.talk.chat import Chat
from bot.domain.talk.person import Person
from bot.domain.turn.turn import Turn, TurnAsker
from bot.domain.value import frozen
from bot.flow.log.fresh_start import of_run


@frozen
class Accepted:
    """A stored call; `new` is False when it came before with the same key."""

    call: HookCall
    new: bool


@frozen
class CallSigns:
    """The signs by which a call is known again: its key, the id of its stamp, and its signature."""

    key: str
    id: str | None
    seal: str


def called(hook: Hook, sign: CallSigns, value: Any, chat: Chat, now: datetime) -> HookCall:
    """Returns the row of a new call, with all that its run needs."""
    told = filled(hook.words, value)
    id = sign.id or secrets.token_hex(8)
    return HookCall(
        id=id,
        hook=hook.name,
        key=sign.key,
        turn=turn_of_call(id),
        chat=chat.id,
        at=now,
        words=told.words,
        data=told.data,
        allowed=hook.allowed,
        fresh=hook.fresh,
        seal=sign.seal,
    )


def queued(call: HookCall, person: Person, chat: Chat) -> Sequence[Write]:
    """Returns the writes of the turn; a conversation of its own is closed from the start."""
    if not call.fresh:
        return (SaveTurn(turn_for(call, chat.conversation, person.id, person.name, call.at)),)
    own = of_run(chat.id, f"Hook {call.hook}", call.at)
    turn = turn_for(call, own.id, person.id, person.name, call.at)
    return SaveConversation(own), SaveTurn(turn)


def turn_for(call: HookCall, conversation: str, asker: int, name: str, now: datetime) -> Turn:
    """Returns the queued turn of a call in this conversation."""
    by = TurnAsker(call.chat, conversation, asker, name)
    return by.starts(call.turn, now, call.mandate, origin="hook")
