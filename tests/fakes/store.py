"""The store in memory: every port on one set of rows, whole changes or nothing."""

import asyncio
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime

from bot.domain.assignments.errand import Errand
from bot.domain.change import AddUsage, Change, Fence, InboundState
from bot.domain.consent.approval import Approval, ApprovalState, Rule
from bot.domain.memory.passage import of_group, of_person
from bot.domain.money.budget import Budgets
from bot.domain.money.model import Usage
from bot.domain.money.money import Nano
from bot.domain.plans.plan import Plan
from bot.domain.talk.chat import Chat, Conversation, ListedConversation
from bot.domain.talk.errors import NoSuchChat
from bot.domain.talk.message import Address, RawUpdate
from bot.domain.talk.person import AT_THE_MACHINE, ON_NO_PLATFORM, Person, Role, Sender
from bot.domain.talk.rights import EVERYTHING, NEWCOMER
from bot.domain.tools.server import ServerConsent
from bot.domain.turn.transcript import Entry
from bot.domain.turn.turn import Turn, TurnState, WaysOn
from bot.domain.turn.voice import VoiceNote
from bot.ports.errands import ErrandProgress
from bot.ports.inbox import InboundRow
from bot.ports.journal import MOST_AHEAD, Agenda
from bot.ports.ledger import AuditLine, Bill, BilledTurn, By, Spender, Spent
from bot.ports.outbox import MOST_OWED, Delivered, DeliveryState, OutboxRow
from bot.ports.sightings import Sighting
from tests.fakes.store_branches import listed, listing, past_of
from tests.fakes.store_descriptions import MemoryDescriptions
from tests.fakes.store_feedback import MemoryFeedback
from tests.fakes.store_file_changes import MemoryFileChanges
from tests.fakes.store_goals import MemoryGoals
from tests.fakes.store_hook_calls import MemoryHookCalls
from tests.fakes.store_meaning import MemoryMeaningDebts, MemoryMeant, MemoryWeights
from tests.fakes.store_members import MemoryMembers
from tests.fakes.store_passages import MemoryBelongings, MemoryIndex, MemoryNotes, MemoryPassages
from tests.fakes.store_received import MemoryReceived
from tests.fakes.store_records import MemoryRecords
from tests.fakes.store_rows import Rows
from tests.fakes.store_scheduled import MemoryScheduled
from tests.fakes.store_sessions import MemorySessions

Now = Callable[[], datetime]


def wall_clock() -> datetime:
    return datetime.now(UTC)


class MemoryStore:
    """Has one attribute for every port, like the real store; `rows` are there for looking at."""

    def __init__(self, now: Now = wall_clock) -> None:
        self.rows = Rows()
        self.inbox = MemoryInbox(self.rows)
        self.journal = MemoryJournal(self.rows, now)
        self.chats = MemoryChats(self.rows, now)
        self.people = MemoryPeople(self.rows)
        self.door = MemoryDoor(self.rows, self.people)
        self.members = MemoryMembers(self.rows)
        self.approvals = MemoryApprovals(self.rows)
        self.rules = MemoryRules(self.rows)
        self.plans = MemoryPlans(self.rows)
        self.outbox = MemoryOutbox(self.rows)
        self.ledger = MemoryLedger(self.rows)
        self.consents = MemoryConsents(self.rows)
        self.received = MemoryReceived(self.rows)
        self.memory = MemoryPassages(self.rows)
        self.words = MemoryIndex(self.rows)
        self.meant = MemoryMeant(self.rows)
        self.meaning_debts = MemoryMeaningDebts(self.rows)
        self.weights = MemoryWeights(self.rows)
        self.descriptions = MemoryDescriptions(self.rows)
        self.notes = MemoryNotes(self.rows)
        self.belongings = MemoryBelongings(self.rows)
        self.turns = MemoryTurns(self.rows)
        self.voice = MemoryVoice(self.rows)
        self.errands = MemoryErrands(self.rows)
        self.scheduled = MemoryScheduled(self.rows)
        self.goals = MemoryGoals(self.rows)
        self.hook_calls = MemoryHookCalls(self.rows)
        self.file_changes = MemoryFileChanges(self.rows)
        self.feedback = MemoryFeedback(self.rows)
        self.folders = MemoryFolderPlaces(self.rows)
        self.records = MemoryRecords(self.rows)
        self.sessions = MemorySessions(self.rows)


