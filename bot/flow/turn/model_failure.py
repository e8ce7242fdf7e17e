"""The end of a turn by a fault of its model, and its words: what happened, and what helps."""

from bot.domain.clock.span import lasting
from bot.domain.money.trouble import ModelTrouble, Trouble
from bot.domain.talk.errors import ModelError
from bot.domain.text.markdown import inline_code
from bot.domain.text.visible_text import clipped
from bot.domain.turn.outcome import StopReason
from bot.domain.turn.step import Finish
from bot.domain.value import replace

_LONGEST_STREAMED = 3_000

_HAPPENED = {
    Trouble.KEY: "The model's provider refused the API key.",
    Trouble.PERMISSION: "The model's provider does not allow this account to use {model}.",
    Trouble.CREDIT: "The account at the model's provider has no credit left.",
    Trouble.MODEL: "There is no model {model} at its provider.",
    Trouble.RATE: "The model's provider accepts no more requests for now.{pause}",
    Trouble.OVERLOADED: "The model is overloaded and did not answer.{pause}",
    Trouble.DOWN: "The model's provider has a fault and gave no answer.{pause}",
    Trouble.CONNECTION: "The connection to the model broke, several times.",
    Trouble.EMPTY: "The model gave an empty answer each time that I asked.",
    Trouble.TOO_LONG: "This conversation is too long for the model, even shortened.",
    Trouble.FORM: "The model's provider does not accept this conversation.",
    Trouble.OTHER: "The model answered in a way that I cannot use.",
}

_HELPS = {
    Trouble.KEY: (
        "Run `steward setup`, give it a valid key ({setting}), and restart me. Then try again.",
        "The owner must set a valid key. Then try again.",
    ),
    Trouble.PERMISSION: (
        "Allow it in the provider's console, or choose another model with /model.",
        "The owner must allow it. /model chooses another model.",
    ),
    Trouble.CREDIT: (
        "Add credit in the provider's console, then try again.",
        "The owner must add credit. Then try again.",
    ),
    Trouble.MODEL: (
        "Choose another one with /model, or set STEWARD_MODEL to one.",
        "Choose another one with /model, or tell the owner.",
    ),
    Trouble.RATE: ("Try again {later}.", "Try again {later}."),
    Trouble.OVERLOADED: ("Try again {later}.", "Try again {later}."),
    Trouble.DOWN: ("Try again {later}.", "Try again {later}."),
    Trouble.CONNECTION: (
        "Try again. If it happens again, `steward doctor` finds out why.",
        "Try again. If it happens again, tell the owner.",
    ),
    Trouble.EMPTY: ("Try again, or put it differently.", "Try again, or put it differently."),
    Trouble.TOO_LONG: ("/new begins a new conversation.", "/new begins a new conversation."),
    Trouble.FORM: (
        "/new begins a new conversation. The program's log has the details.",
        "/new begins a new conversation.",
    ),
    Trouble.OTHER: (
        "Try again in a while. The program's log has the details.",
        "Try again in a while.",
    ),
}


def failed(fault: ModelError, model: str, *, hidden: bool = False) -> Finish:
    """Returns the end by a fault of this model; `hidden` when nobody saw its text."""
    setting = getattr(fault, "setting", "")
    wait = getattr(fault, "retry_after", None)
    streamed = "" if hidden else fault.streamed
    trouble = ModelTrouble(fault.trouble, model, setting, wait, streamed)
    return Finish(StopReason.MODEL_FAILURE, str(fault), trouble=trouble)


def after(first: ModelTrouble | None, ending: Finish) -> Finish:
    """Returns the end by the trouble of the first model, which names those that failed since."""
    if first is None or ending.trouble is None:
        return ending
    others = dict.fromkeys((*first.others, ending.trouble.model))
    return replace(ending, trouble=replace(first, others=tuple(others)))


def words_of(trouble: ModelTrouble, *, owner: bool) -> tuple[str, str]:
    """Returns what happened and what helps, for an owner or for a member."""
    for_owner, for_member = _HELPS[trouble.kind]
    wait = "" if trouble.wait is None else lasting(trouble.wait)
    values = {
        "model": inline_code(trouble.model) or "this model",
        "setting": trouble.setting or "the API key",
        "pause": f" It asks for a pause of {wait}." if wait else "",
        "later": f"in {wait}" if wait else "in a few minutes",
    }
    helps = for_owner if owner else for_member
    return _HAPPENED[trouble.kind].format(**values), helps.format(**values)


def others_told(trouble: ModelTrouble) -> str:
    """Returns a sentence about the models that could not take over; empty when none was asked."""
    named = " and ".join(inline_code(model) for model in trouble.others)
    return f"{named} could not take over." if named else ""


def streamed(trouble: ModelTrouble) -> str:
    """Returns the text that people had seen before the reply was cut, as a quote."""
    text = trouble.streamed.strip()
    if not text:
        return ""
    quoted = "\n".join(f"> {line}" for line in clipped(text, _LONGEST_STREAMED).split("\n"))
    return f"Until then the model had written:\n\n{quoted}"
