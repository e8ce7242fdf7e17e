"""The real process before a Bot API that counts: nobody is refused for sending too much."""

import pytest

from tests.e2e.errand import Errand
from tests.e2e.steward import Steward
from tests.standins.bot_api import BotApi, Rates
from tests.standins.messages_api import calls, text, tool
from tests.words import APPROVE

pytestmark = pytest.mark.alone

_PEOPLE = range(1000, 1099)


@pytest.mark.telegrams_own("its rates of sending")
async def test_a_hundred_chats_are_answered_without_one_refusal(steward: Steward) -> None:
    telegram = steward.telegram
    telegram.rates = Rates()
    people = [steward.ann, *(telegram.person(number) for number in _PEOPLE)]
    steward.script(*[text("An answer.")] * len(people))
    allowed = ",".join(f"telegram:{number}" for number in _PEOPLE)
    await steward.start(STEWARD_ALLOWED=allowed, STEWARD_SEND_RATES="chat=1,group=20/min,all=30")
    for person in people:
        telegram.private_chat(person)
        telegram.say(person, "Hello")
    await steward.until(
        lambda: all(
            [message.text for message in telegram.screen(person.id).from_bot] == ["An answer."]
            for person in people
        ),
    )
    assert telegram.floods == 0


_REAL_RATES = "chat=1,group=20/min,all=30"
_SIGNS = ("sendMessageDraft", "sendChatAction")


@pytest.mark.telegrams_own("its rates of sending")
@pytest.mark.commands
async def test_a_turn_grows_asks_and_answers_under_the_real_rates_without_one_refusal(
    steward: Steward,
) -> None:
    telegram, why = steward.telegram, "I run your errand, since you asked for it."
    telegram.rates = Rates()
    with Errand(steward.workspace) as errand:
        run = calls(tool("run_command", {"command": errand.command}))
        steward.script(
            (text("I look first.") + calls(tool("list_files", {}))).in_pieces(8, pause=0.1),
            (text(why) + run).in_pieces(8, pause=0.1),
            text("It ran."),
        )
        await steward.start(STEWARD_SEND_RATES=_REAL_RATES)
        steward.say("/footer on")
        await steward.sees("From now on a small line")
        steward.say("Run my errand")
        card = await steward.card()
        above = telegram.screen(steward.ann.id).from_bot[-2]
        assert (above.text, above.id < card.id) == (f"I look first.\n\n{why}", True)
        since = len(telegram.calls)
        steward.press(card, APPROVE)
        await errand.begun()
        await steward.until(lambda: any("⏳ Run echo" in draft for draft in _drafts(telegram)))
        # Typing comes at once; the draft waits until the card and its edit no longer count.
        signs = [c.method for c in telegram.calls[since:] if c.method in _SIGNS]
        assert signs[0] == "sendChatAction"
        errand.release()
        answer = await steward.sees("It ran.")
    assert telegram.floods == 0
    assert why not in answer.text
    assert answer.text.startswith("It ran.\n\n2 tool calls · ")
    drafts = _drafts(telegram)
    assert any(draft.startswith("I look first.") for draft in drafts)
    together = [d for d in drafts if "I look first." in d and "✓ List the workspace" in d]
    assert any(why[:10] in draft for draft in together), "the text of a turn grows"


def _drafts(telegram: BotApi) -> list[str]:
    return [str(call.params["text"]) for call in telegram.calls_of("sendMessageDraft")]