@dataclass(frozen=True, slots=True)
class MemoryFolderPlaces:
    rows: Rows

    async def claim(self, folder: str, tag: str) -> str:
        return self.rows.folders.setdefault(folder, tag)

    async def counts(self) -> Mapping[str, int]:
        return Counter(self.rows.folders.values())


@dataclass(frozen=True, slots=True)
class MemoryInbox:
    rows: Rows

    async def accept(
        self, channel: str, updates: Sequence[RawUpdate], at: datetime
    ) -> Sequence[InboundRow]:
        known = {(row.channel, row.key) for row in self.rows.inbox.values()}
        added = list[InboundRow]()
        for update in updates:
            if (channel, update.key) not in known:
                known.add((channel, update.key))
                id = len(self.rows.inbox) + 1
                row = InboundRow(id, channel, update.key, update.body, InboundState.NEW, at)
                self.rows.inbox[id] = row
                added.append(row)
            if update.reached is not None:
                self.rows.streams[update.reached.stream] = (update.reached.position, at)
        return added

    async def reached(self, stream: str, since: datetime) -> str:
        position, at = self.rows.streams.get(stream, ("", since))
        return position if at >= since else ""

    async def get(self, id: int) -> InboundRow | None:
        return self.rows.inbox.get(id)

    async def asked(self, chat: int, span: int) -> Sequence[InboundRow]:
        newest = list(self.rows.inbox.values())[-span:]
        return [r for r in newest if r.chat == chat and r.state is InboundState.ASKED]

    async def unrouted(self, limit: int, besides: Collection[int] = ()) -> Sequence[InboundRow]:
        new = [row for row in self.rows.inbox.values() if row.state is InboundState.NEW]
        mine = [row for row in new if row not in self.rows.in_other_hands]
        return [row for row in mine if row.id not in besides][:limit]

    async def elsewhere(self, since: datetime) -> Sequence[InboundRow]:
        return [row for row in self.rows.in_other_hands if row.received_at >= since]

    async def waiting(self, chat: int, limit: int | None = None) -> Sequence[InboundRow]:
        waiting = [
            row
            for row in self.rows.inbox.values()
            if row.chat == chat and row.state is InboundState.WAITING
        ]
        return waiting[:limit]

    async def message(self, chats: Collection[int], message_id: str) -> InboundRow | None:
        waiting = [row for chat in chats for row in await self.waiting(chat)]
        return next((row for row in waiting if row.message_id == message_id), None)

    async def last_taken(self, span: int) -> Sequence[InboundRow]:
        rows = list(self.rows.inbox.values())
        new = (at for at, row in enumerate(rows) if row.state is InboundState.NEW)
        first = next(new, len(rows))
        return [row for row in rows[max(0, first - span) :] if row.person is not None]

    async def newest(self, channel: str) -> datetime | None:
        rows = [row for row in self.rows.inbox.values() if row.channel == channel]
        return rows[-1].received_at if rows else None

    async def heard(self, chat: int, limit: int) -> Sequence[InboundRow]:
        heard = [
            row
            for row in self.rows.inbox.values()
            if row.chat == chat and row.state is InboundState.HEARD
        ]
        return heard[-limit:]


