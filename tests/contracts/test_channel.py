"""What every channel promises, on the fake, and on Telegram and Discord over real HTTP."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.adapters.discord.api import DiscordApi
from bot.adapters.discord.channel import DiscordChannel
from bot.adapters.telegram.api import TelegramApi
from bot.adapters.telegram.channel import TelegramChannel
from bot.adapters.web.channel import PageChannel
from bot.adapters.web.hub import Hub
from bot.domain.talk.message import (
    Address,
    Button,
    CodeBlock,
    Ignored,
    InboundMessage,
    Markdown,
    Outbound,
    OutboundKind,
    Piece,
    Plain,
    Press,
    Sign,
    Unreadable,
    Withdrawn,
)
from bot.domain.talk.person import Sender
from bot.ports.channel import Channel, DraftPlace
from bot.ports.sightings import Sighting, Traces
from tests.fakes.channel import FakeChannel
from tests.standins.bot_api import BotApi
from tests.standins.bot_api.rich_shown import parse_rich
from tests.standins.discord import TOKEN as DISCORD_TOKEN
from tests.standins.discord import Discord
from tests.standins.serving import serving


@dataclass(frozen=True)
class Stage:
    """A channel with a chat to write to, and a look at what people see there.

    `earlier` is the channel of a run that has ended: what it sent may have no record.
    """

    channel: Channel
    earlier: Channel
    address: Address
    texts: Callable[[], list[str]]


@asynccontextmanager
async def fake() -> AsyncIterator[Stage]:
    channel, address = FakeChannel(), Address("fake", "1")
    yield Stage(channel, channel, address, lambda: channel.texts(address))


@asynccontextmanager
async def telegram(*, rich: bool = False) -> AsyncIterator[Stage]:
    server = BotApi(rich=rich)
    person = server.person()
    server.private_chat(person)
    async with serving(server.app) as url, TelegramApi(server.token, url) as api:
        yield Stage(
            TelegramChannel(api, gated=False),
            TelegramChannel(api, gated=False),
            Address("telegram", str(person.id)),
            lambda: [shown.text for shown in server.screen(person.id).from_bot],
        )


def telegram_with_rich_messages() -> AbstractAsyncContextManager[Stage]:
    return telegram(rich=True)


@asynccontextmanager
async def discord() -> AsyncIterator[Stage]:
    server = Discord()
    person = server.person(700_000_000_000_000_001, "Ann")
    async with server.serving() as url, DiscordApi(DISCORD_TOKEN, url) as api:
        yield Stage(
            DiscordChannel(api, gated=False),
            DiscordChannel(api, gated=False),
            Address("discord", str(person.id)),
            lambda: [shown.text for shown in server.screen(person)],
        )


class Rows(PageChannel):
    """The page beside the rows that it shows: whoever sends has stored what is sent."""

    def __init__(self, rows: dict[str, str]) -> None:
        super().__init__(Hub())
        self._rows = rows

    async def send(self, to: Address, piece: Piece, *, once: str = "") -> str:
        sent = await super().send(to, piece, once=once)
        self._rows[sent] = _words(piece)
        return sent

    async def edit(self, to: Address, message_id: str, piece: Piece | None) -> None:
        await super().edit(to, message_id, piece)
        if piece is None:
            del self._rows[message_id]
        else:
            self._rows[message_id] = _words(piece)


@asynccontextmanager
async def page() -> AsyncIterator[Stage]:
    rows: dict[str, str] = {}
    channel = Rows(rows)
    yield Stage(channel, channel, Address("web", "1"), lambda: [*rows.values()])


@pytest.fixture(params=[fake, telegram, telegram_with_rich_messages, discord, page])
async def stage(request: pytest.FixtureRequest) -> AsyncIterator[Stage]:
    async with request.param() as opened:
        yield opened


@pytest.fixture(params=[fake, telegram, telegram_with_rich_messages, discord])
async def searched(request: pytest.FixtureRequest) -> AsyncIterator[Stage]:
    """A channel that is searched for what an earlier run sent; of the page all is known by name."""
    async with request.param() as opened:
        yield opened


UNOPENED: list[Channel] = [
    FakeChannel(),
    TelegramChannel(TelegramApi("4200:x")),
    DiscordChannel(DiscordApi("NDIwMA.x.y")),
    PageChannel(Hub()),
]
unopened = pytest.mark.parametrize("channel", UNOPENED, ids=lambda channel: channel.name)
of_platforms = pytest.mark.parametrize("channel", UNOPENED[:-1], ids=lambda channel: channel.name)
"""Those whose pieces are what people see; pages show the rows."""


def text_of(pieces: list[Piece]) -> str:
    return "".join("".join(_words(piece).split()) for piece in pieces)


def _words(piece: Piece) -> str:
    if "blocks" in piece.body:
        return "".join(str(block["text"]) for block in piece.body["blocks"])
    if "rich" in piece.body:
        return parse_rich({"html": piece.body["rich"]}).text
    return str(piece.body["text"])


def answer(text: str) -> Outbound:
    return Outbound(OutboundKind.ANSWER, (Plain(text),))


async def test_what_is_sent_is_seen_and_has_an_id_of_its_own(stage: Stage) -> None:
    pieces = [stage.channel.split(answer(text))[0] for text in ("one", "two")]
    ids = [await stage.channel.send(stage.address, piece) for piece in pieces]
    assert stage.texts() == ["one", "two"]
    assert all(ids)
    assert ids[0] != ids[1]


async def test_an_edit_changes_the_message_and_the_same_edit_again_is_no_fault(
    stage: Stage,
) -> None:
    before, after = (stage.channel.split(answer(text))[0] for text in ("before", "after"))
    sent = await stage.channel.send(stage.address, before)
    for _ in range(2):
        await stage.channel.edit(stage.address, sent, after)
    assert stage.texts() == ["after"]


async def test_a_message_sent_again_under_its_name_stands_once_where_names_are_known(
    stage: Stage,
) -> None:
    first, other = (stage.channel.split(answer(text))[0] for text in ("one", "two"))
    ids = [await stage.channel.send(stage.address, first, once="row 1") for _ in range(2)]
    await stage.channel.send(stage.address, first, once="row 2")
    assert stage.texts().count("one") == len({*ids}) + 1
    if ids[0] == ids[1]:
        await stage.channel.send(stage.address, other, once="row 1")
        assert stage.texts() == ["two", "one"]


async def test_a_message_is_found_until_it_is_known_and_only_where_it_was_sent(
    searched: Stage,
) -> None:
    above, piece = (searched.channel.split(answer(text))[0] for text in ("above", "one"))
    first = await searched.channel.send(searched.address, above)
    now = datetime.now(UTC)
    traces = Traces(now, [Sighting(searched.address, first, now)])
    assert await searched.channel.find(searched.address, piece, traces) is None
    sent = await searched.earlier.send(searched.address, piece)
    assert await searched.channel.find(searched.address, piece, traces) == sent
    known = replace(
        traces, seen=[*traces.seen, Sighting(searched.address, sent, datetime.now(UTC))]
    )
    assert await searched.channel.find(searched.address, piece, known) is None
    assert (
        await searched.channel.find(searched.address, piece, replace(traces, before=[sent])) is None
    )
    assert searched.texts() == ["above", "one"]


async def test_a_piece_is_the_same_after_it_was_stored(stage: Stage) -> None:
    buttons = ((Button("OK", "ok"),),)
    [piece] = stage.channel.split(Outbound(OutboundKind.CARD, (CodeBlock("x"),), buttons))
    stored = Piece(json.loads(json.dumps(dict(piece.body))))
    assert stored == piece
    sent = await stage.channel.send(stage.address, stored)
    await stage.channel.edit(stage.address, sent, piece)


async def test_drafts_and_signs_leave_no_message(stage: Stage) -> None:
    sent = await stage.channel.send(stage.address, stage.channel.split(answer("x"))[0])
    shown = await stage.channel.draft(stage.address, "being **writ")
    if shown is not None:
        # Where a draft is a message, whoever drew it takes it away.
        shown = await stage.channel.draft(
            stage.address, "being **written**", place=DraftPlace(shown)
        )
        await stage.channel.edit(stage.address, shown or "", None)
    await stage.channel.sign(stage.address, Sign.TYPING)
    for sign in (Sign.QUEUED, Sign.WORKING, Sign.DONE, Sign.NONE):
        await stage.channel.sign(stage.address, sign, sent)
    assert stage.texts() == ["x"]


async def test_a_press_nobody_waits_for_any_more_can_be_acknowledged(stage: Stage) -> None:
    sender = Sender(stage.channel.name, "1", "Ann")
    await stage.channel.acknowledge(Press(stage.address, sender, "ok", "gone"), "too late")


@unopened
@given(text=st.text(st.sampled_from("ab😀é \n\u200b"), max_size=9000))
def test_splitting_loses_no_text_and_gives_at_least_one_piece(channel: Channel, text: str) -> None:
    whole = f"[{text}]"
    pieces = list(channel.split(answer(whole)))
    assert text_of(pieces) == "".join(whole.split())


@unopened
@pytest.mark.parametrize("source", ["| a | b |\n|---|---|\n| c | d |", "# a\n" + "b " * 9_000])
async def test_an_edit_keeps_the_form_of_what_is_shown(channel: Channel, source: str) -> None:
    content = Outbound(OutboundKind.ANSWER, (Markdown(source),))
    first = list(channel.split(content))
    assert list(channel.split(content, first)) == first
    shorter = list(channel.split(answer("short"), first))
    assert {"rich" in piece.body for piece in shorter} == {"rich" in piece.body for piece in first}


@of_platforms
def test_content_without_anything_to_show_still_gives_a_visible_piece(channel: Channel) -> None:
    for empty in ((), (Plain(""),)):
        [piece] = channel.split(Outbound(OutboundKind.NOTICE, empty))
        assert text_of([piece])


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=6,
)


@unopened
@given(body=JSON.map(json.dumps) | st.text())
def test_any_update_is_read_as_a_value(channel: Channel, body: Any) -> None:
    assert isinstance(
        channel.parse(body), InboundMessage | Press | Unreadable | Ignored | Withdrawn
    )
