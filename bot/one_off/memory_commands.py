"""The memory at the command line: import, search and reindex."""

import asyncio
import json
import logging
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path
from uuid import uuid4

from bot.adapters.sql.store import Store
from bot.adapters.system_clock import SystemClock
from bot.bootstrap.database import opened_as_it_is
from bot.bootstrap.meaning import meaning_to_look_at, opened_meaning, till_of
from bot.domain.change import Change, KeepPassage
from bot.domain.memory.fit import Found
from bot.domain.memory.imported import BrokenLine, Told
from bot.domain.memory.passage import Passage, Whose, clipped_words, of_group, of_person
from bot.domain.talk.errors import Conflict, MeaningError, SettingError
from bot.domain.talk.message import Address
from bot.domain.talk.person import Person
from bot.domain.value import frozen, replace
from bot.flow.memory.meaning import Meaning
from bot.flow.memory.recall import Recall
from bot.flow.money.paid_embedder import IN_THE_BACKGROUND
from bot.one_off.imported_file import read_file
from bot.ports.meaning import Begun
from bot.settings import Settings

_LOG = logging.getLogger(__name__)

_BATCH = 200
_MOST_FAULTS = 20
_SHOWN = 100

Say = Callable[[str], None]


@frozen
class _Owners:
    """The people and groups of a store, for whom answers are imported."""

    accounts: dict[str, Person]
    store: Store

    def person(self, account: str | None) -> Person:
        """Returns the person of an account, or the only owner; raises ValueError."""
        if account is not None:
            if account not in self.accounts:
                raise ValueError(f"nobody here has the account {account[:60]}")
            return self.accounts[account]
        owners = {person.id: person for person in self.accounts.values() if person.is_owner}
        if len(owners) != 1:
            raise ValueError("there is not one owner alone: name a person, as in telegram:42")
        return next(iter(owners.values()))

    async def passage(self, told: Told) -> Passage:
        """Returns what was told as a passage of its person or group; raises ValueError."""
        person = self.person(told.person)
        owner: Whose = of_person(person.id)
        chat: int | None = None
        if told.chat is not None:
            channel, _, name = told.chat.partition(":")
            found = await self.store.chats.within(Address(channel, name))
            group = next((one for one in found if not one.private), None)
            if group is None:
                raise ValueError(f"there is no group {told.chat[:60]} here")
            owner, chat = of_group(group.id), group.id
        return Passage(
            id=told.id,
            whose=owner,
            at=told.at,
            question=told.question,
            answer=told.answer,
            person=person.id,
            speaker=person.name,
            chat=chat,
            conversation=told.conversation,
            untrusted=told.untrusted,
        )


async def search(
    settings: Settings,
    words: str,
    say: Say,
    *,
    limit: int,
    as_json: bool = False,
    person: str | None = None,
) -> int:
    """Prints what is found in a person's memory; returns 1 when nothing is."""
    async with AsyncExitStack() as stack:
        store = await stack.enter_async_context(opened_as_it_is(settings))
        owner = _checked(await _owners(store), person)
        meaning = await _searching(settings, store, stack)
        recall = Recall(store.memory, store.words, meaning, store.journal, SystemClock())
        found = await recall.searched(words, of_person(owner.id), limit, IN_THE_BACKGROUND)
    for one, hit in found:
        if as_json:
            say(json.dumps(_told(one, hit), ensure_ascii=False))
        else:
            asked, answer = _short(one.question), _short(one.answer)
            by = "+".join(_scores(hit))
            say(f"{one.at:%Y-%m-%d}  {hit.score:.3f}  {by}  {one.id}\n    {asked}\n    → {answer}")
    if not found and not as_json:
        say("Nothing is remembered with these words.")
    return 0 if found else 1


async def _searching(settings: Settings, store: Store, stack: AsyncExitStack) -> Meaning | None:
    """Returns the search by meaning; says in the log why words serve alone."""
    if settings.meaning.model is None:
        return None
    try:
        return await stack.enter_async_context(meaning_to_look_at(settings, store))
    except MeaningError as fault:
        _LOG.warning("only words are searched: %s", fault)
        return None