@dataclass(frozen=True, slots=True)
class MemoryJournal:
    rows: Rows
    now: Now

    async def claim(self, chat: int) -> Fence:
        await asyncio.sleep(0)
        known = self.rows.chats.get(chat)
        if known is None:
            raise NoSuchChat(f"there is no chat {chat}")
        self.rows.chats[chat] = replace(known, fence=known.fence + 1)
        return Fence(chat, known.fence + 1)

    async def commit(self, change: Change) -> None:
        await asyncio.sleep(0)
        self.rows.commit(change, self.now())

    async def entries(self, conversation: str, after: int = 0) -> Sequence[Entry]:
        last = dict(past_of(self.rows, conversation))
        found = [
            e
            for e in self.rows.entries.values()
            if e.conversation == conversation or e.seq <= last.get(e.conversation, 0)
        ]
        return sorted((e for e in found if e.seq > after), key=lambda e: e.seq)

    async def agenda(self, chat: int) -> Agenda:
        await asyncio.sleep(0)
        todo = sorted(
            (t for t in self.rows.turns.values() if t.chat == chat and not _settled(t)),
            key=lambda t: (t.created_at, t.id),
        )
        ids = {turn.id for turn in todo}
        continued = {turn.approval for turn in todo}
        cards = [
            card
            for card in self.rows.approvals.values()
            if chat in (card.chat, card.lane)
            and (card.turn in ids or card.id in continued or (card.chat == chat and _unread(card)))
        ]
        here = await MemoryChats(self.rows, self.now).get(chat)
        errands = [e for e in self.rows.errands.values() if e.chat == chat and not e.taken]
        if here.screen is not None:
            errands = [e for e in self.rows.errands.values() if e.home == chat]
        waiting = await MemoryInbox(self.rows).waiting(chat, MOST_AHEAD)
        known, wrote = set(self.rows.accounts.values()), {row.person for row in waiting}
        senders = {id: one for id, one in self.rows.people.items() if id in wrote & known}
        theirs = {of_group(chat), *map(of_person, senders)}
        return Agenda(
            here,
            unfinished=tuple(t for t in todo if t.state is not TurnState.QUEUED),
            queued=tuple(t for t in todo if t.state is TurnState.QUEUED),
            approvals=tuple(sorted(cards, key=_age)),
            waiting=tuple(waiting),
            senders=senders,
            noted=any(note.whose in theirs for note in self.rows.notes.values()),
            plan=await MemoryPlans(self.rows).live(chat),
            leads_on=next(
                (
                    turn.id
                    for turn in self.rows.turns.values()
                    if turn.chat == chat and turn.ways_on is WaysOn.OPEN
                ),
                None,
            ),
            cards_open=any(
                card.chat == chat and card.state is ApprovalState.OPEN
                for card in self.rows.approvals.values()
            ),
            errands=tuple(sorted(errands, key=lambda e: (e.created_at, e.id))),
        )

    async def chats_with_work(self) -> Sequence[int]:
        turns = self.rows.turns
        found = {t.chat for t in turns.values() if not _settled(t) and _at_work(t)}
        for card in self.rows.approvals.values():
            turn = turns.get(card.turn)
            if card.state is not ApprovalState.OPEN and turn is not None and not _settled(turn):
                found.add(card.lane)
        found.update(e.chat for e in self.rows.errands.values() if e.done and not e.taken)
        for row in self.rows.inbox.values():
            if row.state is InboundState.WAITING and row.chat is not None:
                found.add(row.chat)
        return sorted(found)


@dataclass(frozen=True, slots=True)
class MemoryVoice:
    rows: Rows

    async def heard(self, chat: int, key: str) -> str | None:
        found = self.rows.hearings.get((chat, key))
        return None if found is None else found.words

    async def owed(self, limit: int) -> Sequence[VoiceNote]:
        notes = sorted(self.rows.voice_notes.values(), key=lambda one: (one.at, one.turn))
        return notes[:limit]


