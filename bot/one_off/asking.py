"""Asks one question from the command line, and tells how that ended."""

import json
import sys
from dataclasses import asdict
from datetime import UTC, datetime
from functools import partial

from bot.adapters.system_clock import SystemClock
from bot.adapters.terminal.question import Question, Wish
from bot.adapters.tools.hardening import harden
from bot.bootstrap.channel_form import Accept, OpenChannel
from bot.bootstrap.hosting import host_of
from bot.bootstrap.opening import Running, opened
from bot.bootstrap.serving import run
from bot.bootstrap.world import Channels
from bot.domain.money.model import Usage
from bot.domain.money.money import dollars_of
from bot.domain.talk.message import Address
from bot.domain.talk.person import Role
from bot.domain.turn.outcome import StopReason
from bot.domain.turn.transcript import ResultBody
from bot.domain.value import frozen
from bot.logs import Secrets
from bot.settings import Settings

_FAILED, _STOPPED, _DENIED, _ASKS_BACK = 3, 4, 5, 6
_LATELY = 50
"""Lines of the record among which the end of the last turn is looked for."""

_CODES = {
    StopReason.FINAL_ANSWER: 0,
    StopReason.PIPELINE_DEPTH: 0,
    StopReason.PLAN_READY: 0,
    StopReason.WAITING_FOR_USER: _ASKS_BACK,
    StopReason.MAX_ROUNDS: _STOPPED,
    StopReason.DEADLINE: _STOPPED,
    StopReason.REPEAT_GUARD: _STOPPED,
    StopReason.USER_CANCELLED: _STOPPED,
    StopReason.BUDGET: _STOPPED,
}
"""The exit codes; any other reason is a failure."""


@frozen
class _Report:
    """The record of a question."""

    stop_reason: str
    tools: list[dict[str, str]]
    usage: Usage
    cost: float | None


async def ask(
    settings: Settings, words: str, secrets: Secrets, *, piped: bytes = b"", as_json: bool = False
) -> int:
    """Asks, prints the answer, and returns the exit code."""
    harden()
    question = Question(Wish(words, piped), SystemClock())
    name = question.channel.name
    channels = Channels({name: question.channel}, {name: question})
    async with opened(settings, channels, secrets) as live:
        await live.store.people.admit(question.sender, Role.OWNER)
        record = _Record(live, question.address)
        listen = partial(_hold, question, record)
        await run([OpenChannel(question.channel, listen)], live, host_of(live))
        await question.finish()
        report = await record.report()
    if as_json:
        sys.stdout.write(f"{_as_json(question, report)}\n")
    else:
        question.print_answer()
    return _code(question, report)


async def _hold(question: Question, record: "_Record", accept: Accept) -> None:
    await question.hold(accept, record.complete)


class _Record:
    """The rows that a question leaves behind."""

    def __init__(self, live: Running, address: Address) -> None:
        self._live = live
        self._store = live.store
        self._address = address

    async def complete(self) -> bool:
        """Returns True when nothing is left to do, and everything that was said is shown."""
        if await self._store.inbox.unrouted(1):
            return False
        agenda = await self._store.journal.agenda(await self._chat())
        if agenda.unfinished or agenda.queued or agenda.waiting:
            return False
        await self._live.application.parts.way_out.delivery.flushed()
        return not await self._store.outbox.owed(agenda.chat.id)

    async def report(self) -> _Report:
        chat = await self._store.chats.at(self._address, private=True)
        entries = await self._store.journal.entries(chat.conversation)
        results = [entry.body.result for entry in entries if isinstance(entry.body, ResultBody)]
        spent = await self._store.ledger.spent(datetime.min.replace(tzinfo=UTC), chat.id)
        costs = [one.cost for one in spent if one.cost is not None]
        return _Report(
            await self._stop_reason(chat.id),
            [{"name": one.tool, "status": one.status.value} for one in results],
            sum((one.usage for one in spent), Usage()),
            float(dollars_of(sum(costs))) if len(costs) == len(spent) else None,
        )

    async def _chat(self) -> int:
        return (await self._store.chats.at(self._address, private=True)).id

    async def _stop_reason(self, chat: int) -> str:
        """Returns why the last turn ended; empty if none began."""
        lines = await self._store.ledger.audit(chat, _LATELY)
        ends = (line for line in lines if line.action == "turn.ended")
        return next((str(line.details["stop_reason"]) for line in ends), "")


def _as_json(question: Question, report: _Report) -> str:
    told = {
        "answer": question.answer,
        "stop_reason": report.stop_reason,
        "tools": report.tools,
        "denied": question.denied,
        "files": [file.path for file in question.channel.files],
        "usage": {**asdict(report.usage), "cost": report.cost},
    }
    return json.dumps(told, ensure_ascii=False)


def _code(question: Question, report: _Report) -> int:
    if question.told is not None:
        return 128 + question.told
    code = next((c for reason, c in _CODES.items() if reason == report.stop_reason), _FAILED)
    if question.gave_up:
        code = _FAILED
    return _DENIED if code == 0 and question.denied else code
