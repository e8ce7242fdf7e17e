"""A message of Steward as the parts of a page that show it."""

import re
from collections.abc import Sequence

from bot.adapters.web.rendering.blocks import block_view
from bot.adapters.web.rendering.card_parts import (
    CardParts,
    asks_owner,
    asks_somebody,
    card_keys,
    key_view,
    reason_views,
)
from bot.adapters.web.rendering.times import by_clock
from bot.adapters.web.rendering.views import BlockView, CardView, KeyView, SignView
from bot.adapters.web.shown import ShownMessage
from bot.domain.talk.message import Outbound, OutboundKind
from bot.domain.value import frozen

OWNER_WAITED = "Waits for an owner"
_OTHERS = "Only the person who asked, where that right was given, or an owner can decide this."
_LIFE = re.compile(r"No answer in (?P<left>\d+ \w+)")


@frozen
class ContentView:
    """The shape of a message: a card, or blocks with buttons below them."""

    card: CardView | None
    blocks: tuple[BlockView, ...] = ()
    keys: tuple[KeyView, ...] = ()
    kind: str = OutboundKind.ANSWER
    asks: str = ""
    """A question whose answer is words."""
    fields: tuple[tuple[str, str], ...] = ()
    """The fields that each press carries beside its own value."""


def shown(message: ShownMessage, address: str = "") -> ContentView:
    """Returns what a message shows; `address` is that of its chat, to which a press is sent."""
    content = message.content or Outbound(OutboundKind.NOTICE, ())
    fields = (("message", message.id), ("id", message.once))
    if content.kind is OutboundKind.CARD:
        return ContentView(_card(message, content, address, fields), kind=content.kind)
    blocks = tuple(block_view(b) for b in content.blocks if b.text)
    keys = tuple(key_view(button, press=message.press) for row in content.buttons for button in row)
    return ContentView(None, blocks, keys, content.kind, content.asks, fields)


def _card(
    message: ShownMessage, content: Outbound, address: str, fields: tuple[tuple[str, str], ...]
) -> CardView:
    parts = CardParts.of(content)
    open_ = asks_somebody(content)
    hints = _timely(parts.hints, message)
    return CardView(
        id=f"card-{message.id}",
        title=parts.title,
        icon=parts.icon,
        open=open_,
        sign=_waiting(content, parts.hints, message) if open_ else None,
        body=parts.body,
        reasons=reason_views(message.reasons) or parts.reasons,
        about=parts.about,
        keys=card_keys(content, press=message.press),
        hints=hints if message.press or not open_ else (*hints, _OTHERS),
        action=f"{address}/press",
        word_action=f"{address}/word",
        fields=fields,
        asks=content.asks if message.press else "",
        # A plan that has begun may ask again: then somebody is needed, and that comes first.
        decided="" if open_ else _decided(message),
    )


def _decided(message: ShownMessage) -> str:
    """Returns who decided a card, and when; empty where nobody did."""
    if not message.decided_by or message.decided_at is None:
        return ""
    return f"Decided by {message.decided_by}, {by_clock(message.decided_at)}."


def _waiting(content: Outbound, hints: Sequence[str], message: ShownMessage) -> SignView:
    if not message.press:
        return SignView("Waits for somebody else", "person", "wait")
    if asks_owner(content):
        return SignView(OWNER_WAITED, "person", "wait", until=message.until)
    if message.until is not None:
        return SignView("Waits for you", "clock", "wait", until=message.until)
    left = next((found["left"] for hint in hints if (found := _LIFE.search(hint))), "")
    return SignView(f"Waits for you · {left} left" if left else "Waits for you", "clock", "wait")


def _timely(hints: tuple[str, ...], message: ShownMessage) -> tuple[str, ...]:
    """Returns the hints with the end of the card by the clock: a page may be open for hours."""
    if message.until is None:
        return hints
    ends = f"No answer by {by_clock(message.until)}: it does not run."
    return tuple(ends if _LIFE.search(hint) else hint for hint in hints)
