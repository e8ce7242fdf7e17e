"""Sends errands out: writes an errand with its home and its turn."""

from collections.abc import Iterable
from dataclasses import replace

from bot.domain.change import AddAudit, ChooseSkill, SaveChat, SaveErrand, SaveTurn, Write
from bot.domain.chat import Chat
from bot.domain.errand import Errand, errand_id, home_of
from bot.domain.skill import SKILL_TOOLS
from bot.domain.tool import ToolCall
from bot.domain.turn import Turn, TurnState
from bot.flow.errands.wishes import Wish, Wishes
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
