"""The turn that a button below the end of another turn starts."""

import secrets
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from bot.domain.chat import Chat
from bot.domain.person import Person
from bot.domain.transcript import AskerBody, Body, Entry, NoteBody
from bot.domain.turn import Turn, TurnState, Way
from bot.flow.ways.buttons import EndButton, EndVerb

_AGAIN = "[Steward] They ask for another try. Calls that have a result above are done: "
_REPEATED = f"{_AGAIN}do not repeat those that worked. The request is repeated here:"
_ALONE = f"{_AGAIN}do not repeat those that worked. Take the request above up again."
_ONWARD = "[Steward] They pressed “Go on”: continue where you stopped."


def follower(ended: Turn, meant: EndButton, said: str, by: Person, now: datetime) -> Turn:
    """Returns the queued turn that a press of this button starts.

    The person whose press answers a question is the one who asks next. Any other press carries on
    for the person who asked.
    """
    answers = meant.verb is EndVerb.CHOICE
    way = Way.ONWARD if meant.verb is EndVerb.ONWARD else Way.AGAIN
    return Turn(
        id=secrets.token_hex(8),
        chat=ended.chat,
        conversation=ended.conversation,
        asker=by.id if answers else ended.asker,
        asker_name=by.name if answers else ended.asker_name,
        model=meant.of if meant.verb is EndVerb.MODEL else "",
        created_at=now,
        state=TurnState.QUEUED,
        reply_to=ended.reply_to,
        follows=ended.id,
        way=Way.ANSWER if answers else way,
        said=said if answers else "",
    )


@dataclass(frozen=True, slots=True)
class Speaker:
    """The person whose words open a turn, and the moment."""

    person: Person
    account: str
    """The account in a group; empty in a private chat."""
    moment: str


def opened(turn: Turn, before: Iterable[Entry], chat: Chat, speaker: Speaker) -> tuple[Body, ...]:
    """Returns the entries that open such a turn; `before` are those of the turn it follows."""
    if turn.way is Way.ANSWER:
        return (_answer(turn, chat, speaker),)
    if turn.way is Way.ONWARD:
        return (NoteBody("onward", _ONWARD),)
    asked = (entry.body for entry in before if isinstance(entry.body, AskerBody))
    copies = [replace(body, moment=speaker.moment, heard="", steering=False) for body in asked]
    return (NoteBody("again", _REPEATED if copies else _ALONE), *dict.fromkeys(copies))


def purpose_in(log: Iterable[Entry]) -> str:
    """Returns the newest words of a person in the log."""
    bodies = (entry.body for entry in reversed(list(log)))
    asked = (body.purpose for body in bodies if isinstance(body, AskerBody))
    return next(asked, "")


def _answer(turn: Turn, chat: Chat, speaker: Speaker) -> AskerBody:
    return AskerBody(
        text=turn.said,
        speaker=turn.asker_name,
        moment=speaker.moment,
        account=speaker.account,
        group="" if chat.private else chat.title,
        person=turn.asker,
        governs=speaker.person.is_owner,
    )
