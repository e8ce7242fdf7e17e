"""The card of a turn that rests: why, until when, and the two buttons."""

from datetime import timedelta
from enum import StrEnum

from bot.domain.change import Show
from bot.domain.talk.button_data import ButtonCodec
from bot.domain.talk.message import ButtonRows, Call, Outbound, OutboundKind, Plain
from bot.domain.text.names import brief_name
from bot.domain.text.visible_text import clipped
from bot.domain.turn.turn import Turn
from bot.domain.value import frozen

_LONGEST_REASON = 160


class RestVerb(StrEnum):
    TRY = "t"
    GIVE_UP = "g"


@frozen
class RestButton:
    """The meaning of a button: the turn, its rest that the card shows, and the wish."""

    turn: str
    rest: int
    verb: RestVerb


REST_BUTTONS = ButtonCodec("w", RestButton)


def key_of(turn: str) -> str:
    """Returns the outbound key of a turn's card."""
    return f"rest:{turn}"


def shown_resting(turn: Turn, purpose: str, done: int, pause: timedelta) -> Show:
    """The card at the beginning of a rest."""
    named = _named(purpose)
    failed = f"I failed {turn.attempts} times at {named}." if named else "I failed several times."
    then = f"I try again in {_minutes(pause)}. Your other messages are answered meanwhile."
    return _shown(turn, f"⏸ {failed} {_kept(done)}\n{then}", _buttons(turn))


def shown_unserved(
    turn: Turn, purpose: str, done: int, pause: timedelta, why: str, *, sooner: bool = False
) -> Show:
    """The card of a turn that no model could serve; `why` are the words of the last fault.

    It is tried again `sooner` than the provider asked for.
    """
    named = _named(purpose)
    lost = "nothing is lost" if done else "nothing is lost or changed"
    about = f" {named} waits; {lost}." if named else f" {lost.capitalize()}."
    about = f"{about} {_kept(done)}" if done else about
    told = clipped(" ".join(why.split()), _LONGEST_REASON)
    hope = ", as it may answer sooner" if sooner else ""
    then = f"I try again in {_minutes(pause)}{hope}."
    return _shown(turn, f"⏸ {told}{about}\n{then}", _buttons(turn))


def shown_after(turn: Turn) -> Show:
    """The card once the rest is over, without buttons."""
    text = "⏹ Given up." if turn.stop_asked is not None else "🔁 Trying again."
    return _shown(turn, text)


def _named(purpose: str) -> str:
    return brief_name(purpose) if purpose.strip() else ""


def _kept(done: int) -> str:
    if not done:
        return "Nothing was changed."
    return (
        f"{done} calls done so far stay done." if done > 1 else "The call done so far stays done."
    )


def _buttons(turn: Turn) -> ButtonRows:
    return (
        (
            REST_BUTTONS.button("🔁 Try now", RestButton(turn.id, turn.rests, RestVerb.TRY)),
            REST_BUTTONS.button("⏹ Give up", RestButton(turn.id, turn.rests, RestVerb.GIVE_UP)),
        ),
    )


def _shown(turn: Turn, text: str, buttons: ButtonRows = ()) -> Show:
    content = Outbound(OutboundKind.CARD, (Plain(text),), buttons)
    call = Call.NEEDS if buttons else Call.NONE
    return Show(key_of(turn.id), turn.chat, content, about=turn.id, call=call)


def _minutes(pause: timedelta) -> str:
    minutes = pause.total_seconds() / 60
    return "1 minute" if minutes == 1 else f"{minutes:.3g} minutes"
