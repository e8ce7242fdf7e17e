"""A growing message is gone once the answer stands, whatever became of its confirmation."""

import pytest

from tests.e2e.on_discord import OnDiscord, on_discord
from tests.e2e.steward import Steward
from tests.standins.discord import Fault, Message
from tests.standins.discord.faults import Call
from tests.standins.gate import Gate
from tests.standins.messages_api import Gate as ReplyGate
from tests.standins.messages_api import Reply, calls, text, tool

pytestmark = pytest.mark.discords_own("growing messages in private chats, with names")

_SILENT = 1 << 12

WHOLE = "Half an answer, and whole."


def grows(body: object) -> bool:
    return isinstance(body, dict) and bool((body.get("flags") or 0) & _SILENT)


def held(gate: Gate) -> Fault:
    """Holds the sending of a growing message."""
    return Fault("POST", r"/messages$", "held", gate=gate, about=grows)


def posted(call: Call) -> bool:
    return call.method == "POST" and call.path.endswith("/messages")


def read(call: Call) -> bool:
    return call.method == "GET" and call.path.endswith("/messages")


async def recorded_unconfirmed(
    discord: OnDiscord, words: Reply, *more: Reply
) -> tuple[Gate, Message]:
    """Has words grow whose confirmation is held, and waits until all of their reply is recorded.

    `more` are a reply that ends with what it does beside the words, and later replies. Returns
    what holds the confirmation, and the growing message.
    """
    writing, sending = ReplyGate(), Gate(after_work=True)
    grown = words.in_pieces(4).held(writing, after=4)
    replies = (grown + more[0], *more[1:]) if more else (grown,)
    discord.steward.script(*replies)
    discord.discord.faults.order(held(sending))
    await discord.start()
    discord.say("Hello")
    await sending.arrived()
    [left] = discord.shown
    writing.release()
    await discord.steward.eventually(lambda: discord.steward.records.owed)
    return sending, left


async def test_one_whose_confirmation_was_lost_does_not_stay_beside_the_answer(
    steward: Steward,
) -> None:
    async with on_discord(steward) as discord:
        writing = ReplyGate()
        discord.steward.script(text(WHOLE).in_pieces(4).held(writing, after=4))
        lost = Fault("POST", r"/messages$", "lost", about=grows)
        discord.discord.faults.order(lost)
        await discord.start()
        discord.say("Hello")
        await discord.until(lambda: discord.shown)
        writing.release()
        await discord.sees(WHOLE)
        await discord.until(lambda: len(discord.shown) == 1)
        await discord.steward.recorded()


async def test_one_that_a_killed_program_had_sent_does_not_stay_beside_the_answer(
    steward: Steward,
) -> None:
    async with on_discord(steward) as discord:
        writing, again, sending = ReplyGate(), ReplyGate(), Gate(after_work=True)
        whole = text(WHOLE).in_pieces(4)
        discord.steward.script(whole.held(writing, after=4), whole.held(again, after=4))
        discord.discord.faults.order(held(sending))
        await discord.start()
        discord.say("Hello")
        await sending.arrived()
        [left] = discord.shown
        await discord.restart()
        await discord.until(lambda: [m for m in discord.discord.calls if posted(m)][1:])
        assert discord.shown == [left]
        again.release()
        await discord.sees(WHOLE)
        await discord.steward.recorded()
        await discord.until(lambda: len(discord.shown) == 1)


async def test_one_that_a_killed_program_had_sent_goes_when_the_answer_comes_at_once(
    steward: Steward,
) -> None:
    async with on_discord(steward) as discord:
        writing, sending = ReplyGate(), Gate(after_work=True)
        whole = text(WHOLE)
        discord.steward.script(whole.in_pieces(4).held(writing, after=4), whole)
        discord.discord.faults.order(held(sending))
        await discord.start()
        discord.say("Hello")
        await sending.arrived()
        [left] = discord.shown
        await discord.restart()
        answer = await discord.sees(WHOLE)
        await discord.until(lambda: left.deleted)
        await discord.steward.recorded()
        assert discord.shown == [answer]


async def test_one_that_grew_to_the_end_is_not_taken_for_the_answer(steward: Steward) -> None:
    async with on_discord(steward) as discord:
        writing, sending = ReplyGate(), Gate(after_work=True)
        whole = text("Whole.").in_pieces(1).held(writing, after=3)
        discord.steward.script(whole)
        discord.discord.faults.order(
            Fault("POST", r"/messages$", "held", gate=sending, about=grows)
        )
        await discord.start()
        discord.say("Hello")
        await sending.arrived()
        [left] = discord.shown
        assert left.text == "Whole."
        writing.release()
        # It waits for the growing one, whose confirmation never comes.
        await discord.steward.eventually(lambda: discord.steward.records.owed)
        await discord.restart()
        await discord.steward.recorded()
        [answer] = [one for one in discord.shown if one is not left]
        assert (answer.text, answer.flags & _SILENT) == ("Whole.", 0)


