"""The steps of a turn: one value says what happens next, and why."""

from typing import TypeAlias

from bot.domain.money.trouble import ModelTrouble
from bot.domain.tools.tool import Code, Effect, Preview, Status, ToolCall, Warrant
from bot.domain.turn.outcome import StopReason
from bot.domain.value import frozen


@frozen
class Run:
    """The call may run now; `preview` tells what it will do, where one was prepared.

    `allowed` says in words that a standing rule lets it run, as “as your rule for a/ allows”.
    """

    effect: Effect
    preview: Preview | None = None
    allowed: str = ""
    warrant: Warrant = Warrant.READS
    rule: int = 0
    """The number of that rule; 0 without one."""


@frozen
class AskFirst:
    """The call needs a person's decision; with `repeat` the card asks if the turn may continue.

    `owner_chats` show the card when nobody in the chat itself may approve.
    """

    preview: Preview
    repeat: bool = False
    owner_chats: tuple[int, ...] = ()


@frozen
class Refuse:
    """The call does not run; this is its result."""

    status: Status
    code: Code
    text: str


OUTCOME_UNKNOWN = Refuse(
    Status.FAILED,
    Code.OUTCOME_UNKNOWN,
    "The call was interrupted while it ran. It may have happened, wholly, in part or not at all. "
    "Look before you repeat it.",
)
"""The answer to a call that had begun and whose end is unknown."""


@frozen
class Elsewhere:
    """The call is an errand: its result comes from another turn; `begun` once it was sent out."""

    begun: bool


Gate: TypeAlias = Run | AskFirst | Refuse | Elsewhere


@frozen
class CallModel:
    """Ask the model; `nudge` after an empty reply, `written` after a call that was only text."""

    why: str
    nudge: bool = False
    written: str = ""
    """The tool that the model called in its text, where nothing runs."""


@frozen
class RunTools:
    """Close these calls with synthetic results, then run those: reads side by side, one write."""

    run: tuple[ToolCall, ...]
    close: tuple[tuple[ToolCall, Refuse], ...]
    why: str


@frozen
class RecordPlanned:
    """Keep these calls as steps of the plan that is being collected, without running them."""

    calls: tuple[ToolCall, ...]
    why: str


@frozen
class Ask:
    """Show a card for each of these calls."""

    calls: tuple[ToolCall, ...]
    why: str


@frozen
class Compact:
    """Make room in the view by a stored cut."""

    why: str


@frozen
class WrapUp:
    """Ask the model for an answer from the results so far; calls are not allowed any more."""

    why: str


@frozen
class Park:
    """The turn needs a person to continue: keep its rows and hold nothing else."""

    why: str


@frozen
class TransitionSkill:
    """The settled text is kept and not sent: this skill continues with it in the same turn."""

    next: str
    why: str


@frozen
class Finish:
    """The turn ends; calls still open are closed with this code.

    `remark` is for the person, behind the model's last words. `trouble` is the fault of the model
    that ended the turn.
    """

    stop_reason: StopReason
    why: str
    code: Code = Code.CANCELLED
    remark: str = ""
    trouble: ModelTrouble | None = None
    fleeting: bool = False
    """True when the same may succeed later, without a word of anybody."""

    def remarked(self, words: str) -> str:
        """Returns the words with the remark behind them, if there is one."""
        return f"{words}\n\n({self.remark})" if self.remark else words


@frozen
class SendOut:
    """Send an errand out for each of these calls."""

    calls: tuple[ToolCall, ...]
    why: str


Entrusted: TypeAlias = RecordPlanned | TransitionSkill | SendOut
"""A step that a companion of the turn carries out."""

Step: TypeAlias = CallModel | RunTools | Ask | Compact | WrapUp | Park | Entrusted | Finish
