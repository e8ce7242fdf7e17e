"""The real process when the bot is added, thrown out, blocked, moved, or fed badly."""

import pytest

from tests.e2e.steward import Steward
from tests.standins.messages_api import calls, text, tool
from tests.words import ADDED_BY_SOMEBODY, APPROVE, OWNERS_ONLY, READING_ON, STOPPED_ALREADY

LEFT = {"telegram": "removed me from the group", "discord": "I am no longer in “Team”."}
REFUSED = ["bot was kicked", "Forbidden", "Missing Access", "outbox: "]
WRITE = tool("write_file", {"path": "notes.txt", "content": "1.0"})


@pytest.mark.telegrams_own("it tells who changed what about the bot")
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
    assert steward.screen(team) == []


async def test_thrown_out_while_a_card_is_open(steward: Steward) -> None:
    steward.foreseen += REFUSED
    team = steward.team()
    steward.script(calls(WRITE))
    await steward.start()
    steward.call("note it", at=team)
    card = await steward.sees("notes.txt", at=team)
    steward.throw_out(team)
    told = await steward.sees(LEFT[steward.platform])
    assert told.text.endswith("Ended there: 1 request.")
    await steward.eventually(lambda: steward.records.stop_reasons == ["user_cancelled"])
    await steward.recorded()
    states = steward.records.rows("SELECT state FROM approval")
    assert states == [("cancelled",)]
    assert steward.records.open_calls == []
    late = steward.press(card, APPROVE)
    assert await steward.notified(late) == STOPPED_ALREADY
    assert len(steward.showing(LEFT[steward.platform])) == 1
    refused = [refusal for refusal in steward.refusals() if "403" in refusal]
    assert len(refused) <= 2, "what nobody can be told is tried no more"


async def test_thrown_out_the_process_dies_and_comes_back(steward: Steward) -> None:
    steward.foreseen += REFUSED
    team = steward.team()
    steward.script(calls(WRITE))
    await steward.start()
    steward.call("note it", at=team)
    await steward.sees("notes.txt", at=team)
    await steward.recorded()
    await steward.kill()
    steward.throw_out(team)
    await steward.start()
    await steward.sees("Ended there: 1 request.")
    await steward.eventually(lambda: steward.records.stop_reasons == ["user_cancelled"])


@pytest.mark.telegrams_own("it tells the bot that somebody blocks it")
async def test_blocked_and_unblocked_by_a_member(steward: Steward) -> None:
    steward.foreseen += ["bot was blocked", "Forbidden"]
    telegram = steward.telegram
    bob = telegram.person(43, "Bob")
    telegram.private_chat(bob)
    steward.script(text("Hello."), calls(WRITE), text("Hello again."))
    await steward.start(STEWARD_ALLOWED="telegram:43")
    steward.say("hello")
    await steward.sees("Hello.")
    telegram.say(bob, "note it")
    # What a member wants changed asks an owner.
    await steward.card()
    telegram.block(bob)
    told = await steward.sees("“Bob” (telegram:43) has blocked me.")
    assert told.text.endswith("Ended there: 1 request.")
    await steward.eventually(lambda: steward.records.stop_reasons[1:] == ["user_cancelled"])
    await steward.recorded()
    telegram.unblock(bob)
    await steward.sees("has unblocked me")
    telegram.say(bob, "hi")
    await steward.until(lambda: "Hello again." in telegram.screen(bob.id).texts)


@pytest.mark.telegrams_own("people have to open a chat first")
async def test_an_owner_without_a_private_chat_stops_nothing(steward: Steward) -> None:
    steward.foreseen += ["can't initiate conversation", "Forbidden"]
    telegram = steward.telegram
    bob = telegram.person(43, "Bob")
    team = telegram.group("Team", steward.ann, bob)
    steward.script(text("Here."))
    await steward.start(STEWARD_OWNERS="telegram:42,telegram:43")
    await steward.sees("I am in the group “Team” now.")
    steward.say("@steward_bot are you there?", chat=team)
    await steward.sees("Here.", at=team)
    await steward.recorded()
    refused = [call for call in telegram.calls if call.status == 403]
    assert [str(call.params["chat_id"]) for call in refused] == [str(bob.id)]


