"""The desk that leaves a group for an owner who does not want the bot there."""

from collections.abc import Mapping

from bot.domain.change import Change, Show
from bot.domain.talk.errors import ChannelError
from bot.domain.talk.message import Address, Plain, Press, PressAnswer
from bot.domain.talk.person import Person
from bot.domain.value import frozen, replace
from bot.flow.commanding.desks import NOT_OURS, Desk, refused
from bot.flow.groups.news import LEAVE_BUTTONS, LeaveButton
from bot.ports.groups import Groups
from bot.ports.journal import Journal
from bot.ports.outbox import Outbox

OWNERS = "Only an owner can make me leave."
LEFT = "🚪 I have left it."
NOT_LEFT = "I could not leave just now. Nothing was changed; please try again."


@frozen
class LeavingDesk(Desk[LeaveButton]):
    """Leaves at once; the platform then tells that the bot is gone, and the group's work ends."""

    buttons = (LEAVE_BUTTONS,)

    _groups: Mapping[str, Groups]
    _journal: Journal
    _outbox: Outbox

    async def press(
        self, meant: LeaveButton, press: Press, chat: int, person: Person | None
    ) -> PressAnswer:
        """Leaves, and takes the button away; to press again after a death does no harm."""
        group = Address.from_key(meant.group)
        groups = self._groups.get(group.channel)
        if person is None or not person.is_owner:
            return refused(OWNERS)
        if groups is None or not group.chat:
            return refused(NOT_OURS)
        try:
            await groups.leave(group)
        except ChannelError:
            return refused(NOT_LEFT)
        key = (
            None if press.message_id is None else await self._outbox.key_of(chat, press.message_id)
        )
        row = None if key is None else await self._outbox.row(key)
        if row is not None and row.content.buttons:
            blocks = (*row.content.blocks, Plain(LEFT))
            shown = Show(row.key, chat, replace(row.content, blocks=blocks, buttons=()))
            await self._journal.commit(Change((shown,), durable=True))
        return PressAnswer(LEFT)
