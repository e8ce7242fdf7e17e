"""Rich messages on a server that has them, on one that has not, and on one that refuses some."""

import pytest

from bot.adapters.telegram.api import TelegramApi
from bot.adapters.telegram.channel import TelegramChannel
from bot.domain.talk.errors import ChannelDenied, ChannelUnreachable, ContentRefused, FormRefused
from bot.domain.talk.message import Address, Button, Markdown, Outbound, OutboundKind, Piece
from bot.ports.channel import DraftPlace
from tests.standins.bot_api import BotApi, Person, ShownMessage

TABLE = "| Name | Price |\n|---|---|\n| Tea | 2 |"
RICH = ("sendRichMessage", "sendRichMessageDraft")


@pytest.fixture
def server() -> BotApi:
    return BotApi(rich=True)


@pytest.fixture
def channel(api: TelegramApi) -> TelegramChannel:
    return TelegramChannel(api)


@pytest.fixture
def ann(server: BotApi) -> Person:
    person = server.person()
    server.start(person)
    return person


def at(person: Person) -> Address:
    return Address("telegram", str(person.id))


def answer(text: str, label: str = "", reply_to: str | None = None) -> Outbound:
    buttons = ((Button(label, "d"),),) if label else ()
    return Outbound(OutboundKind.ANSWER, (Markdown(text),), buttons, reply_to=reply_to)


def only(channel: TelegramChannel, content: Outbound, *shown: Piece) -> Piece:
    [piece] = channel.split(content, shown)
    return piece


def seen(server: BotApi, person: Person) -> ShownMessage:
    return server.screen(person.id).from_bot[-1]


async def test_a_table_is_shown_as_one_with_all_that_stands_around_it(
    server: BotApi, channel: TelegramChannel, ann: Person
) -> None:
    asked = server.say(ann, "Prices?")
    piece = only(channel, answer(f"# Prices\n{TABLE}", "Thanks", str(asked.id)))
    sent = await channel.send(at(ann), piece)
    shown = seen(server, ann)
    assert (str(shown.id), shown.text) == (sent, "Prices\nName | Price\nTea | 2")
    assert shown.rich is not None
    assert shown.rich.kinds[:2] == ("h1", "table")
    assert (shown.labels, shown.reply_to, shown.silent) == (["Thanks"], asked.id, False)
    assert not shown.preview
    silent = Outbound(OutboundKind.NOTICE, (Markdown(TABLE),), silent=True)
    await channel.send(at(ann), only(channel, silent))
    assert seen(server, ann).silent
    asking = Outbound(OutboundKind.NOTICE, (Markdown(TABLE),), asks="Which one?")
    await channel.send(at(ann), only(channel, asking))
    assert seen(server, ann).asks == "Which one?"


async def test_a_rich_message_stays_one_when_it_is_edited(
    server: BotApi, channel: TelegramChannel, ann: Person
) -> None:
    piece = only(channel, answer(TABLE, "Undo"))
    sent = await channel.send(at(ann), piece)
    plain = only(channel, answer("Gone."), piece)
    for _ in range(2):
        await channel.edit(at(ann), sent, plain)
    shown = seen(server, ann)
    assert shown.rich is not None
    assert (shown.rich.html, shown.labels) == ("<p>Gone.</p>", [])
    assert "rich" not in only(channel, answer("Gone.")).body


async def test_a_message_of_the_older_form_stays_one_when_it_is_edited(
    channel: TelegramChannel,
) -> None:
    shown = Piece({"text": "So far"})
    assert "rich" not in only(channel, answer(TABLE), shown).body


async def test_an_old_server_is_found_by_one_try_which_sends_nothing(
    server: BotApi, channel: TelegramChannel, ann: Person
) -> None:
    server.rich = False
    piece = only(channel, answer(TABLE, "Yes"))
    with pytest.raises(FormRefused) as refused:
        await channel.send(at(ann), piece)
    assert server.screen(ann.id).from_bot == []
    [instead] = refused.value.instead
    await channel.send(at(ann), instead)
    shown = seen(server, ann)
    assert "Tea   2" in shown.text
    assert (shown.rich, shown.labels) == (None, ["Yes"])
    # Neither a piece that was made before, nor a new one, nor a draft is tried again.
    with pytest.raises(FormRefused):
        await channel.send(at(ann), piece)
    assert "rich" not in only(channel, answer(TABLE)).body
    await channel.draft(at(ann), TABLE)
    assert len(server.calls_of(*RICH)) == 1


async def test_a_draft_may_be_the_try(
    server: BotApi, channel: TelegramChannel, ann: Person
) -> None:
    server.rich = False
    await channel.draft(at(ann), TABLE)
    assert server.screen(ann.id).draft is not None
    assert "rich" not in only(channel, answer(TABLE)).body
    assert [call.status for call in server.calls_of(*RICH)] == [404]


