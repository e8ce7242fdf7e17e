"""A conversation is found by its title, however many newer ones a person has."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from bot.adapters.sql.store import open_store
from bot.adapters.web.shown import ListedChat
from bot.bootstrap.page_search import PageFinder
from bot.bootstrap.page_talks import PageTalks
from bot.domain.change import Change, SaveConversation
from bot.domain.clock.zones import Zones
from bot.domain.talk.chat import Conversation
from bot.domain.talk.message import Address
from bot.domain.talk.person import Person, Role

ANN = Person(1, "Ann", Role.OWNER)
NOW = datetime(2027, 1, 5, tzinfo=UTC)


class FewListed:
    """Conversations of which the list shows the newest one alone."""

    def __init__(self) -> None:
        self.known: dict[int, str] = {}

    async def searched(self, person: Person) -> Sequence[ListedChat]:
        return [ListedChat("web:9~new", "Of the shed", "", NOW)]

    async def keys(self, person: Person) -> Mapping[int, str]:
        return self.known


async def test_an_open_conversation_behind_the_end_of_the_list_is_found(tmp_path: Path) -> None:
    talks = FewListed()
    async with open_store(f"sqlite:///{tmp_path / 'found.db'}") as store:
        for thread, title in (("new", "Of the shed"), ("old", "The shed"), ("other", "A car")):
            chat = await store.chats.at(Address("web", "9", thread), private=True)
            talks.known[chat.id] = f"web:9~{thread}"
            named = Conversation(chat.conversation, chat.id, NOW, None, title)
            await store.journal.commit(Change((SaveConversation(named),)))
        finder = PageFinder(store, cast("PageTalks", cast("Any", talks)), Zones("UTC"))
        found = await finder.titled(ANN, "SHED")
    assert [(one.title, one.href) for one in found] == [
        ("Of the shed", "/chat/web:9~new"),
        ("The shed", "/chat/web:9~old"),
    ]
