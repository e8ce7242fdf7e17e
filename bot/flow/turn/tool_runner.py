"""Runs tools within bounds of time and size; every fault becomes a result."""

import asyncio
import logging
import secrets
from collections.abc import Mapping, Sequence

from bot.domain.change import AddArtifact, AllowServer, SaveFileChange, Show, Write
from bot.domain.talk.errors import (
    InvalidArguments,
    OutcomeUnknown,
    StewardError,
    StoreInDoubt,
    ToolFailure,
)
from bot.domain.talk.limits import Limits
from bot.domain.text.storable import storable
from bot.domain.tools.file_change import FileChange
from bot.domain.tools.server import ServerConsent
from bot.domain.tools.tool import (
    Code,
    LetServerIn,
    Preview,
    Status,
    ToolCall,
    ToolOutput,
    ToolResult,
)
from bot.domain.turn.progress import HINT, Progress, error_key
from bot.domain.value import frozen, replace
from bot.flow.turn.trusted_origins import TrustedOrigins
from bot.ports.clock import Clock
from bot.ports.tool import Place, Tool

_LOG = logging.getLogger(__name__)


@frozen
class Due:
    """A call that shall run: its preview, and the place where it happens."""

    call: ToolCall
    preview: Preview | None
    place: Place


@frozen
class Ran:
    """A result with the writes that belong to its transaction."""

    call: ToolCall
    result: ToolResult
    writes: tuple[Write, ...] = ()


class ToolRunner:
    def __init__(self, clock: Clock, limits: Limits, trusted: TrustedOrigins) -> None:
        self._clock = clock
        self._limits = limits
        self._trusted = trusted

    async def run(
        self, due: Sequence[Due], tools: Mapping[str, Tool], progress: Progress
    ) -> list[Ran]:
        """Runs the calls side by side and returns their results in call order."""
        room = max(1.0, self._limits.tools_seconds - progress.tool_seconds)
        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(self._run(one, tools, room), name=one.call.subject) for one in due
            ]
        told = await self._judged([task.result() for task in tasks], due)
        ran = [(each, one.place) for each, one in zip(told, due, strict=True)]
        return self.advised(self._fitted(ran, progress), progress)

    async def _judged(self, ran: Sequence[Ran], due: Sequence[Due]) -> list[Ran]:
        results = await self._trusted.judged([one.result for one in ran], due[0].place)
        return [replace(one, result=result) for one, result in zip(ran, results, strict=True)]

    def advised(self, ran: Sequence[Ran], progress: Progress) -> list[Ran]:
        """Returns the results; an error that an earlier round had too gets a word of advice."""
        return [self._advised(one, progress) for one in ran]

    async def _run(self, due: Due, tools: Mapping[str, Tool], room: float) -> Ran:
        call, place = due.call, due.place
        tool = tools.get(call.name)
        if tool is None:
            text = f"The tool {call.name!r} is not available any more."
            return Ran(call, _failed(call, Status.INVALID, Code.UNKNOWN_TOOL, text))
        begun = self._clock.steady()
        ran = await self._bounded(call, tool, due.preview, replace(place, call_id=call.id), room)
        took = round((self._clock.steady() - begun) * 1000)
        text = _without_secrets(ran.result.text, place)
        origin = ran.result.origin or tool.spec.origin
        told = replace(ran.result, text=text, duration_ms=took, origin=origin)
        return replace(ran, result=told)

    async def _bounded(
        self, call: ToolCall, tool: Tool, preview: Preview | None, place: Place, room: float
    ) -> Ran:
        """Runs one call within its time; every exception becomes a result."""
        # The card showed the tool's own time to a person; the round's time is for other tools.
        seconds = tool.spec.timeout_s or min(room, self._limits.tool_seconds)
        try:
            async with asyncio.timeout(seconds):
                output = await tool.run(call.arguments or {}, place, preview and preview.seen)
            return self._result(call, tool, output, place)
        except TimeoutError:
            text = f"Stopped after {seconds:g} s without an end. What it did until then stays done."
            return Ran(call, _failed(call, Status.TIMEOUT, None, text))
        except (OutcomeUnknown, StoreInDoubt) as fault:
            return Ran(call, _failed(call, Status.FAILED, Code.OUTCOME_UNKNOWN, fault))
        except (ToolFailure, InvalidArguments) as fault:
            return Ran(call, _failed(call, Status.FAILED, Code.ERROR, fault))
        except Exception as fault:  # the border around every tool
            tags = {"chat": place.chat, "turn": place.turn}
            _LOG.exception("tool %s failed", call.name, extra=tags)
            text = str(fault).strip() or type(fault).__name__
            return Ran(call, _failed(call, Status.FAILED, Code.ERROR, text))

    def _result(self, call: ToolCall, tool: Tool, output: ToolOutput, place: Place) -> Ran:
        status = _status(output)
        result = ToolResult(
            call.id,
            call.name,
            status,
            storable(output.text),
            code=Code.ERROR if status is Status.FAILED else None,
            untrusted=output.untrusted,
            trusted=output.lent,
            trusted_by=None if output.lent is None else place.person,
            origin=output.origin,
            pictures=output.pictures,
            files=output.files,
            keep=tool.spec.keep,
            passages=output.passages,
        ).followed_by(output.after)
        sends = tuple(
            Show(f"send:{place.turn}:{call.id}:{n}", place.chat, content, about=place.turn)
            for n, content in enumerate(output.sends)
        )
        kept = self._kept(call, output, place)
        if kept is not None:
            result = replace(result, undo=kept.change.id)
        keeps = () if kept is None else (kept,)
        return Ran(call, result, (*sends, *self._consents(output), *keeps))

    def _kept(self, call: ToolCall, output: ToolOutput, place: Place) -> SaveFileChange | None:
        """Returns the write that keeps what a tool replaced, so that it can be taken back."""
        replaced = output.replaced
        if replaced is None:
            return None
        change = FileChange(
            id=secrets.token_hex(6),
            chat=place.chat,
            turn=place.turn,
            task=place.task or place.turn,
            call=call.id,
            asker=place.person,
            root=str(place.workspace),
            path=replaced.path,
            content=replaced.content,
            mode=replaced.mode,
            now=replaced.now,
            at=self._clock.now(),
        )
        return SaveFileChange(change)

    def _consents(self, output: ToolOutput) -> tuple[Write, ...]:
        if not isinstance(output.after, LetServerIn):
            return ()
        let = output.after
        consent = ServerConsent(let.identity, let.server, let.line, self._clock.now())
        return (AllowServer(consent),)

    def _fitted(self, ran: Sequence[tuple[Ran, Place]], progress: Progress) -> list[Ran]:
        """Cuts each result and the whole round to their bounds; the full texts are stored."""
        used = sum(len(d.result.text.encode()) for d in progress.this_round)
        fitted: list[Ran] = []
        for one, place in ran:
            room = max(_LEAST, self._limits.round_bytes - used)
            cut = _cut(one, min(self._limits.result_bytes, room), place)
            used += len(cut.result.text.encode())
            fitted.append(cut)
        return fitted

    def _advised(self, ran: Ran, progress: Progress) -> Ran:
        if ran.result.status not in (Status.FAILED, Status.INVALID, Status.TIMEOUT):
            return ran
        key = error_key(ran.result)
        now = {done.round for done in progress.this_round}
        before = {d.round for d in progress.done if error_key(d.result) == key} - now
        times = 1 + len(before)
        if times < self._limits.same_error_hint:
            return ran
        advice = (
            f"{HINT}{ran.call.name} failed {times} times with these words. Do not repeat it as it "
            "is: look for the cause, change the call, or tell the person what is in the way."
        )
        return replace(ran, result=replace(ran.result, text=ran.result.text + advice))