@dataclass(frozen=True, slots=True)
class MemoryErrands:
    rows: Rows

    async def get(self, id: str) -> Errand | None:
        return self.rows.errands.get(id)

    async def of_chat(self, chat: int) -> Sequence[ErrandProgress]:
        found = [e for e in self.rows.errands.values() if e.chat == chat and not e.taken]
        turns = self.rows.turns
        return [
            ErrandProgress(
                one,
                turns[one.id].rounds,
                turns[one.id].calls,
                turns[one.id].state is TurnState.RESTING,
            )
            for one in sorted(found, key=lambda e: (e.created_at, e.id))
        ]


@dataclass(frozen=True, slots=True)
class MemoryTurns:
    rows: Rows

    async def get(self, turn: str) -> Turn | None:
        return self.rows.turns.get(turn)

    async def at_work(self, origin: str) -> Sequence[Turn]:
        states = (TurnState.RUNNING, TurnState.QUEUED)
        turns = self.rows.turns.values()
        found = [one for one in turns if one.origin == origin and one.state in states]
        return sorted(found, key=lambda one: (one.created_at, one.id))


@dataclass(frozen=True, slots=True)
class MemoryChats:
    rows: Rows
    now: Now

    async def at(self, address: Address, *, private: bool) -> Chat:
        known = list(self.rows.chats.values())
        for where in ("address", "moved_from"):
            for chat in known[::-1]:
                if getattr(chat, where) == address:
                    return chat
        id = max(self.rows.chats, default=0) + 1
        conversation = Conversation(f"conversation-{id}", id, self.now())
        self.rows.conversations[conversation.id] = conversation
        self.rows.chats[id] = Chat(id, address, conversation.id, private)
        return self.rows.chats[id]

    async def within(self, address: Address) -> Sequence[Chat]:
        topics = f"{address.key}/"
        return [
            chat
            for chat in self.rows.chats.values()
            if address in (chat.address, chat.moved_from) or chat.address.key.startswith(topics)
        ]

    async def of_channel(self, channel: str, limit: int) -> Sequence[Address]:
        found = [c.address for c in self.rows.chats.values() if c.address.channel == channel]
        return found[::-1][:limit]

    async def get(self, chat: int) -> Chat:
        known = self.rows.chats.get(chat)
        if known is None:
            raise NoSuchChat(f"there is no chat {chat}")
        if known.screen is None:
            return known
        screen = self.rows.chats[known.screen]
        place = {"address": screen.address, "title": screen.title, "moved_from": screen.moved_from}
        return replace(known, **place)

    async def conversations(self, chat: int, limit: int) -> Sequence[Conversation]:
        closed = [
            (c.closed_at, c)
            for c in self.rows.conversations.values()
            if c.chat == chat and c.closed_at is not None
        ]
        return [c for _, c in sorted(closed, key=lambda pair: pair[0], reverse=True)][:limit]

    async def listed(self, chat: int, limit: int, skip: int = 0) -> Sequence[ListedConversation]:
        return listed(self.rows, chat)[skip : skip + limit]

    async def listing(self, chat: int, id: str) -> ListedConversation | None:
        return listing(self.rows, chat, id)

    async def conversation(self, chat: int, id: str) -> Conversation | None:
        found = self.rows.conversations.get(id)
        return found if found is not None and found.chat == chat else None


@dataclass(frozen=True, slots=True)
class MemoryPeople:
    rows: Rows

    async def by_sender(self, sender: Sender) -> Person | None:
        known = self._of(sender.key)
        if known is None or known.name != sender.key or not sender.name:
            return known
        named = self.rows.people[known.id] = replace(known, name=sender.name)
        return named

    async def met(self, sender: Sender, address: Address) -> tuple[Person | None, Chat | None]:
        known = await self.by_sender(sender)
        there = (chat for chat in self.rows.chats.values() if chat.address == address)
        return known, None if known is None else next(there, None)

    async def get(self, person: int) -> Person | None:
        return self.rows.people.get(person)

    async def admit(self, sender: Sender, role: Role) -> Person:
        known = self._of(sender.key)
        if known is None:
            rights = EVERYTHING if role is Role.OWNER else NEWCOMER
            known = Person(len(self.rows.people) + 1, sender.name, role, rights)
            self.rows.accounts[sender.key] = known.id
        elif role is Role.OWNER:
            known = replace(known, role=role)
        self.rows.people[known.id] = known
        return known

    async def accounts(self) -> Sequence[tuple[str, Person]]:
        known = [(key, self.rows.people[id]) for key, id in self.rows.accounts.items()]
        return sorted(known, key=lambda pair: (not pair[1].is_owner, pair[1].id, pair[0]))

    def _of(self, account: str) -> Person | None:
        number = self.rows.accounts.get(account)
        return None if number is None else self.rows.people[number]


