import asyncio
import logging
from pathlib import Path

import pytest

from bot.adapters.telegram.account import TelegramAccount
from bot.adapters.telegram.api import TelegramApi
from bot.adapters.telegram.channel import TelegramChannel
from bot.domain.talk.errors import (
    ChannelError,
    ChannelUnreachable,
    ContentRefused,
    FloodWait,
    RecipientGone,
)
from bot.domain.talk.message import (
    Address,
    Button,
    CodeBlock,
    FileRef,
    Markdown,
    Outbound,
    OutboundKind,
    Piece,
    Plain,
    Press,
    Sign,
)
from bot.domain.talk.person import Sender
from bot.ports.channel import DraftPlace
from tests.fakes.clock import FakeClock
from tests.standins.bot_api import BotApi, Person, ShownMessage
from tests.standins.opus import opus


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


def answer(channel: TelegramChannel, text: str) -> Piece:
    return channel.split(Outbound(OutboundKind.ANSWER, (Markdown(text),)))[0]


def last(server: BotApi, person: Person) -> ShownMessage:
    return server.screen(person.id).from_bot[-1]


async def test_a_card_is_shown_with_its_buttons_and_as_a_silent_reply(
    server: BotApi, channel: TelegramChannel, ann: Person
) -> None:
    asked = server.say(ann, "run it")
    card = Outbound(
        OutboundKind.CARD,
        (Plain("🔐 Run a command?"), CodeBlock("$ pytest -q")),
        buttons=((Button("✅ Approve", "ok:1"), Button("❌ Deny", "no:1")),),
        reply_to=str(asked.id),
        silent=True,
    )
    sent = await channel.send(at(ann), channel.split(card)[0])
    shown = last(server, ann)
    assert sent == str(shown.id)
    assert shown.text == "🔐 Run a command?\n$ pytest -q"
    assert [(e.type, e.offset, e.length) for e in shown.entities] == [("pre", 18, 11)]
    assert shown.labels == ["✅ Approve", "❌ Deny"]
    assert shown.reply_to == asked.id
    assert server.calls_of("sendMessage")[-1].params["disable_notification"] == "true"


async def test_an_answer_to_a_deleted_message_is_sent_all_the_same(
    server: BotApi, channel: TelegramChannel, ann: Person
) -> None:
    asked = server.say(ann, "hello?")
    server.remove(asked)
    reply = Outbound(OutboundKind.ANSWER, (Plain("here"),), reply_to=str(asked.id))
    await channel.send(at(ann), channel.split(reply)[0])
    assert last(server, ann).text == "here"


async def test_an_edit_takes_the_buttons_away_and_the_same_edit_again_is_no_fault(
    server: BotApi, channel: TelegramChannel, ann: Person
) -> None:
    card = Outbound(OutboundKind.CARD, (Plain("?"),), buttons=((Button("OK", "ok"),),))
    sent = await channel.send(at(ann), channel.split(card)[0])
    for _ in range(2):
        await channel.edit(at(ann), sent, answer(channel, "**done**"))
    shown = last(server, ann)
    assert (shown.text, shown.labels, shown.entities[0].type) == ("done", [], "bold")


async def test_formatting_the_server_refuses_is_sent_plain(
    server: BotApi, channel: TelegramChannel, ann: Person
) -> None:
    server.fail_next("sendMessage", 400, "Bad Request: can't parse entities")
    await channel.send(at(ann), answer(channel, "**bold** words"))
    assert (last(server, ann).text, last(server, ann).entities) == ("bold words", ())


async def test_content_refused_in_every_form_is_told_so(
    server: BotApi, channel: TelegramChannel, ann: Person
) -> None:
    server.fail_next("sendMessage", 400, "Bad Request: message is too long", times=2)
    with pytest.raises(ContentRefused, match="too long"):
        await channel.send(at(ann), answer(channel, "**bold**"))


