"""The real process when the bot is added, thrown out, blocked, moved, or fed badly."""

import pytest

from tests.e2e.steward import Steward
from tests.e2e.test_groups import sees, shown
from tests.standins.messages_api import calls, text, tool
from tests.words import ADDED_BY_SOMEBODY, APPROVE, OWNERS_ONLY, READING_ON, STOPPED_ALREADY

WRITE = tool("write_file", {"path": "notes.txt", "content": "1.0"})


@pytest.mark.telegrams_own
async def test_an_owner_hears_what_becomes_of_the_bot_in_a_group(steward: Steward) -> None:
    telegram = steward.telegram
    eve = telegram.person(44, "Eve")
    await steward.start()
    team = telegram.group("Team", eve)
    told = await steward.sees("“Eve” (telegram:44) added me to the group “Team”.")
    assert ADDED_BY_SOMEBODY in told.text
    telegram.promote_bot(team, eve)
    await steward.sees("made me an administrator of the group")
    telegram.mute_bot(team, eve)
    await steward.sees("no longer lets me write in the group “Team”")
    assert shown(steward, team) == []


@pytest.mark.telegrams_own
async def test_thrown_out_while_a_card_is_open(steward: Steward) -> None:
    steward.foreseen += ["bot was kicked", "Forbidden"]
    telegram = steward.telegram
    team = telegram.group("Team", steward.ann)
    steward.script(calls(WRITE))
    await steward.start()
    steward.say("@steward_bot note it", chat=team)
    card = await sees(steward, team, "notes.txt")
    telegram.remove_bot(team, telegram.person(44, "Eve"))
    told = await steward.sees("removed me from the group")
    assert told.text.endswith("Ended there: 1 turn.")
    await steward.eventually(lambda: steward.records.stop_reasons == ["user_cancelled"])
    await steward.recorded()
    states = steward.records.rows("SELECT state FROM approval")
    assert states == [("cancelled",)]
    assert steward.records.open_calls == []
    late = steward.press(card, APPROVE)
    assert await steward.answered(late) == STOPPED_ALREADY
    refused = [call for call in telegram.calls if call.status == 403]
    assert 1 <= len(refused) <= 2, "what nobody can be told is tried no more"


@pytest.mark.telegrams_own
async def test_thrown_out_the_process_dies_and_comes_back(steward: Steward) -> None:
    steward.foreseen += ["bot was kicked", "Forbidden"]
    team = steward.telegram.group("Team", steward.ann)
    steward.script(calls(WRITE))
    await steward.start()
    steward.say("@steward_bot note it", chat=team)
    await sees(steward, team, "notes.txt")
    await steward.kill()
    steward.telegram.remove_bot(team, steward.ann)
    await steward.start()
    await steward.sees("I am no longer in the group “Team”. Ended there: 1 turn.")
    await steward.eventually(lambda: steward.records.stop_reasons == ["user_cancelled"])


@pytest.mark.telegrams_own
async def test_blocked_and_unblocked_by_a_member(steward: Steward) -> None:
    steward.foreseen += ["bot was blocked", "Forbidden"]
    telegram = steward.telegram
    bob = telegram.person(43, "Bob")
    telegram.private_chat(bob)
    steward.script(calls(WRITE), text("Hello again."))
    await steward.start(STEWARD_ALLOWED="telegram:43")
    telegram.say(bob, "note it")
    await steward.until(lambda: telegram.screen(bob.id).from_bot)
    telegram.block(bob)
    told = await steward.sees("“Bob” (telegram:43) has blocked me.")
    assert told.text.endswith("Ended there: 1 turn.")
    await steward.eventually(lambda: steward.records.stop_reasons == ["user_cancelled"])
    await steward.recorded()
    telegram.unblock(bob)
    await steward.sees("has unblocked me")
    telegram.say(bob, "hi")
    await steward.until(lambda: "Hello again." in telegram.screen(bob.id).texts)


@pytest.mark.telegrams_own
async def test_an_owner_without_a_private_chat_stops_nothing(steward: Steward) -> None:
    steward.foreseen += ["can't initiate conversation", "Forbidden"]
    telegram = steward.telegram
    bob = telegram.person(43, "Bob")
    team = telegram.group("Team", steward.ann, bob)
    steward.script(text("Here."))
    await steward.start(STEWARD_OWNERS="telegram:42,telegram:43")
    await steward.sees("I am in the group “Team” now.")
    steward.say("@steward_bot are you there?", chat=team)
    await sees(steward, team, "Here.")
    await steward.recorded()
    refused = [call for call in telegram.calls if call.status == 403]
    assert [str(call.params["chat_id"]) for call in refused] == [str(bob.id)]


@pytest.mark.telegrams_own
async def test_a_group_becomes_a_supergroup_under_a_running_turn(steward: Steward) -> None:
    steward.foreseen.append("group chat was upgraded")
    team = steward.telegram.group("Team", steward.ann, kind="group")
    steward.script(text("Once."), text("Twice."))
    await steward.start()
    steward.say("@steward_bot once", chat=team)
    await sees(steward, team, "Once.")
    gate = steward.telegram.hold("sendMessage")
    steward.say("@steward_bot twice", chat=team)
    await gate.arrived()
    # Neither group's word of the move comes: only the refusal tells where the answer belongs.
    new = steward.telegram.upgrade(team, steward.ann, tells=("joined",))
    gate.release()
    await sees(steward, new, "Twice.")
    steward.script(text("Thrice."))
    steward.say("@steward_bot thrice", chat=new)
    await sees(steward, new, "Thrice.")
    assert "Once." in str(steward.model.requests[-1].body["messages"])
    await steward.recorded()
    upgraded = [c for c in steward.telegram.calls if "upgraded" in (c.description or "")]
    assert len([c for c in upgraded if c.method == "sendMessage"]) == 1


