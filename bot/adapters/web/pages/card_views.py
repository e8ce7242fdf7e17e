"""Open cards of all chats as the parts of a page that show them."""

import secrets

from bot.adapters.web.rendering.blocks import block_view
from bot.adapters.web.rendering.signs import sign_of
from bot.adapters.web.rendering.views import CardView, KeyView, ReasonView, SignView
from bot.domain.talk.message import Button
from bot.ports.card_page import WaitingCard

_SHORTCUTS = {"Approve": "y", "Deny": "n", "Change…": "c", "Stop the work": "s"}


def card_view(card: WaitingCard) -> CardView:
    """Returns a card with its buttons, each of which names the card and its chat."""
    keys = [button for row in card.buttons for button in row]
    return CardView(
        id=f"card-{card.id}",
        title=card.title,
        icon="plan" if card.plan else "lock",
        open=True,
        sign=SignView(card.left or card.age, "clock", "wait", seconds=card.seconds),
        body=tuple(block_view(block) for block in card.body if block.text),
        reasons=tuple(
            ReasonView(one.name, "", one.told) if one.outside else ReasonView(one.name, one.told)
            for one in card.reasons
        ),
        about=(f"{card.about} {card.age[:1].upper()}{card.age[1:]}.",),
        keys=tuple(_key(button, first=n == 0) for n, button in enumerate(keys)),
        hints=card.hints,
        action="/press",
        # What this rendering sends counts once.
        fields=(
            ("chat", str(card.chat)),
            ("key", card.key),
            ("id", secrets.token_hex(6)),
            ("back", "/cards"),
        ),
        word_action="/word",
    )


def _key(button: Button, *, first: bool) -> KeyView:
    icon, _, _, label = sign_of(button.label)
    stops = label.startswith("Stop")
    return KeyView(
        label,
        icon,
        "main" if first and icon == "check" else "plain" if stops else "half",
        name="data",
        value=button.data,
        shortcut=_SHORTCUTS.get(label, "w" if label.startswith("Always") else ""),
        asks=button.asks,
    )
