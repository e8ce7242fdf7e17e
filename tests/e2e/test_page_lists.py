"""Long lists on the page are read in parts: each row once, in order, there and back."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from urllib.parse import unquote

import pytest
from bs4 import BeautifulSoup, Tag

from bot.adapters.sql.store import open_store
from bot.domain.change import (
    AddAudit,
    AddNote,
    AddRule,
    AddUsage,
    Change,
    KeepPassage,
    SavePlan,
    Show,
    Write,
)
from bot.domain.consent.approval import Rule
from bot.domain.memory.note import Note, note_id
from bot.domain.memory.passage import Passage, of_person
from bot.domain.money.budget import CallKind, Cause
from bot.domain.money.model import Usage
from bot.domain.plans.plan import Plan, PlanState
from bot.domain.talk.chat import Chat
from bot.domain.talk.message import Address, Outbound, OutboundKind, Plain
from bot.domain.talk.person import Person, Role, Sender
from bot.domain.tools.tool import CommandRule
from bot.domain.turn.mandate import PERSONAL
from bot.domain.value import replace
from tests.e2e.browser import Browser, Sent
from tests.e2e.skills import put
from tests.e2e.steward import Steward
from tests.e2e.test_page import door
from tests.e2e.test_page_reading import HOSTILE, signed_in, words
from tests.standins.messages_api import calls, text, tool

pytestmark = pytest.mark.flows_own("the page is served beside any platform")

_BEGUN = datetime(2026, 1, 1, tzinfo=UTC)
_MANY = 67
"""Rows of each list: more than two parts of the longest one."""

_NUMBER = re.compile(r"row (\d+)\b", re.IGNORECASE)


def rows_of(chat: Chat, person: Person) -> Sequence[Write]:
    """Returns rows of each list, numbered in the order in which they are shown."""
    written = list[Write]()
    for n in range(_MANY):
        # Some have the same time, so that only their ids tell them apart.
        at = _BEGUN + timedelta(minutes=n // 3)
        told = f"row {n} {HOSTILE}"
        rule = Rule(0, person.id, chat.id, "run_command", CommandRule((told,)), told, at)
        note = Note(note_id(f"t{n:03}", "n"), of_person(person.id), told, at, person.id)
        said = Passage(
            f"said-{n:03}",
            of_person(person.id),
            at,
            f"What grows in bed row {n}?",
            f"Beans, {HOSTILE}",
            person.id,
            person.name,
            chat.id,
            f"talk {n}",
        )
        written += [AddRule(rule), AddNote(note), KeepPassage(said)]
        written.append(AddAudit(at, chat.id, person.id, f"test.row {n} ", HOSTILE, {}))
    return written


async def planned(steward: Steward) -> None:
    """Writes plans that wait, and decisions on plans with many other lines of the record."""
    async with open_store(f"sqlite:///{steward.home / 'steward.db'}", upgrade=False) as store:
        (home,) = await store.chats.of_channel("web", 1)
        owned = {key: one for key, one in await store.people.accounts()}
        person, written = owned[home.key], list[Write]()
        for n in range(_MANY):
            place = await store.chats.at(Address("telegram", str(8_000 + n)), private=True)
            # Some have the same time, so that only their ids tell them apart.
            at = _BEGUN + timedelta(minutes=n // 3)
            new = partial(Plan, chat=place.id, asker=person.id, asker_name=person.name)
            new = partial(new, collector=person.id, created_at=at, since=at, mandate=PERSONAL)
            waits = new(f"p{n:03}", f"t{n}", state=PlanState.READY, title=f"row {n}")
            ended = new(f"q{n:03}", f"u{n}", state=PlanState.CANCELLED, title=f"row {n}")
            written += [SavePlan(waits), SavePlan(ended)]
            about = {"plan": ended.id, "revision": 1}
            line = partial(AddAudit, at, place.id, person.id)
            written.append(line("plan.ready", f"row {n}", about))
            written += [line("plan.step", f"step {step}", about) for step in range(9)]
            written += [line("plan.cancelled", f"row {n}", about)] * 7
        await store.journal.commit(Change(tuple(written)))


async def filled(steward: Steward) -> None:
    """Writes the rows while the program is away; it indexes them when it is back."""
    async with open_store(f"sqlite:///{steward.home / 'steward.db'}", upgrade=False) as store:
        (home,) = await store.chats.of_channel("web", 1)
        owned = {key: one for key, one in await store.people.accounts()}
        place = await store.chats.at(home, private=True)
        await store.journal.commit(Change(tuple(rows_of(place, owned[home.key]))))
        for n in range(_MANY):
            known = Sender("telegram", str(9_000 + n), f"person-{n:02}")
            await store.people.admit(known, Role.MEMBER)


def numbers(page: BeautifulSoup, rows: str) -> list[int]:
    """Returns the numbers of the rows of a part, each once."""
    told = (words_of(one) for one in page.select(rows))
    found = (match for one in told if (match := _NUMBER.search(one)))
    return list(dict.fromkeys(int(match[1]) for match in found))


def words_of(tag: Tag) -> str:
    return " ".join(tag.get_text(" ", strip=True).split())


async def walked(page: Browser, path: str, rows: str, on: str, back: str) -> list[list[int]]:
    """Goes on from part to part by these links, and back; returns the numbers of each."""
    there = await _one_way(page, path, rows, on)
    again = await _one_way(page, there[-1][0], rows, back)
    parts = [part for _, part in there]
    assert [part for _, part in again] == parts[::-1]
    return parts


async def _one_way(page: Browser, path: str, rows: str, on: str) -> list[tuple[str, list[int]]]:
    parts = list[tuple[str, list[int]]]()
    while path:
        shown = await page.page(path)
        assert not shown.find_all("img"), path
        parts.append((path, numbers(shown, rows)))
        links = [str(one["href"]) for one in shown.select("main a[href]") if on in words_of(one)]
        path = links[0] if links else ""
        assert len(parts) < _MANY
    return parts


async def test_long_lists_are_read_in_parts_each_row_once(steward: Steward) -> None:
    for n in range(45):
        put(steward, f"skill-{n:02}")
    servers = "\n".join(f'[mcp.server{n:02}]\ncommand = "/none"\n' for n in range(27))
    (steward.folder / "steward.toml").write_text(servers)
    async with signed_in(steward) as page:
        await page.home()
        await steward.stop()
        await filled(steward)
        await steward.start()
        await door(steward)
        oldest = list(range(_MANY))
        for path, rows, on, back, wanted in (
            ("/rules", "tbody tr", "Later", "Earlier", oldest),
            ("/record?action=test.", "tbody tr", "Older lines", "Newer lines", oldest[::-1]),
            ("/memory", "ul.asked > li", "Older notes", "Newer notes", None),
        ):
            parts = await walked(page, path, rows, on, back)
            every = [n for part in parts for n in part]
            assert len(parts) > 1, path
            assert sorted(every) == oldest, path
            if wanted is not None:
                assert every == wanted, path
        for path, pattern, on, back, count in (
            ("/skills", "skill-", "More skills", "Skills before", 45),
            ("/servers", "server", "More servers", "Servers before", 27),
            ("/people", "person-", "Later", "Earlier", _MANY),
        ):
            names = await named(page, path, rf"{pattern}\d\d", on, back)
            assert names == [f"{pattern}{n:02}" for n in range(count)], path
        await searched(steward, page)
        await helped(steward, page)


async def test_old_history_comes_part_by_part_each_message_once_and_in_order(
    steward: Steward,
) -> None:
    async with signed_in(steward) as page:
        first = await page.home()
        await page.say("/title Row 0", first)
        begun = await page.post("/chat/new", (await page.forms("/chats"))[0].fields)
        said: dict[str, list[str]] = {first: ["/title Row 0"], begun.headers["location"]: []}
        forms = {home: await saying(page, home) for home in said}
        for n in range(1, 100):
            home = list(said)[n % 3 == 0]
            words = f"/title Row {n}"
            said[home].append(words)
            answer = await page.send(forms[home], text=words, id=f"the-message-{n}")
            assert answer.status_code == 303
        await steward.eventually(lambda: not steward.records.untidy())
        for home, words in said.items():
            parts = await history(page, home)
            assert max(map(len, parts)) <= 40
            every = [message for part in reversed(parts) for message in part]
            ids = [id for id, _ in every]
            assert len(ids) == len(set(ids)) == 2 * len(words), home
            shown = [told for id, told in every if id.startswith("m-i")]
            assert [one.partition("/title")[2].strip() for one in shown] == [
                one.removeprefix("/title ") for one in words
            ]
            answers = [int(_NUMBER.findall(told)[0]) for id, told in every if "m-o" in id]
            assert answers == [int(_NUMBER.findall(one)[0]) for one in words]


async def saying(page: Browser, home: str) -> Sent:
    forms = await page.forms(home)
    return next(one for one in forms if one.action.endswith("/say") and "id" in one.fields)


async def history(page: Browser, home: str) -> list[list[tuple[str, str]]]:
    """Returns the messages of each part of a conversation with their names, the newest first."""
    parts = list[list[tuple[str, str]]]()
    path = home
    while path:
        # The script asks for the earlier parts as they are, not for a page.
        answer = await page.get(path, accept="*/*")
        assert answer.status_code == 200, answer.text
        shown = BeautifulSoup(answer.text, "html.parser")
        rows = shown.find_all(id=re.compile("^m-[io]"))
        parts.append([(str(one["id"]), words_of(one)) for one in rows])
        older = shown.select_one("#older a")
        path = "" if older is None else str(older["href"])
        assert len(parts) < _MANY
    return parts


async def test_all_plans_that_wait_and_all_that_were_decided_can_be_reached(
    steward: Steward,
) -> None:
    async with signed_in(steward) as page:
        await page.home()
        await steward.stop()
        await planned(steward)
        await steward.start()
        await door(steward)
        oldest = list(range(_MANY))
        parts = await walked(
            page, "/cards", "article.card.open", "Newer open cards", "Older open cards"
        )
        assert [n for part in parts for n in part] == oldest
        parts = await walked(page, "/cards", "tbody tr", "Older decisions", "Newer decisions")
        assert [n for part in parts for n in part] == oldest[::-1]
        assert len(parts) > 2
        assert "More cards and plans wait. See all of them on Cards." in words_of(
            await page.page("/now")
        )


async def named(page: Browser, path: str, pattern: str, on: str, back: str) -> list[str]:
    """Returns the names of a list of parts, each once, in their order; the way back shows them."""
    there = await _parts(page, path, pattern, on)
    again = await _parts(page, there[-1][0], pattern, back)
    assert len(there) > 1, path
    assert [names for _, names in again] == [names for _, names in there][::-1], path
    return [name for _, names in there for name in names]


async def _parts(page: Browser, path: str, pattern: str, way: str) -> list[tuple[str, list[str]]]:
    parts = list[tuple[str, list[str]]]()
    while path:
        main = (await page.page(path)).select_one("main")
        assert main is not None
        parts.append((path, list(dict.fromkeys(re.findall(pattern, words_of(main))))))
        links = [str(one["href"]) for one in main.select("a[href]") if way in words_of(one)]
        path = links[0] if links else ""
        assert len(parts) < _MANY
    return parts


async def searched(steward: Steward, page: Browser) -> None:
    """A search shows its best sixty in parts, once the index has what was said."""

    def indexed() -> bool:
        return not steward.records.rows("SELECT 1 FROM passage WHERE NOT indexed")

    await steward.eventually(indexed)
    parts = await walked(
        page, "/search?q=grows+bed+beans", "ol.asked > li", "More", "Those that fit better"
    )
    every = [n for part in parts for n in part]
    assert len(parts) > 1
    assert len(every) == len(set(every)) > 30


async def helped(steward: Steward, page: Browser) -> None:
    """The turn of a helper has a page of its own, reached from that of its asker and back."""
    home = await page.home()
    steward.script(
        calls(tool("delegate", {"task": f"dig {HOSTILE}"})), text("Dug."), text("It is dug.")
    )
    await page.say("Have it dug", home)
    await page.sees("It is dug.", home)
    why = (await page.page(home)).select("a.why")
    turn = await page.page(str(why[-1]["href"]))
    assert not turn.find_all("img")
    (row,) = [one for one in turn.select(".fall a") if "Helper:" in words_of(one)]
    helper = await page.page(str(row["href"]))
    assert "Sent out as a helper" in words(helper)
    assert not helper.find_all("img")
    (back,) = [one for one in helper.select(".head a") if "The answer it helped" in words_of(one)]
    assert str(back["href"]) == str(why[-1]["href"])


async def test_older_conversations_are_listed_in_parts_and_found_by_their_first_words(
    steward: Steward,
) -> None:
    async with signed_in(steward) as page:
        steward.script(text("On the island."))
        first = await page.home()
        await page.say("Where do herons nest?", first)
        await page.sees("On the island.", first)
        await steward.stop()
        async with open_store(f"sqlite:///{steward.home / 'steward.db'}", upgrade=False) as store:
            (home,) = await store.chats.of_channel("web", 1)
            for n in range(120):
                chat = await store.chats.at(replace(home, thread=f"t{n:03}"), private=True)
                told = Outbound(OutboundKind.NOTICE, (Plain(f"told {n}"),))
                await store.journal.commit(Change((Show(f"told:{n}", chat.id, told),)))
        await steward.start()
        await door(steward)
        wanted = [f"{first}~t{n:03}" for n in reversed(range(120))] + [first]
        there = await _listed(page, "/chats", "Older conversations")
        assert [one for _, part in there for one in part] == wanted
        again = await _listed(page, there[-1][0], "Newer conversations")
        assert [part for _, part in again] == [part for _, part in there][::-1]
        (link,) = (await page.page(wanted[0])).select('aside a[href="/chats"]')
        assert words_of(link) == "All conversations"
        found = await page.page("/search?q=herons")
        assert first in {str(one["href"]) for one in found.select("main a[href]")}


async def test_money_tells_of_the_rows_that_it_does_not_show(steward: Steward) -> None:
    async with signed_in(steward) as page:
        await page.home()
        await steward.stop()
        async with open_store(f"sqlite:///{steward.home / 'steward.db'}", upgrade=False) as store:
            cause, now = Cause(CallKind.ANSWER, 1, 1, "turn"), datetime.now(UTC)
            paid = [
                AddUsage(f"call-{n}", cause, f"anthropic/m{n:02}", now, Usage(9), 10**9)
                for n in range(53)
            ]
            await store.journal.commit(Change(tuple(paid)))
        await steward.start()
        await door(steward)
        shown = await page.page("/money?span=week&by=model")
        assert len(shown.select("table tbody tr")) == 50
        assert "3 more rows, $3.00 together: not shown." in words_of(shown)


async def _listed(page: Browser, path: str, way: str) -> list[tuple[str, list[str]]]:
    """Goes on from part to part of the list; returns the address and the conversations of each."""
    parts = list[tuple[str, list[str]]]()
    while path:
        shown = await page.page(path)
        parts.append((path, [unquote(str(one["href"])) for one in shown.select("#chats a[href]")]))
        links = [str(one["href"]) for one in shown.select("main a[href]") if way in words_of(one)]
        path = links[0] if links else ""
        assert len(parts) < _MANY
    return parts


async def test_nobody_is_left_out_when_somebody_leaves_between_two_parts_of_the_people(
    steward: Steward,
) -> None:
    async with signed_in(steward) as page:
        await page.home()
        await steward.stop()
        await filled(steward)
        await steward.start()
        await door(steward)
        parts = await _parts(page, "/people", r"person-\d\d", "Later")
        steward.say("/revoke telegram:9003")
        await steward.sees("9003")
        (_, first), (path, second), *_ = parts
        shown = (await page.page(path)).select_one("main")
        assert shown is not None
        assert "person-03" in first
        assert list(dict.fromkeys(re.findall(r"person-\d\d", words_of(shown)))) == second
