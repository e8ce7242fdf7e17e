"""The command that sets what a message does while the bot is busy."""

from collections.abc import Sequence
from dataclasses import replace

from bot.domain.change import SaveChat
from bot.domain.talk.chat import QueueMode
from bot.domain.talk.message import Button
from bot.flow.commanding.choices import choice, no_choice
from bot.flow.commanding.table import Answer, Command, Invocation, Topic

_WHEN = "a message that comes while I am busy"
_MODES = {
    QueueMode.QUEUE: ("Wait", "waits for its turn"),
    QueueMode.STEER: ("Join in", "joins what I am doing"),
    QueueMode.INTERRUPT: ("Interrupt", "stops me and is next"),
}


class BusyCommands:
    @property
    def table(self) -> Sequence[Command]:
        return (
            Command(
                "queue",
                "whether your messages wait, join in or interrupt while I am busy",
                self.queue,
                "queue|steer|interrupt",
                Topic.SETTINGS,
                chosen=True,
            ),
        )

    async def queue(self, asked: Invocation) -> Answer:
        chosen = asked.words[0].lower() if asked.words else ""
        if chosen not in set(QueueMode):
            current = asked.chat.queue_mode
            lines = [f"- `/queue {mode}`: {told}" for mode, (_, told) in _MODES.items()]
            now = f"At the moment, {_WHEN} {_MODES[current][1]}. You can change that:"
            head = f"{no_choice(asked.words)}{now}"
            return Answer("\n".join([head, *lines]), buttons=_modes(current))
        mode = QueueMode(chosen)
        saved = SaveChat(replace(asked.chat, queue_mode=mode))
        return Answer(f"From now on {_WHEN} {_MODES[mode][1]}.", (saved,), buttons=_modes(mode))


def _modes(now: QueueMode) -> tuple[tuple[Button, ...], ...]:
    return tuple(
        choice(label, "queue", mode, now=mode is now) for mode, (label, _) in _MODES.items()
    )
