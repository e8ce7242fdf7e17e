"""The way to Telegram is taken away in the middle of things, and comes back."""

import httpx
import pytest

from tests.e2e.steward import Steward
from tests.patience import PATIENCE
from tests.ports import free_port
from tests.standins.bot_api import TOKEN
from tests.standins.messages_api import Gate, calls, text, thinking, tool
from tests.words import (
    ANOTHER_READS,
    APPROVE,
    BAD_TOKEN,
    KEEPS_TRYING,
    NO_TELEGRAM,
    SERVING,
    TELEGRAM_BACK,
)

LIBRARIES = ("httpx", "aiohttp", "discord.")
API = {"telegram": "TELEGRAM_API_URL", "discord": "DISCORD_API_URL"}
AWAY = {"telegram": NO_TELEGRAM, "discord": "Discord cannot be reached"}
BACK = {"telegram": TELEGRAM_BACK, "discord": "Discord is back"}


async def test_without_a_network_it_waits_and_then_answers_all_in_order(steward: Steward) -> None:
    held = Gate()
    steward.script(
        thinking("Hm.") + text("Zero.").held(held), *(text(f"{n}.") for n in range(1, 4))
    )
    port = free_port()
    async with steward.way.served(port) as url:
        await steward.start(**{API[steward.platform]: url})
        steward.say("0")
        await held.arrived()
    held.release()
    await steward.eventually(lambda: "a delivery has to wait" in steward.output)
    await steward.eventually(lambda: KEEPS_TRYING in steward.output)
    for number in range(1, 4):
        steward.say(str(number))
    async with steward.way.served(port):
        await steward.sees("3.")
        await steward.recorded()
        assert [message.text for message in steward.shown] == ["Zero.", "1.", "2.", "3."]
        assert steward.output.count(KEEPS_TRYING) == 1
        await steward.eventually(lambda: BACK[steward.platform] in steward.output)
        assert steward.output.count("a delivery has to wait") == 1
        await steward.stop()


async def test_started_without_a_network_it_comes_up_with_it(steward: Steward) -> None:
    port = free_port()
    steward.script(text("Good morning."))
    steward.settings[API[steward.platform]] = f"http://127.0.0.1:{port}"
    process = await steward.launched("run")
    try:
        await steward.eventually(lambda: KEEPS_TRYING in steward.output)
        # One line while nothing goes, of no library, and one when all goes.
        assert len(steward.output.splitlines()) == 1
        assert not any(f" {name}" in steward.output for name in LIBRARIES)
        async with steward.way.served(port):
            await steward.eventually(lambda: "Serving" in steward.output)
            await steward.way.listened()
            steward.say("Hello?")
            await steward.sees("Good morning.")
            await steward.recorded()
            lines = [line for line in steward.output.splitlines() if "flow.turn." not in line]
            assert AWAY[steward.platform] in lines[0]
            assert "Serving" in lines[1]
            assert [line for line in lines[2:] if BACK[steward.platform] not in line] == []
    finally:
        process.kill()
        await process.wait()


@pytest.mark.telegrams_own("a second program ends its polls")
async def test_a_second_program_on_the_token_is_told_once_and_outlived(steward: Steward) -> None:
    telegram = steward.telegram
    steward.foreseen.append("getUpdates: 409")
    steward.script(text("Mine again."))
    await steward.start()
    # Before the program knows its own name, the line about the first contact tells the end.
    await steward.eventually(lambda: SERVING in steward.output)
    url = steward.settings["TELEGRAM_API_URL"]
    async with httpx.AsyncClient(base_url=url, verify=False, timeout=PATIENCE) as other:
        for _ in range(2):
            await steward.until(lambda: telegram.updates.polling)
            answer = await other.get(f"/bot{TOKEN}/getUpdates", params={"timeout": 0})
            assert answer.json()["result"] == []
    steward.say("Whose are you?")
    await steward.sees("Mine again.")
    await steward.eventually(lambda: TELEGRAM_BACK in steward.output)
    assert steward.output.count(ANOTHER_READS) == 1
    assert steward.output.count(TELEGRAM_BACK) == 1


@pytest.mark.telegrams_own("its token can be replaced while the program runs")
async def test_a_revoked_token_is_one_clear_word_and_work_goes_on_with_the_next(
    steward: Steward,
) -> None:
    telegram = steward.telegram
    steward.foreseen.append("getUpdates: 401")
    write = tool("write_file", {"path": "a.txt", "content": "a"})
    steward.script(thinking("Write.") + calls(write), text("Written."))
    await steward.start()
    steward.say("Write a file")
    card = await steward.card()
    await steward.recorded()
    token = telegram.replace_token()
    await steward.eventually(lambda: BAD_TOKEN in steward.output)
    said = steward.output.count(BAD_TOKEN)
    assert await steward.exit_code("doctor") == 1
    assert steward.output.count(BAD_TOKEN) == said + 1
    assert telegram.rejected < 6
    assert steward.running
    await steward.stop()
    steward.press(card, APPROVE)
    await steward.start(TELEGRAM_BOT_TOKEN=token)
    await steward.sees("Written.")


@pytest.mark.telegrams_own("it is polled")
async def test_a_poll_nobody_answers_is_given_up_and_the_next_one_goes_on(steward: Steward) -> None:
    steward.script(text("One."), text("Two."))
    await steward.start()
    steward.telegram.stall_next("getUpdates")
    steward.say("1")
    await steward.sees("One.")
    steward.say("2")
    await steward.eventually(lambda: KEEPS_TRYING in steward.output)
    await steward.sees("Two.")
    assert steward.output.count(KEEPS_TRYING) == 1