def _told(one: Passage, hit: Found) -> dict[str, object]:
    scores = _scores(hit)
    return {
        "id": one.id,
        "score": round(hit.score, 4),
        "share": round(hit.by_words.share if hit.by_words is not None else 0.0, 3),
        "found_by": list(scores),
        "scores": scores,
        "recalled": hit.fits,
        "at": one.at.isoformat(),
        "question": one.question,
        "answer": one.answer,
    }


def _scores(hit: Found) -> dict[str, float]:
    """Returns the score of each index that found it."""
    both = (("words", hit.by_words), ("meaning", hit.by_meaning))
    return {name: round(each.score, 3) for name, each in both if each is not None}


async def reindex(settings: Settings, say: Say) -> int:
    """Makes both indexes anew; a running Steward may help with it."""
    async with opened_as_it_is(settings) as store:
        await store.words.start_anew()
        done = await indexed(store)
        say(f"Answers and notes indexed: {done:,}.")
        begun = await store.meant.begun()
        if begun is not None:
            await store.meant.begin(Begun(uuid4().hex, begun.space))
        await give_meaning(settings, store, say)
    return 0


async def give_meaning(settings: Settings, store: Store, say: Say) -> None:
    """Gives the index of meaning what it is owed; what cannot be done now stays owed to it."""
    async with opened_meaning(settings, store, till_of(settings, store)) as meaning:
        if meaning is None:
            return
        try:
            await meaning.catch_up()
        except (MeaningError, Conflict) as fault:
            owed = await store.meant.count_owed()
            say(f"By meaning, not indexed yet: {owed:,}. They follow later: {fault}.")
        else:
            say("All of them are found by meaning, too.")


async def import_file(
    settings: Settings, file: Path, say: Say, *, person: str | None = None
) -> int:
    """Takes in a file; what was taken in before is left alone. Returns 1 when parts were broken."""
    async with opened_as_it_is(settings) as store:
        owners = await _owners(store)
        _checked(owners, person)
        before = (await store.memory.condition()).passages
        read, faults = 0, list[BrokenLine]()
        batch: list[Passage] = []
        for number, one in enumerate(read_file(file), 1):
            if isinstance(one, BrokenLine):
                faults.append(one)
                continue
            try:
                batch.append(await owners.passage(_for(one, person)))
            except ValueError as fault:
                faults.append(BrokenLine(number, str(fault)))
                continue
            read += 1
            if len(batch) == _BATCH:
                await _keep(store, batch)
        await _keep(store, batch)
        await indexed(store)
        await give_meaning(settings, store, say)
        added = (await store.memory.condition()).passages - before
    for fault in faults[:_MOST_FAULTS]:
        say(f"{fault.number}: {fault.why}")
    if len(faults) > _MOST_FAULTS:
        say(f"… and {len(faults) - _MOST_FAULTS:,} more that cannot be read")
    say(f"Answers read: {read:,}. New: {added:,}. Could not be read: {len(faults):,}.")
    return 1 if faults else 0


def _for(told: Told, person: str | None) -> Told:
    """Returns it for the person of the command line, unless it names one itself."""
    if told.person is not None or person is None:
        return told
    return replace(told, person=person)


async def _owners(store: Store) -> _Owners:
    return _Owners(dict(await store.people.accounts()), store)


def _checked(owners: _Owners, person: str | None) -> Person:
    try:
        return owners.person(person)
    except ValueError as fault:
        raise SettingError(f"{fault}.") from None


async def _keep(store: Store, batch: list[Passage]) -> None:
    if batch:
        await store.journal.commit(Change(tuple(map(KeepPassage, batch))))
        batch.clear()
        await asyncio.sleep(0)


async def indexed(store: Store) -> int:
    done = 0
    while owed := await store.memory.owed(_BATCH):
        await store.words.take_in(owed)
        done += len(owed)
    return done


def _short(text: str) -> str:
    return clipped_words(" ".join(text.split()), _SHOWN)
