"""People, rules, settings and the record on the page: the commands of chats as forms."""

import csv
import io
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest

from tests.e2e.browser import LINK, Browser, Sent, browser
from tests.e2e.steward import Steward
from tests.e2e.test_page_reading import HOSTILE, page, words
from tests.standins.bot_api import TOKEN, Person
from tests.standins.messages_api import calls, text, tool

__all__ = ["page"]

pytestmark = pytest.mark.flows_own("the page is served beside any platform")


@asynccontextmanager
async def signed_in(steward: Steward, person: Person) -> AsyncGenerator[Browser]:
    """A browser in which somebody has signed in by /login."""
    steward.say("/login", by=person)
    link = LINK.search((await steward.sees("Open this link in your browser", at=person)).text)
    assert link is not None
    async with browser(link[1]) as theirs:
        assert (await theirs.enter(link[2])).status_code == 303
        yield theirs


async def ordered(page: Browser, path: str, label: str, **fields: str) -> str:
    """Sends the form with this button, about this account, and returns the words of the answer."""
    account = fields.get("account")
    about = (None, "", account)
    form = next(
        one
        for one in await page.forms(path)
        if label in one.label and (account is None or one.fields.get("account") in about)
    )
    answer = await page.send(form, **fields)
    assert answer.status_code == 200, answer.text
    return answer.text


async def test_owners_let_people_in_change_their_rights_and_take_access_back(
    steward: Steward, page: Browser
):
    bob = steward.person(77, HOSTILE)
    account = steward.account(bob)
    told = await ordered(page, "/people", "Let in", account=account)
    assert "can use me now" in told
    people = await page.page("/people")
    assert not people.find_all("img")
    assert ", by " in words(people)
    assert account in words(people)
    assert "may talk; an owner approves their changes" in words(people)
    told = await ordered(page, "/people", "Save", account=account, approve="changes", pace="2/min")
    assert "approve changes" in told
    assert "pace 2/min" in told
    assert "There is no right" not in told
    async with signed_in(steward, bob) as theirs:
        for path in ("/people", "/record", "/record.csv"):
            assert (await theirs.get(path)).status_code == 404
        form = next(one for one in await page.forms("/people") if one.label == "Save")
        own = next(one for one in await theirs.forms("/settings") if "csrf" in one.fields)
        forged = {**form.fields, "csrf": own.fields["csrf"], "approve": "commands"}
        assert (await theirs.post("/people", forged)).status_code == 404
        assert "Signed in as" in words(await theirs.page("/rules"))
        told = await ordered(page, "/people", "Take access back", account=account)
        assert "can no longer use me" in told
        assert (await theirs.get("/rules")).status_code in (303, 401)
    assert account not in words(await page.page("/people"))
    lines = words(await page.page("/record?action=person."))
    assert all(one in lines for one in ("person.allowed", "person.rights", "person.revoked"))


async def test_a_decided_card_gives_a_rule_that_is_shown_whole_counted_and_taken_back(
    steward: Steward, page: Browser
):
    home = await page.home()
    write = calls(tool("write_file", {"path": "a.md", "content": HOSTILE}))
    steward.script(write, text("Written."), write, text("Again."), write)
    await page.say("Write", home)
    await page.sees("Approve", home)
    await page.press("Approve", "/cards")
    await page.sees("Written.", home)
    cards = await page.page("/cards")
    offered = [str(one["href"]) for one in cards.select("a[href^='/rules/offer']")]
    assert len(offered) == 1
    offer = await page.page(offered[0])
    assert HOSTILE in words(offer)
    assert not offer.find_all("img")
    bob = steward.person(77, "Bob")
    await ordered(page, "/people", "Let in", account=steward.account(bob))
    async with signed_in(steward, bob) as theirs:
        assert (await theirs.get(offered[0])).status_code == 404
        form = next(one for one in await page.forms(offered[0]) if "Make" in one.label)
        own = next(one for one in await theirs.forms("/settings") if "csrf" in one.fields)
        forged = {**form.fields, "csrf": own.fields["csrf"]}
        assert (await theirs.post("/rules/offer", forged)).status_code == 404
        assert [(await page.send(form)).status_code for _ in range(2)] == [303, 303]
        rules = words(await page.page("/rules"))
        assert rules.count("Write exactly this content in") == 1
        assert "not used yet" in rules
        assert "a.md" not in words(await theirs.page("/rules"))
        remove = next(one for one in await page.forms("/rules") if "Take back" in one.label)
        forged = {**remove.fields, "csrf": own.fields["csrf"]}
        assert (await theirs.post("/rules", forged)).status_code == 409
    assert (await page.page("/cards")).select("a[href^='/rules/offer']") == []
    (steward.home / "workspace" / "a.md").unlink()
    await page.say("Write again", home)
    await page.sees("Again.", home)
    assert "1 call" in words(await page.page("/rules"))
    assert "From now on I ask again" in await ordered(page, "/rules", "Take back")
    assert "There is no rule" in words(await page.page("/rules"))
    (steward.home / "workspace" / "a.md").unlink()
    await page.say("And again", home)
    await page.sees("Approve", home)


