"""Commands, and who may give them."""

import re
import sqlite3
from contextlib import closing
from typing import Any

import pytest

from bot.adapters.sql.store import open_store
from bot.domain.talk.person import Role, Sender
from bot.flow.people.letting_in import LET_IN
from tests.e2e.steward import Steward, results_in
from tests.standins.messages_api import calls, text, tool
from tests.words import (
    APPROVE,
    DEAD_LINK,
    NO_ANSWER_YET,
    NO_BUDGET,
    NO_FILE_CHANGED,
    NO_RULES,
    NOBODY_THINKS,
    NOBODYS_YET,
    NOTHING_ANEW,
    NOTHING_TO_BRANCH,
    NOTHING_TO_DECIDE,
    NOTHING_TO_SEND,
    NOTHING_TO_STOP,
    NOTHING_TO_TAKE_BACK,
    OWNER_NOW,
    OWNERS_APPROVE,
    PRIVATE,
    SERVING,
    TALKS,
)

_FLOWS_OWN = pytest.mark.flows_own("rights are rows of the store")

COMMANDS = {
    "/start": "Hello, Ann.",
    "/threads": "This command is for groups",
    "/help": "Just write to me.",
    "/new": "A fresh start.",
    "/stop": NOTHING_TO_STOP,
    "/stop all": NOTHING_TO_STOP,
    "/queue": "At the moment, a message that comes while I am busy waits",
    "/tools": "run_command: run a command",
    "/rules": NO_RULES,
    "/approvals": NOTHING_TO_DECIDE,
    "/model": "This chat uses anthropic/claude-sonnet-5-5",
    "/tier": "No tier is chosen here.",
    "/memory": "I have no notes.",
    "/forget": "What shall I erase?",
    "/export": NOTHING_TO_SEND,
    "/usage": "Usage of all chats",
    "/budget": NO_BUDGET,
    "/status": "waiting for your decision: 0",
    "/undo": NOTHING_TO_TAKE_BACK,
    "/undo files": NO_FILE_CHANGED,
    "/retry": NOTHING_ANEW,
    "/branch": NOTHING_TO_BRANCH,
    "/conversations": TALKS,
    "/title": "names this conversation",
    "/feedback": NOBODY_THINKS,
    "/feedback good": NO_ANSWER_YET,
    "/why": NO_ANSWER_YET,
    "/login": "My page in the browser is off.",
    "/login off": "You are signed in in no browser.",
    "/revoke sessions": "You are signed in in no browser.",
    "/compact": "There is nothing to summarise yet.",
    "/allow 77": "{on}:77 can use me now.",
    "/allow ann": "A user name is not enough",
    "/people": "Ann (owner): {ann} · may do everything",
    "/rights 77 commands off": "commands off · approve off · tools all · pace off.",
    "/link 77 {on}:78": "{on}:78 is now a second account of {on}:77:",
    "/terminal": "No such terminal was here.",
    "/revoke 77": "{on}:77, {on}:78",
    "/activation": "This command is for groups. In a private",
    "/context": "This command is for groups. In a private",
    "/about": "You have not told me about yourself.",
    "/timezone": "You have not told me your time zone.",
    "/long": "an answer of more than",
    "/previews": "Links show no preview",
    "/footer": "No small line stands below my answers",
    "/verbose": "Tool calls are not shown here",
    "/voice": "Spoken answers are not set up",
    "/schedule": "as in /schedule every weekday 09:00",
    "/tasks": "There are no tasks here.",
    "/goal": "as in /goal Find three flats",
    "/goals": "There are no goals here.",
    "/plan": "With a plan I look around first",
    "/skills": "compare-options: Helps to decide",
    "/skill": "No skill is on.",
    "/staus": "Did you mean /status?",
    "/xyzzyx": "/help all shows every command.",
}