async def test_a_killed_turn_without_a_growing_message_shows_none_at_its_end(
    steward: Steward,
) -> None:
    async with on_discord(steward) as discord:
        writing = ReplyGate()
        discord.steward.script(text("Never.").held(writing), text("At once."))
        await discord.start()
        discord.say("Hello")
        await discord.steward.asked(1)
        await discord.restart()
        await discord.sees("At once.")
        await discord.steward.recorded()
        assert not [m for m in discord.discord.calls if posted(m) and grows(m.body)]


def held_twice(discord: OnDiscord, first: int, second: int) -> tuple[ReplyGate, ReplyGate]:
    """Has an answer of six pieces wait after so many of them, and once more."""
    gates = ReplyGate(), ReplyGate()
    reply = text("One and two and three and four.").in_pieces(6)
    discord.steward.script(reply.held(gates[0], after=first).held(gates[1], after=second))
    return gates


async def test_one_that_was_taken_away_behind_a_notice_is_not_changed_again(
    steward: Steward,
) -> None:
    async with on_discord(steward) as discord:
        first, second = held_twice(discord, 4, 6)
        await discord.start()
        discord.say("Hello")
        [growing] = await discord.until(lambda: discord.shown)
        discord.say("/status")
        await discord.until(lambda: growing.deleted)
        first.release()
        await discord.until(lambda: [one for one in discord.shown if one.flags & _SILENT])
        second.release()
        await discord.sees("One and two and three and four.")
        await discord.until(lambda: not [m for m in discord.shown if m.flags & _SILENT])
        assert not [one for one in discord.discord.calls if one.status == 404]


async def test_one_that_somebody_deleted_is_left_alone_and_another_one_grows(
    steward: Steward,
) -> None:
    async with on_discord(steward) as discord:
        first, second = held_twice(discord, 2, 4)
        discord.foreseen.append("404 Unknown Message")
        await discord.start()
        discord.say("Hello")
        [growing] = await discord.until(lambda: discord.shown)
        discord.discord.delete(growing)
        first.release()
        [other] = await discord.until(lambda: discord.shown)
        second.release()
        answer = await discord.sees("One and two and three and four.")
        await discord.until(lambda: other.deleted)
        await discord.steward.recorded()
        assert discord.shown == [answer]
        missed = [one for one in discord.discord.calls if one.status == 404]
        assert len(missed) == 1, "it was not asked for again"


async def test_code_that_grows_is_code_from_its_first_line_on(steward: Steward) -> None:
    async with on_discord(steward) as discord:
        writing = ReplyGate()
        code = "```python\n" + "x = 1\n" * 600 + "```"
        discord.steward.script(text(code).in_pieces(4).held(writing, after=5))
        await discord.start()
        discord.say("Hello")
        await discord.until(lambda: discord.shown)
        assert discord.shown[0].text.startswith("…\n```python\nx = 1\n")
        writing.release()
        await discord.until(lambda: [m for m in discord.shown if not m.flags & _SILENT])
        await discord.steward.recorded()


async def test_one_that_is_unconfirmed_when_the_answer_is_recorded_goes_after_a_death(
    steward: Steward,
) -> None:
    async with on_discord(steward) as discord:
        _, left = await recorded_unconfirmed(discord, text(WHOLE))
        await discord.restart()
        answer = await discord.sees(WHOLE)
        await discord.until(lambda: left.deleted)
        await discord.steward.recorded()
        assert discord.shown == [answer]


async def test_one_goes_though_discord_has_forgotten_its_name_when_the_program_starts_again(
    steward: Steward,
) -> None:
    async with on_discord(steward) as discord:
        writing, sending = ReplyGate(), Gate(after_work=True)
        whole = text(WHOLE)
        discord.steward.script(whole.in_pieces(4).held(writing, after=4), whole)
        discord.discord.faults.order(held(sending))
        await discord.start()
        discord.say("Hello")
        await sending.arrived()
        [left] = discord.shown
        discord.discord.forget_names()
        await discord.restart()
        answer = await discord.sees(WHOLE)
        await discord.until(lambda: left.deleted)
        await discord.steward.recorded()
        assert discord.shown == [answer]


async def test_one_that_is_unconfirmed_when_a_card_is_shown_goes_after_a_death(
    steward: Steward,
) -> None:
    async with on_discord(steward) as discord:
        written = calls(tool("write_file", {"path": "a.txt", "content": "a"}))
        words = text("I write the file now.")
        _, left = await recorded_unconfirmed(discord, words, written, text("Done."))
        await discord.restart()
        await discord.until(lambda: left.deleted)
        discord.press(await discord.card(), "✅ Approve")
        await discord.sees("Done.")
        # The words above the card make no sound; no growing message stands beside them.
        await discord.until(lambda: len([m for m in discord.shown if m.flags & _SILENT]) == 1)


async def test_one_whose_confirmation_comes_after_the_answer_is_not_looked_for(
    steward: Steward,
) -> None:
    async with on_discord(steward) as discord:
        sending, left = await recorded_unconfirmed(discord, text(WHOLE))
        looks = len([one for one in discord.discord.calls if read(one)])
        sending.release()
        answer = await discord.sees(WHOLE)
        await discord.until(lambda: left.deleted)
        await discord.steward.recorded()
        assert discord.shown == [answer]
        assert len([one for one in discord.discord.calls if read(one)]) == looks