_LEAST = 500
"""Bytes that every result may have, however much the round has used."""


def _status(output: ToolOutput) -> Status:
    if output.timed_out:
        return Status.TIMEOUT
    return Status.FAILED if output.failed else Status.SUCCESS


def _failed(
    call: ToolCall, status: Status, code: Code | None, why: str | StewardError
) -> ToolResult:
    """Returns the result of a call that failed; it is foreign when the words of the fault are."""
    untrusted = why.untrusted if isinstance(why, ToolFailure) else None
    return ToolResult(
        call.id, call.name, status, storable(str(why)), code=code, untrusted=untrusted
    )


def _without_secrets(text: str, place: Place) -> str:
    """Masks secrets: commands may print their environment, and the model must not read it."""
    for secret in place.secrets:
        text = text.replace(secret, "[secret]")
    return text


def _cut(ran: Ran, room: int, place: Place) -> Ran:
    """Returns the beginning and the end of a text that is too long, within its room."""
    whole = ran.result.text.encode()
    if len(whole) <= room:
        return ran
    name = f"{place.turn}-{secrets.token_hex(4)}"
    # The longest possible note counts: the text left out is never longer than the whole.
    left = max(0, room - len(_gap(len(whole), len(whole), name).encode()))
    head, tail = whole[: left * 2 // 3], whole[len(whole) - left // 3 :]
    gap = _gap(len(whole) - len(head) - len(tail), len(whole), name)
    text = head.decode(errors="ignore") + gap + tail.decode(errors="ignore")
    result = replace(ran.result, text=text, truncated=True, artifact=name)
    keep = AddArtifact(name, place.chat, ran.result.text, place.turn)
    return Ran(ran.call, result, (*ran.writes, keep))


def _gap(left_out: int, whole: int, name: str) -> str:
    return (
        f"\n[… {left_out} of {whole} bytes left out; read_file artifact:{name} has the whole …]\n"
    )
