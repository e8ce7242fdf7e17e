"""The parts of the status: what is going on, this chat, and the program."""

from collections.abc import Awaitable, Callable, Sequence
from importlib.metadata import version

from bot.domain.assignments.errand import ErrandState
from bot.domain.clock.span import span
from bot.domain.memory.earned import UNMEASURED
from bot.domain.talk.chat import QueueMode
from bot.domain.talk.hold import Holds
from bot.domain.talk.person import AT_THE_MACHINE, Person, Role
from bot.domain.text.markdown import inline_code, literal
from bot.domain.text.names import named
from bot.domain.tools.tool import OriginRule
from bot.domain.turn.tier import tier_of
from bot.flow.commanding.status_part import StatusPart
from bot.flow.commanding.table import Answer, Command, Invocation
from bot.flow.commanding.wording import counted
from bot.flow.memory.recall import Recall
from bot.flow.models.choosing import Choosing
from bot.flow.plans.cards import described
from bot.flow.world import Workspaces
from bot.ports.approvals import Approvals, Rules
from bot.ports.clock import Clock
from bot.ports.errands import ErrandProgress, Errands
from bot.ports.journal import MOST_AHEAD, Journal
from bot.ports.meaning import MeaningCondition
from bot.ports.memory import MemoryCondition
from bot.ports.people import People
from bot.ports.persona import Persona

_BUSY = {
    QueueMode.QUEUE: "they wait",
    QueueMode.STEER: "they join in",
    QueueMode.INTERRUPT: "they interrupt",
}
_MOST_OWNERS = 3
_PARTS = {
    "a tenth as much": 0.1,
    "a fifth as much": 0.2,
    "a quarter as much": 0.25,
    "a third as much": 1 / 3,
    "half as much": 0.5,
    "two thirds as much": 2 / 3,
    "three quarters as much": 0.75,
    "as much": 1.0,
}


class GoingOn:
    """Tells of messages, cards and the plan of a chat."""

    title = "Now"

    def __init__(self, journal: Journal, approvals: Approvals, errands: Errands) -> None:
        self._journal = journal
        self._approvals = approvals
        self._errands = errands

    async def lines(self, asked: Invocation) -> Sequence[str]:
        agenda = await self._journal.agenda(asked.chat.id)
        cards = await self._approvals.open_in(asked.chat.id)
        waiting = len(agenda.waiting)
        more = " or more" if waiting == MOST_AHEAD else ""
        plan = f"- Plan: {literal(described(agenda.plan))}" if agenda.plan is not None else ""
        lines = [
            f"- Working on: {_or_nothing(len(agenda.unfinished), 'message')}",
            *(_errand(one) for one in await self._errands.of_chat(asked.chat.id)),
            f"- Waiting: {_or_nothing(waiting, 'message')}{more}",
            f"- Cards waiting for your decision: {len(cards)}",
            plan,
        ]
        return [line for line in lines if line]


def _or_nothing(count: int, thing: str) -> str:
    return counted(count, thing) if count else "nothing"


_ERRAND_STATES = {
    ErrandState.WORKING: "working",
    ErrandState.WAITING: "waiting for your decision",
    ErrandState.DONE: "done",
}


def _errand(one: ErrandProgress) -> str:
    """Returns a branch of the tree below the message that is worked on."""
    told = "paused" if one.resting else _ERRAND_STATES[one.errand.state]
    rounds = counted(one.rounds, "round")
    return f"  - ↳ Helper “{literal(one.errand.title)}”: {told}, {rounds}, {_calls(one)}"


def _calls(one: ErrandProgress) -> str:
    return counted(one.calls, "call")


class ThisChat:
    """Tells how a chat is set up, and what may be done in it."""

    title = "This chat"

    def __init__(
        self,
        choosing: Choosing,
        rules: Rules,
        workspaces: Workspaces,
        commands_run: Callable[[], Awaitable[str]],
        *,
        speaks: bool,
    ) -> None:
        self._choosing = choosing
        self._rules = rules
        self._workspaces = workspaces
        self._commands_run = commands_run
        self._speaks = speaks

    async def lines(self, asked: Invocation) -> Sequence[str]:
        chat = asked.chat
        every = await self._rules.of(asked.person.id, chat.id)
        rules = [one for one in every if not isinstance(one.pattern, OriginRule)]
        allowed = f"{len(rules):,}" if rules else "none, so I ask before each change"
        skill = f"- Skill: {inline_code(chat.skill)}" if chat.skill else ""
        lines = [
            f"- Model: {self._model(asked)}",
            *self._away(),
            skill,
            f"- Your rules: {allowed}; see /rules",
            f"- Folder: {await self._files(asked)}",
            f"- Commands: {await self._commands_run()}",
            f"- Messages while I am busy: {_BUSY[chat.settings.queue_mode]}",
            self._voice(asked),
            "- Tool calls: shown with input and output; see /verbose"
            if chat.settings.verbose
            else "",
            f"- What you told me about yourself: {_about(asked.person)}",
        ]
        return [line for line in lines if line]

    def _model(self, asked: Invocation) -> str:
        tier = tier_of(asked.chat.settings.model)
        by = f" (tier {tier.value})" if tier is not None else ""
        return f"{inline_code(self._choosing.model(asked.chat.settings.model))}{by}"

    def _away(self) -> Sequence[str]:
        """Returns a line for each model that does not answer."""
        return [
            f"- No answer from {inline_code(one.model)}: "
            + (f"I try again in {one.seconds} s" if one.seconds else "I try with the next message")
            for one in self._choosing.away()
        ]

    def _voice(self, asked: Invocation) -> str:
        """Returns a line where answers can be spoken; nothing in a terminal."""
        chat = asked.chat
        if not self._speaks or chat.address.channel == AT_THE_MACHINE:
            return ""
        told = "voice notes too" if chat.settings.voice else "text only"
        return f"- Answers to voice messages: {told}; see /voice"

    async def _files(self, asked: Invocation) -> str:
        """Names the folder; only an owner in private reads where it lies on the machine."""
        folder = (await self._workspaces(asked.chat, asked.person.id)).path
        if asked.person.is_owner and asked.message.private:
            return inline_code(str(folder))
        return "a folder of this chat alone"


