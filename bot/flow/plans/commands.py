"""Commands about plans: plan mode, what became of plans, and ready-made ones."""

import difflib
import secrets
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence

from bot.domain.change import AskStop, InboundState, MarkInbound, SavePlan, Show, Write
from bot.domain.plans.plan import Plan, PlanState, title_from
from bot.domain.plans.template import Template, instructed, is_name, template_of
from bot.domain.talk.message import ButtonRows, InboundMessage
from bot.domain.talk.person import Person
from bot.domain.text.markdown import coded, inline_code, item, literal
from bot.domain.text.names import plain_name
from bot.domain.turn.mandate import PERSONAL
from bot.domain.value import frozen, replace
from bot.flow.commanding.choices import choice
from bot.flow.commanding.effects import Interrupt, Noted, Wake
from bot.flow.commanding.pages import rows_of
from bot.flow.commanding.table import (
    Answer,
    Command,
    Invocation,
    Question,
    Queued,
    Response,
    Topic,
    answer_key,
)
from bot.flow.plans.cards import cited, described, readable_steps, shown, step_lines
from bot.flow.plans.desk import PlanDesk
from bot.flow.plans.replace_question import THEIRS, answered, fixed, question
from bot.flow.plans.turn_end import NO_STEPS, PlanEnding, plan_line
from bot.flow.plans.wording import wish_of
from bot.ports.clock import Clock
from bot.ports.inbox import LATELY, Inbox
from bot.ports.plans import Plans
from bot.ports.templates import Broken, Templates

_USAGE = (
    "on|off|done|replace|status|list|show <number>|cancel <number>|resume <number>"
    "|save <number> <name>|use <name> [arguments]|<wish>"
)
_LISTED = 10
_MOST_DIGITS = 2
_NUMBERS = "The number of a plan shows all its steps."
_LONGEST_CITED = 200
_SHORT = 2
"""The most words after a misspelt sub-command; with more words the text is a wish."""
_ON = (
    "Plan mode is on, for one plan. Tell me what you want. I look around and show you every step; "
    "nothing is changed before you approve them. /plan off ends it."
)
_ABOUT = """\
📋 With a plan I look around first and show you every step. Nothing is changed before you approve \
them; then each step runs once, and only a dangerous step asks again. A plan is for one wish: I \
answer the message after it without a plan.

Try one of these:
- `/plan tidy up the folder notes`
- `/plan use weekly-report notes`
- `/plan on`, and then tell me what you want

/plan use shows the ready-made plans, /plan list shows earlier plans. More: `/plan status`, \
`show`, `resume`, `cancel`, `save`."""

_OWNERS = "Only an owner can keep a plan as a ready-made one: every chat can use it."
_NO_TEMPLATES = "There are no ready-made plans yet: /plan save makes one."
_NONE = "No plan is under way here."
NEWER = "⤵️ You asked for something else since: see below."

_Sub = Callable[[Invocation, Sequence[str]], Awaitable[Response]]


