"""Brings one owed message onto the screen: sends, edits or deletes it, and records that."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from bot.domain.talk.errors import ContentRefused, FormRefused
from bot.domain.talk.message import VANISHING, Block, Markdown, Outbound, OutboundKind, Piece, Plain
from bot.flow.delivery.doubts import Doubts, Unrecorded
from bot.flow.delivery.flood_gate import wait_beside
from bot.flow.delivery.looking import Looking
from bot.flow.delivery.passing import Passing
from bot.ports.channel import Channel
from bot.ports.clock import Clock
from bot.ports.outbox import Delivered, Deliveries, DeliveryState, OutboxRow

_LOG = logging.getLogger(__name__)

SHORT = 2_000
"""Characters of a content that is split at once; a longer one is split in a thread.

The costliest Markdown of this length takes 30 ms.
"""

SECONDS = 10.0
"""Seconds that splitting may take before the text is shown as it is written."""

_LEFT_OVER = Outbound(OutboundKind.NOTICE, (Plain("⋯"),))
"""Replaces the text of messages that a shorter new content no longer needs."""

_MOST_LOOKS = 3
"""Searches for growing messages that one turn has left behind; the last one finds none."""


class Showing:
    """Shows rows of the outbox, piece by piece, with a record after each.

    A piece that may stand on the screen already is looked for before it is sent again.
    """

    def __init__(
        self,
        outbox: Deliveries,
        looking: Looking,
        channels: Mapping[str, Channel],
        clock: Clock,
        unrecorded: Unrecorded,
        passing: Passing,
        doubts: Doubts,
    ) -> None:
        self.doubts = doubts
        self._looking = looking
        self._outbox = outbox
        self._channels = channels
        self._clock = clock
        self._unrecorded = unrecorded
        self._under_way: dict[str, int] = {}
        self._passing = passing
        self._unsaved: Delivered | None = None

    async def catch_up(self) -> None:
        """Records what is on the screen, if the store could not take that record before."""
        if self._unsaved is not None:
            await self._save(self._unsaved)

    def wait_beside(self, row: OutboxRow) -> float:
        """Returns the seconds that a message about calls waits for the sake of others."""
        return wait_beside(self._channels[row.address.channel], row.address)

    def delays_nobody(self, row: OutboxRow) -> bool:
        """Returns True where sending needs no leave, so that a message delays no other one."""
        return not self._channels[row.address.channel].gated

    async def show(self, row: OutboxRow) -> None:
        """Changes the screen from its last recorded state to the state that the row wants."""
        channel = self._channels[row.address.channel]
        if vanishes(row):
            await self._take_away(row, channel)
            return
        pieces = await self._edited(row, await _planned(row, channel), channel)
        seen = row.message_ids
        if len(seen) >= len(pieces):
            await self._save(self._delivered(row, pieces, seen))
        while len(seen) < len(pieces):
            try:
                sent = await self._placed(row, pieces[len(seen)], seen, channel)
            except FormRefused as refused:
                # Recorded before the first of them is sent: a restart goes on with the same ones.
                pieces = _with_instead(pieces, len(seen), refused, row)
            else:
                seen = (*seen, sent)
            await self._save(self._delivered(row, pieces, seen))

    async def _placed(
        self, row: OutboxRow, piece: Piece, seen: tuple[str, ...], channel: Channel
    ) -> str:
        """Returns the id of a piece: it is sent, unless it stands there already."""
        since, name = self.doubts.since(row), _name(row, len(seen))
        try:
            with self.doubts.sending(row):
                if since is not None:
                    found = await self._found(row, piece, since, seen)
                    if found is not None:
                        return found
                    self.doubts.not_found(row)
                self._unrecorded.begin(row, name)
                self._under_way[name] = row.id
                return await channel.send(row.address, piece, once=name)
        except BaseException:
            if self.doubts.since(row) is None:
                self._recorded(name)
            else:
                self._unrecorded.doubt(name)
            raise

    def _recorded(self, *names: str) -> None:
        for name in names:
            self._under_way.pop(name, None)
            self._unrecorded.over(name)

    def leave(self) -> None:
        """Lets others send in place of what is under way here, and will not be recorded."""
        self._recorded(*self._under_way)

    async def _found(
        self, row: OutboxRow, piece: Piece, since: datetime, above: tuple[str, ...]
    ) -> str | None:
        channel = self._channels[row.address.channel]
        async with self._passing.beside(row.chat):
            found = await self._looking.find(
                channel, row.chat, row.address, piece, since, above, self.doubts.until
            )
        if found is not None:
            _LOG.info("a message was there already: its confirmation was lost", extra=_about(row))
        return found

    async def _take_away(self, row: OutboxRow, channel: Channel) -> None:
        """Deletes the messages of a row; those whose ids nobody knew are looked for as well."""
        for looks in range(_MOST_LOOKS + 1):
            for message_id in row.message_ids:
                async with self._passing.beside(row.chat):
                    await self._deleted(row, message_id, channel)
                    self._passing.take(row.chat, message_id)
            found = await self._stray(row, channel) if looks < _MOST_LOOKS else None
            if found is None:
                break
            row = replace(row, message_ids=(found,))
            # Known from now on, so no other search takes it for another message.
            await self._save(replace(self._delivered(row, (), row.message_ids), state=row.state))
        await self._save(self._delivered(row, (), ()))

    async def _stray(self, row: OutboxRow, channel: Channel) -> str | None:
        """Returns the id of a growing message that a turn has left behind, if one stands."""
        if row.content.kind is not OutboundKind.STRAY:
            return None
        strays = self._passing.strays
        if strays.cleared_up(row.about):
            strays.looked(row.about)
            return None
        async with self._passing.beside(row.chat):
            found = await self._looking.find(
                channel,
                row.chat,
                row.address,
                None,
                row.created_at,
                until=self.doubts.until,
            )
            if found is None:
                strays.looked(row.about)
        return found

    async def _deleted(self, row: OutboxRow, message_id: str, channel: Channel) -> None:
        try:
            await channel.edit(row.address, message_id, None)
        except ContentRefused as refused:
            # Platforms refuse to delete old messages: this one is at least emptied.
            _LOG.info("a message stays: %s", refused, extra=_about(row))
            await channel.edit(row.address, message_id, channel.split(_LEFT_OVER)[0])

    async def _edited(
        self, row: OutboxRow, pieces: tuple[Piece, ...], channel: Channel
    ) -> tuple[Piece, ...]:
        """Edits the messages that changed, or all when it is unknown what they show now.

        Returns the pieces, in the form that the platform took.
        """
        known = row.pieces if _one_behind(row) else ()
        n = 0
        while n < min(len(row.message_ids), len(pieces)):
            if n >= len(known) or known[n] != pieces[n]:
                try:
                    await channel.edit(row.address, row.message_ids[n], pieces[n])
                except FormRefused as refused:
                    pieces = _with_instead(pieces, n, refused, row)
                    continue
                except ContentRefused as refused:
                    # The message may be deleted, and then there is nothing to update.
                    _LOG.error("an edit was refused: %s", refused, extra=_about(row))
            n += 1
        return pieces

    def _delivered(
        self, row: OutboxRow, pieces: tuple[Piece, ...], seen: tuple[str, ...]
    ) -> Delivered:
        done = len(seen) >= len(pieces)
        return Delivered(
            row.id,
            row.version,
            DeliveryState.SHOWN if done else DeliveryState.OWED,
            row.version if done else row.shown_version,
            pieces,
            seen,
            row.attempts,
            self._clock.now(),
        )

    async def _save(self, delivered: Delivered) -> None:
        """Records what is on the screen; if the store fails, `catch_up` does it later."""
        self._unsaved = delivered
        await self._outbox.record(delivered)
        self._unsaved = None
        done = [name for name, row in self._under_way.items() if row == delivered.id]
        self._recorded(*done)


def vanishes(row: OutboxRow) -> bool:
    """Returns True for a row that must disappear from the screen."""
    return row.content.kind in VANISHING


def _name(row: OutboxRow, place: int) -> str:
    """Returns the name of a message: the same at each try, another when it is shown anew."""
    return f"{row.address.key} {row.key} {row.id} {row.shown_version} {place}"


def _one_behind(row: OutboxRow) -> bool:
    """Returns True when the wanted version follows the shown one: the screen is then known."""
    return row.version == row.shown_version + 1


async def _planned(row: OutboxRow, channel: Channel) -> tuple[Piece, ...]:
    """Returns the pieces to show; a content that is half sent keeps the pieces it was cut into."""
    if _one_behind(row) and len(row.message_ids) < len(row.pieces):
        return row.pieces
    pieces = tuple(await pieces_of(channel, row.content, row.pieces if row.message_ids else ()))
    too_many = len(row.message_ids) - len(pieces)
    return pieces if too_many <= 0 else (*pieces, *[channel.split(_LEFT_OVER)[0]] * too_many)


def _with_instead(
    pieces: tuple[Piece, ...], at: int, refused: FormRefused, row: OutboxRow
) -> tuple[Piece, ...]:
    """Returns the pieces with those that stand for a refused one in its place."""
    _LOG.info("a message takes another form: %s", refused, extra=_about(row))
    return (*pieces[:at], *refused.instead, *pieces[at + 1 :])


def _about(row: OutboxRow) -> dict[str, int | str]:
    return {"chat": row.chat, "row": row.key}


async def pieces_of(
    channel: Channel, content: Outbound, shown: Sequence[Piece] = (), seconds: float = SECONDS
) -> Sequence[Piece]:
    """Returns the platform messages of a content; plain ones where formatting takes too long."""
    if sum(len(block.text) for block in content.blocks) <= SHORT:
        return channel.split(content, shown)
    try:
        async with asyncio.timeout(seconds):
            return await asyncio.to_thread(channel.split, content, shown)
    except TimeoutError:
        _LOG.warning("a message is shown without formatting: it took over %g s", seconds)
        return await asyncio.to_thread(channel.split, replace(content, blocks=_plain(content)))


def _plain(content: Outbound) -> tuple[Block, ...]:
    return tuple(Plain(b.text) if isinstance(b, Markdown) else b for b in content.blocks)
