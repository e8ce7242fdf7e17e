"""Commands about plans: plan mode, what became of plans, and templates of them."""

import difflib
import secrets
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from bot.domain.change import AskStop, SavePlan, Write
from bot.domain.markdown import inline_code, literal
from bot.domain.message import InboundMessage
from bot.domain.person import Person
from bot.domain.plan import Plan, PlanState
from bot.domain.template import Template, instructed, is_name, template_of
from bot.flow.commands.consequences import Interrupt, Wake
from bot.flow.commands.table import (
    Answer,
    Command,
    Invocation,
    Question,
    Queued,
    Response,
)
from bot.flow.plans.cards import described_state, shown, step_lines, whole
from bot.flow.plans.desk import PlanDesk
from bot.flow.plans.ending import NO_STEPS, PlanEnding, plan_line
from bot.flow.plans.question import THEIRS, fixed, question
from bot.flow.plans.wording import wish_of
from bot.ports.clock import Clock
from bot.ports.plans import Plans
from bot.ports.templates import Broken, Templates

_USAGE = (
    "on|off|done|replace|status|list|show <id>|cancel <id>|resume <id>|save <id> <name>"
    "|use <name> [arguments]|<wish>"
)
_LISTED = 10
_LONGEST_CITED = 200
_SHORT = 2
"""The most words after a misspelt sub-command; with more words the text is a wish."""
_ON = (
    "Plan mode is on. Tell me what you want: I look around, collect what I would do as steps, and "
    "show them to you before anything is changed. /plan off leaves it."
)

_Sub = Callable[[Invocation, Sequence[str]], Awaitable[Response]]


