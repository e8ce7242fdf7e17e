"""The turn that a button below the end of another turn starts."""

import secrets
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import chain

from bot.domain.talk.chat import Chat
from bot.domain.talk.person import Person
from bot.domain.talk.web_address import links_in
from bot.domain.tools.tool import ToolResult
from bot.domain.turn.transcript import (
    AskerBody,
    Body,
    CutBody,
    Entry,
    IntentBody,
    NoteBody,
    ResultBody,
    uncovered,
)
from bot.domain.turn.turn import Turn, Way
from bot.domain.value import frozen, replace
from bot.flow.log.foreign_addresses import counting
from bot.flow.log.work import Work
from bot.flow.ways.buttons import EndButton, EndVerb

_AGAIN = "[Steward] They ask for another try. Calls that have a result above are done: "
_REPEATED = f"{_AGAIN}do not repeat those that worked. The request is repeated here:"
_ALONE = f"{_AGAIN}do not repeat those that worked. Take the request above up again."
_DONE = (
    "[Steward] They ask for another answer to the message below; the first one is out of view. Its "
    "calls that worked stay done, so look before you repeat one: {}."
)
_ONWARD = "[Steward] They pressed “Go on”: continue where you stopped."


def follower(ended: Turn, meant: EndButton, said: str, by: Person, now: datetime) -> Turn:
    """Returns the queued turn that a press of this button starts.

    The person whose press answers a question is the one who asks next. Any other press carries on
    for the person who asked.
    """
    answers = meant.verb is EndVerb.CHOICE
    way = Way.ONWARD if meant.verb is EndVerb.ONWARD else Way.AGAIN
    return ended.starts(
        secrets.token_hex(8),
        now,
        asker=by.id if answers else ended.asker,
        asker_name=by.name if answers else ended.asker_name,
        model=meant.of if meant.verb is EndVerb.MODEL else "",
        reply_to=ended.reply_to,
        follows=ended.id,
        way=Way.ANSWER if answers else way,
        said=said if answers else "",
    )


@frozen
class Speaker:
    """The person whose words open a turn, and the moment."""

    person: Person
    account: str
    """The account in a group; empty in a private chat."""
    moment: str

    def says(
        self,
        text: str,
        name: str,
        chat: Chat,
        untrusted: str | None = None,
        only: tuple[str, ...] | None = None,
    ) -> AskerBody:
        """Returns words that open a turn, as if this person, known by `name`, just sent them.

        `only` are the addresses in them that count; None when all do.
        """
        return AskerBody(
            text=text,
            speaker=name,
            moment=self.moment,
            account=self.account,
            group="" if chat.private else chat.title,
            untrusted=untrusted,
            person=self.person.id,
            governs=self.person.is_owner,
            only=only,
        )


def opened(work: Work, speaker: Speaker) -> tuple[Body, ...]:
    """Returns the entries that open a turn which a button has started."""
    turn, chat = work.turn, work.log.chat
    if turn.way is Way.ANSWER:
        # The model wrote the choices; a person only pressed one.
        only = counting(work, turn.said)
        return (speaker.says(turn.said, turn.asker_name, chat, only=only),)
    before = work.log.entries(turn.follows)
    if turn.way is Way.ANEW:
        return _anew(turn, tuple(before), speaker)
    if turn.way is Way.ONWARD:
        return (NoteBody("onward", _ONWARD),)
    asked = (entry.body for entry in before if isinstance(entry.body, AskerBody))
    copies = [replace(body, moment=speaker.moment, heard="", steering=False) for body in asked]
    return (NoteBody("again", _REPEATED if copies else _ALONE), *dict.fromkeys(copies))


def anew(first: Turn, chat: Chat, by: Person, model: str, now: datetime, *, said: str = "") -> Turn:
    """Returns the queued turn that answers the message of another turn anew, or other words.

    It belongs to the open conversation of the chat, which may be a branch of the first one's.
    """
    return first.starts(
        secrets.token_hex(8),
        now,
        chat=chat.id,
        conversation=chat.conversation,
        asker_name=first.asker_name or by.name,
        model=model,
        reply_to=first.reply_to,
        follows=first.id,
        way=Way.ANEW,
        said=said,
    )


def _anew(turn: Turn, before: Sequence[Entry], speaker: Speaker) -> tuple[Body, ...]:
    """Takes the first answer out of view, and repeats the words that it answered."""
    out = CutBody((), 0, without=(turn.follows,) if turn.follows is not None else ())
    done = Counter(result.tool for result in _done(before))
    told = ", ".join(f"{name} ({times})" for name, times in done.items())
    note = (NoteBody("again", _DONE.format(told)),) if done else ()
    asked = (entry.body for entry in before if isinstance(entry.body, AskerBody))
    copies = (replace(body, moment=speaker.moment, heard="", steering=False) for body in asked)
    words = list(dict.fromkeys(copies))
    if turn.said and words:
        # Only the message that opened the turn was edited: others may be of somebody else.
        told = links_in(turn.said)
        words[0] = replace(words[0], text=turn.said, wish="", seam=None, own=told, only=None)
    return (out, *note, *words)


def _done(before: Sequence[Entry]) -> Iterator[ToolResult]:
    """Returns the results of calls that may run only once and that worked."""
    once = {entry.body.call_id for entry in before if isinstance(entry.body, IntentBody)}
    results = (entry.body.result for entry in before if isinstance(entry.body, ResultBody))
    return (one for one in results if one.call_id in once and not one.is_error)


def purpose_of(opening: Iterable[Body], before: Iterable[Entry], log: Sequence[Entry]) -> str:
    """Returns the words that such a turn answers: those that open it, or of the turn it follows.

    Without any, the newest words in view count: those that were taken back do not.
    """
    followed = (entry.body for entry in before)
    in_view = (entry.body for entry in uncovered(reversed(log)))
    asked = (b.purpose for b in chain(opening, followed, in_view) if isinstance(b, AskerBody))
    return next(asked, "")
