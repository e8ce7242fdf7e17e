"""What the answers of the Bot API mean for what is owed."""

import pytest

from bot.adapters.telegram.answers import Refused
from bot.adapters.telegram.faults import translated
from bot.domain.talk.errors import ChannelUnreachable, ContentRefused, RecipientGone


def test_what_is_owed_to_a_group_that_moved_is_kept_until_its_new_place_is_known() -> None:
    words = "Bad Request: group chat was upgraded to a supergroup chat"
    fault = translated(Refused(400, words))
    assert isinstance(fault, ChannelUnreachable)
    assert not fault.maybe_done


def test_a_group_that_removed_the_bot_gets_nothing_more() -> None:
    words = "Forbidden: bot was kicked from the supergroup chat"
    assert isinstance(translated(Refused(403, words)), RecipientGone)


@pytest.mark.parametrize("kind", ["photos", "documents", "voice notes", "polls"])
def test_a_group_that_takes_no_files_of_one_kind_takes_what_else_is_owed(kind: str) -> None:
    words = f"Bad Request: not enough rights to send {kind} to the chat"
    assert isinstance(translated(Refused(400, words)), ContentRefused)


def test_a_group_that_takes_no_words_gets_nothing_more() -> None:
    words = "Bad Request: not enough rights to send text messages to the chat"
    assert isinstance(translated(Refused(400, words)), RecipientGone)


def test_a_person_without_voice_messages_is_told_of_in_plain_words() -> None:
    fault = translated(Refused(400, "Bad Request: VOICE_MESSAGES_FORBIDDEN"))
    assert isinstance(fault, ContentRefused)
    assert str(fault) == "this chat takes no voice messages from me"
