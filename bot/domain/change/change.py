"""A change: writes that the store carries out together, whole or not at all."""

from typing import TypeAlias

from bot.domain.change.approvals import ApprovalWrite
from bot.domain.change.chats import ChatWrite
from bot.domain.change.errands import ErrandWrite
from bot.domain.change.feedback import FeedbackWrite
from bot.domain.change.file_changes import FileWrite
from bot.domain.change.goals import GoalWrite
from bot.domain.change.hooks import HookWrite
from bot.domain.change.inbox import InboxWrite
from bot.domain.change.log import LogWrite
from bot.domain.change.memory import MemoryWrite
from bot.domain.change.money import MoneyWrite
from bot.domain.change.outbox import OutboxWrite
from bot.domain.change.people import PeopleWrite
from bot.domain.change.plans import PlanWrite
from bot.domain.change.received import ReceivedWrite
from bot.domain.change.tasks import TaskWrite
from bot.domain.change.turns import TurnWrite
from bot.domain.change.voice import VoiceWrite
from bot.domain.value import frozen

Write: TypeAlias = (
    TurnWrite
    | LogWrite
    | ChatWrite
    | InboxWrite
    | ApprovalWrite
    | PlanWrite
    | ErrandWrite
    | OutboxWrite
    | PeopleWrite
    | MoneyWrite
    | ReceivedWrite
    | VoiceWrite
    | MemoryWrite
    | TaskWrite
    | GoalWrite
    | HookWrite
    | FileWrite
    | FeedbackWrite
)


@frozen
class Fence:
    """Proof of ownership: a chat and the number its owner was given."""

    chat: int
    number: int


@frozen
class Change:
    """Writes that belong together, in order.

    With a fence nothing is written once another owner has claimed the chat. `durable` changes
    survive a power loss when `commit` returns; the others survive the death of the process.
    """

    writes: tuple[Write, ...]
    fence: Fence | None = None
    durable: bool = False