class PlanCommands:
    def __init__(
        self,
        plans: Plans,
        desk: PlanDesk,
        ending: PlanEnding,
        templates: Templates,
        inbox: Inbox,
        clock: Clock,
    ) -> None:
        self._plans = plans
        self._desk = desk
        self._ending = ending
        self._templates = templates
        self._inbox = inbox
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
        summary = "see all steps first, approve them once"
        plan = Command("plan", summary, self.plan, _USAGE, Topic.PLANS, chosen=True)
        return (replace(plan, first=True, brief="<wish>"),)

    async def replacing(self, asked: Invocation, live: Plan | None, by: Person) -> Response:
        """Carries out a command that was asked about; it may drop the live plan."""
        dropped = _Dropped(live, by) if live is not None else None
        return await self._anew(asked, wish_of(asked.message.text), dropped)

    async def plan(self, asked: Invocation) -> Response:
        if not asked.words:
            return await self._about(asked)
        name, words = asked.words[0].lower(), asked.words[1:]
        sub = self._subs.get(name)
        if sub is not None:
            run, least, most = sub
            fits = len(words) >= least and (most is None or len(words) <= most)
            return await run(asked, words) if fits else _misused(name)
        near = _resembled(name, self._subs) if len(words) <= _SHORT else None
        if near is not None:
            wish = "If it is a wish, send /plan on first, and then the wish."
            told = f"{_cited(name)} is not a /plan command. Did you mean {_cited(f'/plan {near}')}?"
            return Answer(f"{told} {wish}")
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
        template_name: str = "",
    ) -> Response:
        """Opens a plan; with a wish or a ready-made plan, the message itself is planned."""
        live = await self._plans.live(asked.chat.id)
        if live is not None and dropped is None:
            return await self._already(asked, live, new=bool(wish or template))
        if refusal := await self._ending.unapprovable(asked.person.id, asked.chat):
            return Answer(refusal)
        now, person, text = self._clock.now(), asked.person, asked.message.text
        # A ready-made plan is an instruction for the model; its name says more to people.
        titled = _named_after(template_name) if template else title_from(wish)
        plan = Plan(
            id=secrets.token_hex(4),
            title=titled,
            token=secrets.token_urlsafe(16),
            chat=asked.chat.id,
            asker=person.id,
            asker_name=person.name,
            collector=person.id,
            created_at=now,
            since=now,
            mandate=PERSONAL,
            wish=template or (wish if wish != wish_of(text) else ""),
            message=asked.message.message_id,
        )
        writes: list[Write] = []
        if dropped is not None:
            writes.extend(await self._drops(dropped))
        stops = any(isinstance(write, AskStop) for write in writes)
        writes.extend((SavePlan(plan), plan_line(plan, person.id, now)))
        if wish or template:
            return Queued(tuple(writes))
        then = (Interrupt(asked.chat.id),) if stops else ()
        return Answer(_ON, tuple(writes), then)

    async def _drops(self, dropped: "_Dropped") -> Sequence[Write]:
        """Returns the writes that end a plan which a new one replaces."""
        how = f"/plan replace by {plain_name(dropped.by.name)}"
        stops = await self._desk.stops(dropped.plan, how)
        return (*stops, *self._desk.ended(dropped.plan, dropped.by))

    async def _already(self, asked: Invocation, live: Plan, *, new: bool) -> Response:
        """Asks if the live plan shall be replaced."""
        if live.collecting and not new:
            told = f"Plan mode is on already. {_stand(live)}"
            return Answer(told, buttons=_menu(live))
        refusal = fixed(live, asked.person)
        if refusal:
            return Answer(f"There is a plan already: {_stand(live)} {refusal}")
        card = question(live, wanted(asked.message), asked.row)
        return Question(card, await self._instead(asked))

    async def _instead(self, asked: Invocation) -> tuple[Write, ...]:
        """Closes the open questions about earlier wishes: the newest wish is what counts.

        In a group they may be wishes of others, and stay.
        """
        if not asked.message.private:
            return ()
        chat, writes = asked.chat.id, list[Write]()
        for row in await self._inbox.asked(chat, LATELY):
            if row.id != asked.row:
                writes.append(MarkInbound(row.id, InboundState.DONE, (row.state,), chat))
                writes.append(Show(answer_key(row.id), chat, answered(NEWER)))
        return tuple(writes)

    async def _off(self, asked: Invocation, words: Sequence[str]) -> Answer:
        live = await self._plans.live(asked.chat.id)
        if live is None:
            return Answer("Plan mode is off.", buttons=_menu(None))
        if not live.collecting:
            told = f"Plan mode is off. {_stand(live)} /plan cancel ends it."
            return Answer(told, buttons=_menu(live))
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
        stops = await self._desk.stops(live, f"/plan done by {plain_name(asked.person.name)}")
        then = (Interrupt(live.chat),) if stops else ()
        return Answer("This is the plan so far:", (*stops, *writes), then)

    async def _about(self, asked: Invocation) -> Answer:
        """Tells what a plan is, or how the live one stands."""
        live = await self._plans.live(asked.chat.id)
        if live is None:
            return Answer(_ABOUT, buttons=_menu(None))
        return await self._status(asked, ())

    async def _status(self, asked: Invocation, words: Sequence[str]) -> Answer:
        live = await self._plans.live(asked.chat.id)
        if live is None:
            told = f"{_NONE} /plan tells how to make one, /plan list shows earlier ones."
            return Answer(told, buttons=_menu(None))
        return Answer(_with_steps(live), buttons=_but(_menu(live), "status"))

    async def _list(self, asked: Invocation, words: Sequence[str]) -> Answer:
        plans = await self._plans.of_chat(asked.chat.id, _LISTED)
        buttons = _menu(next((plan for plan in plans if plan.live), None))
        if not plans:
            return Answer("This chat has no plans yet.", buttons=buttons)
        lines = [item(n, _stand(plan)) for n, plan in enumerate(plans, 1)]
        told = "\n".join(["The newest plans:", "", *lines, "", _NUMBERS])
        shows = [
            button
            for n, plan in enumerate(plans, 1)
            for button in choice(str(n), "plan", "show", plan.id)
        ]
        others = _but(buttons, "list")
        return Answer(told, buttons=(*rows_of(shows), *others), optional=True)

    async def _show(self, asked: Invocation, words: Sequence[str]) -> Answer:
        plan = await self._named(asked, words)
        if plan is None:
            return _unknown(words)
        fence = "~~~~~~"
        text = readable_steps(plan).replace(fence, "~~~~~")
        known = await self._plans.of_chat(asked.chat.id, _LISTED)
        number = next((n for n, one in enumerate(known, 1) if one.id == plan.id), plan.id)
        keeps = f"To plan it again later: `/plan save {number} <name>`"
        keeps = keeps if plan.steps and asked.person.is_owner else ""
        # Steps of which none was tried would be listed twice.
        stand = _stand(plan) if plan.state is PlanState.READY else _with_steps(plan)
        told = "\n".join([stand, "", fence, text, fence, "", keeps]).strip()
        return Answer(told, buttons=(choice("◂ All plans", "plan", "list"),))

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
        how = f"/plan cancel by {plain_name(asked.person.name)}"
        if plan.turn is not None:
            # The end of the turn is the answer.
            then = (Noted.of(asked.message), Interrupt(plan.chat))
            return Answer("", (AskStop(plan.turn, how),), then)
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
            return Answer("It is waiting for your decision:", tuple(shown(plan)))
        if plan.state is not PlanState.EXECUTING or plan.turn is not None:
            return Answer(f"There is nothing to resume: {_stand(plan)}")
        if plan.failed_step is not None:
            told = f"Step {plan.failed_step.number} failed. The plan's card asks you what to do:"
            return Answer(told, tuple(shown(plan)))
        resumed = await self._desk.resumed(plan, asked.person)
        return Answer("Going on.", resumed, (Wake(plan.chat),))

    async def _save(self, asked: Invocation, words: Sequence[str]) -> Answer:
        plan, name = await self._named(asked, words), words[1]
        if plan is None:
            return _unknown(words)
        if not asked.person.is_owner:
            # Its words become those of whoever uses it, in every chat.
            return Answer(_OWNERS)
        if not is_name(name):
            return Answer(_BAD_NAME)
        if not plan.steps:
            return Answer("That plan has no steps.")
        file = await self._templates.save(template_of(plan, name))
        if file is None:
            return Answer(f"There is a ready-made plan `{name}` already. Choose another name.")
        told = f"Saved {literal(cited(plan))} as {_cited(file)}. /plan use {name} plans it again."
        return Answer(told)

    async def _use(self, asked: Invocation, words: Sequence[str]) -> Response:
        return await self._after(asked, words, wish_of(wish_of(wish_of(asked.message.text))))

    async def _after(
        self,
        asked: Invocation,
        words: Sequence[str],
        arguments: str,
        dropped: "_Dropped | None" = None,
    ) -> Response:
        """Begins a plan from the ready-made one that the first word names."""
        if not words:
            menu = _menu(await self._plans.live(asked.chat.id))
            return replace(await self._offer(), buttons=menu)
        found = await self._templates.get(words[0])
        match found:
            case None:
                return await self._offer(f"There is no ready-made plan {_cited(words[0])}.")
            case Broken():
                return Answer(f"That plan cannot be used: {_cited(str(found))}")
            case Template():
                try:
                    filled = found.filled(arguments)
                except ValueError as fault:
                    return Answer(literal(str(fault)))
                template = instructed(found, filled)
                return await self._begin(
                    asked, template=template, dropped=dropped, template_name=found.name
                )

    async def _offer(self, why: str = "") -> Answer:
        known = await self._templates.all()
        lines = [
            f"- broken: {_cited(str(t))}"
            if isinstance(t, Broken)
            else f"- {_cited(t.form)}: {literal(t.description)}"
            for t in known
        ]
        head = "Ready-made plans, started with `/plan use <name>`:" if lines else _NO_TEMPLATES
        return Answer("\n".join(part for part in (why, head, *lines) if part))

    async def _named(self, asked: Invocation, words: Sequence[str]) -> Plan | None:
        """Returns the plan of this chat with that number of the list, or that id.

        Without words it is the live plan.
        """
        if not words:
            return await self._plans.live(asked.chat.id)
        if words[0].isdecimal() and len(words[0]) <= _MOST_DIGITS:
            listed = await self._plans.of_chat(asked.chat.id, _LISTED)
            return next((p for n, p in enumerate(listed, 1) if n == int(words[0])), None)
        plan = await self._plans.get(words[0])
        return plan if plan is not None and plan.chat == asked.chat.id else None

    def _ended(self, plan: Plan, asked: Invocation) -> tuple[Write, ...]:
        return self._desk.ended(plan, asked.person)


