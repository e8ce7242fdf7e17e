"""Small tools for scenarios: one that reads, one that writes, one of each other temper."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bot.domain.talk.errors import InvalidArguments, ToolFailure
from bot.domain.talk.message import CodeBlock, Markdown, Outbound, OutboundKind
from bot.domain.talk.reach import Reach
from bot.domain.text.visible_text import clipped
from bot.domain.tools.file_change import Replaced, token_of
from bot.domain.tools.house import SUBMIT_PLAN
from bot.domain.tools.tool import (
    AskPerson,
    CloseConversation,
    Effect,
    ExactRule,
    Preview,
    Replay,
    SubmitPlan,
    Surroundings,
    ToolOutput,
    ToolSpec,
    canonical,
)
from bot.ports.tool import Place

Act = Callable[[Mapping[str, Any], Place], ToolOutput]


@dataclass(frozen=True, eq=False)
class ScenarioTool:
    """A tool whose work is a function; `ran` tells what it was asked to do, in order."""

    spec: ToolSpec
    act: Act
    ran: list[Mapping[str, Any]] = field(default_factory=list[Mapping[str, Any]])
    gate: asyncio.Event | None = None
    started: asyncio.Event = field(default_factory=asyncio.Event)
    unruled: list[str] = field(default_factory=list[str])
    """The work for which its cards offer no standing rule."""
    at: list[str] = field(default_factory=lambda: ["here"])
    """The place of its work, as one text that a test may change."""

    def check(self, arguments: Mapping[str, Any]) -> None:
        if "bad" in arguments:
            raise InvalidArguments("bad: no such argument")

    async def preview(self, arguments: Mapping[str, Any], place: Place) -> Preview:
        if arguments.get("impossible"):
            raise ToolFailure("that cannot be done")
        what = str(arguments.get("what", ""))
        return Preview(
            title=clipped(f"Do {self.spec.name} {what}", 100),
            subject=clipped(f"Do {self.spec.name} {what}", 100),
            effect=self.spec.effect,
            blocks=(CodeBlock(what),),
            where=self.at[0],
            always=ExactRule(canonical(arguments)) if what not in self.unruled else None,
            always_label=what,
            surroundings=_surroundings(self.at[0], place),
            reach=place.reach(self.spec.reach),
        )

    async def run(self, arguments: Mapping[str, Any], place: Place, seen: str | None) -> ToolOutput:
        self.ran.append(arguments)
        self.started.set()
        if self.gate is not None:
            await self.gate.wait()
        return self.act(arguments, place)


def _surroundings(where: str, place: Place) -> Surroundings:
    skill = place.skill
    if skill is None or not skill.environment:
        return Surroundings(where)
    return Surroundings(where, skill.name, tuple(sorted(skill.environment)))


def tool(
    name: str,
    effect: Effect = Effect.READ,
    replay: Replay = Replay.SAFE,
    act: Act | None = None,
    gate: asyncio.Event | None = None,
    reach: Reach = Reach.FOLDER,
) -> ScenarioTool:
    spec = ToolSpec(name, f"Does {name}.", {"type": "object"}, effect, replay, reach=reach)
    told = act or (lambda arguments, _: ToolOutput(f"{name}: {dict(arguments)}"))
    return ScenarioTool(spec, told, gate=gate)


def looking(text: str = "a look") -> ScenarioTool:
    return tool("look", act=lambda _, __: ToolOutput(text))


def writing(gate: asyncio.Event | None = None) -> ScenarioTool:
    def act(arguments: Mapping[str, Any], place: Place) -> ToolOutput:
        return ToolOutput(f"wrote {arguments['what']}")

    return tool("write", Effect.WRITE, Replay.ONCE, act, gate)


def filing(files: dict[str, bytes]) -> ScenarioTool:
    """Writes, or without `text` deletes, one of these files; the old content is handed on."""

    def act(arguments: Mapping[str, Any], place: Place) -> ToolOutput:
        path, text = str(arguments["what"]), arguments.get("text")
        before = files.pop(path, None)
        if text is not None:
            files[path] = str(text).encode()
        replaced = Replaced(path, before, 0o644, token_of(files.get(path)))
        return ToolOutput(f"filed {path}", replaced=replaced)

    return tool("file", Effect.WRITE, Replay.ONCE, act)


def burning() -> ScenarioTool:
    return tool("burn", Effect.DANGER, Replay.ONCE, lambda _, __: ToolOutput("burnt"))


def failing(text: str = "It broke") -> ScenarioTool:
    def act(arguments: Mapping[str, Any], place: Place) -> ToolOutput:
        raise ToolFailure(text)

    return tool("fail", act=act)


def foreign() -> ScenarioTool:
    return tool("fetch", act=lambda _, __: ToolOutput("buy now!", untrusted="a web page"))


def asking() -> ScenarioTool:
    def act(arguments: Mapping[str, Any], place: Place) -> ToolOutput:
        choices = tuple(arguments.get("choices", ()))
        return ToolOutput("asked", after=AskPerson(str(arguments["what"]), choices))

    return tool("ask", replay=Replay.OUTBOX, act=act)


def sending() -> ScenarioTool:
    def act(arguments: Mapping[str, Any], place: Place) -> ToolOutput:
        note = Outbound(OutboundKind.NOTICE, (Markdown(str(arguments["what"])),))
        return ToolOutput("sent", sends=(note,))

    return tool("send", replay=Replay.OUTBOX, act=act)


def closing() -> ScenarioTool:
    def act(arguments: Mapping[str, Any], place: Place) -> ToolOutput:
        return ToolOutput("closing", after=CloseConversation("done"))

    return tool("close", replay=Replay.ONCE, act=act)


def submitting() -> ScenarioTool:
    def act(arguments: Mapping[str, Any], place: Place) -> ToolOutput:
        handed_in = SubmitPlan(str(arguments["title"]), str(arguments["summary"]))
        return ToolOutput("shown", after=handed_in)

    return tool(SUBMIT_PLAN, act=act)


def risky(fails: Sequence[str] = ("1",)) -> ScenarioTool:
    """A change that fails as often as it is told to, by what it is to do."""
    left = list(fails)

    def act(arguments: Mapping[str, Any], place: Place) -> ToolOutput:
        what = str(arguments["what"])
        if what in left:
            left.remove(what)
            raise ToolFailure(f"{what} broke")
        return ToolOutput(f"wrote {what}")

    return tool("write", Effect.WRITE, Replay.ONCE, act)