async def test_every_command_answers_and_an_unknown_one_names_the_nearest(
    steward: Steward,
) -> None:
    await steward.start()
    named = {"on": steward.platform, "ann": steward.account(steward.me)}
    for command, told in COMMANDS.items():
        answer = told.format(**named)
        seen = len(steward.showing(answer))
        steward.say(command.format(**named))
        await steward.sees(answer, times=seen + 1)


@pytest.mark.telegrams_own("its menus differ between people and groups")
async def test_every_menu_lists_what_can_be_used_there(steward: Steward) -> None:
    await steward.start()
    menus = await steward.until(
        lambda: steward.telegram.commands if len(steward.telegram.commands) == 3 else None
    )
    for_groups = {"/activation", "/context"}
    for_owners = {"/people", "/allow", "/revoke", "/rights", "/link", "/terminal"}
    every = {command.partition(" ")[0] for command in COMMANDS} - {"/staus", "/xyzzyx"}
    # It is listed where a message can open a thread.
    every -= {"/threads"}
    listed = [{f"/{c['command']}" for c in menu} for menu in menus.values()]
    assert listed == [every - for_groups - for_owners, every - for_owners, every - for_groups]


async def test_a_stranger_is_told_once_and_a_member_may_talk_but_not_govern(
    steward: Steward,
) -> None:
    bob = steward.person(77, "Bob")
    steward.script(text("Hello, Bob."))
    await steward.start()
    steward.say("Let me in", by=bob)
    await steward.sees(f"Your number is {bob.id}", at=bob)
    steward.say("Please!", by=bob)
    steward.say("/status", by=bob)
    steward.say(f"/allow {bob.id}")
    await steward.sees(f"{steward.account(bob)} can use me now")
    await steward.sees(LET_IN, at=bob)
    assert len(steward.screen(bob)) == 2
    steward.say("Hello", by=bob)
    await steward.sees("Hello, Bob.", at=bob)
    steward.say(f"/revoke {steward.me.id}", by=bob)
    await steward.sees("Only an owner can use /revoke.", at=bob)
    assert len(steward.model.requests) == 1


@pytest.mark.telegrams_own("links that open a chat with a code")
async def test_the_first_to_open_the_pairing_link_becomes_the_owner_and_nobody_after(
    steward: Steward,
) -> None:
    bob = steward.telegram.person(77, "Bob")
    steward.telegram.private_chat(bob)

    def told() -> list[str]:
        return steward.telegram.screen(77).texts

    await steward.start(STEWARD_OWNERS="")
    link = await steward.eventually(lambda: re.search(r"t\.me/(\w+)\?start=(\S+)", steward.output))
    assert link.group(1) == "steward_bot"
    assert steward.output.count(SERVING) == 1
    steward.say("/start")
    await steward.sees(NOBODYS_YET)
    for times in (1, 2):
        steward.telegram.start(bob, "wrong-code")
        await steward.until(lambda times=times: sum(DEAD_LINK in text for text in told()) == times)
    steward.telegram.start(steward.ann, link.group(2))
    await steward.sees(OWNER_NOW)
    steward.telegram.start(bob, link.group(2))
    await steward.until(lambda: sum(DEAD_LINK in text for text in told()) == 3)
    assert "somebody owns" in told()[-1]
    steward.telegram.say(bob, "Then let me in")
    await steward.until(lambda: PRIVATE in told()[-1])
    assert "77" in told()[-1]
    assert len(steward.telegram.screen(77).from_bot) == 4
    assert steward.model.requests == []