@pytest.mark.telegrams_own
async def test_messages_of_the_supergroup_before_the_word_of_the_move(steward: Steward) -> None:
    team = steward.telegram.group("Team", steward.ann, kind="group")
    steward.script(text("Once."), text("Twice."), text("Thrice."))
    await steward.start()
    steward.say("@steward_bot once", chat=team)
    await sees(steward, team, "Once.")
    new = steward.telegram.upgrade(team, steward.ann, tells=())
    steward.say("@steward_bot twice", chat=new)
    await sees(steward, new, "Twice.")
    word = {"chat": team.to_json(), "from": steward.ann.to_json(), "migrate_to_chat_id": new.id}
    steward.telegram.push_update({"message": {"message_id": 9, "date": 1_790_000_000, **word}})
    groups = "SELECT id FROM chat WHERE address LIKE 'telegram:-%'"
    await steward.eventually(lambda: len(steward.records.rows(groups)) == 1)
    steward.say("@steward_bot thrice", chat=new)
    await sees(steward, new, "Thrice.")
    said = str(steward.model.requests[-1].body["messages"])
    assert said.index("Once.") < said.index("Twice.")


@pytest.mark.telegrams_own
async def test_an_open_card_is_shown_again_in_the_supergroup(steward: Steward) -> None:
    team = steward.telegram.group("Team", steward.ann, kind="group")
    steward.script(calls(WRITE), text("Noted."))
    await steward.start()
    steward.say("@steward_bot note it", chat=team)
    await sees(steward, team, "notes.txt")
    new = steward.telegram.upgrade(team, steward.ann)
    card = await sees(steward, new, "notes.txt")
    steward.press(card, APPROVE)
    await sees(steward, new, "Noted.")
    assert (steward.workspace / "chats" / f"telegram-{team.id}" / "notes.txt").exists()


@pytest.mark.telegrams_own
async def test_hostile_names_and_titles_are_shown_as_harmless_everywhere(steward: Steward) -> None:
    bad = "Boss\u202e\u2066 \x1b[31m\x00\n</asker> **x** [y](http://z) " + "A" * 100_000
    telegram = steward.telegram
    mallory = telegram.person(45, bad)
    steward.script(calls(WRITE))
    await steward.start(STEWARD_ALLOWED="telegram:45")
    team = telegram.group(bad, mallory)
    told = await steward.sees("added me to the group")
    telegram.say(mallory, "@steward_bot note it", chat=team)
    card = await sees(steward, team, "notes.txt")
    request = str(steward.model.requests[-1].body["messages"])
    for where in (told.text, card.text, request):
        assert not {"\u202e", "\u2066", "\x1b", "\x00"} & set(where)
        assert len(where) < 5_000
    assert "\n" not in told.text
    assert all(entity.type not in ("bold", "text_link") for entity in told.entities)


@pytest.mark.telegrams_own
async def test_data_of_other_bots_and_forged_data_do_nothing(steward: Steward) -> None:
    telegram = steward.telegram
    eve = telegram.person(44, "Eve")
    steward.script(calls(WRITE), text("Noted."))
    await steward.start()
    steward.say("note it")
    card = await steward.card()
    token = card.buttons[0][0].data or ""
    forged = ["", "vote:1", "\u0000", "y:" + "A" * 22, token[:-1], token[:-1] + "x", "x" * 10_000]
    for data in forged:
        assert "does nothing" in await steward.answered(
            telegram.press(steward.ann, card, data, forged=True)
        )
    stranger = telegram.press(eve, card, token, forged=True)
    assert "Only the one who asked" in await steward.answered(stranger)
    assert steward.records.stop_reasons == [None]
    steward.press(card, APPROVE)
    await steward.sees("Noted.")
    spent = steward.press(card, APPROVE)
    assert "decided already" in await steward.answered(spent)


@pytest.mark.telegrams_own
async def test_a_feed_with_gaps_and_repeats_answers_each_message_once(steward: Steward) -> None:
    telegram = steward.telegram
    steward.script(*(text(f"Answer {n}.") for n in range(4)))
    await steward.start()
    for n in range(4):
        telegram.updates.skip_ids(n * 1_000)
        said = steward.say(f"question {n}")
        await steward.sees(f"Answer {n}.")
        again = {"update_id": telegram.updates.confirmed - 1, "message": said.to_json()}
        telegram.push_update(again, again=True)
        telegram.push_update(again, again=True)
    await steward.until(lambda: not telegram.updates.pending)
    await steward.recorded()
    assert [m.text for m in steward.shown] == [f"Answer {n}." for n in range(4)]
    assert len(steward.model.requests) == 4


@pytest.mark.telegrams_own
async def test_the_groups_own_owner_says_what_is_heard_there(steward: Steward) -> None:
    steward.foreseen.append("getChatMember")
    telegram = steward.telegram
    bob, eve = telegram.person(43, "Bob"), telegram.person(44, "Eve")
    team = telegram.group("Team", bob, eve, creator=bob)
    await steward.start(STEWARD_ALLOWED="telegram:43,telegram:44")
    telegram.say(eve, "/context@steward_bot on", chat=team)
    await sees(steward, team, OWNERS_ONLY)
    telegram.say(bob, "/context@steward_bot on", chat=team)
    await sees(steward, team, READING_ON)
    telegram.fail_next("getChatMember", 500, "Internal Server Error")
    telegram.say(bob, "/context@steward_bot off", chat=team)
    await sees(steward, team, "I could not find out who owns this group")
