"""The switches of a chat with their words; a switch is one entry, and its commands turn it."""

from collections.abc import Callable
from enum import StrEnum

from bot.domain.change import SaveSettings, Write
from bot.domain.talk.chat import Activation, Chat, LongAnswers, QueueMode
from bot.domain.talk.message import ButtonRows
from bot.domain.value import frozen, replace
from bot.flow.commanding.choices import choice, no_choice, on_off
from bot.flow.commanding.table import Answer, Command, Handler, Invocation, Topic
from bot.flow.commanding.wording import sentence


@frozen
class Position:
    """A position of a switch."""

    value: bool | StrEnum
    """Its value in the settings of a chat."""
    now: str
    """Tells people that the switch stands here, and how they change it."""
    chosen: str
    """Tells people that the switch was turned to here."""
    label: str = ""
    """Names its button; on and off need no name."""

    @property
    def word(self) -> str:
        """The word that people type."""
        if isinstance(self.value, StrEnum):
            return self.value
        return "on" if self.value else "off"


@frozen
class Switch:
    """A switch of a chat: its command, its place in the settings, and its words."""

    name: str
    """The name of its command."""
    field: str
    """The field of `ChatSettings` that it sets."""
    summary: str
    usage: str
    positions: tuple[Position, ...]
    topic: Topic = Topic.SETTINGS
    away: bool = False
    """True when it means something on platforms only, and nothing in the terminal."""

    def command(
        self,
        run: Handler | None = None,
        *,
        where: Callable[[Chat], bool] | None = None,
        fixed: Callable[[Chat], bool] | None = None,
    ) -> Command:
        """Returns its command; `run` is for a switch that does more than being turned."""
        return Command(
            self.name,
            self.summary,
            run or self._run,
            self.usage,
            self.topic,
            chosen=True,
            away=self.away,
            where=where,
            fixed=fixed,
        )

    def wanted(self, asked: Invocation) -> Position | None:
        """Returns the position that the first word names; None for any other word."""
        word = asked.words[0].lower() if asked.words else ""
        return next((one for one in self.positions if one.word == word), None)

    def told(self, asked: Invocation) -> Answer:
        """Returns the answer that tells how the switch stands."""
        value = getattr(asked.chat.settings, self.field)
        [now] = [one for one in self.positions if one.value == value]
        return Answer(f"{no_choice(asked.words)}{now.now}", buttons=self._buttons(now))

    def turned(self, asked: Invocation, to: Position, *also: Write) -> Answer:
        """Returns the answer that turns the switch, with the writes that belong to it."""
        settings = replace(asked.chat.settings, **{self.field: to.value})
        writes = (SaveSettings(asked.chat, settings), *also)
        return Answer(to.chosen, writes, buttons=self._buttons(to))

    def worded(self, **words: str) -> "Switch":
        """Returns the switch with these words in the gaps of its sentences."""
        filled = tuple(
            replace(one, now=one.now.format(**words), chosen=one.chosen.format(**words))
            for one in self.positions
        )
        return replace(self, positions=filled)

    async def _run(self, asked: Invocation) -> Answer:
        to = self.wanted(asked)
        return self.told(asked) if to is None else self.turned(asked, to)

    def _buttons(self, now: Position) -> ButtonRows:
        if isinstance(now.value, bool):
            return on_off(self.name, now=now.value)
        return tuple(
            choice(one.label, self.name, one.word, now=one is now) for one in self.positions
        )


_BUSY = "a message that comes while I am busy"
_BUSY_NOW = "\n".join(
    (
        f"At the moment, {_BUSY} {{}}. You can change that:",
        "- `/queue queue`: waits for its turn",
        "- `/queue steer`: joins what I am doing",
        "- `/queue interrupt`: stops me and is next",
    )
)
QUEUE = Switch(
    "queue",
    "queue_mode",
    "whether your messages wait, join in or interrupt while I am busy",
    "queue|steer|interrupt",
    tuple(
        Position(mode, _BUSY_NOW.format(does), f"From now on {_BUSY} {does}.", label)
        for mode, label, does in (
            (QueueMode.QUEUE, "Wait", "waits for its turn"),
            (QueueMode.STEER, "Join in", "joins what I am doing"),
            (QueueMode.INTERRUPT, "Interrupt", "stops me and is next"),
        )
    ),
)

