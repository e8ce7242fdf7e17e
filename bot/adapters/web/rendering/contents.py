"""A message of Steward as the parts of a page that show it."""

import re
from collections.abc import Sequence

from bot.adapters.web.rendering.blocks import block_view
from bot.adapters.web.rendering.signs import sign_of
from bot.adapters.web.rendering.views import (
    BlockView,
    CardView,
    KeyView,
    ReasonView,
    SignView,
    StepsView,
    StepView,
    WordsView,
)
from bot.adapters.web.shown import ShownMessage
from bot.domain.talk.message import Button, Outbound, OutboundKind, Plain
from bot.domain.value import frozen

_REPLY = "Reply "
"""The beginning of advice for platforms on which people reply to a message."""

_PAUSED = ("Your rule is paused", "No “Always” here")
_LIFE = re.compile(r"No answer in (?P<left>\d+ \w+)")
_SHORTCUTS = {"Approve": "y", "Deny": "n", "Change…": "c", "Stop the work": "s"}
_ALWAYS = "Always"


@frozen
class ContentView:
    """What a message shows: a card, or blocks with buttons below them."""

    card: CardView | None
    blocks: tuple[BlockView, ...] = ()
    keys: tuple[KeyView, ...] = ()
    kind: str = OutboundKind.ANSWER


def shown(message: ShownMessage, address: str = "") -> ContentView:
    """Returns what a message shows; `address` is that of its chat, to which a press is sent."""
    content = message.content
    if content.kind is OutboundKind.CARD:
        return ContentView(_card(message, address), kind=content.kind)
    blocks = tuple(block_view(b) for b in content.blocks if b.text)
    return ContentView(None, blocks, _keys(content, open_=False), content.kind)


def _card(message: ShownMessage, address: str) -> CardView:
    content, open_ = message.content, message.open
    title, body, reasons = "", list[BlockView](), list[ReasonView]()
    about, hints = list[str](), list[str]()
    asks = any(button.asks for row in content.buttons for button in row)
    for n, block in enumerate(b for b in content.blocks if b.text):
        text, style = block.text, block.style if isinstance(block, Plain) else None
        if n == 0 and style is not None:
            title, rest = _titled(text)
            body += [WordsView(rest)] if rest else []
        elif style == "" and text.startswith("⚠️"):
            reasons.append(_reason(sign_of(text)[3]))
        elif style == "aside" and text.startswith(_PAUSED):
            reasons.append(_reason(text))
        elif style == "aside" and not (asks and text.startswith(_REPLY)):
            (about if text.startswith(("for ", "asked by ")) else hints).append(text)
        elif style != "aside":
            body.append(block_view(block))
    icon, _, _, title = sign_of(title)
    sign = _waits(hints) if open_ else None
    return CardView(
        id=f"card-{message.id}",
        title=title,
        icon=icon or "lock",
        open=open_,
        sign=sign,
        body=_with_steps(body),
        reasons=tuple(reasons),
        about=tuple(f"{line[0].upper()}{line[1:]}" for line in about),
        keys=_keys(content, open_=open_),
        hints=tuple(hints),
        action=f"{address}/press",
        word_action=f"{address}/word",
        fields=(("message", message.name),),
    )


def _titled(text: str) -> tuple[str, str]:
    first, _, rest = text.partition("\n")
    return first, rest.strip("\n")


def _reason(text: str) -> ReasonView:
    return ReasonView("From outside" if text.startswith(_PAUSED) else "Why", text)


def _waits(hints: Sequence[str]) -> SignView:
    left = next((found["left"] for hint in hints if (found := _LIFE.search(hint))), "")
    told = f"Waits for you · {left} left" if left else "Waits for you"
    return SignView(told, "clock", "wait")


def _with_steps(blocks: Sequence[BlockView]) -> tuple[BlockView, ...]:
    """Returns the blocks with lines that begin with the sign of a step put together."""
    made, steps = list[BlockView](), list[StepView]()
    for block in blocks:
        line = block.text if isinstance(block, WordsView) and block.style == "line" else ""
        icon, meaning, word, text = sign_of(line)
        if icon:
            steps.append(StepView(text, word, icon, meaning))
            continue
        made += [StepsView(tuple(steps))] if steps else []
        steps = []
        made.append(block)
    return (*made, *([StepsView(tuple(steps))] if steps else ()))


def _keys(content: Outbound, *, open_: bool) -> tuple[KeyView, ...]:
    main = content.kind is OutboundKind.CARD
    keys = list[KeyView]()
    for row in content.buttons:
        for button in row:
            keys.append(_key(button, open_=open_, main=main and not keys))
    return tuple(keys)


def _key(button: Button, *, open_: bool, main: bool) -> KeyView:
    icon, _, _, label = sign_of(button.label)
    shortcut = _SHORTCUTS.get(label, "w" if label.startswith(_ALWAYS) else "")
    stops = label.startswith("Stop")
    return KeyView(
        label,
        icon,
        "main" if main and open_ else "plain" if stops else "half" if open_ else "",
        name="data",
        value=button.data,
        shortcut=shortcut if open_ else "",
        asks=button.asks,
    )
