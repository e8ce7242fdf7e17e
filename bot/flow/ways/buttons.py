"""The buttons below the end of a turn: their data, their words, and the message once they end."""

from collections.abc import Sequence
from enum import StrEnum

from bot.domain.change import Show
from bot.domain.talk.button_data import ButtonCodec
from bot.domain.talk.message import Button, ButtonRows, Outbound, OutboundKind, Plain
from bot.domain.text.visible_text import clipped
from bot.domain.turn.turn import Turn
from bot.domain.value import frozen, replace
from bot.ports.outbox import OutboxRow

_MOST_MODELS = 3
_LONGEST_LABEL = 40
_TWO_IN_A_ROW = 14
"""Characters up to which the labels of choices stand side by side."""


class EndVerb(StrEnum):
    AGAIN = "a"
    ONWARD = "g"
    MODEL = "m"
    CHOICE = "q"
    STOP = "s"
    HALT = "h"


@frozen
class EndButton:
    """The meaning of a button: the wish, the turn, and the model or the number of the choice.

    The wish comes first: the last letter of a card's button data is a key in the terminal.
    """

    verb: EndVerb
    turn: str
    of: str = ""


END_BUTTONS = ButtonCodec("e", EndButton)


def key_of(turn: str) -> str:
    """Returns the outbound key of the last word of a turn."""
    return f"answer:{turn}"


def wait_key(turn: str) -> str:
    """Returns the outbound key of the line that tells of a pause of a turn."""
    return f"wait:{turn}"


def halt_key(turn: str) -> str:
    """Returns the outbound key of the message that offers to stop a long turn."""
    return f"halt:{turn}"


def again(turn: str) -> ButtonRows:
    return ((END_BUTTONS.button("🔁 Try again", EndButton(EndVerb.AGAIN, turn)),),)


def onward(turn: str) -> ButtonRows:
    return ((END_BUTTONS.button("▶️ Go on", EndButton(EndVerb.ONWARD, turn)),),)


def other_models(turn: str, models: Sequence[str]) -> ButtonRows:
    """Returns a row for each model; a name that is too long for a button has none."""
    rows = (
        END_BUTTONS.row(
            f"🔀 Try {clipped(_short(model), _LONGEST_LABEL)}",
            EndButton(EndVerb.MODEL, turn, model),
        )
        for model in models
    )
    return tuple(filter(None, rows))[:_MOST_MODELS]


def choices(turn: str, words: Sequence[str]) -> ButtonRows:
    """Returns the choices of a question, two in a row when they are short."""
    buttons = [
        END_BUTTONS.button(said, EndButton(EndVerb.CHOICE, turn, str(number)))
        for number, said in enumerate(words)
    ]
    width = 2 if all(len(said) <= _TWO_IN_A_ROW for said in words) else 1
    rows = [tuple(buttons[at : at + width]) for at in range(0, len(buttons), width)]
    return tuple(rows)


def stop(turn: str) -> ButtonRows:
    return ((END_BUTTONS.button("⏹ Stop", EndButton(EndVerb.STOP, turn)),),)


def halt(turn: str) -> Button:
    """Returns the same button for a turn that works for long."""
    return END_BUTTONS.button("⏹ Stop", EndButton(EndVerb.HALT, turn))


def rounds_key(turn: str) -> str:
    """Returns the outbound key of the line that tells how many rounds a turn has taken."""
    return f"rounds:{turn}"


def on_screen(row: OutboxRow | None) -> bool:
    """Returns True while a message with buttons stands, or is owed."""
    return row is not None and bool(row.content.buttons)


def gone(row: OutboxRow) -> Show:
    """Takes a message off the screen."""
    return Show(row.key, row.chat, Outbound(OutboundKind.GONE, ()))


def left_over(turn: Turn, message_id: str) -> Show:
    """Takes a message off the screen that has lost its row."""
    key = f"passing:{turn.id}:{message_id}"
    return Show(key, turn.chat, Outbound(OutboundKind.GONE, ()), over=message_id, about=turn.id)


def pressed_in(content: Outbound, data: str) -> Button | None:
    """Returns the button with this data, if the message has it."""
    return next((one for row in content.buttons for one in row if one.data == data), None)


def without_buttons(row: OutboxRow, line: str = "") -> Show:
    """Shows a message without its buttons, and with a line about what was pressed."""
    told = (Plain(line, style="aside"),) if line else ()
    content = replace(row.content, blocks=(*row.content.blocks, *told), buttons=())
    return Show(row.key, row.chat, content)


def _short(model: str) -> str:
    return model.rpartition("/")[2] or model
