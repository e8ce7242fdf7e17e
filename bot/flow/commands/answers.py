"""Commands about how answers look in a chat."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from bot.domain.change import SaveChat
from bot.domain.talk.chat import Chat, LongAnswers
from bot.domain.talk.message import Button
from bot.flow.commanding.choices import choice, no_choice, on_off
from bot.flow.commanding.table import Answer, Command, Invocation, Topic
from bot.ports.channel import Channel

_SWITCH = {"on": True, "off": False}
_TOOK = "its tool calls, time, tokens and price"
_WAYS = {
    LongAnswers.MESSAGES: "as several messages",
    LongAnswers.FILE: "as its beginning and a Markdown file",
}
_LABELS = {LongAnswers.MESSAGES: "Messages", LongAnswers.FILE: "File"}


class AnswerCommands:
    def __init__(self, long_answer: int, channels: Mapping[str, Channel]) -> None:
        self._long = long_answer
        self._length = f"an answer of more than {long_answer:,} characters comes"
        self._channels = channels

    @property
    def table(self) -> Sequence[Command]:
        return (
            Command(
                "long",
                "how a long answer comes",
                self.long,
                "messages|file",
                Topic.SETTINGS,
                chosen=True,
                away=True,
                fixed=lambda chat: self._always_above(chat) is not None,
            ),
            Command(
                "previews",
                "previews of links in answers",
                self.previews,
                "on|off",
                Topic.SETTINGS,
                chosen=True,
                away=True,
            ),
            Command(
                "footer",
                "a small line below answers: tools, time, tokens, price",
                self.footer,
                "on|off",
                Topic.SETTINGS,
                chosen=True,
            ),
        )

    async def long(self, asked: Invocation) -> Answer:
        chosen = asked.words[0].lower() if asked.words else ""
        current = asked.chat.long_answers
        if (always := self._always_above(asked.chat)) is not None:
            return Answer(
                f"Here an answer of more than {always:,} characters always comes "
                f"{_WAYS[LongAnswers.FILE]}. This cannot be changed."
            )
        if chosen not in set(LongAnswers):
            lines = [f"- `/long {way}`: {told}" for way, told in _WAYS.items()]
            now = f"At the moment, {self._length} {_WAYS[current]}. You can change that:"
            head = f"{no_choice(asked.words)}{now}"
            return Answer("\n".join([head, *lines]), buttons=_ways(current))
        way = LongAnswers(chosen)
        saved = SaveChat(replace(asked.chat, long_answers=way))
        return Answer(f"From now on {self._length} {_WAYS[way]}.", (saved,), buttons=_ways(way))

    def _always_above(self, chat: Chat) -> int | None:
        """Returns the characters above which a platform takes a file in any case, or None."""
        channel = self._channels.get(chat.address.channel)
        always = None if channel is None else channel.folds_above
        return always if always is not None and always <= self._long else None

    async def previews(self, asked: Invocation) -> Answer:
        chosen = _SWITCH.get(asked.words[0].lower()) if asked.words else None
        if chosen is None:
            now = asked.chat.previews
            told = "Links in my answers show a preview" if now else "Links show no preview"
            other = "off" if now else "on"
            told = f"{no_choice(asked.words)}{told}. `/previews {other}` changes that."
            return Answer(told, buttons=on_off("previews", now=now))
        saved = SaveChat(replace(asked.chat, previews=chosen))
        told = "From now on links show a preview." if chosen else "Links show no preview."
        return Answer(told, (saved,), buttons=on_off("previews", now=chosen))

    async def footer(self, asked: Invocation) -> Answer:
        chosen = _SWITCH.get(asked.words[0].lower()) if asked.words else None
        if chosen is None:
            now = asked.chat.footer
            told = (
                f"A small line below each answer tells {_TOOK}"
                if now
                else "No small line stands below my answers"
            )
            other = "off" if now else "on"
            told = f"{no_choice(asked.words)}{told}. `/footer {other}` changes that."
            return Answer(told, buttons=on_off("footer", now=now))
        saved = SaveChat(replace(asked.chat, footer=chosen))
        told = (
            f"From now on a small line below each answer tells {_TOOK}. `/footer off` changes that."
            if chosen
            else "No small line stands below my answers."
        )
        return Answer(told, (saved,), buttons=on_off("footer", now=chosen))


def _ways(now: LongAnswers) -> tuple[tuple[Button, ...], ...]:
    return tuple(choice(label, "long", way, now=way is now) for way, label in _LABELS.items())
