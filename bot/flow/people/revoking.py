"""The command of owners that takes access back, with everything that ends then."""

from collections.abc import Sequence

from bot.domain.change import AddAudit, Revoke
from bot.domain.turn.turn import ACCESS_ENDED, TurnState
from bot.domain.value import frozen
from bot.flow.approvals.undecided import CardEnding
from bot.flow.commanding.effects import Interrupt, Unqueue, Wake
from bot.flow.commanding.table import Answer, Command, Invocation, Topic
from bot.flow.people.accounts import BRIEF, WHO, account_meant, called, sender_of, whom
from bot.flow.people.knocks import Knocks
from bot.flow.people.signing_in import LoginCommand
from bot.ports.clock import Clock
from bot.ports.members import Members, OpenWork
from bot.ports.people import People

_TAKEN_BACK = "Access was taken back since."


@frozen
class RevokeCommand:
    _people: People
    _members: Members
    _ending: CardEnding
    _knocks: Knocks
    _clock: Clock
    _login: LoginCommand

    @property
    def table(self) -> Sequence[Command]:
        summary = "take access back; `/revoke sessions` signs your own browsers out"
        run = self.revoke
        return (Command("revoke", summary, run, WHO, Topic.PEOPLE, brief=BRIEF, on_pages=True),)

    async def revoke(self, asked: Invocation) -> Answer:
        if [word.lower() for word in asked.words] == ["sessions"]:
            return await self._login.sign_out(asked)
        account, rest = account_meant(asked)
        if account is None or rest:
            return Answer(whom(asked))
        person = await self._people.by_sender(sender_of(account))
        if person is None:
            return Answer(f"{account} has no access.")
        if person.id == asked.person.id:
            return Answer("You cannot take back your own access.")
        stands = await self._members.open_work(person.id)
        # Other cards end with their turns.
        await self._ending.withdraw([c for c in stands.cards if c.set_aside], asked.person)
        keys = [key for key, owner in await self._people.accounts() if owner.id == person.id]
        now, chat, by = self._clock.now(), asked.chat.id, asked.person.id
        audits = [AddAudit(now, chat, by, "person.revoked", key, {}) for key in keys]
        # A card of before would let them in again with one press.
        knocks = [show for key in keys for show in await self._knocks.decided(key, _TAKEN_BACK)]
        told = f"{called(person, ', '.join(keys))} can no longer use me and gets no answer."
        running = {t.chat for t in stands.turns if t.state is TurnState.RUNNING}
        return Answer(
            f"{told}{_ended(stands)}",
            (Revoke(person.id, ACCESS_ENDED), *audits, *knocks),
            (
                Unqueue(stands.waiting),
                *(Interrupt(chat) for chat in running),
                *(Wake(chat) for chat in {t.chat for t in stands.turns} - running),
            ),
        )


def _ended(stands: OpenWork) -> str:
    counts = ((len(stands.turns), "request"), (len(stands.cards), "open card"))
    counted = (*counts, (len(stands.waiting), "waiting message"))
    parts = [f"{n} {what}{'' if n == 1 else 's'}" for n, what in counted if n]
    return f" Ended: {', '.join(parts)}." if parts else ""