@dataclass(frozen=True, slots=True)
class MemoryDoor:
    rows: Rows
    people: MemoryPeople

    async def offer(self, code_hash: str, expires_at: datetime) -> None:
        self.rows.pairing = (code_hash, expires_at)

    async def redeem(self, code_hash: str, sender: Sender, at: datetime) -> Person | None:
        await asyncio.sleep(0)
        owners = [(key, p) for key, p in await self.people.accounts() if p.is_owner]
        local = [(key, p) for key, p in owners if key.startswith(f"{AT_THE_MACHINE}:")]
        code, expires_at = self.rows.pairing or (None, at)
        here = [key for key, _ in owners if key.partition(":")[0] in ON_NO_PLATFORM]
        if len(owners) > len(here) or code != code_hash or expires_at <= at:
            return None
        self.rows.pairing = None
        if local and sender.key not in self.rows.accounts:
            self.rows.accounts[sender.key] = local[0][1].id
            return local[0][1]
        return await self.people.admit(sender, Role.OWNER)

    async def greet(self, account: str, day: date, most: int) -> bool:
        greetings = self.rows.greetings
        for gone in [key for key, at in greetings.items() if at < day]:
            del greetings[gone]
        if sum(at == day for at in greetings.values()) >= most:
            return False
        last = self.rows.greetings.get(account)
        if last is not None and last >= day:
            return False
        self.rows.greetings[account] = day
        return True

    async def ignore(self, account: str) -> None:
        self.rows.greetings[account] = date.max


@dataclass(frozen=True, slots=True)
class MemoryApprovals:
    rows: Rows

    async def by_token(self, token: str) -> Approval | None:
        return next((a for a in self.rows.approvals.values() if a.token == token), None)

    async def get(self, id: str) -> Approval | None:
        return self.rows.approvals.get(id)

    async def open_in(self, chat: int) -> Sequence[Approval]:
        return sorted((a for a in self._open() if a.chat == chat), key=_age)

    async def of_turn(self, turn: str) -> Sequence[Approval]:
        return sorted((a for a in self.rows.approvals.values() if a.turn == turn), key=_age)

    async def overdue(self, now: datetime, limit: int) -> Sequence[Approval]:
        late = [a for a in self._open() if a.expires_at <= now]
        return sorted(late, key=lambda a: a.expires_at)[:limit]

    def _open(self) -> list[Approval]:
        return [a for a in self.rows.approvals.values() if a.state is ApprovalState.OPEN]


@dataclass(frozen=True, slots=True)
class MemoryRules:
    rows: Rows

    async def of(self, person: int, chat: int) -> Sequence[Rule]:
        return [r for r in self.rows.rules.values() if (r.person, r.chat) == (person, chat)]


@dataclass(frozen=True, slots=True)
class MemoryPlans:
    rows: Rows

    async def by_token(self, token: str) -> Plan | None:
        return next((p for p in self.rows.plans.values() if p.token == token), None)

    async def get(self, id: str) -> Plan | None:
        return self.rows.plans.get(id)

    async def live(self, chat: int) -> Plan | None:
        return next((p for p in self.rows.plans.values() if p.chat == chat and p.live), None)

    async def of_chat(self, chat: int, limit: int) -> Sequence[Plan]:
        found = [p for p in self.rows.plans.values() if p.chat == chat]
        return sorted(sorted(found, key=lambda p: p.id), key=lambda p: p.created_at, reverse=True)[
            :limit
        ]