async def test_settings_show_their_origin_and_no_secret_and_switches_are_turned(
    steward: Steward, page: Browser
):
    home = await page.home()
    await page.say("/title Plans of Ann", home)
    await page.sees("Plans of Ann", home)
    shown = await page.page("/settings")
    assert words(shown.select("h2")[0]) == "“Plans of Ann” on this page"
    told = words(shown)
    assert "STEWARD_WEB_PORT" in told
    assert "environment" in told
    assert TOKEN not in str(shown)
    assert "TELEGRAM_BOT_TOKEN" in told
    answer = await ordered(page, "/settings", "on", switch="footer")
    assert "small line" in answer
    form = next(one for one in await page.forms("/settings") if one.fields["switch"] == "verbose")
    assert (await page.send(form, switch="verbose", to="on", chat="999")).status_code == 409
    assert (await page.send(form, switch="revoke", to="on")).status_code == 409


async def test_the_record_is_chosen_by_person_action_and_day_and_exported_whole(
    steward: Steward, page: Browser
):
    await ordered(page, "/people", "Let in", account="telegram:4711")
    assert "person.allowed" in words(await page.page("/record?action=person.&since=2020-01-01"))
    # The actions are chosen by their words; what an address names stays chosen.
    for action in ("person.allowed", "person."):
        record = await page.page(f"/record?action={action}")
        rows = [words(one) for one in record.select("tbody tr")]
        assert rows
        assert all("person." in one for one in rows), "and no line of another kind"
        assert "Somebody was let in" in rows[0]
        assert [one["value"] for one in record.select("#action option[selected]")] == [action]
    told = {one["value"]: words(one) for one in record.select("#action option")}
    assert (told["person.rights"], told[""]) == ("Rights were changed", "anything")
    gone = words(await page.page("/record?action=person.&until=2020-01-01"))
    assert "No line is like that" in gone
    assert (await page.get("/record?since=9999-99-99&until=0001-01-01&chat=x")).status_code == 200
    for days in ("until=9999-12-31", "since=0001-01-01&until=9999-12-31"):
        assert "person.allowed" in words(await page.page(f"/record?action=person.&{days}"))
        assert "person.allowed" in (await page.get(f"/record.csv?{days}")).text
    for days in ("since=9999-12-31", "until=0001-01-01"):
        assert "person.allowed" not in words(await page.page(f"/record?action=person.&{days}"))
        assert "person.allowed" not in (await page.get(f"/record.csv?{days}")).text
    # A choice of a person leaves out what others did, and what nobody did.
    ((owner,),) = steward.records.rows("SELECT person FROM audit WHERE action = 'person.allowed'")
    chosen = (await page.get(f"/record.csv?person={owner}")).text
    assert "person.allowed" in chosen
    assert "program.started" not in chosen
    assert "person.allowed" not in (await page.get("/record.csv?person=4711")).text
    table = list(csv.reader(io.StringIO((await page.get("/record.csv")).text)))
    assert table[0][:4] == ["number", "at", "who", "action"]
    assert table[-1][3] == "program.started"
    numbers = [int(row[0]) for row in table[1:]]
    assert numbers == sorted(numbers, reverse=True)


