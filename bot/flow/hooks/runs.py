"""The row of an accepted call, and the turn that carries it out, as it is queued."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from bot.domain.change import SaveConversation, SaveTurn, Write
from bot.domain.chat import Chat, Conversation
from bot.domain.hook import Hook, HookCall, turn_of_call
from bot.domain.hook_words import filled
from bot.domain.person import Person
from bot.domain.turn import Turn, TurnState


@dataclass(frozen=True, slots=True)
class Accepted:
    """A stored call; `new` is False when it came before with the same key."""

    call: HookCall
    new: bool


def called(hook: Hook, key: str, value: Any, chat: Chat, now: datetime) -> HookCall:
    """Returns the row of a new call, with all that its run needs."""
    told = filled(hook.words, value)
    id = secrets.token_hex(8)
    return HookCall(
        id=id,
        hook=hook.name,
        key=key,
        turn=turn_of_call(id),
        chat=chat.id,
        at=now,
        words=told.words,
        data=told.data,
        allowed=hook.allowed,
        fresh=hook.fresh,
    )


def queued(call: HookCall, person: Person, chat: Chat) -> Sequence[Write]:
    """Returns the writes of the turn; a conversation of its own is closed from the start."""
    title = f"Hook {call.hook}"
    own = Conversation(secrets.token_hex(6), chat.id, call.at, closed_at=call.at, title=title)
    turn = Turn(
        id=call.turn,
        chat=chat.id,
        conversation=own.id if call.fresh else chat.conversation,
        asker=person.id,
        asker_name=person.name,
        model="",
        created_at=call.at,
        origin="hook",
        state=TurnState.QUEUED,
    )
    return (SaveConversation(own), SaveTurn(turn)) if call.fresh else (SaveTurn(turn),)