class PlanCommands:
    def __init__(
        self, plans: Plans, desk: PlanDesk, ending: PlanEnding, templates: Templates, clock: Clock
    ) -> None:
        self._plans = plans
        self._desk = desk
        self._ending = ending
        self._templates = templates
        self._clock = clock
        # The words each sub-command takes: at least so many, at most so many.
        self._subs: Mapping[str, tuple[_Sub, int, int | None]] = {
            "on": (self._on, 0, 0),
            "off": (self._off, 0, 0),
            "done": (self._done, 0, 0),
            "replace": (self._replace, 0, None),
            "status": (self._status, 0, 0),
            "list": (self._list, 0, 0),
            "show": (self._show, 1, 1),
            "cancel": (self._cancel, 0, 1),
            "resume": (self._resume, 0, 1),
            "save": (self._save, 2, 2),
            "use": (self._use, 0, None),
        }

    @property
    def table(self) -> Sequence[Command]:
        return (Command("plan", "collect steps and approve them as a whole", self.plan, _USAGE),)

    async def replacing(self, asked: Invocation, live: Plan | None, by: Person) -> Response:
        """Carries out a command that was asked about; it may drop the live plan."""
        dropped = _Dropped(live, by) if live is not None else None
        return await self._anew(asked, wish_of(asked.message.text), dropped)

    async def plan(self, asked: Invocation) -> Response:
        if not asked.words:
            return await self._status(asked, ())
        name, words = asked.words[0].lower(), asked.words[1:]
        sub = self._subs.get(name)
        if sub is not None:
            run, least, most = sub
            fits = len(words) >= least and (most is None or len(words) <= most)
            return await run(asked, words) if fits else _usage()
        if not words or (len(words) <= _SHORT and _misspelt(name, self._subs)):
            return _usage(f"I know no {_cited('/plan ' + name)}.")
        return await self._begin(asked, wish=wish_of(asked.message.text))

    async def _on(self, asked: Invocation, words: Sequence[str]) -> Response:
        return await self._begin(asked)

    async def _replace(self, asked: Invocation, words: Sequence[str]) -> Response:
        """Drops the live plan for a new one."""
        live, said = await self._plans.live(asked.chat.id), wish_of(wish_of(asked.message.text))
        if live is None:
            return await self._anew(asked, said)
        refusal = fixed(live, asked.person)
        if refusal:
            return Answer(refusal)
        return await self._anew(asked, said, _Dropped(live, asked.person))

    async def _anew(
        self, asked: Invocation, said: str, dropped: "_Dropped | None" = None
    ) -> Response:
        """Begins a new plan from the words behind the command: `on`, `use`, or a wish."""
        match said.split():
            case [word, *words] if word.lower() == "use":
                return await self._after(asked, words, wish_of(wish_of(said)), dropped)
            case [] | [_] if said.lower() in ("", "on"):
                return await self._begin(asked, dropped=dropped)
            case _:
                return await self._begin(asked, wish=said, dropped=dropped)

    async def _begin(
        self,
        asked: Invocation,
        wish: str = "",
        template: str = "",
        dropped: "_Dropped | None" = None,
    ) -> Response:
        """Opens a plan; with a wish or a template, the message itself is planned."""
        live = await self._plans.live(asked.chat.id)
        if live is not None and dropped is None:
            return self._already(asked, live, new=bool(wish or template))
        now, person, text = self._clock.now(), asked.person, asked.message.text
        plan = Plan(
            id=secrets.token_hex(4),
            token=secrets.token_urlsafe(16),
            chat=asked.chat.id,
            asker=person.id,
            asker_name=person.name,
            collector=person.id,
            created_at=now,
            since=now,
            wish=template or (wish if wish != wish_of(text) else ""),
            message=asked.message.message_id,
        )
        writes: list[Write] = []
        if dropped is not None:
            how = f"/plan replace by {dropped.by.name}"
            writes.extend(await self._desk.stops(dropped.plan, how))
            writes.extend(self._desk.ended(dropped.plan, dropped.by))
        stops = any(isinstance(write, AskStop) for write in writes)
        writes.extend((SavePlan(plan), plan_line(plan, person.id, now)))
        if wish or template:
            return Queued(tuple(writes))
        return Answer(_ON, tuple(writes), (Interrupt(asked.chat.id),) if stops else ())

    def _already(self, asked: Invocation, live: Plan, *, new: bool) -> Response:
        """Asks if the live plan shall be replaced."""
        if live.collecting and not new:
            return Answer(f"Plan mode is on already. {_stand(live)}")
        refusal = fixed(live, asked.person)
        if refusal:
            return Answer(f"There is a plan already: {_stand(live)} {refusal}")
        return Question(question(live, wanted(asked.message), asked.row))

    async def _off(self, asked: Invocation, words: Sequence[str]) -> Answer:
        live = await self._plans.live(asked.chat.id)
        if live is None:
            return Answer("Plan mode is off.")
        if not live.collecting:
            return Answer(f"Plan mode is off. {_stand(live)} /plan cancel ends it.")
        return await self._cancelled(asked, live)

    async def _done(self, asked: Invocation, words: Sequence[str]) -> Answer:
        """Ends the collecting by hand, with the same compare-and-set as the model's own end."""
        live = await self._plans.live(asked.chat.id)
        if live is None or not live.collecting:
            return Answer("No plan is being collected." if live is None else _stand(live))
        if not asked.person.may_decide_for(live.asker):
            return Answer(THEIRS)
        if not live.steps:
            return Answer(NO_STEPS, self._ended(live, asked), (Interrupt(live.chat),))
        ready = await self._ending.ready(live, None, asked.chat)
        line = plan_line(ready, asked.person.id, self._clock.now())
        writes = (SavePlan(ready, live.version), *shown(ready), line)
        stops = await self._desk.stops(live, f"/plan done by {asked.person.name}")
        then = (Interrupt(live.chat),) if stops else ()
        return Answer("This is the plan so far:", (*stops, *writes), then)

    async def _status(self, asked: Invocation, words: Sequence[str]) -> Answer:
        live = await self._plans.live(asked.chat.id)
        if live is None:
            return Answer(f"There is no plan here.\n\nUsage: `/plan {_USAGE}`")
        lines = [f"- {literal(line)}" for line in step_lines(live)]
        return Answer("\n".join([_stand(live), *lines]))

    async def _list(self, asked: Invocation, words: Sequence[str]) -> Answer:
        plans = await self._plans.of_chat(asked.chat.id, _LISTED)
        if not plans:
            return Answer("This chat has no plans yet.")
        return Answer("\n".join(["The newest plans:", *(f"- {_stand(p)}" for p in plans)]))

    async def _show(self, asked: Invocation, words: Sequence[str]) -> Answer:
        plan = await self._named(asked, words)
        if plan is None:
            return _unknown(words)
        fence = "~~~~~~"
        text = whole(plan).replace(fence, "~~~~~")
        lines = [f"- {literal(line)}" for line in step_lines(plan)]
        return Answer("\n".join([_stand(plan), *lines, "", fence, text, fence]))

    async def _cancel(self, asked: Invocation, words: Sequence[str]) -> Answer:
        plan = await self._named(asked, words)
        if plan is None:
            return _unknown(words)
        return await self._cancelled(asked, plan)

    async def _cancelled(self, asked: Invocation, plan: Plan) -> Answer:
        if not plan.live:
            return Answer(f"It has ended: {_stand(plan)}")
        if not asked.person.may_decide_for(plan.asker):
            return Answer(THEIRS)
        how = f"/plan cancel by {asked.person.name}"
        if plan.turn is not None:
            return Answer("Stopping.", (AskStop(plan.turn, how),), (Interrupt(plan.chat),))
        stops = await self._desk.stops(plan, how)
        told = "Plan mode is off." if plan.collecting else "Cancelled."
        then = (Interrupt(plan.chat),) if stops else ()
        return Answer(told, (*stops, *self._ended(plan, asked)), then)

    async def _resume(self, asked: Invocation, words: Sequence[str]) -> Answer:
        plan = await self._named(asked, words)
        if plan is None:
            return _unknown(words)
        if not asked.person.may_decide_for(plan.asker):
            return Answer(THEIRS)
        if plan.state is PlanState.READY:
            return Answer("It waits for your word:", tuple(shown(plan)))
        if plan.state is not PlanState.EXECUTING or plan.turn is not None:
            return Answer(f"There is nothing to resume: {_stand(plan)}")
        if plan.failed_step is not None:
            told = f"Step {plan.failed_step.number} failed; its card asks how to go on."
            return Answer(told, tuple(shown(plan)))
        resumed = await self._desk.resumed(plan, asked.person)
        return Answer("Going on.", resumed, (Wake(plan.chat),))

    async def _save(self, asked: Invocation, words: Sequence[str]) -> Answer:
        plan, name = await self._named(asked, words), words[1]
        if plan is None:
            return _unknown(words)
        if not asked.person.may_decide_for(plan.asker):
            # Templates are there for every chat, with all that a plan's steps say.
            return Answer(THEIRS)
        if not is_name(name):
            return Answer("A template’s name is lower-case letters and digits with single dashes.")
        if not plan.steps:
            return Answer("That plan has no steps.")
        file = await self._templates.save(template_of(plan, name))
        if file is None:
            return Answer(f"There is a template `{name}` already. Choose another name.")
        return Answer(f"Saved as {_cited(file)}. /plan use {name} makes it again.")

    async def _use(self, asked: Invocation, words: Sequence[str]) -> Response:
        return await self._after(asked, words, wish_of(wish_of(wish_of(asked.message.text))))

    async def _after(
        self,
        asked: Invocation,
        words: Sequence[str],
        arguments: str,
        dropped: "_Dropped | None" = None,
    ) -> Response:
        """Begins a plan from the template that the first word names."""
        if not words:
            return await self._offer()
        found = await self._templates.get(words[0])
        match found:
            case None:
                return await self._offer(f"There is no template {_cited(words[0])}.")
            case Broken():
                return Answer(f"That template cannot be used: {_cited(str(found))}")
            case Template():
                try:
                    filled = found.filled(arguments)
                except ValueError as fault:
                    return Answer(literal(str(fault)))
                template = instructed(found, filled)
                return await self._begin(asked, template=template, dropped=dropped)

    async def _offer(self, why: str = "") -> Answer:
        known = await self._templates.all()
        lines = [
            f"- broken: {_cited(str(t))}"
            if isinstance(t, Broken)
            else f"- {_cited(t.form)}: {literal(t.description)}"
            for t in known
        ]
        head = "Templates:" if lines else "There are no templates yet: /plan save makes one."
        return Answer("\n".join(part for part in (why, head, *lines) if part))

    async def _named(self, asked: Invocation, words: Sequence[str]) -> Plan | None:
        """Returns the plan of this chat with that id, or the live plan without an id."""
        if not words:
            return await self._plans.live(asked.chat.id)
        plan = await self._plans.get(words[0])
        return plan if plan is not None and plan.chat == asked.chat.id else None

    def _ended(self, plan: Plan, asked: Invocation) -> tuple[Write, ...]:
        return self._desk.ended(plan, asked.person)


@dataclass(frozen=True, slots=True)
class _Dropped:
    """The live plan that a new one replaces, and the person who wants that."""

    plan: Plan
    by: Person


def wanted(message: InboundMessage) -> str:
    """Returns the wish in a command about a new plan; `on` is no wish."""
    said = wish_of(message.text)
    return "" if said.lower() == "on" else said


def _misspelt(name: str, known: Iterable[str]) -> bool:
    """Returns true when a letter is wrong in a known word; short words resemble too many."""
    return len(name) > 3 and bool(difflib.get_close_matches(name, list(known), n=1, cutoff=0.8))


def _usage(why: str = "") -> Answer:
    return Answer("\n\n".join(part for part in (why, f"Usage: `/plan {_USAGE}`") if part))


def _unknown(words: Sequence[str]) -> Answer:
    if not words:
        return Answer("There is no plan going on.")
    return Answer(f"This chat has no plan {_cited(words[0])}. /plan list shows them.")


def _stand(plan: Plan) -> str:
    return literal(described_state(plan))


def _cited(text: str) -> str:
    return inline_code(text[:_LONGEST_CITED])
