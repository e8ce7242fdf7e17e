"""Ends what waits of a turn that is out of view: its cards, and its errands with theirs."""

from bot.domain.change import Write
from bot.domain.talk.person import Person
from bot.domain.text.names import plain_name
from bot.domain.value import frozen
from bot.flow.approvals.undecided import CardEnding
from bot.flow.errands.recalling import called_back, left_behind
from bot.ports.approvals import Approvals
from bot.ports.journal import Agenda


@frozen
class WaitingCards:
    """Withdraws cards that were set aside, and calls back errands with theirs.

    A call that ran later would come into a view that does not show any more beside what it was
    made: without the mark of foreign text, for instance.
    """

    _approvals: Approvals
    _ending: CardEnding

    async def withdraw(self, agenda: Agenda, turn: str, person: Person) -> tuple[Write, ...]:
        """Ends the cards of a turn; returns the writes that call its errands back."""
        cards = await self._approvals.open_in(agenda.chat.id)
        left = [card for card in cards if card.set_aside and card.turn == turn]
        await self._ending.withdraw(left, person)
        sent = (one for one in left_behind(agenda.errands) if one.parent == turn)
        return called_back(sent, f"taken back by {plain_name(person.name)}")