def _menu(live: Plan | None) -> ButtonRows:
    """Returns the buttons below an answer about plans; each does what its words would do."""
    if live is None:
        earlier = (
            *choice("Ready-made plans", "plan", "use"),
            *choice("Earlier plans", "plan", "list"),
        )
        return (choice("📋 Turn on plan mode", "plan", "on"), earlier)
    if live.collecting:
        steps = (*choice("Show the plan", "plan", "done"), *choice("Status", "plan", "status"))
        return (steps, choice("Turn off plan mode", "plan", "off"))
    others = (*choice("Status", "plan", "status"), *choice("Earlier plans", "plan", "list"))
    return (others, choice("🗑 Cancel the plan", "plan", "cancel"))


def _but(menu: ButtonRows, word: str) -> ButtonRows:
    """Returns a menu without the button that would show the same answer again."""
    (same,) = (button.data for button in choice("", "plan", word))
    rows = (tuple(button for button in row if button.data != same) for row in menu)
    return tuple(row for row in rows if row)


@frozen
class _Dropped:
    """The live plan that a new one replaces, and the person who wants that."""

    plan: Plan
    by: Person


def wanted(message: InboundMessage) -> str:
    """Returns the wish in a command about a new plan; `on` is no wish."""
    said = wish_of(message.text)
    return "" if said.lower() == "on" else said


