"""Tells once that a tool server lends nothing: in the chat, and to the model."""

from collections.abc import Iterable, Sequence

from bot.domain.change import Show
from bot.domain.talk.message import Outbound, OutboundKind, Plain
from bot.domain.text.visible_text import one_line
from bot.domain.tools.server import ServerCondition
from bot.domain.turn.transcript import Entry, NoteBody
from bot.flow.log.work import Work

_LONGEST = 300


async def tell(work: Work, conditions: Sequence[ServerCondition]) -> None:
    """Writes a note for each server with a fault that this conversation has not heard of yet.

    The model reads no word of the server itself: those are foreign.
    """
    known = _known(work.log.entries())
    notes = {s.spec.name: _note(s.spec.name) for s in conditions if s.fault}
    fresh = [s for s in conditions if s.fault and notes[s.spec.name].text not in known]
    if not fresh:
        return
    lines = [f"{s.spec.name}: {one_line(s.fault, _LONGEST)}" for s in fresh]
    told = "\n".join(
        [
            "These tool servers do not work, so I answer without their tools:",
            *lines,
            "Nothing was done with them. Later messages try them again; /tools shows how they are.",
        ]
    )
    content = Outbound(OutboundKind.NOTICE, (Plain(told),))
    show = Show(f"servers:{work.turn.id}", work.turn.chat, content, about=work.turn.id)
    await work.write(*(notes[s.spec.name] for s in fresh), also=(show,))


def _known(entries: Iterable[Entry]) -> set[str]:
    bodies = (entry.body for entry in entries)
    return {b.text for b in bodies if isinstance(b, NoteBody) and b.purpose == "server"}


def _note(server: str) -> NoteBody:
    text = (
        f"[Tool server] {server} does not work now, so its tools are not in your list. The person "
        "was told. Do without them, and say so if they are needed; they come back when it works."
    )
    return NoteBody("server", text)