async def test_a_file_is_sent_with_its_name_and_caption(
    server: BotApi, channel: TelegramChannel, ann: Person, tmp_path: Path
) -> None:
    path = tmp_path / "stored"
    path.write_bytes(b"\x00data")
    files = (FileRef(str(path), "../ev\nil/report.pdf", "the report"),)
    pieces = channel.split(Outbound(OutboundKind.ANSWER, (), files=files))
    sent = await channel.send(at(ann), pieces[0])
    shown = last(server, ann)
    assert shown.file is not None
    assert (shown.file.name, shown.file.data, shown.text) == (
        "report.pdf",
        b"\x00data",
        "the report",
    )
    other = Outbound(OutboundKind.ANSWER, (), files=(FileRef(str(path), "x", "new words"),))
    await channel.edit(at(ann), sent, channel.split(other)[0])
    assert last(server, ann).text == "new words"


async def test_words_that_take_the_place_of_a_file_become_its_caption(
    server: BotApi, channel: TelegramChannel, ann: Person, tmp_path: Path
) -> None:
    path = tmp_path / "stored"
    path.write_bytes(b"data")
    files = Outbound(OutboundKind.CARD, (), files=(FileRef(str(path), "x"),))
    sent = await channel.send(at(ann), channel.split(files)[0])
    for _ in range(2):
        await channel.edit(at(ann), sent, answer(channel, "**settled**"))
    assert last(server, ann).text == "settled"


async def test_a_file_that_is_gone_is_content_refused(
    channel: TelegramChannel, ann: Person, tmp_path: Path
) -> None:
    files = (FileRef(str(tmp_path / "none"), "none"),)
    [piece] = channel.split(Outbound(OutboundKind.ANSWER, (), files=files))
    with pytest.raises(ContentRefused, match="cannot be read"):
        await channel.send(at(ann), piece)


async def test_a_draft_shows_the_tail_of_what_is_written(
    server: BotApi, channel: TelegramChannel, ann: Person
) -> None:
    await channel.draft(at(ann), "  ")
    assert server.screen(ann.id).draft is None
    await channel.draft(at(ann), f"{'**a** ' * 3000}the end")
    draft = server.screen(ann.id).draft
    assert draft is not None
    assert (len(draft), draft[0], draft[-7:]) == (4096, "…", "the end")


async def test_in_a_group_one_silent_message_grows_and_can_be_taken_away(
    server: BotApi, channel: TelegramChannel, ann: Person
) -> None:
    group = server.group("club", ann)
    asked = server.say(ann, "/ask", chat=group)
    place = Address("telegram", str(group.id))
    assert await channel.draft(place, " ") is None
    shown = await channel.draft(place, "**so", place=DraftPlace(reply_to=str(asked.id)))
    for text in ("**so** far", "**so** far"):
        assert await channel.draft(place, text, place=DraftPlace(shown)) == shown
    [message] = server.screen(group.id).from_bot
    assert (message.text, message.silent, message.reply_to) == ("so far", True, asked.id)
    for _ in range(2):
        await channel.edit(place, str(message.id), None)
    assert server.screen(group.id).from_bot == []
    with pytest.raises(ContentRefused):
        await channel.draft(place, "more", place=DraftPlace(shown))


async def test_a_draft_the_server_refuses_becomes_the_typing_sign(
    server: BotApi, channel: TelegramChannel, ann: Person
) -> None:
    server.fail_next("sendMessageDraft", 400, "Bad Request: TEXTDRAFT_PEER_INVALID", times=2)
    await channel.draft(at(ann), "**words**")
    assert server.screen(ann.id).typing


async def test_signs_come_and_go(server: BotApi, channel: TelegramChannel, ann: Person) -> None:
    said = server.say(ann, "wait")
    await channel.sign(at(ann), Sign.TYPING)
    await channel.sign(at(ann), Sign.QUEUED, str(said.id))
    assert server.screen(ann.id).typing
    assert server.screen(ann.id).messages[-1].reactions == ("👀",)
    for sign, emoji in ((Sign.WORKING, "✍"), (Sign.DONE, "👌")):
        await channel.sign(at(ann), sign, str(said.id))
        assert server.screen(ann.id).messages[-1].reactions == (emoji,)
    await channel.sign(at(ann), Sign.NONE, str(said.id))
    assert server.screen(ann.id).messages[-1].reactions == ()
    server.remove(server.screen(ann.id).messages[-1])
    await channel.sign(at(ann), Sign.DONE, str(said.id))