async def test_the_record_names_people_whose_access_was_taken_back(steward: Steward, page: Browser):
    bob = steward.person(77, "Bob")
    account = steward.account(bob)
    await ordered(page, "/people", "Let in", account=account)
    async with signed_in(steward, bob):
        pass
    await ordered(page, "/people", "Take access back", account=account)
    record = await page.page("/record?action=page.offered")
    (line,) = [words(row) for row in record.select("tbody tr")]
    assert "Bob (no access now)" in line
    # They can be chosen while lines of theirs are shown.
    assert record.find("option", string="Bob (no access now)")
    assert (await page.get("/record.csv")).text.count("Bob (no access now)") == 1


async def test_a_line_of_the_record_tells_people_what_happened_and_leads_to_its_explanation(
    steward: Steward, page: Browser
):
    home = await page.home()
    steward.script(calls(tool("write_file", {"path": "a.md", "content": HOSTILE})), text("Done."))
    await page.say("Write it down", home)
    await page.sees("Approve", home)
    await page.press("Approve", "/cards")
    await page.sees("Done.", home)
    await page.say("/budget day 5", home)
    await page.sees("$5", home)
    shown = await page.page("/record")
    assert not shown.find_all("img")
    rows = {row.code.get_text(): row for row in shown.select("tbody tr") if row.code}
    told = {action: words(row) for action, row in rows.items()}
    assert "A tool ran" in told["call.ran"]
    assert f"it worked · content: {HOSTILE} · path: a.md" in told["call.ran"]
    assert "its last words are the answer" in told["turn.ended"]
    assert "dollars: 5" in told["budget.set"]
    names = ("stop_reason", "final_answer", "call: ", "card: ", "arguments: ", "status: ", "turn: ")
    assert [name for name in names if name in words(shown)] == []
    for action in ("turn.ended", "call.ran", "card.opened", "card.decided"):
        link = rows[action].select_one("td a")
        assert link is not None
        assert "Why: “Write it down”" in words(await page.page(str(link["href"])))
    table = (await page.get("/record.csv?action=turn.ended")).text
    assert "stop_reason: final_answer" in table


async def test_now_looks_again_cheaply_and_its_buttons_give_commands(
    steward: Steward, page: Browser
):
    home = await page.home()
    steward.script(calls(tool("write_file", {"path": "a.md", "content": HOSTILE})))
    await page.say(f"/schedule in 3 hours | {HOSTILE}", home)
    await page.sees("Scheduled", home)
    bob = steward.person(77, "Bob")
    await ordered(page, "/people", "Let in", account=steward.account(bob))
    form = next(one for one in await page.forms("/now") if one.label == "Pause")
    assert "Telegram connected" in words(await page.page("/now"))
    async with signed_in(steward, bob) as theirs:
        assert HOSTILE not in words(await theirs.page("/now"))
        own = next(one for one in await theirs.forms("/more") if "csrf" in one.fields)
        forged = {**form.fields, "csrf": own.fields["csrf"]}
        assert (await theirs.post("/now", forged)).status_code == 409
        await _pressed_and_explained(steward, page, theirs, home, form)


async def _pressed_and_explained(
    steward: Steward, page: Browser, theirs: Browser, home: str, form: Sent
) -> None:
    assert "paused" in (await page.send(form)).text
    assert "Resume" in words(await page.page("/now"))
    await ordered(page, "/now", "Resume")
    part = await page.get("/now/part")
    again = await page.get("/now/part", **{"if-none-match": part.headers["etag"]})
    assert again.status_code in (200, 304)
    assert not (again.status_code == 304 and again.content)
    assert (await page.send(form, kind="turn", of="nothing", verb="stop")).status_code == 409
    await page.say("Write", home)
    await page.sees("Approve", home)
    link = (await page.page("/cards")).select_one("article.card.open .counts")
    assert link is not None
    steward.script(text("Written."))
    await page.press("Approve", "/cards")
    await page.sees("Written.", home)
    turn = (await page.page("/cards")).select_one("a[href^='/turn/']")
    assert turn is not None
    told = (await page.get(f"{turn['href']}/json")).json()
    assert told["title"] == "“Write”"
    assert (await theirs.get(f"{turn['href']}/json")).status_code == 404
