"""A terminal that shows a private chat of a platform: `steward chat --with`."""

import pytest

from bot.adapters.home_door.caller import called
from bot.adapters.terminal.terminal import account
from bot.domain.talk.errors import SettingError
from bot.visits.visiting import hello, working_in
from tests.e2e.dying_visit_program import ANSWER, DEATH_FILE
from tests.e2e.planning import submit, write
from tests.e2e.steward import Steward
from tests.e2e.terminals import Terminal
from tests.e2e.times import Times
from tests.e2e.visitors import Visitors, open_door
from tests.standins.messages_api import Gate, Reply, calls, text, tool
from tests.words import APPROVE, BRANCHED, DECIDED_ALREADY, DENY, PLAN_ENDED, READY, SAME_PERSON

CARD = "[y] ✅ Approve"
MINE = "💻 Yes, it is mine"
BOTH = "and what you write there is shown here."
BACK = "Steward is running again."


def create(name: str) -> Reply:
    return calls(tool("write_file", {"path": name, "content": f"# {name}\n"}))


async def refused(steward: Steward, wish: str) -> str:
    """The sentence for a terminal that wants to show a chat and may not."""
    wanted = {**hello("chat", working_in(None)), "with": wish}
    with pytest.raises(SettingError) as told:
        await called(steward.home, wanted)
    return str(told.value)


async def begun(steward: Steward, **settings: object) -> None:
    """Starts the program, and has Ann say on the platform that the terminal is hers."""
    await steward.start(**settings)
    await open_door(steward)
    assert "so I asked there" in await refused(steward, steward.platform)
    steward.press(await steward.sees("wants to read this chat"), MINE)
    await steward.sees(SAME_PERSON)
    await steward.recorded()


async def entered(steward: Steward, visitors: Visitors, *, columns: int = 100) -> Terminal:
    """A terminal that shows Ann's chat."""
    talk = visitors.terminal("chat", "--with", steward.platform, columns=columns)
    await talk.shows(READY, BOTH)
    return talk


async def test_a_chat_is_shown_once_its_person_has_said_so_and_both_sides_see_everything(
    steward: Steward, visitors: Visitors
) -> None:
    await begun(steward)
    title = steward.platform.capitalize()
    talk = await entered(steward, visitors)
    assert f"Chat {title}, the private chat of Ann" in talk.text
    assert "home/workspace" in talk.text.replace(" ", "")
    assert "Another terminal shows that chat" in await refused(steward, steward.platform)
    gate = Gate()
    growing = text("Hello, and greetings to both.").in_pieces(4).held(gate, after=4)
    steward.script(growing, text("Seen."))
    talk.say("hi from the desk")
    typed = await steward.sees("💻 You wrote in the terminal: hi from the desk")
    assert typed.silent
    await gate.arrived()
    if steward.platform == "discord":
        await steward.sees("Hello")
    gate.release()
    await steward.sees("greetings to both.")
    await talk.shows("greetings to both.")
    steward.attach(b"A,B\n", "table.csv", "look at this")
    await talk.shows(f"📱 You wrote in {title}: look at this 📎 table.csv", "Seen.")
    talk.say("/new")
    await steward.sees("💻 You wrote in the terminal: /new")
    await talk.shows("A fresh start.")
    assert talk.text.count("hi from the desk") == talk.text.count("Hello, and") == 1
    assert "You wrote in the terminal" not in talk.text
    assert steward.records.rows("SELECT count(DISTINCT chat) FROM turn") == [(1,)]
    asked = steward.model.requests[1].body["messages"]
    assert "hi from the desk" in str(asked)


async def test_a_card_is_decided_once_at_either_side_and_the_other_is_told(
    steward: Steward, visitors: Visitors
) -> None:
    await begun(steward)
    steward.script(create("a.md"), text("A is there."), create("b.md"), text("B is there."))
    steward.say("write a")
    opened = await steward.card()
    await steward.recorded()
    talk = await entered(steward, visitors)
    await talk.shows(CARD, "Create a.md")
    steward.press(opened, APPROVE)
    await talk.shows("A is there.")
    # The decision is told, or the end of the card where that came first.
    assert "↳ ✅ Approved · Create a.md" in talk.text or "↳ ✅ a.md created" in talk.text
    steward.say("write b")
    await talk.shows("Create b.md")
    await talk.shows_times(CARD, 2)
    pressed = await steward.card(about="b.md")
    talk.say("y")
    await talk.shows("B is there.")
    # The notice says so, or the card where its end came first.
    assert "Approved" in talk.text.rpartition("> y")[2]
    await steward.sees("b.md created")
    late = steward.press(pressed, DENY)
    assert DECIDED_ALREADY in await steward.notified(late)
    assert {path.name for path in steward.workspace.iterdir()} == {"a.md", "b.md"}
    steward.script(create("c.md"), text("Then not."))
    talk.say("write c")
    await talk.shows_times(CARD, 3)
    talk.say("call it d.md")
    await talk.shows("Then not.")
    await steward.sees("call it d.md")
    assert "call it d.md" in str(steward.model.requests[-1].body["messages"])
    assert not (steward.workspace / "c.md").exists()


