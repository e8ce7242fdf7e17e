"""The last owner of a chat may write until somebody else has claimed it."""

from dataclasses import dataclass, field, replace

import pytest

from bot.domain.consent.approval import ApprovalState
from bot.domain.talk.limits import Limits
from bot.domain.turn.turn import TurnState
from bot.flow.world import StorePorts
from bot.ports.journal import Agenda
from tests.fakes.model import RuledModel
from tests.scenarios.dying import DyingJournal, Fate, deaths, writes_of
from tests.scenarios.lives import Life, two_answers
from tests.scenarios.stage import Stage, running
from tests.scenarios.tools import looking, sending, writing


@dataclass(frozen=True)
class EarlyReader(DyingJournal):
    """Shows a chat, at the first look, as it was before its last owner opened cards there.

    Where a turn is parked by then, its owner rings, and there is a second look.
    """

    read: set[int] = field(default_factory=set[int])

    async def agenda(self, chat: int) -> Agenda:
        agenda = await super().agenda(chat)
        running = any(turn.state is TurnState.RUNNING for turn in agenda.unfinished)
        early = running and chat not in self.read
        self.read.add(chat)
        return replace(agenda, approvals=()) if early else agenda


class LateStage(Stage):
    """Each of its lives reads a chat before the last life has written its cards there."""

    def _ports(self, journal: DyingJournal) -> StorePorts:
        return super()._ports(EarlyReader(journal.journal, journal.fate))


async def _play(fate: Fate) -> Stage:
    tools = [looking(), writing(), sending()]
    async with running(LateStage(RuledModel(two_answers), tools, Limits(), fate)) as scene:
        life = Life(scene, fate)
        await life.accept(scene.message("first message"))
        await life.until_shown("First answer.")
    return scene


@pytest.mark.parametrize(("at", "after"), deaths(writes_of(_play)))
async def test_a_call_is_asked_about_once_though_its_card_was_written_before_the_claim(
    at: int, after: bool
) -> None:
    scene = await _play(Fate(at, after))
    scene.assert_whole()
    asked = [card.call.id for card in scene.approvals]
    assert asked == ["w"], "no call has two cards"
    assert {card.state for card in scene.approvals} == {ApprovalState.APPROVED}