@pytest.mark.telegrams_own("links that open a chat with a code")
async def test_a_right_pairing_code_that_nobody_typed_makes_no_owner(steward: Steward) -> None:
    bob = steward.telegram.person(77, "Bob")
    steward.telegram.private_chat(bob)
    await steward.start(STEWARD_OWNERS="")
    link = await steward.eventually(lambda: re.search(r"\?start=(\S+)", steward.output))
    words = f"/start {link.group(1)}"
    said = steward.telegram.say(bob, "Hello")
    await steward.sees(NOBODYS_YET, at=bob)
    steward.telegram.say(bob, words, forward_from=steward.ann)
    steward.telegram.say(bob, words, forward_from="Somebody")
    steward.telegram.edit(bob, said, words)
    steward.telegram.say_through(bob, steward.telegram.bot, words)
    steward.telegram.start(steward.ann, link.group(1))
    await steward.sees(OWNER_NOW)
    steward.say("/people")
    listed = await steward.sees("(owner)")
    assert len(listed.text.splitlines()) == 1
    assert "telegram:42" in listed.text
    assert len(steward.telegram.screen(77).from_bot) == 1


@pytest.mark.telegrams_own("links that open a chat with a code")
async def test_the_owner_at_the_terminal_is_named_and_becomes_one_person_by_the_link(
    steward: Steward,
) -> None:
    async with open_store(f"sqlite:///{steward.home / 'steward.db'}") as store:
        await store.people.admit(Sender("terminal", "0", "Ana at home"), Role.OWNER)
    await steward.start(STEWARD_OWNERS="")
    link = await steward.eventually(lambda: re.search(r"\?start=(\S+)", steward.output))
    assert "for Ana at home. Ctrl-C" in steward.output
    assert "To talk to it as Ana at home" in steward.output
    assert "Nobody owns" not in steward.output
    steward.telegram.start(steward.ann, link.group(1))
    await steward.sees(OWNER_NOW)
    steward.say("/people")
    await steward.sees("Ana at home")
    assert len([line for line in steward.shown[-1].text.splitlines() if "telegram:42" in line]) == 1


@_FLOWS_OWN
async def test_rights_and_pace_hold_in_the_real_process_and_over_a_restart(
    steward: Steward,
) -> None:
    bob = steward.person(77, "Bob")
    steward.script(
        calls(tool("run_command", {"command": "touch made"})), text("I may not run commands.")
    )
    await steward.start(STEWARD_ALLOWED=steward.account(bob), STEWARD_MEMBER_PACE="1/d")
    steward.say(f"/rights {bob.id} commands off")
    await steward.sees("commands off · approve off · tools all · pace 1/d.")
    steward.say("Make it", by=bob)
    await steward.sees("I may not run commands.", at=bob)
    assert "may not run commands" in str(results_in(steward.model.requests[-1]))
    await steward.recorded()
    await steward.restart()
    steward.say("And now?", by=bob)
    await steward.sees("1 message a day", at=bob)
    steward.say("/status", by=bob)
    await steward.sees("waiting for your decision: 0", at=bob)
    assert len(steward.model.requests) == 2


async def test_revoking_takes_the_card_off_the_screen_and_ends_the_turn(steward: Steward) -> None:
    bob = steward.person(77, "Bob")
    steward.script(calls(tool("write_file", {"path": "a.txt", "content": "a"})))
    await steward.start(STEWARD_ALLOWED=steward.account(bob))
    steward.say(f"/rights {bob.id} approve changes")
    await steward.sees("approve changes")
    steward.say("Write", by=bob)
    card = await steward.card(at=bob)
    steward.say(f"/revoke {bob.id}")
    bob_is = f"Bob ({steward.account(bob)}) can no longer use me and gets no answer."
    ended = f"{bob_is} Ended: 1 request, 1 open card."
    await steward.sees(ended)
    await steward.sees("⏹ Stopped", at=bob)
    assert not steward.cards_at(bob)
    late = steward.press(card, APPROVE, bob)
    assert "Only the one who asked" in await steward.refused(late)
    assert list(steward.workspace.rglob("a.txt")) == []