def _resembled(name: str, known: Iterable[str]) -> str | None:
    """Returns the known word in which a letter is wrong; short words resemble too many."""
    near = difflib.get_close_matches(name, list(known), n=1, cutoff=0.8) if len(name) > 3 else []
    return next(iter(near), None)


_BAD_NAME = (
    "Give the plan a name in one word: small letters and digits, with single dashes between "
    "them, as in `my-weekly-report`."
)
_USED = {
    "save": f"{_BAD_NAME} Usage: `/plan save <number> <name>`; /plan list shows the numbers.",
    "show": "Which plan? /plan list shows them, each with its number.",
}


def _misused(name: str) -> Answer:
    """Answers a sub-command with too few or too many words."""
    told = f"/plan {name} takes no more words. To plan that as a wish, send /plan on first."
    return Answer(_USED.get(name, literal(told)))


def _named_after(template: str) -> str:
    return template.replace("-", " ").capitalize()


def _with_steps(plan: Plan) -> str:
    """Returns how a plan stands, and a paragraph with its steps, one on each line."""
    lines = [coded(line) for line in step_lines(plan)]
    return "\n\n".join(part for part in (_stand(plan), "\n".join(lines)) if part)


def _unknown(words: Sequence[str]) -> Answer:
    if not words:
        return Answer(f"{_NONE} /plan list shows earlier ones.")
    return Answer(f"This chat has no plan {_cited(words[0])}. /plan list shows them.")


def _stand(plan: Plan) -> str:
    return literal(described(plan))


def _cited(text: str) -> str:
    return inline_code(text[:_LONGEST_CITED])
