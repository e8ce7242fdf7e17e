"""Commands about models, tools, usage and the current state."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from bot.domain.change import SaveChat
from bot.domain.markdown import inline_code
from bot.domain.server import ServerStanding
from bot.domain.tool import Effect, ToolSpec
from bot.flow.commands.table import Answer, Command, Invocation
from bot.flow.models.finding import FIND_TOOLS
from bot.flow.models.model_calls import ModelCalls
from bot.flow.models.surroundings import SurroundingsMaker
from bot.ports.approvals import Approvals
from bot.ports.clock import Clock
from bot.ports.journal import MOST_AHEAD, Journal
from bot.ports.ledger import Ledger, Spent

_ASKS = {
    Effect.READ: "runs at once",
    Effect.WRITE: "asks first",
    Effect.DANGER: "always asks",
}


_LONGEST_LINE = 200
_MOST_NAMES = 20


class SetupCommands:
    def __init__(
        self,
        models: ModelCalls,
        surroundings: SurroundingsMaker,
        ledger: Ledger,
        journal: Journal,
        approvals: Approvals,
        clock: Clock,
        model: str,
    ) -> None:
        self._models = models
        self._surroundings = surroundings
        self._ledger = ledger
        self._journal = journal
        self._approvals = approvals
        self._clock = clock
        self._model = model
        self._started = clock.steady()

    @property
    def table(self) -> Sequence[Command]:
        return (
            Command("tools", "what I can do, and what asks first", self.tools),
            Command("model", "show or choose the model", self.model, "[provider/name|default]"),
            Command("usage", "tokens and money, today and in 30 days", self.usage),
            Command("status", "what is set up and what is going on", self.status),
        )

    async def tools(self, asked: Invocation) -> Answer:
        lines = [_tool_line(spec) for spec in self._surroundings.house(asked.chat)]
        for server in await self._surroundings.servers(asked.chat):
            lines.append(_server_line(server))
            lines.extend(_tool_line(spec) for spec in server.tools)
            lines.extend(f"- not offered, {left_out}" for left_out in server.left_out)
        if hidden := await self._surroundings.hidden(asked.chat):
            lines.append(f"\nLeft out of the model's list, which has no room: {len(hidden)} tools.")
            lines.append(f"It finds them with `{FIND_TOOLS}`: {_names(hidden)}")
        return Answer("\n".join(["My tools:", *lines]))

    async def model(self, asked: Invocation) -> Answer:
        current = asked.chat.model or self._model
        providers = ", ".join(self._models.providers)
        if not asked.words:
            told = f"This chat uses {inline_code(current)}. Providers: {providers}."
            return Answer(f"{told} Usage: /model provider/name, or /model default")
        wanted = asked.words[0]
        if wanted == "default":
            return Answer(f"Back to `{self._model}`.", (SaveChat(replace(asked.chat, model=None)),))
        if not self._models.knows(wanted):
            told = f"I know no model {inline_code(wanted[:60])}."
            return Answer(f"{told} It is provider/name, with: {providers}.")
        saved = SaveChat(replace(asked.chat, model=wanted))
        return Answer(f"From the next turn on: {inline_code(wanted)}.", (saved,))

    async def usage(self, asked: Invocation) -> Answer:
        now = self._clock.now()
        chat = None if asked.person.is_owner else asked.chat.id
        today = await self._ledger.spent(
            now.replace(hour=0, minute=0, second=0, microsecond=0), chat
        )
        month = await self._ledger.spent(now - timedelta(days=30), chat)
        where = "all chats" if chat is None else "this chat"
        parts = [f"Usage of {where}", "Today (UTC):", *_spent(today), "30 days:", *_spent(month)]
        return Answer("\n".join(parts))

    async def status(self, asked: Invocation) -> Answer:
        agenda = await self._journal.agenda(asked.chat.id)
        cards = await self._approvals.open_in(asked.chat.id)
        waiting = len(agenda.waiting)
        more = " or more" if waiting == MOST_AHEAD else ""
        minutes = int((self._clock.steady() - self._started) // 60)
        lines = [
            f"- model: {inline_code(asked.chat.model or self._model)}",
            f"- messages during a turn: `{asked.chat.queue_mode}`",
            f"- turns at work or parked: {len(agenda.unfinished)}",
            f"- waiting messages: {waiting}{more}",
            f"- open cards: {len(cards)}",
            f"- up for {minutes // 60} h {minutes % 60} min",
        ]
        return Answer("\n".join(["Status", *lines]))


def _tool_line(spec: ToolSpec) -> str:
    return f"- `{spec.name}`, {_ASKS[spec.effect]}: {_first_sentence(spec.description)}"


def _server_line(server: ServerStanding) -> str:
    spec = server.spec
    whose = f", of the skill {spec.skill}" if spec.skill else ""
    return f"\nThe MCP server `{spec.name}`{whose}: {server.state}"


def _names(specs: Sequence[ToolSpec]) -> str:
    shown = ", ".join(f"`{spec.name}`" for spec in specs[:_MOST_NAMES])
    rest = len(specs) - _MOST_NAMES
    return f"{shown} and {rest} more" if rest > 0 else shown


def _first_sentence(text: str) -> str:
    return " ".join(text.partition(". ")[0].split()).rstrip(".")[:_LONGEST_LINE]


def _spent(rows: Sequence[Spent]) -> list[str]:
    if not rows:
        return ["- nothing"]
    return [_line(row) for row in rows]


def _line(row: Spent) -> str:
    used = row.usage
    share = used.cache_read / used.prompt if used.prompt else 0.0
    money = "price unknown" if row.cost is None else f"${row.cost:.4f}"
    return (
        f"- `{row.model}`: {row.calls} calls, {used.prompt:,} tokens in ({share:.0%} from the "
        f"cache), {used.output:,} out, {money}"
    )
