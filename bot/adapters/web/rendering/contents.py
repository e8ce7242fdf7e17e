"""A message of Steward as the parts of a page that show it."""

import re
from collections.abc import Sequence

from bot.adapters.web.rendering.blocks import block_view
from bot.adapters.web.rendering.signs import sign_of
from bot.adapters.web.rendering.times import by_clock
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

_WARNING = "⚠️"
_ABOUT = ("for ", "asked by ")
_LEADS = ("Stop", "Resume", "Undo", "Redo")
"""Keys that ask nothing: what they lead to can also be typed at any time."""

_OTHERS = "Only the person who asked, where that right was given, or an owner can decide this."
_PAUSED = ("Your rule is paused", "No “Always” here")
_LIFE = re.compile(r"No answer in (?P<left>\d+ \w+)")
_SHORTCUTS = {"Approve": "y", "Deny": "n", "Change…": "c", "Stop the work": "s"}
_ALWAYS = "Always"


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
    keys = _keys(content, press=message.press)
    return ContentView(None, blocks, keys, content.kind, content.asks, fields)


def _card(
    message: ShownMessage, content: Outbound, address: str, fields: tuple[tuple[str, str], ...]
) -> CardView:
    parts = _Parts.of(content)
    open_ = _waits_for_somebody(content)
    hints = _timely(parts.hints, message)
    keys = _keys(content, press=message.press, main=open_, shortcuts=open_)
    icon, _, _, title = sign_of(parts.title)
    return CardView(
        id=f"card-{message.id}",
        title=title,
        icon=icon or "lock",
        open=open_,
        sign=_waiting(parts.hints, message) if open_ else None,
        body=_with_steps(parts.body),
        reasons=_told_reasons(message) or parts.reasons,
        about=parts.about,
        keys=keys,
        hints=hints if message.press or not open_ else (*hints, _OTHERS),
        action=f"{address}/press",
        word_action=f"{address}/word",
        fields=fields,
        asks=content.asks if message.press else "",
    )


def _told_reasons(message: ShownMessage) -> tuple[ReasonView, ...]:
    return tuple(
        ReasonView(one.name, "", one.told) if one.outside else ReasonView(one.name, one.told)
        for one in message.reasons
    )


def _waits_for_somebody(content: Outbound) -> bool:
    """Tells if a card is a question: a key that only stops or resumes the work asks nothing."""
    labels = [sign_of(button.label)[3] for row in content.buttons for button in row]
    asks = [label for label in labels if not label.startswith(_LEADS)]
    return bool(asks) and not content.decided


@frozen
class _Parts:
    """The blocks of a card, by what they say."""

    title: str
    body: tuple[BlockView, ...]
    reasons: tuple[ReasonView, ...]
    about: tuple[str, ...]
    hints: tuple[str, ...]

    @classmethod
    def of(cls, content: Outbound) -> "_Parts":
        """Returns the parts: the first words are the title, small ones stand below."""
        title, body, reasons = "", list[BlockView](), list[ReasonView]()
        about, hints = list[str](), list[str]()
        asks = any(button.asks for row in content.buttons for button in row)
        for n, block in enumerate(b for b in content.blocks if b.text):
            text, style = block.text, block.style if isinstance(block, Plain) else None
            if n == 0 and style is not None:
                title, rest = _titled(text)
                body += [WordsView(rest)] if rest else []
            elif style == "" and text.startswith(_WARNING):
                reasons.append(_reason(sign_of(text)[3]))
            elif style == "aside" and text.startswith(_PAUSED):
                reasons.append(_reason(text))
            elif style == "aside" and text.startswith(_ABOUT):
                about.append(f"{text[0].upper()}{text[1:]}")
            elif style == "aside":
                hints += [] if asks and text.startswith(_REPLY) else [text]
            else:
                body.append(block_view(block))
        return cls(title, tuple(body), tuple(reasons), tuple(about), tuple(hints))


def _titled(text: str) -> tuple[str, str]:
    first, _, rest = text.partition("\n")
    return first, rest.strip("\n")


def _reason(text: str) -> ReasonView:
    return ReasonView("From outside" if text.startswith(_PAUSED) else "Why", text)


def _waiting(hints: Sequence[str], message: ShownMessage) -> SignView:
    if not message.press:
        return SignView("Waits for somebody else", "person", "wait")
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


def _keys(
    content: Outbound, *, press: bool, main: bool = False, shortcuts: bool = False
) -> tuple[KeyView, ...]:
    buttons = [button for row in content.buttons for button in row]
    return tuple(
        _key(button, press=press, main=main and n == 0, shortcuts=shortcuts)
        for n, button in enumerate(buttons)
    )


def _key(button: Button, *, press: bool, main: bool, shortcuts: bool) -> KeyView:
    icon, _, _, label = sign_of(button.label)
    shortcut = _SHORTCUTS.get(label, "w" if label.startswith(_ALWAYS) else "")
    stops = label.startswith("Stop")
    return KeyView(
        label,
        icon,
        "main" if main else "plain" if stops else "half" if shortcuts else "",
        name="data",
        value=button.data,
        shortcut=shortcut if shortcuts and press else "",
        off=not press,
        asks=button.asks if press else "",
    )
