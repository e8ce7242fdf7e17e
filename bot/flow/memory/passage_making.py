"""Makes passages of turns: of the one that settles, and of those from before the memory."""

from collections.abc import Sequence

from bot.domain.memory.passage import (
    MOST_ANSWER,
    MOST_QUESTION,
    UNREMEMBERED,
    Passage,
    clipped_words,
    whose,
)
from bot.domain.talk.bundle import own_words
from bot.domain.talk.chat import Chat
from bot.domain.turn.progress import Progress, fold
from bot.domain.turn.transcript import AskerBody, Body, Entry, ReplyBody
from bot.domain.turn.turn import Turn
from bot.flow.log.request_view import ViewFold, any_view


def kept(
    chat: Chat, turn: Turn, progress: Progress, said: Sequence[Body], **rest: str | None
) -> Passage | None:
    """Returns the passage of a turn with a final answer; None when it holds nothing to remember.

    `said` are the entries of the turn; `rest` are `purpose`, the words of a turn that no message
    opened, `untrusted`, the foreign source in view, and `origins`, where all of it comes from.
    """
    reply, answer = progress.reply, progress.words
    if turn.parent is not None:
        return None  # it answered no person
    if reply is None or not answer or reply.provenance.provider in UNREMEMBERED:
        return None
    words = [own_words(body.text).strip() for body in said if isinstance(body, AskerBody)]
    question = "\n\n".join(filter(None, words)) or rest.get("purpose") or ""
    return Passage(
        id=turn.id,
        whose=whose(chat, turn.asker),
        at=turn.ended_at or turn.created_at,
        question=clipped_words(question, MOST_QUESTION),
        answer=clipped_words(answer, MOST_ANSWER),
        person=turn.asker,
        speaker=turn.asker_name,
        chat=chat.id,
        conversation=turn.conversation,
        skill=turn.skill,
        untrusted=rest.get("untrusted"),
        origins=rest.get("origins") or "",
    )


def foreign_of(view: ViewFold, person: int) -> dict[str, str | None]:
    """Returns the foreign source in view of a turn of this person, and where all of it is from."""
    return {"untrusted": view.untrusted_for(person), "origins": "\n".join(view.origins_for(person))}


def kept_of_past(chat: Chat, turns: Sequence[Turn], log: Sequence[Entry]) -> list[Passage]:
    """Returns the passages of a conversation, in its order: of turns that ended with an answer."""
    answered = {turn.id: turn for turn in turns}
    own: dict[str, list[Entry]] = {}
    foreign: dict[str, dict[str, str | None]] = {}
    view = any_view()
    for entry in log:
        turn = answered.get(entry.turn)
        if turn is not None:
            own.setdefault(turn.id, []).append(entry)
            if isinstance(entry.body, ReplyBody):
                foreign[turn.id] = foreign_of(view, turn.asker)
        view.extend((entry,))
    found = (
        kept(
            chat,
            answered[id],
            fold(answered[id], said, ()),
            [entry.body for entry in said],
            **foreign.get(id, {}),
        )
        for id, said in own.items()
    )
    return [passage for passage in found if passage is not None]
