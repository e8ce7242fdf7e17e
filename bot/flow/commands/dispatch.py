"""Finds commands and carries them out; an answer is in the transaction of its writes."""

import difflib
from collections.abc import Sequence
from dataclasses import replace
from typing import assert_never

from bot.domain.change import Change, Show, Write
from bot.domain.markdown import inline_code
from bot.domain.message import Markdown, Outbound, OutboundKind
from bot.flow.commands.consequences import Consequences
from bot.flow.commands.table import (
    Answer,
    Command,
    Invocation,
    Question,
    Queued,
    Response,
)
from bot.flow.queue.arrival import Arrival
from bot.ports.journal import Journal


class Commands:
    def __init__(
        self, table: Sequence[Command], journal: Journal, consequences: Consequences
    ) -> None:
        self._table = {command.name: command for command in table}
        self._journal = journal
        self._consequences = consequences

    async def carry_out(self, arrival: Arrival) -> tuple[Write, ...] | None:
        """Answers a message that begins with a slash, even when no command has that name.

        Returns the writes that are stored with the message if it waits for a turn, else None.
        """
        name, _ = parse(arrival.message.text)
        response = await self._response(name, invoked(arrival))
        match response:
            case Queued(writes):
                return writes
            case Question(card):
                await self._commit(arrival.asked(), in_answer(arrival, card))
            case Answer(text, writes, then):
                notice = Outbound(OutboundKind.NOTICE, (Markdown(text),))
                await self._commit(arrival.done(), *writes, in_answer(arrival, notice))
                await self._consequences.follow(then)
            case _:
                assert_never(response)
        return None

    async def _commit(self, *writes: Write) -> None:
        await self._journal.commit(Change(writes, durable=True))

    def knows(self, text: str) -> bool:
        """Returns true when the table has the command that the text begins with."""
        return parse(text)[0] in self._table

    async def _response(self, name: str, invocation: Invocation) -> Response:
        command = self._table.get(name)
        if command is None:
            return Answer(self._unknown(name))
        if command.owner_only and not invocation.person.is_owner:
            return Answer(f"/{name} is for an owner.")
        return await command.run(invocation)

    def _unknown(self, name: str) -> str:
        near = difflib.get_close_matches(name, list(self._table), n=1, cutoff=0.5)
        hint = f" Did you mean /{near[0]}?" if near else " /help lists what there is."
        return f"There is no command {inline_code('/' + name[:40])}.{hint}"


def invoked(arrival: Arrival) -> Invocation:
    """Returns the command that a message gives."""
    _, words = parse(arrival.message.text)
    return Invocation(arrival.chat, arrival.person, words, arrival.message, arrival.row.id)


def answer_key(row: int) -> str:
    """Returns the outbound key of the message that answers the command in this row."""
    return f"command:{row}"


def in_answer(arrival: Arrival, content: Outbound) -> Show:
    """Shows the message that answers a command, or its new content."""
    to = None if arrival.message.private else arrival.message.message_id
    return Show(answer_key(arrival.row.id), arrival.chat.id, replace(content, reply_to=to))


def parse(text: str) -> tuple[str, tuple[str, ...]]:
    """Returns the command's name and its words: `/stop@steward all` is `stop` and `all`."""
    head, *words = text.split()
    name = head.removeprefix("/").partition("@")[0].lower()
    return name, tuple(words)