@pytest.mark.parametrize(
    ("to", "message"),
    [
        (Address("telegram", "nobody"), "7"),
        (Address("telegram", "1", "no-topic"), None),
        (Address("telegram", "1"), "no-number"),
    ],
)
async def test_an_address_that_telegram_never_gave_is_one_that_is_gone(
    channel: TelegramChannel, to: Address, message: str | None
) -> None:
    with pytest.raises(RecipientGone):
        await channel.sign(to, Sign.TYPING if message is None else Sign.DONE, message)


async def test_a_chat_without_reactions_says_so(
    server: BotApi, channel: TelegramChannel, ann: Person
) -> None:
    team = server.group("Team", ann)
    team.reactions = ("👀",)
    said = server.say(ann, "/wait", chat=team)
    place = Address("telegram", str(team.id))
    await channel.sign(place, Sign.QUEUED, str(said.id))
    with pytest.raises(ContentRefused):
        await channel.sign(place, Sign.WORKING, str(said.id))
    await channel.sign(place, Sign.NONE, str(said.id))


async def test_a_press_is_acknowledged_and_a_second_time_is_no_fault(
    server: BotApi, channel: TelegramChannel, ann: Person
) -> None:
    card = Outbound(OutboundKind.CARD, (Plain("?"),), buttons=((Button("OK", "ok"),),))
    await channel.send(at(ann), channel.split(card)[0])
    pressed = server.press(ann, last(server, ann), "OK")
    press = Press(at(ann), Sender("telegram", str(ann.id), "Ann"), "ok", pressed.id)
    await channel.acknowledge(press, "not yours " * 40, refused=True)
    await channel.acknowledge(press, "")
    assert pressed.answer is not None
    assert (len(pressed.answer.text), pressed.answer.show_alert) == (200, True)


async def test_a_flood_tells_how_long_to_wait(
    server: BotApi, channel: TelegramChannel, ann: Person
) -> None:
    server.fail_next("sendMessage", 429, "Too Many Requests: retry after 7", retry_after=7)
    with pytest.raises(FloodWait) as fault:
        await channel.send(at(ann), answer(channel, "x"))
    assert fault.value.retry_after == 7


async def test_who_blocked_the_bot_or_never_started_it_is_gone(
    server: BotApi, channel: TelegramChannel, ann: Person
) -> None:
    server.block(ann)
    for chat in (str(ann.id), "999999"):
        with pytest.raises(RecipientGone):
            await channel.send(Address("telegram", chat), answer(channel, "x"))


async def test_a_lost_answer_may_have_been_done_and_the_message_is_there(
    server: BotApi, channel: TelegramChannel, ann: Person
) -> None:
    server.drop_answer_next("sendMessage")
    with pytest.raises(ChannelUnreachable) as fault:
        await channel.send(at(ann), answer(channel, "x"))
    assert fault.value.maybe_done
    assert last(server, ann).text == "x"


@pytest.mark.parametrize("body", ["", "<html>", "[]", '{"ok":true}', '{"ok":true,"result":true}'])
async def test_an_unreadable_success_may_have_been_done(
    server: BotApi, channel: TelegramChannel, ann: Person, body: str
) -> None:
    server.answer_raw_next("sendMessage", body, after_work=True)
    with pytest.raises(ChannelUnreachable) as fault:
        await channel.send(at(ann), answer(channel, "x"))
    assert fault.value.maybe_done


async def test_a_stalled_send_ends_in_time(server: BotApi, url: str, ann: Person) -> None:
    server.stall_next("sendMessage")
    async with TelegramApi(server.token, url, send_seconds=0.2) as api:
        channel = TelegramChannel(api)
        with pytest.raises(ChannelUnreachable) as fault:
            await channel.send(at(ann), answer(channel, "x"))
    assert fault.value.maybe_done


async def test_a_server_that_is_not_there_was_not_told_anything(ann: Person) -> None:
    async with TelegramApi("1:x", "http://127.0.0.1:1") as api:
        channel = TelegramChannel(api)
        with pytest.raises(ChannelUnreachable) as fault:
            await channel.send(at(ann), answer(channel, "x"))
    assert not fault.value.maybe_done


