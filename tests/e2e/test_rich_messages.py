"""Answers with tables and formulas, on servers that have rich messages and on older ones."""

import pytest

from tests.e2e.steward import Steward, words_in
from tests.standins.bot_api.methods import RICH
from tests.standins.messages_api import Gate, calls, text, tool

pytestmark = pytest.mark.telegrams_own("rich messages")

PRICES = "## Prices\n\n| Drink | Price |\n|---|--:|\n| Tea | 2 |\n\nThe mean is $\\frac{2}{1}$."
TOLD = "Prices\nDrink | Price\nTea | 2\nThe mean is \\frac{2}{1}."
OLDER = "Tea        2"
WISH = "Which of these?\n\n- [ ] milk\n- [x] bread"
ASKS = calls(
    tool("send_message", {"message": WISH, "is_question": True, "choices": ["Milk", "Bread"]})
)


@pytest.fixture
def rich(steward: Steward) -> Steward:
    steward.telegram.rich = True
    return steward


async def test_an_answer_with_a_table_grows_as_one_and_stands_as_one(rich: Steward) -> None:
    writing = Gate()
    rich.script(text(PRICES).in_pieces(6).held(writing, after=7), text("It is tea."))
    await rich.start()
    rich.say("What does tea cost?")
    draft = await rich.until(lambda: rich.telegram.screen(rich.ann.id).drafts)
    assert draft[-1].rich is not None
    writing.release()
    shown = await rich.sees("Tea | 2")
    assert shown.text == TOLD
    assert shown.rich is not None
    assert shown.rich.kinds[:2] == ("h2", "table")
    assert rich.telegram.screen(rich.ann.id).drafts == ()
    assert rich.telegram.calls_of("sendMessage") == []
    rich.say("Which drink is that?", reply_to=shown)
    await rich.sees("It is tea.")
    read = words_in(rich.model.requests[-1])
    assert "Tea | 2" in read
    assert "Which drink is that?" in read


async def test_a_choice_is_pressed_below_a_rich_question_and_any_other_words_answer_it_too(
    rich: Steward,
) -> None:
    rich.script(ASKS, text("Milk it is."), ASKS, text("Eggs, then."))
    await rich.start()
    rich.say("Shopping")
    asked = await rich.sees("Which of these?")
    assert asked.labels == ["Milk", "Bread"]
    assert asked.rich is not None
    await rich.recorded()
    await rich.restart()
    rich.press(asked, "Milk")
    await rich.sees("Milk it is.")
    told = await rich.until(lambda: rich.showing("✓ Milk"))
    assert (told[0].id, told[0].labels) == (asked.id, [])
    assert told[0].rich is not None
    assert "☑ bread" in told[0].text
    rich.say("Again")
    again = await rich.sees("Which of these?", times=2)
    rich.say("Eggs")
    await rich.sees("Eggs, then.")
    await rich.until(lambda: not [one for one in rich.shown if one.labels])
    assert next(one for one in rich.shown if one.id == again.id).rich is not None


async def test_a_message_keeps_its_form_when_the_server_learns_a_new_one(
    steward: Steward,
) -> None:
    steward.script(ASKS, text("Milk it is."), text(PRICES))
    await steward.start()
    steward.say("Shopping")
    asked = await steward.sees("Which of these?")
    await steward.recorded()
    await steward.kill()
    steward.telegram.rich = True
    await steward.start()
    steward.press(asked, "Milk")
    await steward.sees("Milk it is.")
    [told] = await steward.until(lambda: steward.showing("✓ Milk"))
    assert (told.id, told.rich, told.labels) == (asked.id, None, [])
    steward.say("What does tea cost?")
    assert (await steward.sees("Tea | 2")).rich is not None


@pytest.mark.parametrize("after_work", [False, True], ids=["before", "after"])
async def test_killed_between_the_try_and_the_older_form_an_answer_is_shown_once(
    steward: Steward, *, after_work: bool
) -> None:
    sending = steward.telegram.hold("sendMessage", after_work=after_work)
    steward.script(text(PRICES), text(f"Once more.\n\n{PRICES}"))
    await steward.start()
    steward.say("What does tea cost?")
    await sending.arrived()
    assert len(steward.telegram.calls_of(*RICH)) == 1
    await steward.restart()
    await steward.sees(OLDER)
    await steward.recorded()
    assert len(steward.shown) == 1
    # The new life goes on with the stored form; where a draft was the try, none was stored.
    assert len(steward.telegram.calls_of("sendRichMessage")) == 1
    steward.say("And again?")
    await steward.sees("Once more.")
    # A life tries once; on a slow machine a draft may be on its way beside the message.
    assert len(steward.telegram.calls_of("sendRichMessage")) <= 2
    assert len(steward.telegram.calls_of(*RICH)) <= 3


async def test_a_refused_answer_comes_in_the_older_form_also_after_a_kill(rich: Steward) -> None:
    rich.foreseen.append("RICH_MESSAGE_EMAIL_INVALID")
    rich.telegram.fail_next("sendRichMessage", 400, "Bad Request: RICH_MESSAGE_EMAIL_INVALID")
    sending = rich.telegram.hold("sendMessage")
    rich.script(text(PRICES), text(PRICES))
    await rich.start()
    rich.say("What does tea cost?")
    await sending.arrived()
    await rich.restart()
    await rich.sees(OLDER)
    assert len(rich.telegram.calls_of("sendRichMessage")) == 1
    rich.say("Again?")
    assert (await rich.sees("Tea | 2")).rich is not None
    assert len(rich.shown) == 2


async def test_a_long_answer_is_one_message_and_none_is_rich_where_nobody_wants_it(
    rich: Steward,
) -> None:
    long = "\n\n".join(f"Paragraph {n}: " + "words " * 100 for n in range(15))
    rich.script(text(long), text(PRICES))
    await rich.start()
    rich.say("Tell me much")
    await rich.sees("Paragraph 14")
    assert len(rich.shown) == 1
    await rich.recorded()
    await rich.kill()
    await rich.start(TELEGRAM_RICH_MESSAGES="false")
    rich.say("What does tea cost?")
    assert (await rich.sees(OLDER)).rich is None