class TheProgram:
    """Tells of the program itself: its owners, its character, its memory and its delays."""

    title = "Steward"

    def __init__(
        self,
        people: People,
        persona: Persona,
        recall: Recall,
        holds: Callable[[], Holds],
        clock: Clock,
    ) -> None:
        self._people = people
        self._persona = persona
        self._recall = recall
        self._holds = holds
        self._clock = clock
        self._started = clock.steady()

    async def lines(self, asked: Invocation) -> Sequence[str]:
        runs = span(self._clock.steady() - self._started)
        held = self._holds()
        delays = f"- All chats had to wait: {_delays(held)}" if held.times else ""
        lines = [
            f"- Owner: {await self._owners(asked.person)}",
            f"- My character: {self._who(asked)}",
            f"- Memory: {_remembered(*await self._recall.condition())}",
            delays,
            f"- Version {version('steward')}, running for {runs}",
        ]
        return [line for line in lines if line]

    async def _owners(self, reader: Person) -> str:
        """Names the owners, the reader first."""
        everyone = {person.id: person for _, person in await self._people.accounts()}
        owners = [person for person in everyone.values() if person.role is Role.OWNER]
        names = ["you"] if reader.is_owner else []
        names += [named(person.name) for person in owners if person.id != reader.id]
        more = len(names) - _MOST_OWNERS
        told = ", ".join(names[:_MOST_OWNERS])
        return f"{told} and {more} more" if more > 0 else told or "nobody yet"

    def _who(self, asked: Invocation) -> str:
        """Tells whether an owner wrote one, and what is wrong with the file.

        Only an owner in private reads where the file lies on the machine.
        """
        words, fault = self._persona.words, self._persona.fault
        told = f"as an owner wrote it, {counted(len(words), 'character')}"
        if not words:
            told = "the usual one"
            if asked.person.is_owner and asked.message.private:
                told = f"{told}; to change it, write the file {inline_code(self._persona.place)}"
        return f"{told}. A fault: {inline_code(fault)}" if fault else told


def _about(person: Person) -> str:
    length = len(person.about)
    if not length:
        return "nothing yet; see /about"
    return f"{counted(length, 'character')}; see /about"


def _remembered(condition: MemoryCondition, meaning: MeaningCondition | None) -> str:
    """Tells how much is remembered, and how far the indexes are."""
    kept = f"I can look up {counted(condition.passages, 'answer')}"
    told = [kept if condition.passages else "nothing yet"]
    if condition.owed:
        told.append(f"{condition.owed:,} of them not searchable yet")
    if condition.past:
        done = 100 * condition.past_read // condition.past
        told.append(f"reading older conversations: {done} % done")
    if meaning is not None:
        told.append(_meant(condition, meaning))
    return ", ".join(told)


def _meant(condition: MemoryCondition, meaning: MeaningCondition) -> str:
    """Tells whether answers are found by their meaning too."""
    if meaning.fault:
        return f"found by words alone ({literal(meaning.fault)})"
    if meaning.owed:
        done = 100 * max(condition.passages - meaning.owed, 0) // max(condition.passages, 1)
        return f"{done} % of them found by meaning too"
    if not meaning.ready:
        return "found by words so far"
    if meaning.weight == 0:
        return "found by words (the search by meaning did not help here, so I leave it out)"
    if meaning.weight is None:
        return f"found by words and by meaning, which counts {_part(UNMEASURED)} until I measure it"
    return f"found by words and by meaning, which counts {_part(meaning.weight)} here"


def _part(weight: float) -> str:
    """Tells a weight beside words as a plain fraction."""
    return f"{min(_PARTS, key=lambda part: abs(_PARTS[part] - weight))} as words"


def _delays(holds: Holds) -> str:
    return f"{counted(holds.times, 'time')}, at most {holds.longest:.1f} s (the log has more)"


class OverviewCommands:
    """Puts the parts of the status together; one without a line is left out."""

    def __init__(self, parts: Sequence[StatusPart]) -> None:
        self._parts = parts

    @property
    def table(self) -> Sequence[Command]:
        summary = "what is going on, and what is set up"
        return (Command("status", summary, self.status, first=True),)

    async def status(self, asked: Invocation) -> Answer:
        told = [(part.title, await part.lines(asked)) for part in self._parts]
        shown = ["\n".join([f"**{title}**", *lines]) for title, lines in told if lines]
        return Answer("\n\n".join(shown))
