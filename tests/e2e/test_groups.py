"""A group of three with the bot in it, in the real process."""

import pytest

from tests.e2e.steward import Steward, words_in
from tests.standins.messages_api import Gate, calls, text, tool
from tests.words import APPROVE, NOT_YOURS

OWED = "SELECT 1 FROM outbox WHERE state = 'owed'"


async def test_three_people_in_a_group_and_only_who_is_known_is_answered(steward: Steward) -> None:
    bob, eve = steward.person(43, "Bob"), steward.person(44, "Eve")
    team = steward.team(bob, eve)
    steward.script(text("At noon."), text("Yes, at noon."))
    await steward.start(STEWARD_ALLOWED=steward.account(bob))
    steward.call("when is lunch?", by=eve, at=team)
    steward.say("/stop@other_bot", by=bob, at=team)
    asked = steward.call("when is lunch?", by=bob, at=team)
    answer = await steward.sees("At noon.", at=team)
    assert answer.reply_to == asked.id
    await steward.recorded()
    steward.say("really?", at=team, reply_to=answer)
    await steward.sees("Yes, at noon.", at=team)
    assert len(steward.screen(team)) == 2
    told = [words_in(request) for request in steward.model.requests]
    assert f'[From "Bob", {steward.account(bob)}]\nwhen is lunch?' in told[0]
    assert f'[From "Ann", {steward.account(steward.me)}]' in told[1]


@pytest.mark.telegrams_own("the bot asks for its name")
async def test_a_group_waits_until_the_bot_knows_its_name(steward: Steward) -> None:
    steward.foreseen.append("getMe")
    steward.telegram.fail_next("getMe", 502, "Bad Gateway", times=2)
    team = steward.team()
    steward.script(text("Here."))
    await steward.start()
    steward.call("are you there?", at=team)
    await steward.sees("Here.", at=team)


async def test_a_topic_keeps_its_answer_its_card_and_its_folder(steward: Steward) -> None:
    bob = steward.person(43, "Bob")
    topic = steward.thread(steward.team(bob), "Releases")
    write = tool("write_file", {"path": "notes.txt", "content": "1.0"})
    steward.script(calls(write), text("Noted."))
    await steward.start(STEWARD_ALLOWED=steward.account(bob))
    steward.call("note the release", by=bob, at=topic)
    card = await steward.sees("asked by Bob for “note the release”", at=topic)
    steward.press(card, APPROVE)
    await steward.sees("Noted.", at=topic)
    folder = steward.account(topic).replace(":", "-").replace("/", "-")
    assert (steward.workspace / "chats" / folder / "notes.txt").read_text() == "1.0"


@pytest.mark.shared
async def test_a_groups_card_is_for_its_asker_and_owners_and_ends_with_the_asker(
    steward: Steward,
) -> None:
    bob, eve = steward.person(43, "Bob"), steward.person(44, "Eve")
    team = steward.team(bob, eve)
    topic = steward.thread(team, "Releases")
    write = tool("write_file", {"path": "notes.txt", "content": "1.0"})
    steward.script(calls(write))
    await steward.start(STEWARD_ALLOWED=",".join(map(steward.account, (bob, eve))))
    steward.call("note the release", by=bob, at=topic)
    card = await steward.sees("asked by Bob for “note the release”", at=topic)
    assert NOT_YOURS in await steward.refused(steward.press(card, APPROVE, eve))
    steward.order(f"/revoke {bob.id}", at=team)
    await steward.sees("Ended: 1 request, 1 open card.", at=team)
    ended = await steward.sees("⏹ Stopped", at=topic)
    assert (ended.id, ended.buttons) == (card.id, ())
    late = steward.press(card, APPROVE, bob)
    assert NOT_YOURS in await steward.refused(late)
    assert list(steward.workspace.rglob("notes.txt")) == []


async def test_a_slow_answer_grows_in_a_silent_message_that_it_replaces(steward: Steward) -> None:
    writing = Gate()
    steward.way.hold_to_rates()
    team = steward.team()
    steward.script(text("Slowly, but well.").in_pieces(4).held(writing, after=3))
    await steward.start(STEWARD_SEND_RATES="chat=1,group=20/min,all=30")
    asked = steward.call("think", at=team)
    [growing] = await steward.until(lambda: steward.screen(team))
    assert growing.text == "Slowl"
    assert (growing.silent, growing.reply_to) == (True, asked.id)
    writing.release()
    [answer] = await steward.until(lambda: [m for m in steward.screen(team) if not m.silent])
    await steward.until(lambda: [m.id for m in steward.screen(team)] == [answer.id])
    assert (answer.text, answer.reply_to) == ("Slowly, but well.", asked.id)
    assert steward.way.floods == 0


async def test_killed_while_an_answer_grows_one_whole_answer_stays(steward: Steward) -> None:
    writing = Gate()
    team = steward.team()
    steward.script(text("Never to be whole.").held(writing, after=4), text("Whole."))
    await steward.start()
    steward.call("think", at=team)
    await steward.until(lambda: steward.screen(team))
    await steward.eventually(lambda: steward.records.rows(OWED))
    await steward.restart()
    writing.release()
    answer = await steward.sees("Whole.", at=team)
    await steward.until(lambda: [m.id for m in steward.screen(team)] == [answer.id])
