"""Fetching what people sent: whole, bounded, and with a plain word when it cannot be had."""

import json
import logging

import pytest

from bot.adapters.telegram.api import TelegramApi
from bot.adapters.telegram.files import TelegramFiles
from bot.domain.talk.errors import ChannelUnreachable, FileWithheld, FloodWait
from bot.domain.talk.message import Attachment
from tests.standins.bot_api import BotApi

MOST = 30_000_000


def sent(server: BotApi, data: bytes, name: str = "a name.txt") -> Attachment:
    """A document Ann has sent, as the bot is told of it, but without its size."""
    file = server.send_document(server.person(), data, name).file
    assert file is not None
    return Attachment("document", name, None, file.file_id)


def answer(path: str) -> str:
    file = {"file_id": "F", "file_unique_id": "U", "file_path": path}
    return json.dumps({"ok": True, "result": file})


async def test_a_file_comes_whole_from_the_servers_own_address(
    server: BotApi, api: TelegramApi
) -> None:
    data = bytes(range(256)) * 9_000
    assert await TelegramFiles(api).fetch(sent(server, data, "ü #1?.bin"), MOST) == data


async def test_a_file_whose_size_is_told_is_refused_without_a_call(
    server: BotApi, api: TelegramApi
) -> None:
    large = Attachment("document", "film.bin", 25_000_000, "F")
    with pytest.raises(FileWithheld, match="is larger than the 20 MB that a bot can fetch"):
        await TelegramFiles(api).fetch(large, MOST)
    assert server.calls_of("getFile") == []


async def test_a_file_the_server_finds_too_big_is_refused_in_the_same_words(
    server: BotApi, api: TelegramApi
) -> None:
    with pytest.raises(FileWithheld, match="is larger than the 20 MB that a bot can fetch"):
        await TelegramFiles(api).fetch(sent(server, bytes(21_000_000)), MOST)


async def test_a_file_longer_than_wanted_is_not_taken_to_its_end(
    server: BotApi, api: TelegramApi
) -> None:
    with pytest.raises(FileWithheld, match="is larger than the 1 MB"):
        await TelegramFiles(api).fetch(sent(server, bytes(3_000_000)), 1_000_000)


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("documents/gone", "is not kept by Telegram any more"),
        ("/var/lib/telegram-bot-api/doc", "Bot API server in local mode"),
    ],
)
async def test_a_file_that_is_not_there_is_said_to_be_gone(
    server: BotApi, api: TelegramApi, path: str, told: str
) -> None:
    server.answer_raw_next("getFile", answer(path))
    with pytest.raises(FileWithheld, match=told):
        await TelegramFiles(api).fetch(sent(server, b"x"), MOST)


async def test_an_id_the_server_does_not_know_is_a_withheld_file(api: TelegramApi) -> None:
    with pytest.raises(FileWithheld, match="is not kept"):
        await TelegramFiles(api).fetch(Attachment("photo", "photo.jpg", 1, "nonsense"), MOST)
    with pytest.raises(FileWithheld, match="has no file"):
        await TelegramFiles(api).fetch(Attachment("photo", "photo.jpg", 1, ""), MOST)


async def test_faults_of_the_way_are_told_as_such(server: BotApi, api: TelegramApi) -> None:
    document = sent(server, b"x")
    server.fail_next("getFile", 429, "Too Many Requests", retry_after=7)
    with pytest.raises(FloodWait) as flood:
        await TelegramFiles(api).fetch(document, MOST)
    assert flood.value.retry_after == 7
    server.bad_gateway_next("getFile")
    with pytest.raises(ChannelUnreachable):
        await TelegramFiles(api).fetch(document, MOST)
    server.drop_request_next("getFile")
    with pytest.raises(ChannelUnreachable):
        await TelegramFiles(api).fetch(document, MOST)


async def test_no_log_line_and_no_fault_of_a_download_holds_the_token(
    server: BotApi, api: TelegramApi, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    await TelegramFiles(api).fetch(sent(server, b"x"), MOST)
    server.answer_raw_next("getFile", answer("documents/gone"))
    with pytest.raises(FileWithheld) as fault:
        await TelegramFiles(api).fetch(sent(server, b"x"), MOST)
    assert server.token not in str(fault.value)
    assert server.token not in caplog.text