@dataclass(frozen=True, slots=True)
class MemoryOutbox:
    rows: Rows

    async def owed(self, chat: int, after: int = 0) -> Sequence[OutboxRow]:
        rows = (row for row in self.rows.outbox.values() if row.chat == chat and row.id > after)
        return [row for row in rows if row.state is DeliveryState.OWED][:MOST_OWED]

    async def chats_owed(self) -> Sequence[int]:
        owed = {r.chat for r in self.rows.outbox.values() if r.state is DeliveryState.OWED}
        return sorted(owed)

    async def record(self, delivered: Delivered) -> None:
        row = next((r for r in self.rows.outbox.values() if r.id == delivered.id), None)
        if row is None:
            return
        behind = delivered.state is not DeliveryState.OWED and row.version > delivered.version
        self.rows.outbox[row.key] = replace(
            row,
            state=DeliveryState.OWED if behind else delivered.state,
            shown_version=delivered.shown_version,
            pieces=delivered.pieces,
            message_ids=delivered.message_ids,
            attempts=delivered.attempts,
            error=delivered.error,
        )
        self.rows.recorded[row.key] = delivered.at
        self.rows.seen.update({(row.chat, seen): row.key for seen in delivered.message_ids})

    async def key_of(self, chat: int, message_id: str) -> str | None:
        return self.rows.seen.get((chat, message_id))

    async def row(self, key: str) -> OutboxRow | None:
        return self.rows.outbox.get(key)

    async def note_sending(
        self, chats: Collection[int], over: Collection[int], at: datetime
    ) -> None:
        for chat in over:
            self.rows.sending.pop(chat, None)
        self.rows.sending = {**dict.fromkeys(chats, at), **self.rows.sending}

    async def noted_sending(self) -> Mapping[int, datetime]:
        return dict(self.rows.sending)

    async def newest(self, chat: int) -> OutboxRow | None:
        rows = (row for row in self.rows.outbox.values() if row.chat == chat)
        alive = (row for row in rows if row.state is not DeliveryState.DEAD)
        return max(alive, key=lambda row: row.id, default=None)

    async def sightings(self, channel: str, since: datetime) -> Sequence[Sighting]:
        del since
        own = [
            Sighting(row.address, seen, self.rows.recorded.get(row.key, row.created_at))
            for row in self.rows.outbox.values()
            if row.address.channel == channel
            for seen in row.message_ids
        ]
        addresses = {chat.id: chat.address for chat in self.rows.chats.values()}
        return own + [
            Sighting(addresses[row.chat], row.message_id, row.received_at)
            for row in self.rows.inbox.values()
            if row.chat is not None and row.message_id is not None and row.channel == channel
        ]

    async def pressable(self, prefix: str) -> Sequence[OutboxRow]:
        found = [
            row
            for key, row in self.rows.outbox.items()
            if key.startswith(prefix) and row.content.buttons
        ]
        alive = (row for row in found if row.state is not DeliveryState.DEAD)
        return sorted(alive, key=lambda row: row.id, reverse=True)


