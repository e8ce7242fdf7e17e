"""A group of three with the bot in it, in the real process."""

import pytest

from tests.e2e.steward import Steward, words_in
from tests.standins.bot_api import Chat, Rates, ShownMessage
from tests.standins.messages_api import Gate, calls, text, tool
from tests.words import APPROVE, NOT_YOURS

OWED = "SELECT 1 FROM outbox WHERE state = 'owed'"


def shown(steward: Steward, group: Chat) -> list[ShownMessage]:
    return steward.telegram.screen(group.id).from_bot


async def sees(steward: Steward, group: Chat, words: str) -> ShownMessage:
    """Wait until the bot has said this in the group."""
    found = await steward.until(lambda: [m for m in shown(steward, group) if words in m.text])
    return found[-1]


@pytest.mark.telegrams_own
async def test_three_people_in_a_group_and_only_who_is_known_is_answered(steward: Steward) -> None:
    telegram = steward.telegram
    bob, eve = telegram.person(43, "Bob"), telegram.person(44, "Eve")
    team = telegram.group("Team", steward.ann, bob, eve)
    steward.script(text("At noon."), text("Yes, at noon."))
    await steward.start(STEWARD_ALLOWED="telegram:43")
    telegram.say(eve, "@steward_bot when is lunch?", chat=team)
    telegram.say(bob, "/stop@other_bot", chat=team)
    asked = telegram.say(bob, "@steward_bot when is lunch?", chat=team)
    answer = await sees(steward, team, "At noon.")
    assert answer.reply_to == asked.id
    telegram.say(steward.ann, "really?", chat=team, reply_to=answer)
    await sees(steward, team, "Yes, at noon.")
    assert len(shown(steward, team)) == 2
    assert '[From "Bob", telegram:43]\nwhen is lunch?' in words_in(steward.model.requests[0])
    assert '[From "Ann", telegram:42]' in words_in(steward.model.requests[1])


@pytest.mark.telegrams_own
async def test_a_group_waits_until_the_bot_knows_its_name(steward: Steward) -> None:
    steward.foreseen.append("getMe")
    steward.telegram.fail_next("getMe", 502, "Bad Gateway", times=2)
    team = steward.telegram.group("Team", steward.ann)
    steward.script(text("Here."))
    await steward.start()
    steward.telegram.say(steward.ann, "@steward_bot are you there?", chat=team)
    await sees(steward, team, "Here.")


@pytest.mark.telegrams_own
async def test_a_topic_keeps_its_answer_its_card_and_its_folder(steward: Steward) -> None:
    telegram = steward.telegram
    bob = telegram.person(43, "Bob")
    team = telegram.group("Team", steward.ann, bob)
    topic = telegram.topic(team, "Releases")
    write = tool("write_file", {"path": "notes.txt", "content": "1.0"})
    steward.script(calls(write), text("Noted."))
    await steward.start(STEWARD_ALLOWED="telegram:43")
    telegram.say(bob, "@steward_bot note the release", chat=team, topic=topic)
    card = await sees(steward, team, "asked by Bob for “note the release”")
    steward.press(card, APPROVE)
    answer = await sees(steward, team, "Noted.")
    assert (card.thread_id, answer.thread_id) == (topic, topic)
    folder = steward.workspace / "chats" / f"telegram-{team.id}-{topic}"
    assert (folder / "notes.txt").read_text() == "1.0"


@pytest.mark.telegrams_own
async def test_a_groups_card_is_for_its_asker_and_owners_and_ends_with_the_asker(
    steward: Steward,
) -> None:
    telegram = steward.telegram
    bob, eve = telegram.person(43, "Bob"), telegram.person(44, "Eve")
    team = telegram.group("Team", steward.ann, bob, eve)
    topic = telegram.topic(team, "Releases")
    write = tool("write_file", {"path": "notes.txt", "content": "1.0"})
    steward.script(calls(write))
    await steward.start(STEWARD_ALLOWED="telegram:43,telegram:44")
    telegram.say(bob, "@steward_bot note the release", chat=team, topic=topic)
    card = await sees(steward, team, "asked by Bob for “note the release”")
    only = NOT_YOURS
    assert only in await steward.answered(steward.press(card, APPROVE, eve))
    telegram.say(steward.ann, "/revoke@steward_bot 43", chat=team)
    await sees(steward, team, "Ended: 1 turn, 1 open card.")
    ended = await sees(steward, team, "⏹ Stopped")
    assert (ended.id, ended.thread_id, ended.buttons) == (card.id, topic, ())
    late = steward.press(card, APPROVE, bob)
    assert only in await steward.answered(late)
    assert list(steward.workspace.rglob("notes.txt")) == []


@pytest.mark.telegrams_own
async def test_a_slow_answer_grows_in_a_silent_message_that_it_replaces(steward: Steward) -> None:
    telegram, writing = steward.telegram, Gate()
    telegram.rates = Rates()
    team = telegram.group("Team", steward.ann)
    steward.script(text("Slowly, but well.").in_pieces(4).held(writing, after=3))
    await steward.start(STEWARD_SEND_RATES="chat=1,group=20/min,all=30")
    asked = telegram.say(steward.ann, "@steward_bot think", chat=team)
    [growing] = await steward.until(lambda: shown(steward, team))
    assert growing.text == "Slowl"
    assert (growing.silent, growing.reply_to) == (True, asked.id)
    writing.release()
    [answer] = await steward.until(lambda: [m for m in shown(steward, team) if not m.silent])
    await steward.until(lambda: shown(steward, team) == [answer])
    assert (answer.text, answer.reply_to) == ("Slowly, but well.", asked.id)
    await steward.until(lambda: ["👌"] in asked.reactions.values())
    assert telegram.floods == 0


@pytest.mark.telegrams_own
async def test_killed_while_an_answer_grows_one_whole_answer_stays(steward: Steward) -> None:
    telegram, writing = steward.telegram, Gate()
    team = telegram.group("Team", steward.ann)
    steward.script(text("Never to be whole.").held(writing, after=4), text("Whole."))
    await steward.start()
    telegram.say(steward.ann, "@steward_bot think", chat=team)
    await steward.until(lambda: shown(steward, team))
    await steward.eventually(lambda: steward.records.rows(OWED))
    await steward.restart()
    writing.release()
    answer = await sees(steward, team, "Whole.")
    await steward.until(lambda: shown(steward, team) == [answer])
