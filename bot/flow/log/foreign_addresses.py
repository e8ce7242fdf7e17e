"""Tells addresses that somebody wrote from those that a model composed beside foreign text."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from bot.domain.message import Markdown, Outbound
from bot.domain.tool import Status, ToolCall, ToolResult
from bot.domain.transcript import AskerBody, Entry, LateResultBody, ReplyBody, ResultBody
from bot.domain.web_links import WEB_TOOLS, bared, stands_in
from bot.flow.log.request_view import foreign_to
from bot.flow.log.work import Work
from bot.ports.tool import Tool


def may_carry(call: ToolCall, tools: Mapping[str, Tool], log: Sequence[Entry]) -> bool:
    """Returns true when the call would tell the outside an address that nobody wrote.

    A model that reads foreign text may be talked into building an address out of what it knows.
    """
    tool = tools.get(call.name)
    if tool is None or not tool.spec.tells:
        return False
    address = (call.arguments or {}).get(tool.spec.tells)
    return isinstance(address, str) and not stands_in(address, written(log))


def written(log: Sequence[Entry]) -> Sequence[str]:
    """Returns the texts whose addresses no model composed: messages, pages and search results."""
    found: list[str] = []
    for entry in log:
        match entry.body:
            case AskerBody(text=text):
                found.append(text)
            case ReplyBody() as reply:
                found.extend(part.text for part in reply.looked_up)
            case ResultBody(result=result) if _of_the_web(result):
                found.append(result.text)
            case LateResultBody(result=ToolResult() as result, text=text) if _of_the_web(result):
                found.append(text)
            case _:
                pass
    return found


def shown_safely(work: Work, content: Outbound) -> Outbound:
    """Returns a message of the model as people may see it.

    Beside foreign text, an address may carry what the model knows: to whoever presses a link whose
    words hide it, and by a preview to the address itself before anybody presses it.
    """
    blocks = content.blocks
    linked = any("](" in block.text or "]:" in block.text for block in blocks)
    # A platform also shows previews of addresses without a scheme.
    if not linked and not content.previews:
        return content
    log = work.log.entries()
    if foreign_to(work.turn.asker, log) is None:
        return content
    known = written(log)
    shown = (
        replace(block, text=bared(block.text, known)) if isinstance(block, Markdown) else block
        for block in blocks
    )
    return replace(content, blocks=tuple(shown), previews=False)


def _of_the_web(result: ToolResult) -> bool:
    return result.tool in WEB_TOOLS and result.status is Status.SUCCESS
