"""What people press, and the rules that they gave before."""

from dataclasses import replace
from typing import Any, cast

from bot.adapters.sql.store import Store
from bot.adapters.terminal.update import NAME as TERMINAL
from bot.adapters.terminal.update import address_in
from bot.domain.change import AddRule, Change
from bot.domain.consent.approval import Rule
from bot.domain.talk.message import Address
from bot.domain.talk.person import Sender
from bot.domain.talk.reach import Level
from bot.domain.tools.tool import ExactRule, OriginRule, canonical
from tests.crossings import talked
from tests.crossings.case import MAY_APPROVE, TRUSTED, Case
from tests.crossings.story import Story
from tests.crossings.two_channels import AT_DOOR, IN_PROJECT, PROJECT
from tests.crossings.visits import TAKING
from tests.crossings.wish import ACTS
from tests.fakes.channel import Shown
from tests.scenarios.stage import ANN, BOB
from tests.scenarios.team import EVE

RULES = (
    "rule",
    "rule, then all",
    "yes to rule",
    "owner's rule",
    "member's rule",
    "right taken back",
)


async def agree(story: Story) -> None:
    """Makes the standing rules of the case: exactly the first wish's calls, in one chat."""
    if story.case.consent in RULES:
        await _rule(story)
    if story.case.sight in TRUSTED:
        await _trust(story)
    if story.case.consent in MAY_APPROVE:
        await story.scene.grant(BOB, Level.CHANGES)
    story.visits.before = await story.scene.store.people.by_sender(BOB)


async def _trust(story: Story) -> None:
    """Lets the owner, and nobody else, trust the sites of both pages in the chat of the story."""
    store = story.scene.store
    chat = await store.chats.at(story.at, private=story.case.place != "group")
    owner = await store.people.by_sender(ANN)
    assert owner is not None
    for page in talked.PAGES:
        trusted = OriginRule(page.rstrip("/"))
        rule = Rule(0, owner.id, chat.id, "", trusted, trusted.origin, story.scene.clock.now())
        await store.journal.commit(Change((AddRule(rule),)))


async def _rule(story: Story) -> None:
    store = story.scene.store
    chat = await store.chats.at(_ruled_place(story), private=story.case.place != "group")
    owns = ANN if story.case.consent == "owner's rule" else story.asker
    person = await store.people.by_sender(owns)
    assert person is not None
    for what in story.wishes[0].wanted:
        name = talked.TOOLS.get(ACTS[story.case.act], ACTS[story.case.act])
        given = talked.arguments(ACTS[story.case.act], what)
        exact, now = ExactRule(canonical(given)), story.scene.clock.now()
        rule = Rule(0, person.id, chat.id, name, exact, what, now)
        await store.journal.commit(Change((AddRule(rule),)))


def _ruled_place(story: Story) -> Address:
    """Returns the chat that the rule belongs to.

    A rule that a question names is of another terminal in the same folder. About the home there is
    none, and in a project none that counts by itself: those rules are of another folder.
    """
    match story.case:
        case Case(place="project", consent="yes to rule"):
            return address_in(PROJECT, "local-2")
        case Case(place="door", consent="yes to rule"):
            return IN_PROJECT
        case Case(place="project"):
            return AT_DOOR
        case _:
            return story.at


async def decide(story: Story) -> None:
    """Lets people press as the case has it, until nobody has anything left to press."""
    for _ in range(6):
        before = len(story.presses)
        for shown in story.open_cards():
            known = len(story.presses)
            await _press(story, shown)
            if len(story.presses) > known:
                if story.case.event == "restart after the press":
                    await story.scene.crash()
                await story.rested()
        if story.case.event == "pressed twice":
            for pressed in list(story.presses):
                await story.again(pressed, _presser(story, pressed.by))
                await story.rested()
        if len(story.presses) == before:
            return


def _presser(story: Story, name: str) -> Sender:
    return next(one for one in (ANN, BOB, EVE, story.newcomer) if one.name == name)


async def _press(story: Story, shown: Shown) -> None:
    """Presses as the case has it; a stranger and the asker without a right try it first."""
    current = story.scene.at(shown.address).screen.get(shown.id)
    if current is None or any(one.card == (shown.address, shown.id) for one in story.presses):
        return
    plan = shown.text.startswith("📋")
    await _let_others_press(story, current)
    match story.case.consent:
        case "no" if not plan:
            await story.press(current, "❌", ANN)
        case "press" if not plan:
            await story.press(current, "✅", ANN)
        case "approve all" | "rule, then all" if not plan:
            if not await story.press(current, "✅ Approve all", ANN):
                await story.press(current, "✅", ANN)
        case "yes to rule" if not plan and await _is_covered(story, current):
            story.covered.append(current.text)
            await story.press(current, "✅", ANN)
        case "plan" if plan:
            await story.press(current, "✅ Approve", ANN)
        case "kept call" if "MAKE A TASK" in current.text or "in 20m" in current.text:
            await story.press(current, "✅ Approve", ANN)


async def _let_others_press(story: Story, shown: Shown) -> None:
    if story.case.beside == "pages of all":
        await _visit(story, shown)
    others = [EVE] if story.nobody_may else [EVE, BOB]
    if story.case.who == "newcomer" and not story.nobody_may:
        others.append(story.newcomer)
    for other in () if story.case.at_terminal else others:
        await story.press(shown, "✅", other)


async def _visit(story: Story, shown: Shown) -> None:
    """Lets the member try a card on a page, past what the page refuses, and answer a command."""
    await story.visits.look(story.scene, shown)
    wants = not story.nobody_may and await story.press(shown, "✅", BOB, on_page=True)
    if wants:
        await story.scene.written_as_guest(TAKING, BOB, shown.address, shown.id)
        await story.rested()


async def _is_covered(story: Story, card: Shown) -> bool:
    """Returns whether the rule covers a card that the question of the case names."""
    buttons = [button for row in cast(Any, card.piece.body["buttons"]) for button in row]
    data = next(one["data"] for one in buttons if one["label"].startswith("✅"))
    store, owner = cast(Store, story.scene.store), replace(ANN, channel=TERMINAL)
    return await story.named_rules(store, frozenset(), story.at, owner).cover(data, ["first"])
