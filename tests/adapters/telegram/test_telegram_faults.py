"""What the answers of the Bot API mean for what is owed."""

from bot.adapters.telegram.faults import translated
from bot.adapters.telegram.transport import Refused
from bot.domain.errors import ChannelUnreachable, RecipientGone


def test_what_is_owed_to_a_group_that_moved_is_kept_until_its_new_place_is_known() -> None:
    words = "Bad Request: group chat was upgraded to a supergroup chat"
    fault = translated(Refused(400, words))
    assert isinstance(fault, ChannelUnreachable)
    assert not fault.maybe_done


def test_a_group_that_removed_the_bot_gets_nothing_more() -> None:
    words = "Forbidden: bot was kicked from the supergroup chat"
    assert isinstance(translated(Refused(403, words)), RecipientGone)