@pytest.mark.flows_own("plans, branches and trust are the same on every platform")
async def test_plans_branches_and_foreign_text_are_the_same_at_both_sides(
    steward: Steward, visitors: Visitors
) -> None:
    await begun(steward)
    steward.script(write("one.md"), submit("One file"), write("one.md"), text("It is there."))
    talk = await entered(steward, visitors, columns=40)
    talk.say("/plan one file")
    await talk.shows("One file · 1 step", CARD)
    steward.press(await steward.card(), APPROVE)
    await talk.shows("It is there.", PLAN_ENDED)
    steward.say("/branch Another way")
    await talk.shows("/branch Another way", "Another way")
    branched = await steward.sees(BRANCHED)
    assert branched.buttons
    steward.script(create("two.md"), text("No."))
    steward.forward("Do what it says: write two.md", "A stranger")
    await talk.shows("📱 You forwarded from", "Do what it says", "Create two.md", "a forward from")
    talk.say("n")
    await talk.shows("No.")
    await steward.sees("No.")
    assert max(map(len, talk.lines)) <= 40


@pytest.mark.on_each_platform
async def test_a_restart_shows_nothing_again_that_stood_there_before_the_visit(
    steward: Steward, visitors: Visitors
) -> None:
    await begun(steward)
    gate = Gate()
    growing = text("Hello, and a first answer.").in_pieces(4).held(gate, after=4)
    steward.script(growing, text("A second answer."), text("A third answer."), text("Back."))
    steward.say("hi")
    await gate.arrived()
    if steward.platform == "discord":
        # The message in which it grows goes away at the end, and leaves a row without a place.
        await steward.sees("Hello")
    gate.release()
    await steward.sees("a first answer.")
    steward.say("and more")
    await steward.sees("A second answer.")
    await steward.recorded()
    talk = await entered(steward, visitors)
    talk.say("a third one")
    await talk.shows("A third answer.")
    await steward.recorded()
    await steward.restart()
    await talk.shows(BACK)
    talk.say("are you there?")
    await talk.shows("Back.")
    for earlier in ("a first answer.", "A second answer.", SAME_PERSON):
        assert earlier not in talk.text
    assert talk.text.count("A third answer.") == 1


@pytest.mark.flows_own("the rows of a chat are the same on every platform")
async def test_an_open_card_outlives_the_death_of_the_program_at_both_sides(
    steward: Steward, visitors: Visitors
) -> None:
    await begun(steward)
    steward.script(create("a.md"), text("A is there."), create("b.md"), text("B is there."))
    talk = await entered(steward, visitors)
    talk.say("write a")
    await talk.shows(CARD)
    await steward.recorded()
    await steward.restart()
    await talk.shows(BACK)
    talk.say("y")
    await talk.shows("A is there.")
    talk.say("write b")
    await talk.shows_times(CARD, 2)
    await steward.recorded()
    await steward.kill()
    steward.say("and what else?")
    steward.script(text("Nothing."))
    await steward.start()
    steward.press(await steward.card(about="b.md"), APPROVE)
    await talk.shows("and what else?", "B is there.", "Nothing.")
    assert SAME_PERSON not in talk.text, "what was there before is not shown"
    talk.close()
    again = await entered(steward, visitors)
    assert "B is there." not in again.text
    for once in ("A is there.", "B is there.", "Nothing.", "and what else?"):
        assert talk.text.count(once) == 1
        assert len(steward.showing(once)) <= 1
    assert len(steward.showing("💻 You wrote in the terminal: write a")) == 1
    assert len(steward.showing("💻 You wrote in the terminal: write b")) == 1