@dataclass(frozen=True, slots=True)
class MemoryLedger:
    rows: Rows

    async def spent(self, since: datetime, chat: int | None = None) -> Sequence[Spent]:
        spent: dict[str, Spent] = {}
        for line in self._lines(since, Spender(chat)):
            sum = spent.get(line.model, Spent(line.model, 0, Usage(), 0))
            cost = None if sum.cost is None or line.cost is None else sum.cost + line.cost
            spent[line.model] = Spent(line.model, sum.calls + 1, sum.usage + line.usage, cost)
        return [spent[model] for model in sorted(spent)]

    def _lines(self, since: datetime, whose: Spender) -> Sequence[AddUsage]:
        wanted = (whose.chat, whose.person, whose.turn)
        return [
            line
            for line in self.rows.usage.values()
            if line.at >= since
            and all(
                one in (None, own)
                for one, own in zip(
                    wanted, (line.cause.chat, line.cause.person, line.cause.turn), strict=True
                )
            )
        ]

    async def bills(self, slots: Sequence[datetime], by: By, whose: Spender) -> Sequence[Bill]:
        bills: dict[tuple[int, str], Bill] = {}
        for line in self._lines(slots[0], whose):
            slot = sum(line.at >= begin for begin in slots[1:])
            of = _subject(line, by)
            old = bills.get((slot, of), Bill(slot, of, 0, Usage(), 0, 0, 0))
            bills[slot, of] = Bill(
                slot,
                of,
                old.calls + 1,
                old.usage + line.usage,
                old.cost + (line.cost or 0),
                old.unknown + (line.cost is None),
                old.estimated + line.estimated,
            )
        return [bills[key] for key in sorted(bills)]

    async def total(
        self,
        since: datetime,
        whose: Spender,
        besides: Collection[str] = (),
        until: datetime | None = None,
    ) -> Nano:
        lines = self._lines(since, whose)
        kept = [line for line in lines if until is None or line.at < until]
        return sum(line.cost or 0 for line in kept if line.call not in besides)

    async def tasks(self, turns: Sequence[str]) -> Mapping[str, BilledTurn]:
        words = {id: passage.question for id, passage in self.rows.passages.items()}
        found = [self.rows.turns[id] for id in turns if id in self.rows.turns]
        return {
            t.id: BilledTurn(t.created_at, t.asker, t.asker_name, words.get(t.id, ""))
            for t in found
        }

    async def budgets(self) -> Budgets:
        return dict(self.rows.budgets)

    async def audit(self, chat: int, limit: int) -> Sequence[AuditLine]:
        lines = [
            AuditLine(line.at, line.person, line.action, line.subject, line.details)
            for line in self.rows.audit
            if line.chat == chat
        ]
        return lines[::-1][:limit]

    async def newest_of(self, action: str, beginning: str) -> Sequence[AuditLine]:
        found = {
            line.subject: AuditLine(line.at, line.person, line.action, line.subject, line.details)
            for line in self.rows.audit
            if line.action == action and line.subject.startswith(beginning)
        }
        return list(found.values())

    async def ran_since(self, chat: int, since: datetime) -> Sequence[str]:
        ran = [line for line in self.rows.audit if line.action == "call.ran" and line.chat == chat]
        return [line.subject for line in sorted(ran, key=lambda x: x.at) if line.at >= since]

    async def artifact(self, chat: int, id: str) -> str | None:
        found = self.rows.artifacts.get(id)
        return found.text if found is not None and found.chat == chat else None


def _subject(line: AddUsage, by: By) -> str:
    cause = line.cause
    match by:
        case By.MODEL:
            return line.model
        case By.CHAT:
            return "" if cause.chat is None else str(cause.chat)
        case By.PERSON:
            return "" if cause.person is None else str(cause.person)
        case By.TASK:
            return cause.turn
        case By.SKILL:
            return cause.skill or ""


def _settled(turn: Turn) -> bool:
    return turn.state is TurnState.SETTLED


def _at_work(turn: Turn) -> bool:
    return turn.state is not TurnState.PARKED or turn.stop_asked is not None


def _unread(card: Approval) -> bool:
    return card.set_aside and not card.reported and card.state is not ApprovalState.OPEN


def _age(card: Approval) -> tuple[datetime, int, str]:
    return card.created_at, card.position, card.id


@dataclass(frozen=True, slots=True)
class MemoryConsents:
    rows: Rows

    async def given(self) -> Sequence[ServerConsent]:
        return sorted(self.rows.consents.values(), key=lambda each: (each.server, each.given_at))
