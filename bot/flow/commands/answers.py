"""Commands about how answers look in a chat."""

from collections.abc import Sequence
from dataclasses import replace

from bot.domain.change import SaveChat
from bot.domain.chat import LongAnswers
from bot.flow.commands.table import Answer, Command, Invocation

_SWITCH = {"on": True, "off": False}


class AnswerCommands:
    def __init__(self, long_answer: int) -> None:
        length = f"an answer of more than {long_answer:,} characters comes"
        self._ways = {
            LongAnswers.MESSAGES: f"{length} as several messages",
            LongAnswers.FILE: f"{length} as its opening and a Markdown file",
        }

    @property
    def table(self) -> Sequence[Command]:
        return (
            Command("long", "how a long answer comes", self.long, "messages|file"),
            Command("previews", "whether links show what is behind them", self.previews, "on|off"),
        )

    async def long(self, asked: Invocation) -> Answer:
        chosen = asked.words[0].lower() if asked.words else ""
        if chosen not in set(LongAnswers):
            lines = [f"- `{way}`: {told}" for way, told in self._ways.items()]
            current = f"Now: `{asked.chat.long_answers}`. Usage: /long messages|file"
            return Answer("\n".join([current, *lines]))
        way = LongAnswers(chosen)
        saved = SaveChat(replace(asked.chat, long_answers=way))
        return Answer(f"From now on {self._ways[way]}.", (saved,))

    async def previews(self, asked: Invocation) -> Answer:
        chosen = _SWITCH.get(asked.words[0].lower()) if asked.words else None
        if chosen is None:
            now = "on" if asked.chat.previews else "off"
            return Answer(f"Now: `{now}`. Usage: /previews on|off")
        saved = SaveChat(replace(asked.chat, previews=chosen))
        told = "From now on links show a preview." if chosen else "Links show no preview."
        return Answer(told, (saved,))