async def test_a_refused_message_takes_the_older_form_and_the_next_one_is_rich_again(
    server: BotApi, channel: TelegramChannel, ann: Person
) -> None:
    server.fail_next("sendRichMessage", 400, "Bad Request: RICH_MESSAGE_EMAIL_INVALID")
    piece = only(channel, answer(TABLE))
    with pytest.raises(FormRefused) as refused:
        await channel.send(at(ann), piece)
    await channel.send(at(ann), refused.value.instead[0])
    assert seen(server, ann).rich is None
    await channel.send(at(ann), piece)
    assert seen(server, ann).rich is not None


async def test_a_refused_edit_names_the_older_form_unless_the_message_is_gone(
    server: BotApi, channel: TelegramChannel, ann: Person
) -> None:
    piece = only(channel, answer(TABLE))
    sent = await channel.send(at(ann), piece)
    server.fail_next("editMessageText", 400, "Bad Request: RICH_MESSAGE_EMAIL_INVALID")
    with pytest.raises(FormRefused) as refused:
        await channel.edit(at(ann), sent, only(channel, answer(f"# A\n{TABLE}"), piece))
    await channel.edit(at(ann), sent, refused.value.instead[0])
    shown = seen(server, ann)
    assert shown.rich is None
    assert shown.text.startswith("A\n")
    await channel.edit(at(ann), sent, None)
    with pytest.raises(ContentRefused) as gone:
        await channel.edit(at(ann), sent, piece)
    assert not isinstance(gone.value, FormRefused)


async def test_faults_of_the_way_are_no_refusals_of_the_form(
    server: BotApi, channel: TelegramChannel, ann: Person
) -> None:
    piece = only(channel, answer(TABLE))
    server.bad_gateway_next("sendRichMessage")
    with pytest.raises(ChannelUnreachable):
        await channel.send(at(ann), piece)
    server.drop_answer_next("sendRichMessage")
    with pytest.raises(ChannelUnreachable) as lost:
        await channel.send(at(ann), piece)
    assert lost.value.maybe_done
    server.answer_raw_next("sendRichMessage", '{"ok": true, "result": true}')
    with pytest.raises(ChannelUnreachable):
        await channel.send(at(ann), piece)
    server.replace_token()
    with pytest.raises(ChannelDenied):
        await channel.send(at(ann), piece)


async def test_a_draft_becomes_rich_once_it_needs_to_and_stays_so_until_the_answer(
    server: BotApi, channel: TelegramChannel, ann: Person
) -> None:
    async def drafted(text: str) -> bool:
        await channel.draft(at(ann), text)
        [draft] = server.screen(ann.id).drafts
        return draft.rich is not None

    assert not await drafted("These are")
    assert await drafted(f"These are:\n\n{TABLE}")
    assert await drafted("And now the end alone")
    await channel.send(at(ann), only(channel, answer(TABLE)))
    assert server.screen(ann.id).drafts == ()
    assert not await drafted("Next")


async def test_a_refused_draft_keeps_to_the_older_form_until_the_answer(
    server: BotApi, channel: TelegramChannel, ann: Person
) -> None:
    server.fail_next("sendRichMessageDraft", 400, "Bad Request: RICH_MESSAGE_URL_INVALID")
    for _ in range(2):
        await channel.draft(at(ann), TABLE)
        assert server.screen(ann.id).drafts[-1].rich is None
    assert len(server.calls_of("sendRichMessageDraft")) == 1
    await channel.send(at(ann), only(channel, answer(TABLE)))
    await channel.draft(at(ann), TABLE)
    assert server.screen(ann.id).drafts[-1].rich is not None


async def test_a_long_draft_shows_its_end(
    server: BotApi, channel: TelegramChannel, ann: Person
) -> None:
    await channel.draft(at(ann), "\n\n".join(f"Paragraph {n} " + "words " * 900 for n in range(9)))
    shown = server.screen(ann.id).draft or ""
    assert shown.startswith("…\n")
    assert "Paragraph 8" in shown


async def test_in_a_group_the_growing_message_becomes_a_rich_one(
    server: BotApi, channel: TelegramChannel, ann: Person
) -> None:
    group = server.group("Team", ann)
    here = Address("telegram", str(group.id))
    placed = await channel.draft(here, "These are")
    assert placed is not None
    assert await channel.draft(here, f"These are:\n\n{TABLE}", place=DraftPlace(placed)) == placed
    [shown] = server.screen(group.id).from_bot
    assert shown.rich is not None
    assert shown.silent
    server.rich = False
    assert await channel.draft(here, f"{TABLE}\n\nMore", place=DraftPlace(placed)) == placed
    [shown] = server.screen(group.id).from_bot
    assert shown.rich is None


async def test_where_nobody_wants_them_there_are_none(
    server: BotApi, api: TelegramApi, ann: Person
) -> None:
    channel = TelegramChannel(api, rich=False)
    assert "rich" not in only(channel, answer(TABLE)).body
    await channel.draft(at(ann), TABLE)
    assert server.calls_of(*RICH) == []
