"""Values to put into a store."""

from datetime import UTC, datetime, timedelta
from typing import Any

from bot.domain.assignments.errand import Errand
from bot.domain.change import Append, Change, Fence, SaveTurn, Show, Write
from bot.domain.consent.approval import Approval
from bot.domain.money.model import FinishReason, Usage
from bot.domain.plans.plan import Plan, PlanStep
from bot.domain.talk.chat import Chat
from bot.domain.talk.message import (
    Button,
    CodeBlock,
    FileRef,
    Markdown,
    Outbound,
    OutboundKind,
    Plain,
)
from bot.domain.tools.tool import CommandRule, Effect, Preview, Status, ToolCall, ToolResult
from bot.domain.turn.mandate import PERSONAL
from bot.domain.turn.transcript import (
    AskerBody,
    Body,
    CallPart,
    CutBody,
    Entry,
    ForeignPart,
    ImagePart,
    IntentBody,
    LateResultBody,
    NoteBody,
    Provenance,
    RecallBody,
    ReplyBody,
    ResultBody,
    SkillBody,
    SummaryBody,
    TextPart,
    ThinkingPart,
)
from bot.domain.turn.turn import Turn, TurnState
from tests.contracts.store_ports import StorePorts

NOW = datetime(2026, 11, 21, 9, 30, 0, 123456, tzinfo=UTC)
CALL = ToolCall(
    id="call_1",
    name="run_command",
    arguments_text='{"command": "pytest -q"}',
    arguments={"command": "pytest -q"},
    raw={"type": "tool_use", "id": "call_1", "input": {"command": "pytest -q"}},
)
SEEN = ImagePart("image/png", "iVBORw0=")
RESULT = ToolResult(
    "call_1",
    "run_command",
    Status.SUCCESS,
    "3 passed",
    duration_ms=812,
    trusted="MCP notes",
    origin="server notes",
    pictures=(SEEN,),
)
BODIES: tuple[Body, ...] = (
    AskerBody("fix the tests", "Ann", "09:30", (SEEN,), "a forward"),
    ReplyBody(
        parts=(
            ThinkingPart({"type": "thinking", "thinking": "", "signature": "Eq=="}),
            TextPart("On it.", {"type": "text", "text": "On it.", "citations": None}),
            CallPart(CALL),
            ForeignPart({"type": "server_tool_use", "deep": [1, 1.0, {"b": None, "a": True}]}),
        ),
        finish=FinishReason.CALLS,
        provenance=Provenance("anthropic", "claude-sonnet-5-5", "claude-sonnet-5-5-20260101"),
        usage=Usage(10, 20, 3000, 40),
    ),
    IntentBody("call_1"),
    ResultBody(RESULT),
    LateResultBody("card-1", "run_command", "pytest -q", "approved by Ann", "3 passed", RESULT),
    NoteBody("wrap_up", "Answer with what there is."),
    SkillBody("minutes", "Make minutes.", after="notes"),
    RecallBody(("t",), "Earlier …", "a web page", ((2, "what Bob said"),)),
    SummaryBody(3, "They fixed the tests.", "a web page"),
    CutBody((4,), 2000),
)


def later(seconds: float) -> datetime:
    return NOW + timedelta(seconds=seconds)


def a_turn(chat: Chat, id: str = "turn-1", **changes: Any) -> Turn:
    known: dict[str, Any] = {
        "id": id,
        "chat": chat.id,
        "conversation": chat.conversation,
        "asker": 1,
        "asker_name": "Ann",
        "model": "anthropic/claude-sonnet-5-5",
        "created_at": NOW,
        "mandate": PERSONAL.narrowed(tools=("look",), readonly=True, foreign="a page", money=5),
    }
    return Turn(**{**known, **changes})


def an_entry(chat: Chat, seq: int, body: Body | None = None, turn: str = "turn-1") -> Entry:
    return Entry(seq, chat.conversation, turn, NOW, body or AskerBody(f"line {seq}", "Ann"))


def a_card(chat: Chat, id: str = "card-1", **changes: Any) -> Approval:
    known: dict[str, Any] = {
        "id": id,
        "token": f"token-{id}",
        "chat": chat.id,
        "conversation": chat.conversation,
        "turn": "turn-1",
        "call": CALL,
        "preview": Preview(
            title="Run a command?",
            subject="pytest -q",
            effect=Effect.WRITE,
            blocks=(CodeBlock("pytest -q", "sh"), Plain("in workspace"), Markdown("*for* you")),
            always=CommandRule(("pytest", "-q")),
        ),
        "asker": 1,
        "purpose": "fix the tests",
        "created_at": NOW,
        "expires_at": later(86_400),
    }
    return Approval(**{**known, **changes})


def an_errand(chat: Chat, home: Chat, id: str = "errand-1", parent: str = "turn-1") -> Errand:
    return Errand(
        id=id,
        home=home.id,
        chat=chat.id,
        conversation=chat.conversation,
        parent=parent,
        call="toolu_1",
        asker=1,
        asker_name="Ann",
        task="Look",
        created_at=NOW,
    )


def a_plan(chat: Chat, id: str = "plan-1", **changes: Any) -> Plan:
    known: dict[str, Any] = {
        "id": id,
        "token": f"token-{id}",
        "chat": chat.id,
        "asker": 1,
        "asker_name": "Ann",
        "collector": 1,
        "created_at": NOW,
        "since": NOW,
        "mandate": PERSONAL,
    }
    return Plan(**{**known, **changes})


def a_step(number: int, **changes: Any) -> PlanStep:
    known: dict[str, Any] = {
        "number": number,
        "tool": "write_file",
        "arguments": f'{{"path":"{number}.md"}}',
        "description": f"write_file {number}.md",
        "effect": Effect.WRITE,
        "preview": Preview("Create a file?", f"{number}.md", Effect.WRITE, (CodeBlock("x", "md"),)),
    }
    return PlanStep(**{**known, **changes})


def an_outbound(text: str = "Done.") -> Outbound:
    return Outbound(
        OutboundKind.CARD,
        (Markdown(text), CodeBlock("ls", "sh")),
        ((Button("Approve", "y:abc"), Button("Deny", "n:abc")),),
        (FileRef("report.md", "report.md", "the report"),),
        reply_to="17",
    )


async def commit(store: StorePorts, *writes: Write, fence: Fence | None = None) -> None:
    await store.journal.commit(Change(writes, fence))


async def add_turn(store: StorePorts, chat: Chat, id: str, state: TurnState) -> Turn:
    turn = a_turn(chat, id, state=state)
    await commit(store, SaveTurn(turn))
    return turn


def lines(chat: Chat, *numbers: int) -> Append:
    return Append(chat.id, tuple(an_entry(chat, number) for number in numbers))


def shown(chat: Chat, key: str = "answer:1", text: str = "Done.", about: str = "") -> Show:
    return Show(key, chat.id, an_outbound(text), about=about)