AS_FILE = "as its beginning and a Markdown file"
_LENGTH = "an answer of more than {length} characters comes"
_LONG_NOW = "\n".join(
    (
        "At the moment, %s %s. You can change that:",
        "- `/long messages`: as several messages",
        f"- `/long file`: {AS_FILE}",
    )
)
LONG = Switch(
    "long",
    "long_answers",
    "how a long answer comes",
    "messages|file",
    tuple(
        Position(way, _LONG_NOW % (_LENGTH, how), f"From now on {_LENGTH} {how}.", label)
        for way, label, how in (
            (LongAnswers.MESSAGES, "Messages", "as several messages"),
            (LongAnswers.FILE, "File", AS_FILE),
        )
    ),
    away=True,
)

PREVIEWS = Switch(
    "previews",
    "previews",
    "previews of links in answers",
    "on|off",
    (
        Position(
            True,
            "Links in my answers show a preview. `/previews off` changes that.",
            "From now on links show a preview.",
        ),
        Position(
            False, "Links show no preview. `/previews on` changes that.", "Links show no preview."
        ),
    ),
    away=True,
)

_TOOK = "a small line below each answer tells its tool calls, time, tokens and price"
FOOTER = Switch(
    "footer",
    "footer",
    "a small line below answers: tools, time, tokens, price",
    "on|off",
    (
        Position(
            True,
            f"{sentence(_TOOK)} `/footer off` changes that.",
            f"From now on {_TOOK}. `/footer off` changes that.",
        ),
        Position(
            False,
            "No small line stands below my answers. `/footer on` changes that.",
            "No small line stands below my answers.",
        ),
    ),
)

_CALLS = "Each tool call is shown here with its input and output."
_NO_CALLS = "Tool calls are not shown here, only a line about each while it runs."
_WHOLE = "`/verbose last` shows the newest calls whole."
VERBOSE = Switch(
    "verbose",
    "verbose",
    "tool calls with their input and output",
    "on|off|last",
    tuple(
        Position(on, told, told)
        for on, told in (
            (True, f"{_CALLS} `/verbose off` changes that. {_WHOLE}"),
            (False, f"{_NO_CALLS} `/verbose on` changes that. {_WHOLE}"),
        )
    ),
)

_SPOKEN = "answers to voice messages come as voice notes too, after their text"
VOICE = Switch(
    "voice",
    "voice",
    "answers to voice messages as voice notes",
    "on|off",
    (
        Position(
            True, f"{sentence(_SPOKEN)} `/voice off` changes that.", f"From now on: {_SPOKEN}."
        ),
        Position(
            False, "I answer in text only. `/voice on` changes that.", "I answer in text only."
        ),
    ),
    away=True,
)

_EITHER = "`/activation mention` or `/activation always` changes that."
ACTIVATION = Switch(
    "activation",
    "activation",
    "when I answer in this group",
    "always|mention",
    tuple(
        Position(when, f"{told} {_EITHER}", told, label)
        for when, label, told in (
            (
                Activation.MENTION,
                "When mentioned",
                "I answer here when somebody mentions me or replies to me.",
            ),
            (
                Activation.ALWAYS,
                "Every message",
                "I answer every message of the people I know here.",
            ),
        )
    ),
    Topic.GROUP,
)

_READS = (
    "I read along: the last 50 messages between my answers, as information and never as orders. "
    "While they are in view, every change asks first."
)
_READS_NOT = "I read only what is said to me."
_MAY_READ = "`/context on` lets me read along, so that I know what you are talking about."
CONTEXT = Switch(
    "context",
    "listens",
    "read along in this group",
    "on|off",
    (
        Position(True, f"Now {_READS} `/context off` ends that.", f"From now on {_READS}"),
        Position(False, f"{_READS_NOT} {_MAY_READ}", _READS_NOT),
    ),
    Topic.GROUP,
)

_ON_OR_OFF = "`/threads on` or `/threads off` changes that."
THREADS = Switch(
    "threads",
    "threads",
    "a thread for each task in this channel",
    "on|off",
    tuple(
        Position(on, f"{told} {_ON_OR_OFF}", told)
        for on, told in (
            (
                True,
                "Each message that calls me here opens a thread of its own. "
                "There nobody has to call me.",
            ),
            (False, "I answer in this channel itself."),
        )
    ),
    Topic.GROUP,
)

PLAIN = (PREVIEWS, FOOTER)
"""Switches that are turned and nothing else, in the order of the help."""

SWITCHES = (QUEUE, LONG, *PLAIN, VERBOSE, VOICE, ACTIVATION, CONTEXT, THREADS)
"""All switches; the model of a chat has any name, and commands of its own."""
