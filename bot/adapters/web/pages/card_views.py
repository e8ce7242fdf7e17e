"""Open cards of all chats as the parts of a page that show them."""

import secrets

from bot.adapters.web.rendering.card_parts import CardParts, asks_owner, card_keys, reason_views
from bot.adapters.web.rendering.contents import OWNER_WAITED
from bot.adapters.web.rendering.views import CardView, SignView
from bot.domain.talk.message import Outbound, OutboundKind, Plain
from bot.ports.card_page import WaitingCard


def card_view(card: WaitingCard) -> CardView:
    """Returns a card as its chat shows it; each button names the card and its chat."""
    blocks = (Plain(card.title, style="title"), *card.body)
    content = Outbound(OutboundKind.CARD, blocks, card.buttons)
    parts = CardParts.of(content)
    waits = SignView(card.left or card.age, "clock", "wait", seconds=card.seconds)
    return CardView(
        id=f"card-{card.id}",
        title=parts.title,
        icon=parts.icon,
        open=True,
        sign=SignView(OWNER_WAITED, "person", "wait") if asks_owner(content) else waits,
        body=parts.body,
        reasons=(*reason_views(card.reasons), *parts.reasons),
        about=(f"{card.about} {card.age[:1].upper()}{card.age[1:]}.",),
        keys=card_keys(content, press=True, waits=True),
        hints=(*parts.hints, *card.hints),
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
