"""Finding a command and carrying it out, its answer in the transaction of its writes."""

import difflib
from collections.abc import Sequence
from dataclasses import replace

from bot.domain.change import Change, Show, Write
from bot.domain.message import Markdown, Outbound, OutboundKind
from bot.flow.commands.table import Answer, Command, Invocation
from bot.flow.queue.arrival import Arrival
from bot.flow.signs.reactions import Reactions
from bot.ports.journal import Journal
from bot.ports.lanes import Lanes
from bot.ports.servers import Servers


class Commands:
    def __init__(
        self,
        table: Sequence[Command],
        journal: Journal,
        lanes: Lanes,
        reactions: Reactions,
        servers: Servers | None,
    ) -> None:
        self._table = {command.name: command for command in table}
        self._journal = journal
        self._lanes = lanes
        self._reactions = reactions
        self._servers = servers

    async def carry_out(self, arrival: Arrival) -> tuple[Write, ...] | None:
        """Answers a message that begins with a slash, whatever follows it.

        None when that is all; else the message waits its turn, and these are written with it.
        """
        chat = arrival.chat.id
        name, _ = parse(arrival.message.text)
        invocation = invoked(arrival)
        answer = await self._answer(name, invocation)
        if answer.queued:
            return answer.writes
        notice = Outbound(OutboundKind.NOTICE, (Markdown(answer.text),))
        content = in_answer(arrival, answer.question or notice)
        mark = arrival.done() if answer.question is None else arrival.asked()
        await self._journal.commit(Change((mark, *answer.writes, content), durable=True))
        for gone in answer.dropped:
            self._reactions.dropped(gone.address, gone.message_id, gone.since)
        if answer.expelled and self._servers is not None:
            await self._servers.expel(answer.expelled)
        if answer.interrupt:
            self._lanes.interrupt(chat)
        elif answer.wake:
            self._lanes.wake(chat)
        for other in answer.interrupts:
            self._lanes.interrupt(other)
        for other in answer.wakes:
            self._lanes.wake(other)
        return None

    def knows(self, text: str) -> bool:
        """Whether the table has the command this text begins with."""
        return parse(text)[0] in self._table

    async def _answer(self, name: str, invocation: Invocation) -> Answer:
        command = self._table.get(name)
        if command is None:
            return Answer(self._unknown(name))
        if command.owner_only and not invocation.person.is_owner:
            return Answer(f"/{name} is for an owner.")
        return await command.run(invocation)

    def _unknown(self, name: str) -> str:
        near = difflib.get_close_matches(name, list(self._table), n=1, cutoff=0.5)
        hint = f" Did you mean /{near[0]}?" if near else " /help lists what there is."
        return f"There is no command `/{name[:40]}`.{hint}"


def invoked(arrival: Arrival) -> Invocation:
    """The command that a message gives."""
    _, words = parse(arrival.message.text)
    return Invocation(arrival.chat, arrival.person, words, arrival.message, arrival.row.id)


def answer_key(row: int) -> str:
    """The outbound key of what answers the command in this row."""
    return f"command:{row}"


def in_answer(arrival: Arrival, content: Outbound) -> Show:
    """The message that answers a command, or its new content."""
    to = None if arrival.message.private else arrival.message.message_id
    return Show(answer_key(arrival.row.id), arrival.chat.id, replace(content, reply_to=to))


def parse(text: str) -> tuple[str, tuple[str, ...]]:
    """The name, without the bot's own, and the words: `/stop@steward all` is stop, all."""
    head, *words = text.split()
    name = head.removeprefix("/").partition("@")[0].lower()
    return name.replace("`", "'"), tuple(words)
