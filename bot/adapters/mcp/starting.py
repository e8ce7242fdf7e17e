"""The tool that asks an owner to allow the start of a skill's server."""

from collections.abc import Mapping
from typing import Any

from bot.domain.talk.errors import InvalidArguments, ToolFailure
from bot.domain.talk.message import Block, CodeBlock, Plain
from bot.domain.talk.reach import Reach
from bot.domain.text.visible_text import one_line, shown_name
from bot.domain.tools.server import ServerSpec, tool_name
from bot.domain.tools.tool import Effect, LetServerIn, Preview, Replay, ToolOutput, ToolSpec
from bot.ports.tool import Place

_DESCRIPTION = (
    "The skill {skill} brings along the MCP server {name}, which an owner has to let in once. "
    "Call this when you need its tools: the owner sees the exact command. After their word the "
    "tools are there from the person's next message on; after a denial do without and say so."
)


_LONGEST_FOLDER = 200


class StartServer:
    """Stands in for the server's tools; stores the owner's consent, and the next turn starts it."""

    def __init__(self, server: ServerSpec) -> None:
        self._server = server
        self.spec = ToolSpec(
            name=tool_name(server.name, "start"),
            description=_DESCRIPTION.format(skill=server.skill, name=server.name),
            input_schema={"type": "object", "properties": {}, "additionalProperties": False},
            effect=Effect.DANGER,
            replay=Replay.SAFE,
            lender=server.skill,
        )

    def check(self, arguments: Mapping[str, Any]) -> None:
        if arguments:
            raise InvalidArguments(f"{min(arguments)}: is not an argument of this tool")

    async def preview(self, arguments: Mapping[str, Any], place: Place) -> Preview:
        del arguments, place
        server = self._server
        blocks: list[Block] = [CodeBlock(shown_name(server.line), "bash")]
        if server.told_env:
            pairs = "\n".join(shown_name(f"{name}={value}") for name, value in server.told_env)
            blocks += [Plain("with the variables"), CodeBlock(pairs)]
        folder = one_line(server.folder, _LONGEST_FOLDER)
        does = f"runs in {folder}, not sandboxed" if server.command else "is asked over HTTP"
        return Preview(
            title=f"Let in the server {server.name} of the skill {server.skill}",
            subject=f"Let in the server {server.name}",
            effect=Effect.DANGER,
            blocks=tuple(blocks),
            where=f"it {does}",
            why="Asked once, and again when its command changes. Each call of it still asks",
            seen=server.identity,
            reach=Reach.BEYOND,
            done=f"Server {server.name} let in",
            document="server.txt",
        )

    async def run(self, arguments: Mapping[str, Any], place: Place, seen: str | None) -> ToolOutput:
        del arguments, place
        server = self._server
        if seen != server.identity:
            raise ToolFailure("the skill's server is not what the owner was shown; ask again")
        told = f"The server {server.name} is let in. Its tools are there from the next message on."
        return ToolOutput(told, after=LetServerIn(server.identity, server.name, server.line))
