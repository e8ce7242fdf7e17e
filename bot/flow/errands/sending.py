"""Sends errands out: writes an errand with its home and its turn."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from bot.domain.assignments.errand import Errand, errand_id, home_of
from bot.domain.change import AddAudit, ChooseSkill, SaveErrand, SaveSettings, SaveTurn, Write
from bot.domain.skills.skill import SKILL_TOOLS
from bot.domain.talk.chat import Chat
from bot.domain.tools.tool import ToolCall
from bot.domain.turn.turn import Turn
from bot.flow.errands.wishes import Wish, Wishes
from bot.flow.log.foreign_addresses import counting
from bot.flow.log.request_view import foreign_to
from bot.flow.log.work import Work
from bot.ports.chats import Chats

_ASKS = "send_message"
"""The tool by which an errand can end with a question."""


class Sending:
    """Makes errands; one call makes one errand, however often it is tried."""

    def __init__(self, chats: Chats, wishes: Wishes) -> None:
        self._chats = chats
        self._wishes = wishes

    async def sent(
        self, work: Work, call: ToolCall, tools: Iterable[str]
    ) -> tuple[Errand, tuple[Write, ...]]:
        """Returns an errand with the writes that send it out."""
        wish, known, turn = Wish.of(call), self._wishes.given(work, tools), work.turn
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
        )
        foreign = foreign_to(turn.asker, work.log.entries())
        own = turn.starts(
            id,
            errand.created_at,
            chat=home.id,
            conversation=home.conversation,
            origin="errand",
            parent=turn.id,
            mandate=turn.mandate.narrowed(
                tools=wanted,
                foreign=foreign,
                money=wish.budget,
                addresses=counting(work, wish.task),
            ),
        )
        return errand, self._writes(errand, own, wish, screen, home)

    def _writes(
        self, errand: Errand, turn: Turn, wish: Wish, screen: Chat, home: Chat
    ) -> tuple[Write, ...]:
        model = wish.model or screen.settings.model
        settled = replace(
            home.settings,
            model=model,
            timezone=screen.settings.timezone,
            previews=screen.settings.previews,
        )
        skilled = () if wish.skill is None else (ChooseSkill(home.id, wish.skill),)
        details = {"turn": errand.parent, "errand": errand.id}
        told = AddAudit(
            errand.created_at, errand.chat, errand.asker, "errand.sent", errand.title, details
        )
        return (SaveSettings(home, settled), SaveErrand(errand), SaveTurn(turn), *skilled, told)


def late_turn(errand: Errand, parent: Turn, now: datetime) -> Turn:
    """Returns the queued turn that tells the model the result after its parent's end."""
    return parent.starts(
        errand.late_turn,
        now,
        chat=errand.chat,
        conversation=errand.conversation,
        origin="continuation",
    )