@pytest.mark.telegrams_own("groups become supergroups")
async def test_a_group_becomes_a_supergroup_under_a_running_turn(steward: Steward) -> None:
    steward.foreseen.append("group chat was upgraded")
    team = steward.telegram.group("Team", steward.ann, kind="group")
    steward.script(text("Once."), text("Twice."))
    await steward.start()
    steward.say("@steward_bot once", chat=team)
    await steward.sees("Once.", at=team)
    gate = steward.telegram.hold("sendMessage")
    steward.say("@steward_bot twice", chat=team)
    await gate.arrived()
    # Neither group's word of the move comes: only the refusal tells where the answer belongs.
    new = steward.telegram.upgrade(team, steward.ann, tells=("joined",))
    gate.release()
    await steward.sees("Twice.", at=new)
    steward.script(text("Thrice."))
    steward.say("@steward_bot thrice", chat=new)
    await steward.sees("Thrice.", at=new)
    assert "Once." in str(steward.model.requests[-1].body["messages"])
    await steward.recorded()
    upgraded = [c for c in steward.telegram.calls if "upgraded" in (c.description or "")]
    assert len([c for c in upgraded if c.method == "sendMessage"]) == 1


@pytest.mark.telegrams_own("groups become supergroups")
async def test_messages_of_the_supergroup_before_the_word_of_the_move(steward: Steward) -> None:
    team = steward.telegram.group("Team", steward.ann, kind="group")
    steward.script(text("Once."), text("Twice."), text("Thrice."))
    await steward.start()
    steward.say("@steward_bot once", chat=team)
    await steward.sees("Once.", at=team)
    new = steward.telegram.upgrade(team, steward.ann, tells=())
    steward.say("@steward_bot twice", chat=new)
    await steward.sees("Twice.", at=new)
    word = {"chat": team.to_json(), "from": steward.ann.to_json(), "migrate_to_chat_id": new.id}
    steward.telegram.push_update({"message": {"message_id": 9, "date": 1_790_000_000, **word}})
    groups = "SELECT id FROM chat WHERE address LIKE 'telegram:-%'"
    await steward.eventually(lambda: len(steward.records.rows(groups)) == 1)
    steward.say("@steward_bot thrice", chat=new)
    await steward.sees("Thrice.", at=new)
    said = str(steward.model.requests[-1].body["messages"])
    assert said.index("Once.") < said.index("Twice.")


@pytest.mark.telegrams_own("groups become supergroups")
async def test_an_open_card_is_shown_again_in_the_supergroup(steward: Steward) -> None:
    team = steward.telegram.group("Team", steward.ann, kind="group")
    steward.script(calls(WRITE), text("Noted."))
    await steward.start()
    steward.say("@steward_bot note it", chat=team)
    await steward.sees("notes.txt", at=team)
    new = steward.telegram.upgrade(team, steward.ann)
    card = await steward.sees("notes.txt", at=new)
    steward.press(card, APPROVE)
    await steward.sees("Noted.", at=new)
    assert (steward.workspace / "chats" / f"telegram-{team.id}" / "notes.txt").exists()


async def test_hostile_names_and_titles_are_shown_as_harmless_everywhere(steward: Steward) -> None:
    bad = "Boss\u202e\u2066 \x1b[31m\x00\n</asker> **x** [y](http://z) " + "A" * 100_000
    steward.foreseen += REFUSED
    mallory = steward.person(45, bad)
    team = steward.team(mallory, title=bad)
    steward.script(calls(WRITE))
    await steward.start(STEWARD_ALLOWED=steward.account(mallory))
    steward.call("note it", by=mallory, at=team)
    card = await steward.sees("notes.txt", at=team)
    request = str(steward.model.requests[-1].body["messages"])
    await steward.recorded()
    steward.throw_out(team)
    told = await steward.sees("Ended there: 1 request.")
    for where in (told.text, card.text, request):
        assert not {"\u202e", "\u2066", "\x1b", "\x00"} & set(where)
        assert len(where) < 5_000
    assert "\n" not in told.text
    assert "**x**" in told.text, "a name is shown as it is, and has no markup"


@pytest.mark.telegrams_own("apps send any data as a press")
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


@pytest.mark.telegrams_own("updates are numbered")
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


async def test_the_groups_own_owner_says_what_is_heard_there(steward: Steward) -> None:
    bob, eve = steward.person(43, "Bob"), steward.person(44, "Eve")
    team = steward.team(bob, eve, runner=bob, with_ann=False)
    await steward.start(STEWARD_ALLOWED=",".join(map(steward.account, (bob, eve))))
    steward.order("/context on", by=eve, at=team)
    await steward.sees(OWNERS_ONLY, at=team)
    steward.order("/context on", by=bob, at=team)
    await steward.sees(READING_ON, at=team)
    steward.way.break_member()
    steward.order("/context off", by=bob, at=team)
    await steward.sees("I could not find out who owns this group", at=team)
