"""The keys of cards and plans, and what they do: in the chat, and in the list of all of them."""

from bot.adapters.web.pages.card_views import card_view
from bot.adapters.web.rendering.card_parts import CardParts, card_keys
from bot.adapters.web.rendering.views import KeyView
from bot.domain.plans.plan import Plan, PlanState
from bot.domain.talk.message import Button, ButtonRows, Outbound, OutboundKind, Plain
from bot.flow.plans.cards import card
from bot.ports.card_page import WaitingCard
from tests.domain.logs import call
from tests.domain.plans import a_plan


def letters(keys: tuple[KeyView, ...]) -> list[tuple[str, str]]:
    return [(key.label, key.shortcut) for key in keys]


def listed(plan: Plan) -> tuple[KeyView, ...]:
    """Returns the keys of a plan in the list of cards."""
    content = card(plan, plan.chat)
    title = content.blocks[0].text
    waiting = WaitingCard(
        plan.id, 1, "plan:1", title, content.blocks[1:], "", (), content.buttons, "old", "", ()
    )
    return card_view(waiting).keys


def in_chat(content: Outbound) -> list[tuple[str, str]]:
    return letters(card_keys(content, press=True))


def test_a_plan_has_the_same_keys_in_its_chat_and_in_the_list() -> None:
    plan = a_plan(call("c1", "write"), state=PlanState.READY)
    keys = [("Approve", "y"), ("Change…", "c"), ("Cancel", "n")]
    assert letters(listed(plan)) == keys
    assert in_chat(card(plan, plan.chat)) == keys


def test_a_plan_that_only_waits_to_go_on_has_keys_in_the_list_alone() -> None:
    plan = a_plan(call("c1", "write"), state=PlanState.EXECUTING)
    assert letters(listed(plan)) == [("Resume", "r"), ("Stop", "s")]
    assert in_chat(card(plan, plan.chat)) == [("Resume", ""), ("Stop", "")]


def test_what_cannot_be_pressed_has_no_key() -> None:
    plan = a_plan(call("c1", "write"), state=PlanState.READY)
    keys = card_keys(card(plan, plan.chat), press=False, waits=True)
    assert [key.shortcut for key in keys] == ["", "", ""]
    assert all(key.off for key in keys)


APPROVE = Button("✅ Approve", "a:1:y")
GO_ON = Button("▶️ Go on", "a:1:y")
DENY = Button("❌ Deny", "a:1:n")


def hints(title: str, buttons: ButtonRows) -> tuple[str, ...]:
    return CardParts.of(Outbound(OutboundKind.CARD, (Plain(title, style="title"),), buttons)).hints


def test_a_card_and_a_plan_say_what_approving_them_does() -> None:
    assert hints("🔐 Run ls", ((APPROVE, DENY),)) == ("Approve runs exactly this, once.",)
    plan = card(a_plan(call("c1", "write"), state=PlanState.READY), 1)
    assert "Approve runs these steps, and no others." in CardParts.of(plan).hints


def test_a_card_that_cannot_be_approved_here_does_not_say_what_that_would_do() -> None:
    assert hints("🔐 Run ls", ((DENY,),)) == ()
    assert hints("🔁 It ran three times", ((GO_ON, DENY),)) == ()
    assert hints("✅ Ran ls", ()) == ()
