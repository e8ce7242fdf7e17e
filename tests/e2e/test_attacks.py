"""What the program withstands: two things at the same instant, and a world that will not do."""

from tests.e2e.steward import APPROVE, Steward
from tests.standins.messages_api import Call, calls, text, tool


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
        assert await steward.answered(press) == "Approved."
        await steward.sees("Done.", times=time + 1)
        assert (steward.workspace / f"{time}.txt").exists()
