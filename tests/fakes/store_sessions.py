"""Sign-in codes and sessions of the page, in memory."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from bot.domain.talk.errors import Conflict
from bot.domain.talk.person import Person
from bot.domain.talk.session import LONGEST_CODE, MOST_TRIES, PAGE, Session, SignInCode

if TYPE_CHECKING:
    from tests.fakes.store_rows import Rows


@dataclass(frozen=True, slots=True)
class MemorySessions:
    rows: "Rows"

    async def offer(self, code: SignInCode, now: datetime) -> None:
        for id, known in list(self.rows.sign_ins.items()):
            if known.expires_at <= now:
                del self.rows.sign_ins[id]
        self.rows.sign_ins[code.id] = code

    async def tried(self, id: str, hash: str, now: datetime) -> SignInCode | None:
        known = self.rows.sign_ins.get(id)
        if known is None:
            return None
        live = now < known.expires_at <= now + LONGEST_CODE and known.tries < MOST_TRIES
        if live and known.hash == hash:
            return known
        self.rows.sign_ins[id] = replace(known, tries=known.tries + 1)
        return None

    async def open(self, session: Session, code: SignInCode | None = None) -> Session:
        for id, known in list(self.rows.sessions.items()):
            if known.ends_at <= session.opened_at:
                del self.rows.sessions[id]
        if session.person not in self.rows.accounts.values():
            raise Conflict(f"person {session.person} has no account any more")
        if code is not None:
            if code.id not in self.rows.sign_ins:
                raise Conflict(f"code {code.id} was spent before")
            del self.rows.sign_ins[code.id]
        keys = [
            key
            for key, person in self.rows.accounts.items()
            if person == session.person and key.startswith(f"{PAGE}:")
        ]
        key = min(keys, default=f"{PAGE}:{session.person}")
        self.rows.accounts[key] = session.person
        whole = replace(session, account=key)
        self.rows.sessions[session.id] = whole
        return whole

    async def at(self, hash: str, now: datetime) -> tuple[Session, Person] | None:
        found = (s for s in self.rows.sessions.values() if s.hash == hash and s.ends_at > now)
        session = next(found, None)
        if session is None or session.person not in self.rows.accounts.values():
            return None
        return session, self.rows.people[session.person]

    async def renew(self, id: str, seen_at: datetime, ends_at: datetime) -> None:
        if id in self.rows.sessions:
            known = self.rows.sessions[id]
            self.rows.sessions[id] = replace(known, seen_at=seen_at, ends_at=ends_at)

    async def of(self, person: int, now: datetime) -> Sequence[Session]:
        found = [s for s in self.rows.sessions.values() if s.person == person and s.ends_at > now]
        return sorted(sorted(found, key=lambda s: s.id), key=lambda s: s.opened_at, reverse=True)

    async def end(self, person: int, id: str | None = None) -> int:
        going = [
            s.id for s in self.rows.sessions.values() if s.person == person and id in (None, s.id)
        ]
        for one in going:
            del self.rows.sessions[one]
        return len(going)
