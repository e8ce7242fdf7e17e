"""The greeting and the help."""

from collections.abc import Callable, Sequence

from bot.domain.markdown import inline_code
from bot.domain.message import Button
from bot.flow.commands.choices import choice
from bot.flow.commands.table import Answer, Command, Invocation, Topic
from bot.flow.commands.terms import named

_WHAT = (
    "I am Steward. I answer, plan, and work with files, commands and tools in a workspace of this "
    "chat. Before I change or run anything, I show you exactly what it is and ask you.\n\n"
    "Three things to try:\n"
    "- `Make a shopping list for a week of simple dinners and save it as a file`\n"
    "- `/plan Tidy up my notes`\n"
    "- Send me a photo or a PDF, and ask about it\n\n"
    "/help shows what else I understand."
)
_HOW = "Just write to me. I ask before I change anything."
_WORDS = {
    Topic.TALK: ("talking",),
    Topic.PLANS: ("plans", "plans and skills", "skills and plans"),
    Topic.CONSENT: ("permissions", "approvals and rules", "asking"),
    Topic.YOU: ("me", "about me"),
    Topic.SETTINGS: ("chat", "this chat"),
    Topic.GROUP: ("group",),
    Topic.PEOPLE: ("people", "owner", "owners"),
}
"""The words for a topic; the first of them stands in the help."""

_LONGEST = 40
_EACH_ROW = 2


class GreetingCommands:
    """Greets and helps; `everything` returns the whole table of commands."""

    def __init__(self, everything: Callable[[], Sequence[Command]]) -> None:
        self._everything = everything

    @property
    def table(self) -> Sequence[Command]:
        return (
            Command("start", "what I am and what you can try", self.start),
            Command("help", "the commands", self.help, "[topic|all]", chosen=True),
        )

    async def start(self, asked: Invocation) -> Answer:
        return Answer(f"Hello, {named(asked.person.name)}.\n\n{_WHAT}")

    async def help(self, asked: Invocation) -> Answer:
        """Tells the first commands, those of one topic, or all; and buttons for the rest."""
        known = self._of(asked)
        topics = [topic for topic in Topic if any(command.topic is topic for command in known)]
        said = " ".join(asked.words).lower()
        one = next((topic for topic in topics if said in _words(topic)), None)
        if said == "all":
            parts = [_part(topic, known) for topic in topics]
            return Answer("\n\n".join(parts))
        if one is not None:
            return Answer(_part(one, known), buttons=_rows(topics, one))
        told = [command for command in known if f"/{command.name}" == f"/{said.lstrip('/')}"]
        if told:
            return Answer(_line(told[0]), buttons=_rows(topics, told[0].topic))
        first = "\n".join(_line(command, short=True) for command in known if command.first)
        head = f"There is no topic {inline_code(said[:_LONGEST])}." if said else _HOW
        names = ", ".join(_WORDS[topic][0] for topic in topics)
        more = f"`/help all` shows every command, `/help <topic>` some. Topics: {names}."
        return Answer(f"{head}\n\n{first}\n\n{more}", buttons=_rows(topics, None))

    def _of(self, asked: Invocation) -> Sequence[Command]:
        """Returns the commands that the person may use in this chat."""
        return [command for command in self._everything() if command.serves(asked)]


def _part(topic: Topic, known: Sequence[Command]) -> str:
    lines = [
        _line(command, short=bool(command.brief)) for command in known if command.topic is topic
    ]
    return "\n".join([f"**{topic}**", *lines])


def _line(command: Command, *, short: bool = False) -> str:
    # As code: a form holds brackets and angles, which Markdown would read as its own.
    return f"- `{command.short_form if short else command.form}`: {command.summary}"


def _words(topic: Topic) -> tuple[str, ...]:
    """Returns the words that name a topic behind `/help`."""
    return (*_WORDS[topic], topic.name.lower(), topic.lower())


def _rows(topics: Sequence[Topic], now: Topic | None) -> tuple[tuple[Button, ...], ...]:
    each = [choice(topic, "help", topic.name.lower(), now=topic is now) for topic in topics]
    buttons = [button for row in each for button in row]
    return tuple(tuple(buttons[n : n + _EACH_ROW]) for n in range(0, len(buttons), _EACH_ROW))
