"""The parts of a card and its keys: one way for the chat and for all cards in one place."""

from collections.abc import Sequence

from bot.adapters.web.rendering.blocks import block_view
from bot.adapters.web.rendering.signs import sign_of
from bot.adapters.web.rendering.views import (
    BlockView,
    KeyView,
    ReasonView,
    StepsView,
    StepView,
    WordsView,
)
from bot.domain.talk.message import Button, Outbound, Plain
from bot.domain.value import frozen
from bot.ports.turn_page import Reason

_REPLY = "Reply "
"""The beginning of advice for platforms on which people reply to a message."""

_WARNING = "⚠️"
_ABOUT = ("for ", "asked by ")
_LEADS = ("Stop", "Resume", "Undo", "Redo")
"""Keys that ask nothing: what they lead to can also be typed at any time."""

_REFUSES = ("cross", "bin", "stop")
"""Icons of keys that say no: none of them is the main one."""

_APPROVE = "Approve"
_WHAT_RUNS = {
    "lock": "Approve runs exactly this, once.",
    "plan": "Approve runs these steps, and no others.",
}
"""Words about the main key, by the icon of the card."""

_PAUSED = ("Your rule is paused", "No “Always” here")
_SHORTCUTS = {
    **{"Approve": "y", "Deny": "n", "Cancel": "n", "Change…": "c"},
    **{"Stop the work": "s", "Stop": "s", "Try again": "r", "Resume": "r", "Skip": "x"},
}
"""The letters of the terminal, but for `g` and `k`, which lead about on the page."""

_ALWAYS = "Always"
_NO = frozenset({"Deny", "Change…", "Stop the work", "Cancel"})
"""Keys of a card that do not approve it."""


@frozen
class CardParts:
    """The blocks of a card, by what they say."""

    title: str
    icon: str
    body: tuple[BlockView, ...]
    reasons: tuple[ReasonView, ...]
    about: tuple[str, ...]
    hints: tuple[str, ...]

    @classmethod
    def of(cls, content: Outbound) -> "CardParts":
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
        icon, _, _, words = sign_of(title)
        icon, shown = icon or "lock", _with_steps(body)
        if _APPROVE in _labels(content) and icon in _WHAT_RUNS:
            hints.insert(0, _WHAT_RUNS[icon])
        return cls(words, icon, shown, tuple(reasons), tuple(about), tuple(hints))


def reason_views(reasons: Sequence[Reason]) -> tuple[ReasonView, ...]:
    return tuple(
        ReasonView(one.name, "", one.told) if one.outside else ReasonView(one.name, one.told)
        for one in reasons
    )


def asks_somebody(content: Outbound) -> bool:
    """Tells if a card is a question: a key that only stops or resumes the work asks nothing."""
    asks = [label for label in _labels(content) if not label.startswith(_LEADS)]
    return bool(asks) and not content.decided


def asks_owner(content: Outbound) -> bool:
    """Tells if a question can only be refused here: an owner approves it in another chat."""
    labels = {*_labels(content)}
    return asks_somebody(content) and "Change…" in labels and labels <= _NO


def _labels(content: Outbound) -> Sequence[str]:
    """Returns the words of the buttons, without their signs."""
    return [sign_of(button.label)[3] for row in content.buttons for button in row]


def card_keys(content: Outbound, *, press: bool, waits: bool = False) -> tuple[KeyView, ...]:
    """Returns the keys of a card; the first of a question is the main one, unless it says no.

    A card that `waits` among others has keys of the keyboard, even if it asks nothing.
    """
    buttons = [button for row in content.buttons for button in row]
    asks = asks_somebody(content)
    return tuple(
        key_view(button, press=press, asks=asks, first=n == 0, letters=asks or waits)
        for n, button in enumerate(buttons)
    )


def key_view(
    button: Button,
    *,
    press: bool,
    asks: bool = False,
    first: bool = False,
    letters: bool = False,
) -> KeyView:
    """Returns a button as a key; one with `letters` has a key of the keyboard, too."""
    icon, _, _, label = sign_of(button.label)
    shortcut = _SHORTCUTS.get(label, "w" if label.startswith(_ALWAYS) else "")
    main, stops = asks and first and icon not in _REFUSES, label.startswith("Stop")
    return KeyView(
        label,
        icon,
        "main" if main else "plain" if stops else "half" if asks else "",
        name="data",
        value=button.data,
        shortcut=shortcut if letters and press else "",
        off=not press,
        asks=button.asks if press else "",
    )


def _titled(text: str) -> tuple[str, str]:
    first, _, rest = text.partition("\n")
    return first, rest.strip("\n")


def _reason(text: str) -> ReasonView:
    return ReasonView("From outside" if text.startswith(_PAUSED) else "Why", text)


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
