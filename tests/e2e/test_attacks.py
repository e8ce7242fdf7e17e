"""What the program withstands: two things at the same instant, and a world that will not do."""

from tests.e2e.steward import Steward
from tests.standins.messages_api import Call, calls, text, tool
from tests.words import APPROVE, APPROVED


def writing(name: str) -> Call:
    return tool("write_file", {"path": name, "content": "a"})


async def test_a_press_at_the_instant_of_a_message_is_carried_out_all_the_same(
    steward: Steward,
) -> None:
    await steward.start()
    for time in range(8):
        steward.script(calls(writing(f"{time}.txt")), text("Other."), text("Done."))
        steward.say(f"Write {time}")
        card = await steward.card()
        steward.say("Something else")
        press = steward.press(card, APPROVE)
        assert await steward.answered(press) == APPROVED
        await steward.sees("Done.", times=time + 1)
        assert (steward.workspace / f"{time}.txt").exists()


async def test_a_turn_that_cannot_even_begin_is_closed_and_its_chat_goes_on(
    steward: Steward,
) -> None:
    in_the_way = steward.workspace / "chats"
    in_the_way.write_text("A file where members have their folders.")
    bob = steward.telegram.person(7, "Bob")
    steward.telegram.private_chat(bob)

    def told(words: str) -> bool:
        return any(words in shown.text for shown in steward.telegram.screen(bob.id).from_bot)

    steward.settings |= {"STEWARD_ATTEMPTS": "1", "STEWARD_REST_MINUTES": "none"}
    await steward.start(STEWARD_ALLOWED="telegram:7")
    steward.telegram.say(bob, "Hello")
    await steward.until(lambda: told("A fault of this program ended the turn"))
    assert steward.records.stop_reasons == ["internal_failure"]
    in_the_way.unlink()
    steward.script(text("Here I am."))
    steward.telegram.say(bob, "Are you well?")
    await steward.until(lambda: told("Here I am."))
