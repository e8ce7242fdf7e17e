"""Skills as a companion of turns: choosing, showing, handing over and laying down."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from weakref import WeakKeyDictionary

from bot.domain.change import ChooseSkill, Show, Write
from bot.domain.contribution import Briefing, Ended, Share
from bot.domain.message import Outbound, OutboundKind, Plain
from bot.domain.outcome import StopReason
from bot.domain.skill import Skill, SkillSet
from bot.domain.skill_words import arguments_in, at_rest, due, handed_over, is_missed
from bot.domain.step import Errand, Finish, Gate, TransitionSkill
from bot.domain.tool import ToolCall, ToolResult
from bot.domain.transcript import AskerBody, Body
from bot.domain.turn import Turn, TurnState
from bot.domain.verdict import LoopState
from bot.flow.log.bystander import Bystander
from bot.flow.log.request_view import ViewFold
from bot.flow.log.work import Work
from bot.ports.journal import Agenda
from bot.ports.skills import Skills
from bot.ports.tool import Place, Tool


class SkillCompanion(Bystander):
    """Works with the skills as they were when the loop of a turn began."""

    def __init__(self, skills: Skills) -> None:
        self._skills = skills
        self._turns: WeakKeyDictionary[Work, SkillSet] = WeakKeyDictionary()

    async def opening(self, work: Work, row: Turn, agenda: Agenda) -> Share:
        """Uses the skill that the chat chose, or says why it cannot."""
        name = work.log.chat.skill
        why = self._skills.known.refusal(name) if name is not None else ""
        if name is None or not why:
            return Share(replace(row, skill=name))
        bodies, writes = self._missed(work, name, why)
        return Share(row, bodies, writes)

    def _missed(
        self, work: Work, skill: str, why: str
    ) -> tuple[tuple[Body, ...], tuple[Write, ...]]:
        """Tells the model and the chat that the turn's skill cannot be used.

        The chat keeps its choice as long as the skill exists; the news is told once.
        """
        log, chat = work.log, work.log.chat
        kept = not chat.skill_lent and self._skills.known.knows(skill)
        if kept and is_missed(skill, (entry.body for entry in reversed(log.entries()))):
            return (), ()
        stays = f"{skill} rests until it is mended: {why}. /skill off ends that."
        leaves = f"{skill} is not at work here any more: {why}. See /skills."
        content = Outbound(OutboundKind.NOTICE, (Plain(stays if kept else leaves),))
        show = Show(f"skill:{work.turn.id}", chat.id, content)
        chosen = () if kept else (ChooseSkill(chat.id, None),)
        return (at_rest(skill, why),), (*chosen, show)

    async def taken_up(self, work: Work, row: Turn, agenda: Agenda) -> Share:
        queued = work.turn.state is TurnState.QUEUED
        return Share(replace(row, skill=work.log.chat.skill) if queued else row)

    async def started(self, work: Work) -> Sequence[str]:
        self._turns[work] = self._skills.known
        return ()

    async def state(self, work: Work, state: LoopState) -> LoopState:
        return replace(state, following=self._turns[work].following(work.turn.skill))

    def placed(self, work: Work, place: Place, call: ToolCall) -> Place:
        """Returns the place under the skill that is in use now."""
        return replace(place, skill=self._at_work(work), stages=work.turn.stages)

    async def carry_out(
        self, work: Work, errand: Errand, gates: Mapping[str, Gate], tools: Mapping[str, Tool]
    ) -> bool:
        """Hands over to the next skill, in the transaction of the text that it continues with."""
        if not isinstance(errand, TransitionSkill):
            return False
        body = handed_over(self._turns[work].skills[errand.next], work.turn.skill or "")
        await work.write(body, turn=work.counted(skill=errand.next, stages=work.turn.stages + 1))
        return True

    async def briefing(self, work: Work, view: ViewFold) -> Briefing:
        """Names the skill in use if the view does not; hides text that goes to the next skill."""
        words = due(self._at_work(work), view.skill, self._said_with(work))
        following = self._turns[work].following(work.turn.skill)
        hidden = following is not None and not following.fault
        return Briefing((words,) if words is not None else (), hidden)

    async def after_results(
        self, work: Work, row: Turn, ran: Sequence[tuple[ToolCall, ToolResult]]
    ) -> Share:
        """Uses the skill of the newest call that chose one."""
        chosen = next((r.skill for _, r in reversed(ran) if r.skill is not None), None)
        if chosen is None:
            return Share(row)
        last = self._at_work(work)
        deeper = last is not None and chosen in last.conditional_next.values()
        # An empty name ends the use of the skill.
        row = replace(row, skill=chosen or None, stages=row.stages + deeper)
        return Share(row, writes=(ChooseSkill(row.chat, row.skill, lent=True),))

    async def ended(
        self, work: Work, finish: Finish, closed: Sequence[tuple[ToolCall, ToolResult]]
    ) -> Ended:
        """Ends a pipeline that the model chose, and resets one that a person chose to its start."""
        turn = work.turn
        # A plan's turn starts at a later stage; only the chat remembers the first skill.
        begun = work.log.chat.skill if turn.origin == "plan" else turn.skill
        skill = self._skills.known.usable(begun)
        piped = turn.stages > 0 or (skill is not None and skill.in_pipeline)
        over = finish.stop_reason in (StopReason.FINAL_ANSWER, StopReason.PIPELINE_DEPTH)
        return Ended((ChooseSkill(turn.chat, None, lent=True),)) if piped and over else Ended()

    def _said_with(self, work: Work) -> str:
        """Returns the words behind the name in the `/skill <name> <words>` that began this turn."""
        entries = reversed(work.log.entries())
        asked = next((e.body for e in entries if isinstance(e.body, AskerBody)), None)
        name, words = arguments_in(asked.text) if asked is not None else ("", "")
        skill = self._at_work(work)
        meant = skill is not None and self._turns[work].meant(name) == skill.name
        return words if meant else ""

    def _at_work(self, work: Work) -> Skill | None:
        return self._turns[work].usable(work.turn.skill)
