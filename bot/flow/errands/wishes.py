"""The wishes of a call that sends an errand out, and whether they can be met."""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from bot.domain.assignments.errand import NOT_GIVEN
from bot.domain.money.money import Nano, nano_of
from bot.domain.skills.skill import Skill
from bot.domain.talk.errors import ModelDenied
from bot.domain.tools.tool import ToolCall
from bot.domain.turn.step import Refuse
from bot.domain.turn.tier import tier_of
from bot.domain.value import frozen
from bot.flow.errands.wording import unfit
from bot.flow.log.work import Work
from bot.flow.models.choosing import Choosing
from bot.ports.skills import Skills


@frozen
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


class Wishes:
    """Looks what there is: tools, skills, models and their prices."""

    def __init__(self, skills: Skills, choosing: Choosing) -> None:
        self._skills = skills
        self._choosing = choosing

    def refusal(self, work: Work, call: ToolCall, tools: Iterable[str]) -> Refuse | None:
        """Returns the refusal of a call that asks for something that is not here."""
        wish, known = Wish.of(call), self.given(work, tools)
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
        if wish.budget is not None and not self._priced(model or work.log.chat.settings.model):
            return unfit("nobody told me what its model costs, so no budget can be kept")
        return None

    def _priced(self, chosen: str | None) -> bool:
        try:
            return self._choosing.profile(self._choosing.model(chosen)).price is not None
        except ModelDenied:
            return False

    def given(self, work: Work, tools: Iterable[str]) -> frozenset[str]:
        """Returns the tools that an errand may have: those of its parent, but for a few."""
        skill = self._skills.known.usable(work.turn.skill)
        return frozenset(name for name in tools if name not in NOT_GIVEN and _allows(skill, name))


def _allows(skill: Skill | None, tool: str) -> bool:
    return skill is None or not skill.refusal(tool)