async def test_an_owner_approves_in_private_what_a_member_may_not_even_after_a_kill(
    steward: Steward,
) -> None:
    bob = steward.person(77, "Bob")
    steward.script(
        calls(tool("write_file", {"path": "a.txt", "content": "a"})), text("It is written.")
    )
    await steward.start(STEWARD_ALLOWED=steward.account(bob))
    steward.say(f"/rights {bob.id} approve off")
    await steward.sees("approve off")
    steward.say("Write a", by=bob)
    card = await steward.card()
    assert "asked by Bob for “Write a”" in card.text
    copy = await steward.card(at=bob)
    assert "I sent this question to an owner in private." in copy.text
    forged = steward.forge(copy, card.buttons[0][0].data or "", bob)
    assert OWNERS_APPROVE in await steward.refused(forged)
    await steward.recorded()
    await steward.restart()
    steward.press(card, APPROVE)
    await steward.sees("It is written.", at=bob)
    await steward.sees("approved by Ann")
    await steward.sees("approved by Ann", at=bob)
    (made,) = steward.workspace.rglob("a.txt")
    assert f"chats/{steward.account(bob).replace(':', '-')}" in str(made)


@_FLOWS_OWN
async def test_the_first_start_after_the_update_tells_owners_once_about_members_of_before(
    steward: Steward,
) -> None:
    bob = steward.person(77, "Bob")
    await steward.start()
    steward.say(f"/allow {steward.account(bob)}")
    await steward.sees("can use me now.")
    await steward.recorded()
    await steward.kill()
    old = """UPDATE person SET rights = '{"commands":true,"approve":true}' WHERE role = 'member'"""
    with closing(sqlite3.connect(steward.records.path)) as connection, connection:
        connection.execute(old)
    for _ in range(2):
        await steward.start()
        await steward.sees("Now they may only talk")
        await steward.recorded()
        await steward.kill()
    assert len(steward.showing("Now they may only talk")) == 1
    (rights,) = steward.records.rows("SELECT rights FROM person WHERE role = 'member'")
    assert '"approves":"talk"' in str(rights).replace(" ", "")


async def test_a_group_without_its_owner_has_them_asked_in_private(steward: Steward) -> None:
    bob = steward.person(77, "Bob")
    team = steward.team(bob, with_ann=False)
    # Whether an owner is there is asked.
    steward.foreseen.append("Unknown Member")
    write = tool("write_file", {"path": "a.txt", "content": "a"})
    steward.script(calls(write), text("It is written."))
    await steward.start(STEWARD_ALLOWED=steward.account(bob))
    steward.say(f"/rights {bob.id} approve off")
    await steward.sees("approve off")
    steward.call("write a", by=bob, at=team)
    card = await steward.sees("Only an owner can approve this (Ann).")
    assert "Team”.\nasked by Bob for “write a”" in card.text
    steward.press(card, APPROVE)
    await steward.sees("It is written.", at=team)
    (made,) = steward.workspace.rglob("a.txt")
    assert f"chats/{steward.account(team).replace(':', '-')}" in str(made)


async def test_two_owners_who_decide_about_a_stranger_at_once_decide_once(
    steward: Steward,
) -> None:
    bob, cy = steward.person(77, "Bob"), steward.person(43, "Cy")
    owners = ",".join(map(steward.account, (steward.me, cy)))
    await steward.start(STEWARD_OWNERS=owners)
    for owner in (steward.me, cy):
        steward.say("/timezone Lisbon", by=owner)
    await steward.until(lambda: len(steward.screen(cy)) == 1)
    steward.say("Let me in", by=bob)

    def cards() -> list[Any]:
        shown = (*steward.shown, *steward.screen(cy))
        return [one for one in shown if "Ignore: they get no answer" in one.text]

    anns, cys = await steward.until(lambda: cards() if len(cards()) == 2 else None)
    steward.press(anns, "✅ Let in")
    steward.press(cys, "Ignore", cy)
    await steward.until(lambda: not cards())
    told = [steward.shown[-1].text, steward.screen(cy)[-1].text]
    assert told[0] == told[1], "both cards tell the same end"
    await steward.recorded()
    kept = steward.records.rows(
        "SELECT action FROM audit WHERE action IN ('person.allowed', 'person.ignored')"
    )
    assert len(kept) == 1
