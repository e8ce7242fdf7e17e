"""The messages about spoken answers: the voice note itself, and the lines where there is none."""

from bot.domain.change import Show
from bot.domain.talk.message import FileRef, Markdown, Outbound, OutboundKind
from bot.domain.text.speakable import Speakable, speakable
from bot.domain.turn.voice import VoiceNote
from bot.ports.outbox import DeliveryState, OutboxRow

_NAME = "answer.ogg"
_OFF = "`/voice off` ends this."


def answer_in(row: OutboxRow) -> Speakable:
    """Returns an answer as it is spoken: without the words that were said on the way to it."""
    if row.state is DeliveryState.DEAD:
        return Speakable()
    blocks = (b for b in row.content.blocks if isinstance(b, Markdown) and not b.said)
    return speakable("\n\n".join(block.text for block in blocks))


def voice_note(
    note: VoiceNote, answer: OutboxRow, said: Speakable, path: str, seconds: int
) -> Show:
    """Returns the message with the sound; it makes no noise of its own, as the text made it."""
    file = FileRef(path, _NAME, _caption(said), voice=seconds)
    reply_to = answer.content.reply_to
    content = Outbound(OutboundKind.VOICE, (), files=(file,), reply_to=reply_to, silent=True)
    return Show(note.key, answer.chat, content, about=note.turn)


def unspoken(key: str, chat: int, why: str) -> Show:
    """Returns the line about an answer that could not be spoken."""
    told = f"🔇 I could not speak my answer: {why}. Its text is complete. {_OFF}"
    return Show(key, chat, Outbound(OutboundKind.NOTICE, (Markdown(told),)))


def undelivered(row: OutboxRow, why: str) -> Show:
    """Returns the line about a voice note that its chat did not take."""
    told = (
        f"🔇 My voice note did not arrive: {why}. I turned spoken answers off here; "
        "the text is complete. `/voice on` tries again."
    )
    content = Outbound(OutboundKind.NOTICE, (Markdown(told),))
    return Show(f"unspoken:{row.key}", row.chat, content, about=row.about)


def _caption(said: Speakable) -> str:
    """Returns the line below a voice note about the parts of the answer that are not in it."""
    if said.cut:
        return "The beginning of the answer; the text has all of it."
    return "Without code and tables; the text has them." if said.bare else ""
