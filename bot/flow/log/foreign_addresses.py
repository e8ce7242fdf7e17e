"""Tells addresses that somebody wrote from those that a model composed beside foreign text."""

from collections.abc import Mapping
from dataclasses import replace

from bot.domain.talk.message import Markdown, Outbound
from bot.domain.tools.tool import ToolCall
from bot.flow.log.work import Work
from bot.ports.tool import Tool


def may_carry(call: ToolCall, tools: Mapping[str, Tool], work: Work) -> bool:
    """Returns true when the call would tell the outside an address that nobody wrote.

    A model that reads foreign text may be talked into building an address out of what it knows.
    """
    tool = tools.get(call.name)
    if tool is None or not tool.spec.tells:
        return False
    address = (call.arguments or {}).get(tool.spec.tells)
    if not isinstance(address, str):
        return False
    return not work.log.addresses.may_fetch(address, work.turn.asker, tool.spec.private)


def counting(work: Work, words: str) -> tuple[str, ...] | None:
    """Returns the addresses that count in words of the model; None when all of them do.

    Beside foreign text only those count that somebody wrote before.
    """
    if work.log.foreign_to(work.turn.asker) is None:
        return None
    return work.log.addresses.among(words)


def as_wanted(work: Work, content: Outbound) -> Outbound:
    """Returns a message that a tool sends as people may see it, with previews if the chat wants."""
    return shown_safely(work, replace(content, previews=work.log.chat.settings.previews))


def shown_safely(work: Work, content: Outbound) -> Outbound:
    """Returns a message of the model as people may see it.

    Beside foreign text, an address may carry what the model knows: to whoever presses a link whose
    words hide it, and by a preview to the address itself before anybody presses it.
    """
    if work.log.foreign_to(work.turn.asker) is None:
        return content.linking_freely()
    among = work.log.addresses.among
    blocks = (
        replace(b, links=among(b.text)) if isinstance(b, Markdown) else b for b in content.blocks
    )
    return replace(content, blocks=tuple(blocks), previews=False)
