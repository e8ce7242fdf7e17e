"""A turn from its opening to its settled end."""

import asyncio
import secrets
from collections.abc import Sequence
from dataclasses import replace

from bot.domain.approval import Approval, ApprovalState
from bot.domain.change import ChooseSkill, SaveApproval, Show, Write
from bot.domain.chat import Chat
from bot.domain.errors import ModelDenied
from bot.domain.message import Markdown, Outbound, OutboundKind, Plain
from bot.domain.outcome import StopReason
from bot.domain.plan import Plan, plan_for
from bot.domain.skill_words import at_rest, is_missed
from bot.domain.step import Finish
from bot.domain.transcript import LateResultBody, SkillBody
from bot.domain.turn import Turn, TurnState
from bot.flow.log.history import ChatLog
from bot.flow.log.work import Work
from bot.flow.models.compaction import Compaction
from bot.flow.plans import steps as plan_mode
from bot.flow.reading.gathering import Gathered
from bot.flow.reading.message_reader import Asked
from bot.flow.signs.live import Lives
from bot.flow.turn import server_faults
from bot.flow.turn.scene import Scene, Scenes
from bot.flow.turn.settlement import Settlement
from bot.flow.turn.tool_loop import ToolLoop
from bot.ports.approvals import Approvals
from bot.ports.clock import Clock

_EVERYTHING = 1_000.0
"""A window so full that nothing of the old turns may stay."""


