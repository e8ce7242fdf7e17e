"""In a group of Telegram an answer grows in a message without a name, which may be left behind."""

from typing import Any

import pytest

from tests.e2e.steward import Steward
from tests.standins.bot_api import ShownMessage
from tests.standins.gate import Gate as SendingGate
from tests.standins.messages_api import Gate, text

pytestmark = pytest.mark.telegrams_own("messages have no names")

WHOLE = "Half an answer, and whole."


async def growing(steward: Steward, team: Any) -> ShownMessage:
    [shown] = await steward.until(lambda: steward.screen(team))
    assert shown.silent
    return shown


async def unconfirmed(steward: Steward) -> tuple[Any, Gate, SendingGate, ShownMessage]:
    """Starts an answer that stands half in a group while the platform's confirmation is held.

    Returns the group, what holds the model, what holds the confirmation, and the message.
    """
    writing = Gate()
    team = steward.team()
    steward.script(text(WHOLE).in_pieces(4).held(writing, after=4))
    await steward.start()
    await steward.sees("I am in the group")
    sending = steward.telegram.hold("sendMessage", after_work=True)
    steward.call("think", at=team)
    await sending.arrived()
    return team, writing, sending, await growing(steward, team)


async def test_one_whose_confirmation_was_lost_goes_with_the_answer(steward: Steward) -> None:
    writing = Gate()
    team = steward.team()
    steward.script(text(WHOLE).in_pieces(4).held(writing, after=4))
    await steward.start()
    await steward.sees("I am in the group")
    steward.telegram.drop_answer_next("sendMessage")
    steward.call("think", at=team)
    await growing(steward, team)
    writing.release()
    answer = await steward.sees(WHOLE, at=team)
    await steward.until(lambda: [m.id for m in steward.screen(team)] == [answer.id])
    assert not answer.silent


async def test_one_that_a_killed_program_had_sent_goes_with_an_answer_that_comes_at_once(
    steward: Steward,
) -> None:
    writing = Gate()
    team = steward.team()
    whole = text(WHOLE)
    steward.script(whole.in_pieces(4).held(writing, after=4), whole)
    await steward.start()
    await steward.sees("I am in the group")
    sending = steward.telegram.hold("sendMessage", after_work=True)
    steward.call("think", at=team)
    await sending.arrived()
    left = await growing(steward, team)
    await steward.restart()
    await steward.until(lambda: left.id not in [m.id for m in steward.screen(team)])
    [answer] = await steward.until(lambda: steward.showing(WHOLE, team))
    await steward.recorded()
    assert [m.id for m in steward.screen(team)] == [answer.id]


async def test_one_that_a_killed_program_had_sent_grows_on(steward: Steward) -> None:
    writing, again = Gate(), Gate()
    team = steward.team()
    whole = text(WHOLE).in_pieces(4)
    steward.script(whole.held(writing, after=3), whole.held(again, after=4))
    await steward.start()
    await steward.sees("I am in the group")
    sending = steward.telegram.hold("sendMessage", after_work=True)
    steward.call("think", at=team)
    await sending.arrived()
    left = await growing(steward, team)
    await steward.restart()
    await steward.until(lambda: [m.id for m in steward.screen(team) if m.text > left.text])
    assert [m.id for m in steward.screen(team)] == [left.id]
    again.release()
    [answer] = await steward.until(lambda: [m for m in steward.screen(team) if not m.silent])
    await steward.until(lambda: [m.id for m in steward.screen(team)] == [answer.id])


async def test_one_that_is_unconfirmed_when_the_answer_is_recorded_goes_after_a_death(
    steward: Steward,
) -> None:
    team, writing, _, left = await unconfirmed(steward)
    writing.release()
    answer = await steward.sees(WHOLE, at=team)
    assert [m.id for m in steward.screen(team)] == [left.id, answer.id]
    await steward.eventually(lambda: not [k for k in steward.records.owed if "answer" in k])
    await steward.restart()
    await steward.until(lambda: [m.id for m in steward.screen(team)] == [answer.id])
    await steward.recorded()


async def test_one_becomes_the_answer_after_a_death_where_that_was_recorded_and_not_yet_sent(
    steward: Steward,
) -> None:
    writing = Gate()
    team = steward.team()
    steward.script(text(WHOLE).in_pieces(4).held(writing, after=4))
    await steward.start()
    await steward.sees("I am in the group")
    sending = steward.telegram.hold("sendMessage", after_work=True)
    answering = steward.telegram.hold("sendMessage")
    steward.call("think", at=team)
    await sending.arrived()
    await growing(steward, team)
    writing.release()
    await answering.arrived()
    await steward.restart()
    await steward.recorded()
    # Nobody can tell which of the two stands, so it is made to show the answer.
    assert [m.text for m in steward.screen(team)] == [WHOLE]


async def test_one_whose_confirmation_comes_after_the_answer_is_not_looked_for(
    steward: Steward,
) -> None:
    team, writing, sending, _ = await unconfirmed(steward)
    writing.release()
    answer = await steward.sees(WHOLE, at=team)
    sending.release()
    await steward.until(lambda: [m.id for m in steward.screen(team)] == [answer.id])
    await steward.recorded()
    assert steward.telegram.calls_of("stopMessageLiveLocation") == []