async def test_the_account_tells_its_name_and_sets_its_menu(
    server: BotApi, api: TelegramApi
) -> None:
    account = TelegramAccount(api)
    identity = await account.identity()
    assert (identity.user_id, identity.username) == (api.own_id, "steward_bot")
    assert await account.check() == "steward_bot"
    one, two, three = [("new", "New")], [("context", "Groups")], [("allow", "Let in")]
    clock = FakeClock()
    await account.set_menus(clock, one, two, three, ["77"])
    menus = [menu[0]["command"] for menu in server.commands.values()]
    assert menus == ["new", "context", "allow"]
    server.bad_gateway_next("setMyCommands")
    setting = asyncio.create_task(account.set_menus(clock, [("help", "Help")], [], [], []))
    await _slept(clock, 1)
    await setting
    assert "help" in str(list(server.commands.values()))


async def _slept(clock: FakeClock, times: int) -> None:
    """Lets a task sleep so often, each time to its end."""
    for number in range(times):
        while len(clock.slept) <= number:
            await asyncio.sleep(0.01)
        await clock.advance(clock.slept[number])


async def test_a_menu_that_cannot_be_set_is_told_once_at_its_last_try(
    api: TelegramApi, server: BotApi, caplog: pytest.LogCaptureFixture
) -> None:
    server.bad_gateway_next("setMyCommands", times=4)
    clock, account = FakeClock(), TelegramAccount(api)
    setting = asyncio.create_task(account.set_menus(clock, [("help", "Help")], [], [], []))
    await _slept(clock, 3)
    await setting
    assert len([one for one in caplog.messages if "menu of commands was not set" in one]) == 1


@pytest.mark.parametrize("token", ["4200:wrong", "nonsense", "42 00:\n"])
async def test_a_bad_token_is_named_as_such_without_being_shown(url: str, token: str) -> None:
    async with TelegramApi(token, url) as api:
        with pytest.raises(ChannelError, match="token") as fault:
            await TelegramAccount(api).check()
    assert token not in str(fault.value)


async def test_the_token_is_in_no_log_and_no_fault(
    server: BotApi, url: str, ann: Person, caplog: pytest.LogCaptureFixture
) -> None:
    for name in ("httpx", "httpcore", "telegram", ""):
        caplog.set_level(logging.DEBUG, logger=name or None)
    faults: list[str] = []
    told = f"Bad Request: /bot{server.token}/sendMessage"
    server.fail_next("sendMessage", 400, told)
    server.fail_next("sendMessage", 403, told)
    server.fail_next("sendMessage", 500, told)
    server.drop_request_next("sendMessage")
    async with TelegramApi(server.token, url) as api:
        channel = TelegramChannel(api)
        await TelegramAccount(api).check()
        for _ in range(4):
            with pytest.raises(ChannelError) as fault:
                await channel.send(at(ann), answer(channel, "x"))
            faults += [str(fault.value), repr(fault.value), repr(fault.value.args)]
    assert server.faults.unused == 0
    assert server.token.lower() not in ("".join(faults) + caplog.text).lower()
    assert "<token>" in faults[0]


async def test_a_voice_note_is_one_message_with_its_length_and_caption(
    server: BotApi, channel: TelegramChannel, ann: Person, tmp_path: Path
) -> None:
    path = tmp_path / "t1.ogg"
    path.write_bytes(opus(3))
    note = FileRef(str(path), "answer.ogg", "The beginning of the answer.", voice=3)
    content = Outbound(OutboundKind.VOICE, (), files=(note,), silent=True)
    (piece,) = channel.split(content)
    await channel.send(at(ann), piece)
    shown = last(server, ann)
    assert shown.file is not None
    assert (shown.file.kind, shown.file.data) == ("voice", opus(3))
    assert shown.file.traits == {"duration": 3}
    assert (shown.text, shown.silent) == ("The beginning of the answer.", True)
    server.private_chat(ann).voiceless = True
    with pytest.raises(ContentRefused, match="takes no voice messages"):
        await channel.send(at(ann), piece)
