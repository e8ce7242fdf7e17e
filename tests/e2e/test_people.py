"""Commands, and who may give them."""

import re

import pytest

from bot.adapters.sql.store import open_store
from bot.domain.person import Role, Sender
from bot.flow.commands.letting_in import LET_IN
from tests.e2e.steward import Steward, results_in
from tests.standins.bot_api import ShownMessage
from tests.standins.messages_api import calls, text, tool
from tests.words import (
    APPROVE,
    BOB_ASKS_IN_TEAM,
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

COMMANDS = {
    "/start": "Hello, Ann.",
    "/threads": "This is for groups",
    "/help": "Just write to me.",
    "/new": "A fresh start.",
    "/stop": NOTHING_TO_STOP,
    "/stop all": NOTHING_TO_STOP,
    "/queue": "Now a message that comes while I am busy waits",
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
    "/compact": "There is nothing to summarise yet.",
    "/allow 77": "telegram:77 can use me now.",
    "/allow ann": "A user name is not enough",
    "/people": "Ann (owner): telegram:42 · may do everything",
    "/rights 77 commands off": "commands off · approve on · tools all · pace off.",
    "/link 77 telegram:78": "telegram:78 is telegram:77 from now on.",
    "/revoke 77": "telegram:77, telegram:78",
    "/activation": "This is for groups: in a private chat ev",
    "/context": "This is for groups: in a private chat ev",
    "/about": "You have not told me about yourself.",
    "/timezone": "You have not told me your time zone.",
    "/long": "Now an answer of more than 12,000 characters",
    "/previews": "Links show no preview",
    "/footer": "My answers have no footer",
    "/verbose": "Tool calls are not shown here",
    "/voice": "No service speaks yet",
    "/schedule": "as in /schedule every weekday 09:00",
    "/tasks": "There are no tasks here.",
    "/goal": "as in /goal Find three flats",
    "/goals": "There are no goals here.",
    "/plan": "With a plan I look around first",
    "/skills": "compare-options: Helps to decide",
    "/skill": "No skill is active.",
    "/staus": "Did you mean /status?",
    "/xyzzyx": "/help shows the commands.",
}


@pytest.mark.telegrams_own
async def test_every_command_answers_and_an_unknown_one_names_the_nearest(
    steward: Steward,
) -> None:
    await steward.start()
    for command, answer in COMMANDS.items():
        seen = len(steward.showing(answer))
        steward.say(command)
        await steward.sees(answer, times=seen + 1)
    for_groups = {"/activation", "/context"}
    for_owners = {"/people", "/allow", "/revoke", "/rights", "/link"}
    every = {command.partition(" ")[0] for command in COMMANDS} - {"/staus", "/xyzzyx"}
    # It is listed where a message can open a thread.
    every -= {"/threads"}
    menus = [{f"/{c['command']}" for c in menu} for menu in steward.telegram.commands.values()]
    assert menus == [every - for_groups - for_owners, every - for_owners, every - for_groups]


@pytest.mark.telegrams_own
async def test_a_stranger_is_told_once_and_a_member_may_talk_but_not_govern(
    steward: Steward,
) -> None:
    bob = steward.telegram.person(77, "Bob")

    def screen() -> list[str]:
        return steward.telegram.screen(bob.id).texts

    steward.script(text("Hello, Bob."))
    await steward.start()
    steward.telegram.say(bob, "Let me in")
    await steward.until(lambda: any("Your number is 77" in line for line in screen()))
    steward.telegram.say(bob, "Please!")
    steward.telegram.say(bob, "/status")
    steward.say("/allow 77")
    await steward.sees("telegram:77 can use me now")
    await steward.until(lambda: LET_IN in screen())
    assert len(screen()) == 5
    steward.telegram.say(bob, "Hello")
    await steward.until(lambda: "Hello, Bob." in screen())
    steward.telegram.say(bob, "/revoke 42")
    await steward.until(lambda: "Only an owner can use /revoke." in screen())
    assert len(steward.model.requests) == 1


@pytest.mark.telegrams_own
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


@pytest.mark.telegrams_own
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


@pytest.mark.telegrams_own
async def test_rights_and_pace_hold_in_the_real_process_and_over_a_restart(
    steward: Steward,
) -> None:
    bob = steward.telegram.person(77, "Bob")

    def screen() -> list[str]:
        return steward.telegram.screen(bob.id).texts

    steward.script(
        calls(tool("run_command", {"command": "touch made"})), text("I may not run commands.")
    )
    await steward.start(STEWARD_ALLOWED="telegram:77", STEWARD_MEMBER_PACE="1/d")
    steward.say("/rights 77 commands off")
    await steward.sees("commands off · approve on · tools all · pace 1/d.")
    steward.telegram.say(bob, "Make it")
    await steward.until(lambda: "I may not run commands." in screen())
    assert "may not run commands" in str(results_in(steward.model.requests[-1]))
    await steward.recorded()
    await steward.restart()
    steward.telegram.say(bob, "And now?")
    await steward.until(lambda: any("1 message a day" in line for line in screen()))
    steward.telegram.say(bob, "/status")
    await steward.until(lambda: any("waiting for your decision: 0" in line for line in screen()))
    assert len(steward.model.requests) == 2


@pytest.mark.telegrams_own
async def test_revoking_takes_the_card_off_the_screen_and_ends_the_turn(steward: Steward) -> None:
    bob = steward.telegram.person(77, "Bob")
    steward.script(calls(tool("write_file", {"path": "a.txt", "content": "a"})))
    await steward.start(STEWARD_ALLOWED="telegram:77")
    steward.telegram.say(bob, "Write")
    card = await steward.until(
        lambda: next((m for m in steward.telegram.screen(77).from_bot if m.buttons), None)
    )
    data = card.buttons[0][0].data or ""
    steward.say("/revoke 77")
    await steward.sees("Bob (telegram:77) can no longer use me. Ended: 1 turn, 1 open card.")
    await steward.until(
        lambda: any("⏹ Stopped" in line for line in steward.telegram.screen(77).texts)
    )
    assert not [m for m in steward.telegram.screen(77).from_bot if m.buttons]
    late = steward.telegram.press(bob, card, data, forged=True)
    assert "Only the one who asked" in await steward.answered(late)
    assert list(steward.workspace.rglob("a.txt")) == []


@pytest.mark.telegrams_own
async def test_an_owner_approves_in_private_what_a_member_may_not_even_after_a_kill(
    steward: Steward,
) -> None:
    bob = steward.telegram.person(77, "Bob")

    def screen() -> list[ShownMessage]:
        return steward.telegram.screen(bob.id).from_bot

    steward.script(
        calls(tool("write_file", {"path": "a.txt", "content": "a"})), text("It is written.")
    )
    await steward.start(STEWARD_ALLOWED="telegram:77")
    steward.say("/rights 77 approve off")
    await steward.sees("approve off")
    steward.telegram.say(bob, "Write a")
    card = await steward.card()
    assert "asked by Bob for “Write a”" in card.text
    copy = await steward.until(lambda: next((m for m in screen() if m.buttons), None))
    assert "An owner is asked" in copy.text
    data = card.buttons[0][0].data or ""
    forged = steward.telegram.press(bob, copy, data, forged=True)
    assert OWNERS_APPROVE in await steward.answered(forged)
    await steward.recorded()
    await steward.restart()
    steward.press(card, APPROVE)
    await steward.until(lambda: any("It is written." in m.text for m in screen()))
    await steward.sees("approved by Ann")
    await steward.until(lambda: any("approved by Ann" in m.text for m in screen()))
    (made,) = steward.workspace.rglob("a.txt")
    assert "chats/telegram-77" in str(made)


@pytest.mark.telegrams_own
async def test_a_group_without_its_owner_has_them_asked_in_private(steward: Steward) -> None:
    telegram = steward.telegram
    bob = telegram.person(77, "Bob")
    team = telegram.group("Team", bob)
    write = tool("write_file", {"path": "a.txt", "content": "a"})
    steward.script(calls(write), text("It is written."))
    await steward.start(STEWARD_ALLOWED="telegram:77")
    steward.say("/rights 77 approve off")
    await steward.sees("approve off")
    telegram.say(bob, "@steward_bot write a", chat=team)
    card = await steward.card()
    assert BOB_ASKS_IN_TEAM in card.text
    steward.press(card, APPROVE)

    def shown() -> list[ShownMessage]:
        return telegram.screen(team.id).from_bot

    await steward.until(lambda: any("It is written." in m.text for m in shown()))
    (made,) = steward.workspace.rglob("a.txt")
    assert f"chats/telegram-{team.id}" in str(made)


@pytest.mark.telegrams_own
async def test_two_owners_who_decide_about_a_stranger_at_once_decide_once(
    steward: Steward,
) -> None:
    telegram = steward.telegram
    bob, cy = telegram.person(77, "Bob"), telegram.person(43, "Cy")
    telegram.private_chat(cy)
    await steward.start(STEWARD_OWNERS="telegram:42,telegram:43")
    for owner in (steward.ann, cy):
        telegram.say(owner, "/timezone Lisbon")
    await steward.until(lambda: len(telegram.screen(cy.id).from_bot) == 1)
    telegram.say(bob, "Let me in")

    def cards() -> list[ShownMessage]:
        shown = (*steward.shown, *telegram.screen(cy.id).from_bot)
        return [one for one in shown if "wants to use me" in one.text and one.buttons]

    anns, cys = await steward.until(lambda: cards() if len(cards()) == 2 else None)
    steward.press(anns, "✅ Let in")
    steward.press(cys, "Ignore", cy)
    await steward.until(lambda: not cards())
    told = [steward.shown[-1].text, telegram.screen(cy.id).from_bot[-1].text]
    assert told[0] == told[1], "both cards tell the same end"
    await steward.recorded()
    kept = steward.records.rows(
        "SELECT action FROM audit WHERE action IN ('person.allowed', 'person.ignored')"
    )
    assert len(kept) == 1
