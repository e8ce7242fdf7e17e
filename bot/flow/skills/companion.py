"""Skills as a companion of turns: choosing, showing, handing over and laying down."""

from collections.abc import Mapping, Sequence
from weakref import WeakKeyDictionary

from bot.domain.change import ChooseSkill, EndGrants, Show, Write
from bot.domain.consent.rules import DOCUMENTS
from bot.domain.loop.contribution import Briefing, Ended, Share
from bot.domain.loop.verdict import LoopState
from bot.domain.skills.skill import Skill, SkillSet
from bot.domain.skills.skill_words import arguments_in, at_rest, due, handed_over, is_missed
from bot.domain.talk.message import Outbound, OutboundKind, Plain
from bot.domain.tools.server import is_servers_tool
from bot.domain.tools.tool import Effect, Preview, ToolCall, ToolResult
from bot.domain.turn.outcome import StopReason
from bot.domain.turn.step import Entrusted, Finish, Gate, TransitionSkill
from bot.domain.turn.transcript import AskerBody, Body
from bot.domain.turn.turn import Turn, TurnState
from bot.domain.value import field, frozen, replace
from bot.flow.log.companion import Companion
from bot.flow.log.concern import of_skills, shows_skill
from bot.flow.log.request_view import ViewFold
from bot.flow.log.work import Work
from bot.flow.skills.grant_offer import offer_of
from bot.ports.journal import Agenda
from bot.ports.skills import Skills
from bot.ports.tool import Place, Tool


@frozen
class SkillCompanion:
    """Works with the skills as they were when the loop of a turn began."""

    _skills: Skills
    _documents: frozenset[str] = DOCUMENTS
    """Rules for folders cover files that end in one of these."""
    _turns: WeakKeyDictionary[Work, SkillSet] = field(default_factory=WeakKeyDictionary, init=False)

    @property
    def answers(self) -> Companion:
        return Companion(
            of_skills,
            carries=TransitionSkill,
            opening=self.opening,
            taken_up=self.taken_up,
            started=self.started,
            state=self.state,
            offered=self.offered,
            placed=self.placed,
            carry_out=self.carry_out,
            after_results=self.after_results,
            ended=self.ended,
        )

    @property
    def telling(self) -> Companion:
        return Companion(shows_skill, briefing=self.briefing)

    async def opening(self, work: Work, row: Turn, agenda: Agenda) -> Share:
        """Uses the skill that the chat chose, or says why it cannot."""
        name = work.log.chat.skill
        why = self._skills.known.refusal(name) if name is not None else ""
        if name is None or not why:
            return Share(replace(row, skill=name), writes=self._grants_ended(work, name))
        bodies, writes = self._missed(work, name, why)
        return Share(row, bodies, (*writes, *self._grants_ended(work, None)))

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
        stays = f"{skill} is paused until it works again: {why}. /skill off turns it off."
        leaves = f"{skill} is off now: {why}. /skills shows what there is."
        content = Outbound(OutboundKind.NOTICE, (Plain(stays if kept else leaves),))
        show = Show(f"skill:{work.turn.id}", chat.id, content, about=work.turn.id)
        chosen = () if kept else (ChooseSkill(chat.id, None),)
        return (at_rest(skill, why),), (*chosen, show)

    async def taken_up(self, work: Work, row: Turn, agenda: Agenda) -> Share:
        if work.turn.state is not TurnState.QUEUED:
            return Share(row)
        name = work.log.chat.skill
        return Share(replace(row, skill=name), writes=self._grants_ended(work, name))

    async def started(self, work: Work) -> Sequence[str]:
        self._known(work)
        return ()

    def _known(self, work: Work) -> SkillSet:
        return self._turns.setdefault(work, self._skills.known)

    async def state(self, work: Work, state: LoopState) -> LoopState:
        return replace(state, following=self._known(work).following(work.turn.skill))

    def placed(self, work: Work, place: Place, call: ToolCall) -> Place:
        """Returns the place under the skill that is in use now."""
        return replace(place, skill=self._at_work(work), stages=work.turn.stages)

    async def offered(
        self, work: Work, call: ToolCall, preview: Preview, place: Place, tools: Mapping[str, Tool]
    ) -> Preview:
        """Offers the rules that the skill in use asks for, once as long as it is in use."""
        skill = place.skill
        if skill is None or not skill.pre_approved or _is_servers_danger(call, preview):
            return preview
        if work.log.chat.screen is not None:
            return preview  # the rules are those of a chat, where another skill may be in use
        if work.log.chat.offered == skill.edition or _offers(work):
            return preview
        offer = await offer_of(skill, call, preview, place, tools, self._documents)
        return preview if offer is None else replace(preview, offer=offer)

    async def carry_out(
        self, work: Work, step: Entrusted, gates: Mapping[str, Gate], tools: Mapping[str, Tool]
    ) -> str:
        """Hands over to the next skill, in the transaction of the text that it continues with."""
        assert isinstance(step, TransitionSkill)
        body = handed_over(self._known(work).skills[step.next], work.turn.skill or "")
        turn = work.counted(skill=step.next, stages=work.turn.stages + 1)
        await work.write(body, turn=turn, also=self._grants_ended(work, step.next))
        return ""

    async def briefing(self, work: Work, view: ViewFold) -> Briefing:
        """Names the skill in use if the view does not; hides text that goes to the next skill."""
        words = due(self._at_work(work), view.skill, self._said_with(work))
        following = self._known(work).following(work.turn.skill)
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
        lent = ChooseSkill(row.chat, row.skill, lent=True)
        return Share(row, writes=(lent, *self._grants_ended(work, row.skill)))

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
        if not (piped and over):
            return Ended()
        chat = work.log.chat
        kept = chat.skill if not chat.skill_lent else None
        lent = ChooseSkill(turn.chat, None, lent=True)
        return Ended((lent, *self._grants_ended(work, kept)))

    def _grants_ended(self, work: Work, name: str | None) -> tuple[Write, ...]:
        """Returns the writes that end the rules of all skills but this one, if there may be any."""
        chat = work.log.chat
        if chat.offered is None and not _offers(work):
            return ()
        skill = self._skills.known.usable(name)
        keep = skill.edition if skill is not None else None
        return () if chat.offered == keep else (EndGrants(chat.id, keep),)

    def _said_with(self, work: Work) -> str:
        """Returns the words behind the name in the `/skill <name> <words>` that began this turn."""
        entries = reversed(work.log.entries())
        asked = next((e.body for e in entries if isinstance(e.body, AskerBody)), None)
        name, words = arguments_in(asked.text) if asked is not None else ("", "")
        skill = self._at_work(work)
        meant = skill is not None and self._known(work).meant(name) == skill.name
        return words if meant else ""

    def _at_work(self, work: Work) -> Skill | None:
        return self._known(work).usable(work.turn.skill)


def _is_servers_danger(call: ToolCall, preview: Preview) -> bool:
    """Returns True for a card that has enough to read: the start of a server, for instance."""
    return preview.effect is Effect.DANGER and is_servers_tool(call.name)


def _offers(work: Work) -> bool:
    """Returns True when a card of this turn offers what a skill asks for."""
    return any(card.preview.offer is not None for card in work.approvals)
