"""Finds commands and carries them out; an answer is in the transaction of its writes."""

import asyncio
import difflib
from collections.abc import Sequence
from dataclasses import replace
from typing import assert_never

from bot.domain.change import Change, CheckAccess, Show, Write
from bot.domain.talk.message import Markdown, Outbound, OutboundKind, PressAnswer
from bot.domain.text.markdown import inline_code
from bot.flow.commanding.desks import NOT_OURS, refused
from bot.flow.commanding.table import (
    Answer,
    Command,
    Invocation,
    Question,
    Queued,
    Response,
    answer_key,
)
from bot.flow.commands.consequences import Consequences
from bot.flow.queue.arrival import Arrival
from bot.ports.journal import Journal
from bot.ports.outbox import Outbox

_SAME = "Nothing has changed."
_LIKE = 0.75
"""Likeness, of 1, at which a wrong name is taken for a slip of another one."""


class Commands:
    def __init__(
        self, table: Sequence[Command], journal: Journal, outbox: Outbox, consequences: Consequences
    ) -> None:
        self._table = {command.name: command for command in table}
        self._journal = journal
        self._outbox = outbox
        self._consequences = consequences
        self._of_owners = asyncio.Lock()

    async def carry_out(self, arrival: Arrival) -> tuple[Write, ...] | None:
        """Answers a message that begins with a slash, even when no command has that name.

        Returns the writes that are stored with the message if it waits for a turn, else None. The
        commands of owners change what all chats share, so they are carried out one at a time.
        """
        name, _ = parse(arrival.message.text)
        command = self._table.get(name)
        if command is None or not command.owner_only:
            return await self._carry_out(name, arrival)
        async with self._of_owners:
            return await self._carry_out(name, arrival)

    async def _carry_out(self, name: str, arrival: Arrival) -> tuple[Write, ...] | None:
        response = await self._response(name, invoked(arrival))
        match response:
            case Queued(writes):
                return writes
            case Question(card, writes):
                await self._commit(arrival, *writes, arrival.asked(), in_answer(arrival, card))
            case Answer():
                told = (in_answer(arrival, _content(response)),) if response.text else ()
                await self._commit(arrival, arrival.done(), *response.writes, *told)
                await self._consequences.follow(response.then)
            case _:
                assert_never(response)
        return None

    async def choose(self, arrival: Arrival) -> PressAnswer:
        """Carries out the command of a pressed choice, in the message of its button.

        Returns the private answer to the person who pressed. Only commands that set a value can be
        chosen, so a press may be carried out again after a crash.
        """
        name, _ = parse(arrival.message.text)
        command = self._table.get(name)
        if command is None or not command.owner_only:
            return await self._choose(name, arrival)
        async with self._of_owners:
            return await self._choose(name, arrival)

    async def _choose(self, name: str, arrival: Arrival) -> PressAnswer:
        command = self._table.get(name)
        key = await self._outbox.key_of(arrival.chat.id, arrival.message.message_id)
        if command is None or not command.chosen:
            return refused(NOT_OURS)
        response = await self._response(name, invoked(arrival))
        if not isinstance(response, Answer):
            return refused(NOT_OURS)
        if not (response.writes or response.buttons):
            return refused(response.text)  # the menu stays for others
        content = _content(response)
        row = await self._outbox.row(key) if key is not None else None
        await self._commit(arrival, *response.writes, _in_place(arrival, key, content))
        await self._consequences.follow(response.then)
        same = row is not None and replace(row.content, reply_to=None) == content
        return PressAnswer(_SAME, alone=True) if same else PressAnswer()

    async def told(self, name: str, asked: Invocation) -> Answer:
        """Carries out a command of a page; returns its answer in Markdown, which no chat shows.

        As with buttons, only commands that set a value are carried out.
        """
        command = self._table.get(name)
        if command is None or not (command.chosen or command.on_pages):
            return Answer(NOT_OURS)
        async with self._of_owners:
            response = await self._response(name, asked)
            if not isinstance(response, Answer):
                return Answer(NOT_OURS)
            if response.writes:
                await self._store(asked.person.id, *response.writes)
        await self._consequences.follow(response.then)
        return response

    async def _commit(self, arrival: Arrival, *writes: Write) -> None:
        await self._store(arrival.person.id, *writes)

    async def _store(self, person: int, *writes: Write) -> None:
        # What the command read is about this person: after a join it runs again for the other one.
        await self._journal.commit(Change((CheckAccess(person), *writes), durable=True))

    def knows(self, text: str) -> bool:
        """Returns true when the table has the command that the text begins with."""
        return parse(text)[0] in self._table

    async def _response(self, name: str, invocation: Invocation) -> Response:
        command = self._table.get(name)
        if command is None:
            return Answer(self._unknown(name))
        if command.owner_only and not invocation.person.is_owner:
            return Answer(_for_owners(name))
        if not command.works_in(invocation.chat):
            return Answer(f"/{name} changes nothing in a terminal.")
        return await command.run(invocation)

    def _unknown(self, name: str) -> str:
        near = difflib.get_close_matches(name, list(self._table), n=1, cutoff=_LIKE)
        hint = f" Did you mean /{near[0]}?" if near else " /help all shows every command."
        return f"There is no command {inline_code('/' + name[:40])}.{hint}"


def _for_owners(name: str) -> str:
    return f"Only an owner can use /{name}."


def _content(answer: Answer) -> Outbound:
    with_buttons = OutboundKind.OPTION if answer.optional else OutboundKind.MENU
    kind = with_buttons if answer.buttons else OutboundKind.NOTICE
    return Outbound(kind, (Markdown(answer.text),), answer.buttons, waits=answer.waits)


def invoked(arrival: Arrival) -> Invocation:
    """Returns the command that a message gives."""
    _, words = parse(arrival.message.text)
    return Invocation(arrival.chat, arrival.person, words, arrival.message, arrival.row.id)


def in_answer(arrival: Arrival, content: Outbound) -> Show:
    """Shows the message that answers a command, or its new content."""
    to = None if arrival.message.private else arrival.message.message_id
    return Show(answer_key(arrival.row.id), arrival.chat.id, replace(content, reply_to=to))


def _in_place(arrival: Arrival, key: str | None, content: Outbound) -> Show:
    """Shows the new content in the message of the pressed button.

    A message can be pressed before its id is stored with its key: then its id alone names it.
    """
    chat, over = arrival.chat.id, arrival.message.message_id
    if key is not None:
        return Show(key, chat, content)
    return Show(answer_key(arrival.row.id), chat, content, over=over)


def parse(text: str) -> tuple[str, tuple[str, ...]]:
    """Returns the command's name and its words: `/stop@steward all` is `stop` and `all`."""
    head, *words = text.split()
    name = head.removeprefix("/").partition("@")[0].lower()
    return name, tuple(words)
