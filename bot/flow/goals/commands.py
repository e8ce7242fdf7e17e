"""The commands about goals."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from bot.domain.assignments.goal import (
    MOST_GOALS,
    MOST_TEXT,
    Goal,
    GoalPace,
    GoalState,
    condition,
    goal_id,
)
from bot.domain.assignments.task import BY_HAND, TaskState
from bot.domain.change import AskStop, DropGoal, HoldGoalTasks, SaveGoal, SaveTask, Write
from bot.domain.clock.when import WhenUnclear
from bot.domain.clock.zones import Zones
from bot.domain.talk.chat import Chat
from bot.domain.talk.limits import GoalBounds
from bot.domain.text.markdown import inline_code, literal
from bot.domain.text.names import named
from bot.flow.commanding.choices import choice
from bot.flow.commanding.effects import Interrupt, Wake
from bot.flow.commanding.pages import LISTED
from bot.flow.commanding.table import Answer, Command, Invocation, Topic
from bot.flow.goals.cards import GoalCards
from bot.flow.goals.ending import stopped
from bot.flow.goals.goal_choosing import GoalChoosing
from bot.flow.goals.goal_pages import (
    DROP,
    END,
    GoalWords,
    dollars,
    limited,
    menu_of,
    proposal_menu,
    sure_to_delete,
    sure_to_end,
)
from bot.flow.goals.parts import GoalParts

_HOW = "Write `/goal <what you want to reach>`, as in `/goal Find three flats for us in Porto`."
THEIRS = "Only the one who asked for this goal, or an owner, can change it."
BEGUN = "This goal has begun already. /goals shows it."
NOT_BEGUN = "This goal has not begun: press Start first."
OVER = "This goal is over. Write a new one with /goal."
_UNCLEAR = "I do not understand that. /goals lists the goals of this chat."
_FIRST_ASKED = frozenset({"delete", "done"})
"""Changes that a question stands before."""

PRESS = "Is this the goal you mean? Then press its button."
"""The answer to a number with something that cannot be taken back: the list may have changed."""

_FINAL = frozenset({"start", "deny", DROP, END})
"""Changes that cannot be taken back."""

VERBS = (
    _FINAL | _FIRST_ASKED | {"show", "diary", "pause", "resume", "run", "pace", "limit", "answer"}
)

_MOST_DIGITS = 4


class GoalCommands:
    def __init__(
        self,
        parts: GoalParts,
        words: GoalWords,
        cards: GoalCards,
        zones: Zones,
        bounds: GoalBounds,
        unpriced: Callable[[Chat], str],
    ) -> None:
        """Takes a function that names the model of a chat if nobody knows what it costs."""
        self._parts = parts
        self._choosing = GoalChoosing(parts.goals)
        self._words = words
        self._cards = cards
        self._zones = zones
        self._bounds = bounds
        self._unpriced = unpriced

    @property
    def table(self) -> Sequence[Command]:
        return (
            Command("goal", "work towards something over days", self.goal, "<text>", Topic.PLANS),
            Command(
                "goals", "the goals of this chat", self.goals, "[number]", Topic.PLANS, chosen=True
            ),
        )

    async def goal(self, asked: Invocation) -> Answer:
        """Proposes a goal; it begins when the person presses Start."""
        text = _behind(asked, 1).strip()
        if not text:
            return Answer(f"{_HOW} /goals lists the goals of this chat.")
        if len(text) > MOST_TEXT:
            return Answer(f"That is {len(text):,} characters, and a goal can have {MOST_TEXT:,}.")
        owned = await self._parts.goals.of_person(asked.person.id)
        if sum(not one.over for one in owned) >= MOST_GOALS:
            return Answer(f"You have {MOST_GOALS} goals already. /goals ends or deletes one.")
        now = self._parts.clock.now()
        goal = Goal(
            id=goal_id(asked.row),
            chat=asked.chat.id,
            asker=asked.person.id,
            asker_name=asked.person.name,
            text=text,
            pace=GoalPace(self._bounds.pace),
            a_day=dollars(self._bounds.day_dollars),
            budget=dollars(self._bounds.dollars),
            until=now + self._bounds.span,
            created_at=now,
        )
        return await self._proposed(asked, goal, (SaveGoal(goal),))

    async def goals(self, asked: Invocation) -> Answer:
        """Lists the goals of the chat, or does something with one of them."""
        match asked.words:
            case ():
                return await self._listed(asked, 1)
            case ("page", number) if number.isdecimal():
                return await self._listed(asked, int(number[:_MOST_DIGITS]))
            case (word,) if word not in VERBS:
                return await self._about(asked, "show", (word,))
            case (verb, *words):
                return await self._about(asked, verb, words)
            case _:
                return Answer(_UNCLEAR)

    async def _listed(self, asked: Invocation, page: int) -> Answer:
        page = max(page, 1)
        skip = (page - 1) * LISTED
        found = await self._parts.goals.of_chat(asked.chat.id, LISTED + 1, skip)
        if not found:
            return Answer(f"There are no goals {'here' if page == 1 else 'on that page'}. {_HOW}")
        return await self._words.list_of(found, page)

    async def _about(self, asked: Invocation, verb: str, words: Sequence[str]) -> Answer:
        chosen = await self._choosing.chosen(asked.chat.id, verb, words)
        if isinstance(chosen, Answer):
            return chosen
        goal = chosen.goal
        if verb == "diary":
            return await self._diary(goal, chosen.rest)
        if verb == "show" or (chosen.by_number and verb in _FINAL):
            shown = await self._shown(asked, goal)
            return shown if verb == "show" else replace(shown, text=f"{PRESS}\n\n{shown.text}")
        if not asked.person.may_decide_for(goal.asker):
            return Answer(THEIRS)
        try:
            return await self._done(asked, goal, verb, chosen.rest)
        except (WhenUnclear, ValueError) as fault:
            return Answer(str(fault))

    async def _done(self, asked: Invocation, goal: Goal, verb: str, rest: Sequence[str]) -> Answer:
        match verb, rest:
            case "start", ():
                return await self._started(asked, goal)
            case (("deny" | "drop"), ()):
                return await self._deleted(goal, verb)
            case "delete", ():
                return sure_to_delete(goal)
            case "pace", (pace,) if pace in set(GoalPace):
                return await self._changed(asked, goal, goal.changed(pace=GoalPace(pace)))
            case "limit", bounds:
                zone, now = self._zones.of(asked.person, asked.chat), self._parts.clock.now()
                return await self._changed(asked, goal, limited(goal, bounds, zone, now))
            case "answer", (_, *_):
                return await self._answered(asked, goal, len(rest))
            case _:
                return await self._moved(asked, goal, verb)

    async def _moved(self, asked: Invocation, goal: Goal, verb: str) -> Answer:
        moves = {
            "pause": self._paused,
            "resume": self._resumed,
            "run": self._run_now,
            "done": self._sure_to_end,
            END: self._finished,
        }
        if verb not in moves:
            return Answer(_UNCLEAR)
        if goal.over or goal.state is GoalState.PROPOSED:
            return Answer(OVER if goal.over else NOT_BEGUN)
        return await moves[verb](asked, goal)

    async def _paused(self, asked: Invocation, goal: Goal) -> Answer:
        held = HoldGoalTasks(goal.id, TaskState.PAUSED, BY_HAND)
        return await self._after(asked, goal, (held,), "⏸ Paused")

    async def _shown(self, asked: Invocation, goal: Goal) -> Answer:
        if goal.state is GoalState.PROPOSED:
            return await self._proposed(asked, goal, ())
        task = await self._parts.scheduled.get(goal.id)
        told = await self._words.whole(goal, task)
        return Answer(told, buttons=menu_of(goal, condition(goal, task)), optional=True)

    async def _proposed(self, asked: Invocation, goal: Goal, writes: tuple[Write, ...]) -> Answer:
        zone = self._zones.of(asked.person, asked.chat)
        told = self._words.proposal(goal, zone, self._parts.clock.now())
        if model := self._unpriced(asked.chat):
            told += (
                f"\n\n⚠️ Nobody told me what {literal(model)} costs, so these sums cannot be kept. "
                "Its pace and its end still hold."
            )
        writes = (*writes, *await self._cards.replaced(asked, goal))
        return Answer(told, writes, buttons=proposal_menu(goal), optional=True, waits=True)

    async def _diary(self, goal: Goal, rest: Sequence[str]) -> Answer:
        number = rest[0] if rest and rest[0].isdecimal() else "1"
        page = max(int(number[:_MOST_DIGITS]), 1)
        found = await self._parts.goals.diary(goal.id, LISTED + 1, (page - 1) * LISTED)
        return await self._words.diary(goal, found, page)

    async def _started(self, asked: Invocation, goal: Goal) -> Answer:
        if goal.state is not GoalState.PROPOSED:
            return Answer(BEGUN)
        now, zone = self._parts.clock.now(), self._zones.of(asked.person, asked.chat)
        if why := goal.exhausted(0, now):
            how = inline_code("/goals limit until 2027-12-31")
            return Answer(f"This goal cannot begin: {why}. {how} gives it more.")
        new = goal.changed(state=GoalState.ACTIVE)
        task = self._parts.planning.begun(new, zone, now)
        told = f"▶️ I begin now: {named(goal.name)}"
        writes = (SaveGoal(new, goal.version), SaveTask(task))
        return Answer(
            told,
            writes,
            buttons=(choice("◂ Show the goal", "goals", "show", goal.id),),
            optional=True,
        )

    async def _changed(self, asked: Invocation, goal: Goal, new: Goal) -> Answer:
        saved = SaveGoal(new, goal.version)
        if goal.state is GoalState.PROPOSED:
            return await self._proposed(asked, new, (saved,))
        task = await self._parts.scheduled.get(goal.id)
        if goal.over or task is None:
            return Answer(OVER)
        moved = self._parts.planning.paced(new, task, self._parts.clock.now())
        told = await self._words.whole(new, moved)
        menu = menu_of(new, condition(new, moved))
        return Answer(told, (saved, SaveTask(moved, task.version)), buttons=menu, optional=True)

    async def _resumed(self, asked: Invocation, goal: Goal) -> Answer:
        now = self._parts.clock.now()
        why = goal.exhausted(await self._parts.goals.spent(goal.id), now)
        if why:
            how = inline_code("/goals limit whole 10 until 2027-12-31")
            return Answer(f"This goal cannot go on: {why}. {how} gives it more.")
        new = goal.changed(state=GoalState.ACTIVE)
        resumed = await self._parts.planning.resumed(goal, now, at_once=False)
        return await self._after(asked, new, (SaveGoal(new, goal.version), *resumed), "▶️ Going on")

    async def _answered(self, asked: Invocation, goal: Goal, words: int) -> Answer:
        """Takes the last words of the command, so many of them, with their lines."""
        if goal.state is not GoalState.STUCK:
            return Answer("This goal asks nothing now. /goals shows it.")
        said = _behind(asked, len(asked.words) + 1 - words)
        writes = await self._parts.desk.answered(goal, said, self._parts.clock.now())
        active = goal.changed(state=GoalState.ACTIVE)
        return await self._after(asked, active, writes, "▶️ Thanks, I go on")

    async def _run_now(self, asked: Invocation, goal: Goal) -> Answer:
        task = await self._parts.scheduled.get(goal.id)
        if task is None:
            return Answer(OVER)
        # The moment stands for the due time: carried out again after a crash, it is the same run.
        at = asked.message.sent_at
        writes = await self._parts.firing.now(task, at)
        if isinstance(writes, str):
            return Answer(f"It does not run now: {writes}.")
        told = f"⏩ Started a run: {named(goal.name)}"
        buttons = (choice("◂ Back", "goals", "show", goal.id),)
        return Answer(told, writes, (Wake(goal.chat),), buttons, optional=True)

    async def _sure_to_end(self, asked: Invocation, goal: Goal) -> Answer:
        return sure_to_end(goal)

    async def _finished(self, asked: Invocation, goal: Goal) -> Answer:
        new = goal.changed(state=GoalState.DONE)
        room = self._parts
        ended = await stopped(new, room.goals, room.scheduled, room.clock.now())
        return await self._after(asked, new, (SaveGoal(new, goal.version), *ended), "🏁 Done")

    async def _deleted(self, goal: Goal, verb: str) -> Answer:
        room = self._parts
        ended = await stopped(goal, room.goals, room.scheduled, room.clock.now())
        stops = tuple(one for one in ended if isinstance(one, AskStop))
        told = f"🗑 {'Cancelled' if verb == 'deny' else 'Deleted'}: {named(goal.name)}"
        then = (Interrupt(goal.chat),) if stops else ()
        return Answer(told, (*stops, DropGoal(goal.id)), then)

    async def _after(
        self, asked: Invocation, goal: Goal, writes: Sequence[Write], told: str
    ) -> Answer:
        """Returns the answer to a change of a goal that has begun."""
        stops = any(isinstance(one, AskStop) for one in writes)
        then = (Interrupt(goal.chat),) if stops else ()
        buttons = (choice("◂ Show the goal", "goals", "show", goal.id),)
        text = f"{told}: {named(goal.name)}"
        return Answer(text, tuple(writes), then, buttons, optional=True)


def _behind(asked: Invocation, words: int) -> str:
    """Returns everything behind the first words of the command, with its lines."""
    parts = asked.message.text.split(maxsplit=words)
    return parts[words] if len(parts) > words else ""