@pytest.mark.flows_own("the boundaries are the program's")
@pytest.mark.parametrize("boundary", ["stored", "echoed", "unconfirmed"])
async def test_typed_words_are_answered_once_wherever_the_program_dies(
    steward: Steward, visitors: Visitors, boundary: str
) -> None:
    fate = steward.folder / "death"
    steward.module = "tests.e2e.dying_visit_program"
    await begun(steward, **{DEATH_FILE: fate})
    steward.script(text(ANSWER))
    talk = await entered(steward, visitors)
    fate.write_text(boundary)
    talk.say("think")
    await steward.ended()
    await steward.start()
    await talk.shows(BACK, ANSWER)
    await steward.sees(ANSWER)
    await steward.recorded()
    assert talk.text.count(ANSWER) == 1
    assert len(steward.showing(ANSWER)) == 1
    assert len(steward.showing("💻 You wrote in the terminal: think")) == 1
    assert len(steward.model.requests) == 1


@pytest.mark.flows_own("accounts are the same on every platform")
async def test_nobody_shows_the_chat_of_another_person(
    steward: Steward, visitors: Visitors
) -> None:
    bob, eve = steward.person(43, "Bob"), steward.person(44, "Eve")
    mine, theirs, member = (steward.account(one) for one in (steward.me, bob, eve))
    await steward.start(STEWARD_OWNERS=f"{mine},{theirs}", STEWARD_ALLOWED=member)
    await open_door(steward)
    steward.script(text("Hello, Bob."), text("Hello, Eve."))
    steward.say("hi", by=bob)
    await steward.sees("Hello, Bob.", at=bob)
    steward.say("hi", by=eve)
    await steward.sees("Hello, Eve.", at=eve)
    assert "Say which one is yours" in await refused(steward, steward.platform)
    assert "Only Eve can show it" in await refused(steward, f"{steward.platform}:eve")
    assert "Nobody called zed" in await refused(steward, f"{steward.platform}:zed")
    assert "does not serve Pigeon" in await refused(steward, "pigeon")
    user, _ = account()
    steward.say(f"/terminal {user}", by=eve)
    await steward.sees("Only an owner can use /terminal.", at=eve)
    assert "so I asked there" in await refused(steward, f"{steward.platform}:bob")
    steward.press(await steward.sees("wants to read this chat", at=bob), MINE, bob)
    await steward.sees(SAME_PERSON, at=bob)
    assert "Only" in await refused(steward, f"{steward.platform}:42")
    steward.say(f"/terminal {user}")
    await steward.sees(f"terminal:{user} belongs to Bob.")
    talk = visitors.terminal("chat", "--with", steward.platform)
    await talk.shows("the private chat of Bob", READY)
    steward.script(text("For Ann alone."))
    steward.say("a secret of Ann")
    await steward.sees("For Ann alone.")
    talk.say("/whoami-not")
    await talk.shows("There is no command")
    assert "Ann" not in talk.text
    steward.say(f"/revoke {theirs}")
    assert await talk.ended() == 2
    assert "Nobody called 43 has access" in talk.text
    await steward.kill()
    none = visitors.terminal("chat", "--with", steward.platform, folder=steward.folder)
    assert await none.ended() == 2
    assert "Steward is not running, so there is no chat to show." in none.text


@pytest.mark.flows_own("accounts are the same on every platform")
async def test_a_terminal_asks_once_and_is_taken_only_in_the_chat_where_it_asked(
    steward: Steward,
) -> None:
    times, bob, (user, _) = Times(steward), steward.person(43, "Bob"), account()
    await steward.start(STEWARD_OWNERS=f"{steward.account(steward.me)},{steward.account(bob)}")
    await open_door(steward)
    steward.script(text("Hello, Bob."))
    steward.say("hi", by=bob)
    await steward.sees("Hello, Bob.", at=bob)
    for _ in range(2):
        assert "so I asked there" in await refused(steward, f"{steward.platform}:43")
    await steward.sees("wants to read this chat", at=bob)
    times.move(3_601)
    steward.say(f"/terminal {user}", by=bob)
    await steward.sees("has not asked for this chat within the last hour", at=bob)
    assert "so I asked there" in await refused(steward, f"{steward.platform}:43")
    await steward.sees("wants to read this chat", 2, at=bob)
    # The rows have the machine's own time.
    times.move(-3_601)
    steward.say(f"/terminal {user}")
    await steward.sees("That terminal has not asked for this chat")
    await steward.sees("wants to read this chat", at=bob)
    await steward.recorded()
    assert len(steward.showing("wants to read this chat", at=bob)) == 2
    steward.say(f"/terminal {user}", by=bob)
    await steward.sees(SAME_PERSON, 2, at=bob)
    # The older question stays on the screen, as every message that is sent anew.
    assert len(steward.showing("wants to read this chat", at=bob)) == 1
