"""Sends errands out: checks what a call asks for, and writes the errand with its turn."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from bot.domain.change import AddAudit, ChooseSkill, SaveChat, SaveErrand, SaveTurn, Write
from bot.domain.chat import Chat
from bot.domain.errand import NOT_GIVEN, Errand, errand_id, home_of
from bot.domain.errors import ModelDenied
from bot.domain.money import Nano, nano_of
from bot.domain.skill import SKILL_TOOLS, Skill
from bot.domain.step import Refuse
from bot.domain.tier import tier_of
from bot.domain.tool import ToolCall
from bot.domain.turn import Turn, TurnState
from bot.flow.errands.wording import unfit
from bot.flow.log.request_view import foreign_to
from bot.flow.log.work import Work
from bot.flow.models.choosing import Choosing
from bot.ports.chats import Chats
from bot.ports.skills import Skills

_ASKS = "send_message"
"""The tool by which an errand can end with a question."""


@dataclass(frozen=True, slots=True)
class Wish:
    """The arguments of a call that sends an errand out."""

    task: str
    tools: tuple[str, ...] | None
    skill: str | None
    model: str | None
    budget: Nano | None

    @classmethod
    def of(cls, call: ToolCall) -> "Wish":
        """Reads arguments that were checked."""
        given: Mapping[str, Any] = call.arguments or {}
        tools, budget = given.get("tools"), given.get("budget")
        return cls(
            str(given.get("task", "")),
            None if tools is None else tuple(tools),
            given.get("skill"),
            given.get("model"),
            None if budget is None else nano_of(Decimal(str(budget))),
        )


class Sending:
    """Makes errands; one call makes one errand, however often it is tried."""

    def __init__(self, chats: Chats, skills: Skills, choosing: Choosing) -> None:
        self._chats = chats
        self._skills = skills
        self._choosing = choosing

    def refusal(self, work: Work, call: ToolCall, tools: Iterable[str]) -> Refuse | None:
        """Returns the refusal of a call that asks for something that is not here."""
        wish, known = Wish.of(call), self._given(work, tools)
        missing = sorted(set(wish.tools or ()) - known)
        if missing:
            return unfit(f"an errand cannot get these tools: {', '.join(missing)}")
        if wish.skill is not None and (why := self._skills.known.refusal(wish.skill)):
            return unfit(why)
        if wish.skill is not None and self._skills.known.skills[wish.skill].manual:
            return unfit(f"only a person puts the skill {wish.skill} to work")
        return self._of_model(work, wish)

    def _of_model(self, work: Work, wish: Wish) -> Refuse | None:
        model, offered = wish.model, self._choosing.offered()
        if model is not None and tier_of(model) is None and model not in offered:
            return unfit(f"there is no model {model}; there are fast, balanced, deep, {offered}")
        if wish.budget is not None and not self._priced(model or work.log.chat.model):
            return unfit("nobody told me what its model costs, so no budget can be kept")
        return None

    def _priced(self, chosen: str | None) -> bool:
        try:
            return self._choosing.profile(self._choosing.model(chosen)).price is not None
        except ModelDenied:
            return False

    def _given(self, work: Work, tools: Iterable[str]) -> frozenset[str]:
        """Returns the tools that an errand may have: those of its parent, but for a few."""
        skill = self._skills.known.usable(work.turn.skill)
        return frozenset(name for name in tools if name not in NOT_GIVEN and _allows(skill, name))

    async def sent(
        self, work: Work, call: ToolCall, tools: Iterable[str]
    ) -> tuple[Errand, tuple[Write, ...]]:
        """Returns an errand with the writes that send it out."""
        wish, known, turn = Wish.of(call), self._given(work, tools), work.turn
        id, screen = errand_id(turn.id, call.id), work.log.chat
        home = await self._chats.at(home_of(id), private=screen.private)
        wanted = known if wish.tools is None else known & {*wish.tools, *SKILL_TOOLS, _ASKS}
        errand = Errand(
            id=id,
            home=home.id,
            chat=screen.id,
            conversation=turn.conversation,
            parent=turn.id,
            call=call.id,
            asker=turn.asker,
            asker_name=turn.asker_name,
            task=wish.task,
            created_at=work.clock.now(),
            tools=tuple(sorted(wanted)),
            budget=wish.budget,
            untrusted=foreign_to(turn.asker, work.log.entries()),
        )
        return errand, self._writes(errand, wish, home, screen)

    def _writes(self, errand: Errand, wish: Wish, home: Chat, screen: Chat) -> tuple[Write, ...]:
        model = wish.model or screen.model
        settled = replace(home, model=model, timezone=screen.timezone, previews=screen.previews)
        skilled = () if wish.skill is None else (ChooseSkill(home.id, wish.skill),)
        details = {"turn": errand.parent, "errand": errand.id}
        told = AddAudit(
            errand.created_at, errand.chat, errand.asker, "errand.sent", errand.title, details
        )
        return (
            SaveChat(settled),
            SaveErrand(errand),
            SaveTurn(_turn(errand, home.conversation)),
            *skilled,
            told,
        )


def _turn(errand: Errand, conversation: str) -> Turn:
    """Returns the queued turn that works on an errand."""
    return Turn(
        id=errand.id,
        chat=errand.home,
        conversation=conversation,
        asker=errand.asker,
        asker_name=errand.asker_name,
        model="",
        created_at=errand.created_at,
        origin="errand",
        state=TurnState.QUEUED,
        parent=errand.parent,
    )


def late_turn(errand: Errand, work: Work) -> Turn:
    """Returns the queued turn that tells the model the result after its parent's end."""
    return Turn(
        id=errand.late_turn,
        chat=errand.chat,
        conversation=errand.conversation,
        asker=errand.asker,
        asker_name=errand.asker_name,
        model="",
        created_at=work.clock.now(),
        origin="continuation",
        state=TurnState.QUEUED,
    )


def _allows(skill: Skill | None, tool: str) -> bool:
    return skill is None or not skill.refusal(tool)
