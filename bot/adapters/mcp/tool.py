"""The tool of a server, as the loop uses it."""

import asyncio
import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bot.adapters.mcp.remote import Attached, RemoteTool, ServerAnswer, ServerGone, ServerRefused
from bot.adapters.mcp.schema import ArgumentCheck, Unfit, offered
from bot.adapters.mcp.server import Server
from bot.domain.talk.errors import OutcomeUnknown, ToolFailure
from bot.domain.talk.message import CodeBlock, FileRef, Outbound, OutboundKind
from bot.domain.talk.reach import Reach
from bot.domain.text.names import quoted_name
from bot.domain.text.visible_text import clipped, one_line, visible
from bot.domain.tools.deeds import server_deed
from bot.domain.tools.origin import server_origin
from bot.domain.tools.server import ServerSpec, tool_name, without_secrets
from bot.domain.tools.tool import (
    Effect,
    ExactRule,
    Preview,
    Replay,
    RulePattern,
    ToolOutput,
    ToolRule,
    ToolSpec,
    canonical,
)
from bot.ports.tool import Place

_DESCRIPTION = 2_000
_LINE = 80
"""Characters of a stranger's words on one line of a card."""

_ENDING_SECONDS = 30.0
"""Seconds for ending a server and for its listing, beside two starts and the call."""


class ServerTool:
    """Runs once on its server; its answer is untrusted, and its files go to the chat."""

    def __init__(self, server: Server, remote: RemoteTool, spool: Path) -> None:
        """Raises Unfit when the tool must not be shown to a model."""
        if remote.fault:
            raise Unfit(remote.fault)
        self._server = server
        self._remote = remote
        self._spool = spool
        self._check = ArgumentCheck(remote.schema)
        spec = server.spec
        called = quoted_name(remote.name)
        about = clipped(visible(remote.description.strip()), _DESCRIPTION)
        self.spec = ToolSpec(
            name=tool_name(spec.name, remote.name),
            description=about or f"The tool {called} of {spec.name}.",
            input_schema=offered(remote.schema),
            effect=_effect(remote, spec),
            replay=Replay.ONCE,
            timeout_s=2 * spec.start_seconds + spec.call_seconds + _ENDING_SECONDS,
            lender=spec.skill or None,
            source=f"the tool server {spec.name}" if about else None,
            origin=None if spec.skill else server_origin(spec.name),
        )

    def check(self, arguments: Mapping[str, Any]) -> None:
        self._check(arguments)

    async def preview(self, arguments: Mapping[str, Any], place: Place) -> Preview:
        del place
        whole = json.dumps(arguments, ensure_ascii=False, indent=2)
        values = " ".join(str(value) for value in arguments.values())
        spec, name = self._server.spec, self._remote.shown
        deed = server_deed(spec.name, name)
        return Preview(
            title=deed,
            subject=one_line(f"{deed}: {' '.join(values.split())}" if values else deed, _LINE),
            effect=self.spec.effect,
            reach=Reach.BEYOND,
            blocks=(CodeBlock(visible(whole), "json"),),
            where=_where(spec),
            why="Always asks: it may destroy" if self.spec.effect is Effect.DANGER else "",
            always=self._always(arguments),
            always_label=clipped(f"any {name}" if spec.trusted else name, 30),
            document="arguments.json",
        )

    def _always(self, arguments: Mapping[str, Any]) -> RulePattern | None:
        """Returns the rule that a card offers: the whole tool only of a server that is trusted."""
        if self.spec.effect is not Effect.WRITE:
            return None
        return ToolRule() if self._server.spec.trusted else ExactRule(canonical(arguments))

    async def run(self, arguments: Mapping[str, Any], place: Place, seen: str | None) -> ToolOutput:
        del seen
        name = self._server.spec.name
        try:
            answer = await self._server.call(self._remote.name, arguments)
        except TimeoutError:
            seconds = f"{self._server.spec.call_seconds:g} s"
            text = (
                f"The MCP server {name} did not answer within {seconds}. It may yet have done it."
            )
            return ToolOutput(text, timed_out=True)
        except ServerRefused as fault:
            told = f"The MCP server {name} refuses: {self._told(str(fault))}"
            raise ToolFailure(told, self._source) from None
        except ServerGone as fault:
            raise self._gone(fault) from None
        return ToolOutput(
            self._told(answer.text) or "(an empty answer)",
            untrusted=self._source,
            failed=answer.failed,
            sends=await self._sent(answer, place),
        )

    def _gone(self, fault: ServerGone) -> ToolFailure:
        name, why, source = self._server.spec.name, self._told(str(fault)), self._source
        if fault.sent:
            return OutcomeUnknown(
                f"The MCP server {name} ended during this call ({why}). It may have happened, "
                "wholly, in part or not at all. Look before you repeat it.",
                source,
            )
        return ToolFailure(f"The MCP server {name} cannot be started or reached: {why}", source)

    @property
    def _source(self) -> str:
        return f"MCP {self._server.spec.name}"

    def _told(self, text: str) -> str:
        return without_secrets(text, self._server.spec.secrets)

    async def _sent(self, answer: ServerAnswer, place: Place) -> tuple[Outbound, ...]:
        if not answer.files:
            return ()
        files = await asyncio.to_thread(self._kept, answer.files, place)
        return (Outbound(OutboundKind.NOTICE, (), files=files),)

    def _kept(self, attached: Sequence[Attached], place: Place) -> tuple[FileRef, ...]:
        """Stores copies until they are delivered, in a folder of the call, as for other files."""
        key = f"{place.chat}/{place.turn}/{place.call_id}"
        folder = self._spool / hashlib.sha256(key.encode()).hexdigest()[:32]
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        files: list[FileRef] = []
        for number, each in enumerate(attached, 1):
            copy = folder / f"content-{number}"
            with copy.open("wb") as target:
                target.write(each.data)
                target.flush()
                os.fsync(target.fileno())
            name = self._server.spec.name
            shown = f"{name}-{each.name}" if each.name.partition(".")[0].isdigit() else each.name
            files.append(FileRef(str(copy), shown, f"from the server {name}"))
        return tuple(files)


def _where(spec: ServerSpec) -> str:
    """Names the target of a call, with the skill: servers of two skills may look alike."""
    of_skill = f" of the skill {spec.skill}" if spec.skill else ""
    shown = one_line(spec.line, _LINE)
    if shown.endswith("…"):
        # A plan compares where its steps run: two long lines with one beginning must differ.
        shown = f"{shown} ({spec.identity[:8]})"
    return f"by {shown}{of_skill}, not sandboxed" if spec.command else f"at {shown}{of_skill}"


def _effect(remote: RemoteTool, spec: ServerSpec) -> Effect:
    """Returns the effect: the operator's own word about a tool counts before the server's hints.

    A hint that restricts always counts, one that frees only if the server is trusted.
    """
    if remote.name in spec.reads:
        return Effect.READ
    if remote.destroys and not (spec.trusted and remote.reads):
        return Effect.DANGER
    return Effect.READ if spec.trusted and remote.reads else Effect.WRITE