class Turns:
    """Opens turns, takes them up again, and runs them until they settle or park."""

    def __init__(
        self,
        loop: ToolLoop,
        settlement: Settlement,
        compaction: Compaction,
        scenes: Scenes,
        lives: Lives,
        approvals: Approvals,
        clock: Clock,
        model: str,
    ) -> None:
        self._loop = loop
        self._settlement = settlement
        self._compaction = compaction
        self._scenes = scenes
        self._lives = lives
        self._approvals = approvals
        self._clock = clock
        self._model = model

    async def open(
        self,
        log: ChatLog,
        gathered: Gathered,
        unreported: Sequence[Approval],
        plan: Plan | None = None,
    ) -> Work:
        """Makes a message the opening of a turn: its rows are taken in the same transaction."""
        asked = _worded(gathered.asked, plan)
        turn = self._new(log.chat, asked)
        why = self._scenes.skills.refusal(turn.skill) if turn.skill is not None else ""
        gone, rests = self._missed(log, turn, why) if why else ((), ())
        turn = replace(turn, skill=None) if why else turn
        work = await self._at_work(log, turn, (), plan)
        reported: list[Write] = [
            SaveApproval(replace(card, reported=True), expect=card.state) for card in unreported
        ]
        heard = (asked.heard.release,) if asked.heard is not None else ()
        # A conversation hears of its own cards alone.
        late = [_unrun(card) for card in unreported if card.conversation == turn.conversation]
        fresh = work.counted(attempts=1)
        also = (*gathered.taken(turn.chat, turn.id), *reported, *heard, *rests)
        opening = (*gone, *plan_mode.opening(work.plan))
        await work.write(*late, *opening, asked.body(), turn=fresh, also=also)
        self._lives.taken(work, gathered.since)
        return work

    def _new(self, chat: Chat, asked: Asked) -> Turn:
        message = asked.bundle.first
        return Turn(
            id=secrets.token_hex(8),
            chat=chat.id,
            conversation=chat.conversation,
            asker=asked.person.id,
            asker_name=asked.person.name,
            model=chat.model or self._model,
            created_at=self._clock.now(),
            skill=chat.skill,
            reply_to=None if message.private else message.message_id,
        )

    def _missed(
        self, log: ChatLog, turn: Turn, why: str
    ) -> tuple[tuple[SkillBody, ...], tuple[Write, ...]]:
        """What is told, to the model and in the chat, when the skill of a turn cannot be at work.

        What a person chose is kept as long as there is such a skill; that it rests is told once.
        """
        chat, skill = log.chat, turn.skill or ""
        kept = not chat.skill_lent and self._scenes.skills.knows(skill)
        if kept and is_missed(skill, (entry.body for entry in reversed(log.entries()))):
            return (), ()
        stays = f"{skill} rests until it is mended: {why}. /skill off ends that."
        leaves = f"{skill} is not at work here any more: {why}. See /skills."
        content = Outbound(OutboundKind.NOTICE, (Plain(stays if kept else leaves),))
        show = Show(f"skill:{turn.id}", chat.id, content)
        chosen = () if kept else (ChooseSkill(chat.id, None),)
        return (at_rest(skill, why),), (*chosen, show)

    async def take_up(
        self,
        log: ChatLog,
        turn: Turn,
        approvals: Sequence[Approval],
        plan: Plan | None = None,
    ) -> Work:
        """Goes on with a turn another life of the program began, or that was parked."""
        work = await self._at_work(log, turn, approvals, plan)
        opening = plan_mode.opening(work.plan) if plan_mode.is_first_start(work) else ()
        work.plan, also = plan_mode.begun(work)
        if turn.state is TurnState.QUEUED:
            # A plan goes on where its last step was planned, whatever is at work in the chat.
            skill = log.chat.skill if work.plan is None else work.plan.skill
            turn = replace(turn, model=log.chat.model or self._model, skill=skill)
        started = replace(turn, state=TurnState.RUNNING, attempts=turn.attempts + 1)
        await work.write(*opening, turn=started, also=also)
        self._lives.taken(work, turn.created_at)
        return work

    async def _at_work(
        self, log: ChatLog, turn: Turn, approvals: Sequence[Approval], plan: Plan | None
    ) -> Work:
        await log.read(turn.conversation)
        own = [a for a in approvals if a.turn == turn.id]
        if turn.approval is not None and all(a.id != turn.approval for a in own):
            card = await self._approvals.get(turn.approval)
            own.extend((card,) if card is not None else ())
        work = Work(log, turn, tuple(own), self._clock, plan=plan_for(turn, plan))
        work.begin()
        return work

    async def run(self, work: Work) -> bool:
        """Runs the turn; True when it settled, False when it waits for a person."""
        try:
            return await self._run(work)
        finally:
            self._lives.rested(work)

    async def _run(self, work: Work) -> bool:
        # Looked at before all that may fail: a turn that always fails there would never end.
        try:
            ending = self._loop.broken_off(work) or await self._advanced(work)
        except asyncio.CancelledError:
            # An orderly end is no failed start; only a death leaves the attempt on the row.
            if not work.torn:
                rested = max(0, work.turn.attempts - 1)
                await work.write(turn=replace(work.turn, attempts=rested))
            raise
        if ending is not None:
            await self._settlement.settle(work, ending)
        return work.turn.state is TurnState.SETTLED

    async def _advanced(self, work: Work) -> Finish | None:
        """The ending; None when the turn is parked, or a compaction that has settled."""
        try:
            scene = await self._scenes.of(work)
        except ModelDenied as fault:
            return Finish(StopReason.MODEL_FAILURE, str(fault))
        if work.turn.origin == "compaction":
            await self._compact(work, scene)
            return None
        if work.progress.reply is None and not work.progress.open_calls:
            await server_faults.tell(work, await self._scenes.servers(work))
        async with self._lives.of(work) as live:
            return await self._loop.advance(work, scene, live)

    async def rest(self, chat: Chat) -> None:
        """A chat has no turn to run."""
        await self._scenes.rest(chat)

    async def set_aside(self, work: Work) -> None:
        await self._settlement.set_aside(work)
        self._lives.rested(work)

    async def _compact(self, work: Work, scene: Scene) -> None:
        """A person asked for room: everything before this turn becomes a summary."""
        made = await self._compaction.make_room(work, scene.profile, fill=_EVERYTHING)
        told = "The conversation is summarised." if made else "There is nothing to summarise yet."
        content = Outbound(OutboundKind.NOTICE, (Markdown(told),))
        settled = work.counted(
            state=TurnState.SETTLED,
            stop_reason=StopReason.FINAL_ANSWER,
            ended_at=self._clock.now(),
        )
        show = Show(f"answer:{work.turn.id}", work.turn.chat, content)
        await work.write(turn=settled, also=(show,), durable=True)


def _unrun(card: Approval) -> LateResultBody:
    """A set-aside card that ended without a run, told to the model at the next opening."""
    by = f" by {card.decider_name}" if card.decider_name else ""
    because = f": {card.reason}" if card.reason and card.state is ApprovalState.DENIED else ""
    decision = f"{card.state.value}{by}{because}; it did not run"
    return LateResultBody(card.id, card.call.name, card.preview.subject, decision, "")


def _worded(asked: Asked, plan: Plan | None) -> Asked:
    """The message that asked for the plan, without its command; a template speaks instead of it."""
    first = asked.bundle.first
    if plan is None or plan.message != first.message_id or not first.text.startswith("/"):
        return asked
    text = plan.wish or plan_mode.wish_of(first.text)
    rest = asked.bundle.pieces[1:]
    return replace(asked, bundle=replace(asked.bundle, pieces=(replace(first, text=text), *rest)))
