"""Drafts and signs of one process, shown by another one: as if they were its own."""

from collections.abc import Collection

import pytest

from bot.domain.talk.errors import (
    ChannelError,
    ChannelFault,
    ChannelUnreachable,
    ChatMoved,
    ContentRefused,
    FloodWait,
    RecipientGone,
)
from bot.domain.talk.message import Address, Button, RawUpdate, Sign
from bot.domain.talk.session import PAGE
from bot.flow.delivery.office import DeliveryOffice
from bot.flow.delivery.pages_elsewhere import PagesElsewhere
from bot.flow.delivery.passed_on import PassedOnChannel, ShownForOthers
from bot.ports.bell import MOST_ASKED, Answerer, NoBell, OwnPosts
from bot.ports.channel import DraftPlace
from bot.ports.duties import EVERY_DUTY, Duty
from tests.fakes.channel import FakeChannel
from tests.fakes.clock import FakeClock
from tests.fakes.store import MemoryStore

HOME, GROUP = Address("fake", "1"), Address("fake", "-2", "7")


class OnePost(OwnPosts):
    """The posts of a process that has none of them: questions go to another one."""

    def __init__(self, answerer: Answerer | None) -> None:
        self.answerer = answerer
        self.questions: list[str] = []
        self.told: list[str] = []

    def tell(self, post: str, words: str) -> None:
        self.told.append(words)

    async def ask(self, post: str, question: str) -> str:
        self.questions.append(question)
        if self.answerer is None:
            raise TimeoutError
        return await self.answerer(question)


class Two:
    """A process with a turn, which does not deliver, and one that does."""

    def __init__(self, *, answered: bool = True, duties: Collection[Duty] = EVERY_DUTY) -> None:
        self.own, self.other = FakeChannel(), FakeChannel()
        self.heard: list[tuple[Address, str]] = []
        self.heard_here: list[tuple[Address, str]] = []
        self.shown = ShownForOthers({"fake": self.other}, self.hear)
        self.posts = OnePost(self.shown.answer if answered else None)
        office = DeliveryOffice(MemoryStore().chats, NoBell(), self.posts, duties, alone=False)
        self.clock = FakeClock()
        self.pages = PagesElsewhere(office, self.clock.steady, self.hear_here)
        self.channel = PassedOnChannel(self.own, office, self.pages)

    def hear_here(self, to: Address, text: str) -> None:
        self.heard_here.append((to, text))

    def hear(self, to: Address, text: str) -> None:
        self.heard.append((to, text))


async def test_a_draft_and_signs_are_shown_where_messages_are_delivered() -> None:
    two = Two()
    assert await two.channel.draft(HOME, "Half “an” answer\n") is None
    await two.channel.sign(HOME, Sign.TYPING)
    await two.channel.sign(GROUP, Sign.WORKING, "5")
    assert two.other.sent_drafts == [(HOME, "Half “an” answer\n")]
    assert two.other.signs == [(HOME, Sign.TYPING, None), (GROUP, Sign.WORKING, "5")]
    assert (two.own.sent_drafts, two.own.signs) == ([], [])


async def test_a_message_in_which_an_answer_grows_tells_its_id_and_keeps_it() -> None:
    two = Two()
    button = Button("Stop", "stop:1")
    shown = await two.channel.draft(GROUP, "Half", place=DraftPlace(None, "3", None, "growing"))
    assert shown is not None
    again = await two.channel.draft(GROUP, "Half an", place=DraftPlace(shown, "3", button, "g"))
    assert again == shown
    assert two.other.screen[shown].piece.body == {
        "text": "Half an",
        "reply_to": "3",
        "passing": True,
        "buttons": [[{"label": "Stop", "data": "stop:1"}]],
    }


async def test_words_hide_the_targets_that_they_may_hide_and_no_other() -> None:
    two = Two()
    words = "[one](https://a.example) [two](https://b.example)"
    for links in ((), ("https://a.example", "https://c.example"), None):
        await two.channel.draft(HOME, words, links)
        await two.own.draft(HOME, words, links)
    assert two.other.sent_drafts == two.own.sent_drafts


@pytest.mark.parametrize("letter", ["a", "\n", '"', "ä", "字", "😀", "\udc80"])
async def test_of_a_draft_that_is_too_long_its_end_is_shown(letter: str) -> None:
    two = Two()
    many = [f"https://{number}.example" for number in range(1000)]
    text = letter * 20_000 + " ".join(many) + " the end"
    await two.channel.draft(HOME, text, many)
    [question] = two.posts.questions
    assert len(question.encode()) <= MOST_ASKED
    [(_, shown)] = two.other.sent_drafts
    assert shown.endswith(" the end")
    assert len(shown) > 1000


@pytest.mark.parametrize(
    "fault",
    [
        FloodWait(1.5),
        ChannelUnreachable("cut", maybe_done=True),
        ChannelUnreachable("cut", maybe_done=False),
        ContentRefused("not found"),
        RecipientGone("blocked"),
    ],
    ids=str,
)
async def test_a_fault_comes_back_as_it_was(fault: ChannelError) -> None:
    two = Two()
    two.other.sign_faults.append(fault)
    with pytest.raises(type(fault)) as raised:
        await two.channel.sign(HOME, Sign.QUEUED, "5")
    assert vars(raised.value) == vars(fault)
    assert str(raised.value) == str(fault)


async def test_any_other_fault_comes_back_as_one_of_the_channel() -> None:
    two = Two()
    two.other.sign_faults.append(ChatMoved("it moved", RawUpdate("1", "{}")))
    with pytest.raises(ChannelFault, match="it moved"):
        await two.channel.sign(HOME, Sign.QUEUED, "5")


async def test_a_sign_that_nobody_answers_for_may_have_been_shown() -> None:
    two = Two(answered=False)
    with pytest.raises(ChannelUnreachable) as raised:
        await two.channel.draft(GROUP, "Half")
    assert raised.value.maybe_done


async def test_pages_of_other_processes_are_told_what_grows_while_somebody_looks_at_them() -> None:
    two = Two()
    await two.channel.draft(HOME, "Nobody looks")
    assert two.posts.told == []
    assert two.heard_here == [(HOME, "Nobody looks")], "pages of this process show it"
    two.pages.looked()
    await two.channel.sign(HOME, Sign.TYPING)
    await two.channel.sign(GROUP, Sign.WORKING, "5")
    await two.channel.draft(GROUP, "Half an")
    for told in two.posts.told:
        await two.shown.answer(told)
    assert two.heard == [(HOME, ""), (GROUP, "Half an")]
    before = len(two.posts.told)
    await two.channel.draft(HOME, "\udc80" + "字" * 20_000 + " the end")
    assert len(two.posts.told[-1].encode()) <= MOST_ASKED
    await two.clock.advance(31)
    await two.channel.draft(HOME, "Nobody has looked for long")
    assert len(two.posts.told) == before + 1


async def test_what_grows_on_the_page_itself_is_heard_by_all_who_serve_it() -> None:
    two, page = Two(duties={Duty.WORK}), Address(PAGE, "1")
    two.pages.looked()
    await two.channel.sign(page, Sign.TYPING)
    await two.channel.draft(page, "Half an")
    assert two.heard == [(page, ""), (page, "Half an")]
    assert (two.posts.told, two.heard_here) == ([], []), "all of them hear the question"
