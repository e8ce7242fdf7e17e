"""`steward restore`: everything comes back, and nothing that was begun is begun a second time."""

from pathlib import Path

import pytest

from bot.adapters.sql.moment import change_of
from bot.domain.talk.brought_back import ALL_READ
from tests.e2e.browser import LINK, browser
from tests.e2e.records import Records, ServerRecords
from tests.e2e.steward import KEY, Steward
from tests.e2e.storm_of_copies import copies
from tests.e2e.test_backup import SECRET, server, talk, url
from tests.e2e.test_page import door
from tests.lacking import THOROUGH
from tests.ports import free_port
from tests.standins.messages_api import text
from tests.words import BROUGHT_BACK, EVERYTHING_HOLDS, MAY_BE_SENT

__all__ = ["server", "url"]
pytestmark = pytest.mark.flows_own("the command line reads and writes the store")


LEFT = (
    "UPDATE outbox SET state = 'owed', shown_version = 0, message_ids = '[]', pieces = '[]'"
    " WHERE content LIKE '%Written.%'",
    "UPDATE inbox SET state = 'waiting', turn = NULL WHERE id = 1",
    "UPDATE task SET due = '2026-01-01 09:00:00.000000'",
)
"""A message that never reached its screen, one that waits, and a task that was due long ago."""

_LONG = "(SELECT id FROM outbox WHERE content LIKE '%The end.%')"
HALF_SENT = (
    "UPDATE outbox SET state = 'owed', shown_version = 0,"
    f" message_ids = json_array(message_ids ->> 0) WHERE id = {_LONG}",
    f"DELETE FROM sight WHERE outbox = {_LONG}"
    f" AND message_id <> (SELECT message_ids ->> 0 FROM outbox WHERE id = {_LONG})",
    "INSERT INTO outbox (key, chat, content, version, shown_version, state, created_at, pieces,"
    " message_ids, attempts, error)"
    " SELECT 'passing:x:', chat, json_set(content, '$.kind', 'stray'),"
    f" 1, 0, 'owed', created_at, '[]', '[]', 0, '' FROM outbox WHERE id = {_LONG}",
)
"""An answer of which the first piece is recorded, and a draft that must leave the screen."""


async def lives_in(steward: Steward, home: Path) -> None:
    """Start the program with a home that was brought back; its database is a file."""
    steward.home, steward.workspace = home, home / "workspace"
    steward.records = Records(home / "steward.db")
    steward.settings.pop("STEWARD_DATABASE_URL", None)
    await steward.start(STEWARD_HOME=home)


async def test_what_was_begun_is_closed_told_or_asked_about(url: str, steward: Steward) -> None:
    await talk(steward)
    steward.say("/schedule every day 09:00 | water the plants")
    await steward.sees("water the plants")
    await steward.recorded()
    await steward.stop()
    with change_of(url) as connection:
        for statement in LEFT:
            connection.exec_driver_sql(statement.replace("%", "%%"))
    file, home = steward.folder / "b.tar.gz", steward.folder / "again"
    given = {"BACKUP_PASSPHRASE": SECRET}
    code, _ = await steward.printed_by("backup", str(file), "--with-secrets", **given)
    assert code == 0
    code, told = await steward.printed_by("restore", str(file))
    assert (code, "Nothing is written over" in told) == (2, True)
    code, told = await steward.printed_by("restore", str(file), "--into", str(home), **given)
    assert (code, "Stopped: 1 piece of work." in told) == (0, True), told
    assert KEY in (home / ".env").read_text()
    (home / ".env").unlink()
    assert steward.records.rows("SELECT count(*) FROM stream") == [(1,)]
    assert Records(home / "steward.db").rows("SELECT name FROM stream") == [(ALL_READ,)]
    assert (home / "workspace" / "milk.md").read_text() == "milk"
    code, told = await steward.printed_by("verify", str(home))
    assert (code, EVERYTHING_HOLDS in told) == (0, True), told
    asked = len(steward.model.requests)
    await lives_in(steward, home)
    await steward.sees(BROUGHT_BACK)
    await steward.sees("Skipped: a backup was brought back")
    await steward.sees("A message of yours waited here")
    await steward.sees("1 task was due meanwhile. It did not run:\n• water the plants")
    card = await steward.card(about=MAY_BE_SENT)
    assert "Written." in card.text
    shown = len(steward.showing("Written."))
    steward.press(card, "Send it now")
    await steward.sees("Sent now.")
    await steward.until(lambda: len(steward.showing("Written.")) == shown + 1)
    assert len(steward.model.requests) == asked, "nothing was answered a second time"
    assert not (steward.workspace / "bread.md").exists()
    steward.script(text("Green."))
    steward.say("And which now?")
    await steward.sees("Green.")


ELSEWHERE = """\
database_url = "sqlite:///elsewhere.db"
timezone = "UTC"

[mcp.own]
command = "true"
env = { HOME = "/srv" }

[mcp.other.env]
HOME = "/srv"
"""


async def test_a_command_that_is_refused_leaves_no_folder_and_no_lock_behind(
    steward: Steward,
) -> None:
    broken, home = steward.folder / "b.tar.gz", steward.folder / "new" / "again"
    broken.write_bytes(b"no backup")
    for order in (
        ("restore", str(broken)),
        ("restore", str(steward.folder / "none.tar.gz")),
        ("rollback", "--yes"),
        ("verify", "--fix"),
    ):
        code, told = await steward.printed_by(*order, STEWARD_HOME=str(home))
        assert (code != 0, home.parent.exists()) == (True, False), f"{order}: {told}"
    home.mkdir(parents=True)
    code, told = await steward.printed_by("restore", str(broken), "--into", str(home))
    assert (code, list(home.iterdir())) == (65, []), told


async def test_a_start_uses_the_rows_and_files_that_were_brought_back(steward: Steward) -> None:
    """Sealed settings name the places of the home that they were made in."""
    await talk(steward)
    await steward.stop()
    place, home = steward.folder / "elsewhere", steward.folder / "again"
    own = {"STEWARD_DATABASE_URL": f"sqlite:///{steward.home / 'steward.db'}"}
    (steward.home / ".env").write_text(
        f"# mine\nSTEWARD_WORKSPACE={place}\nSTEWARD_LOG=json\nSTEWARD_DATABASE_URL={place}\n"
    )
    (steward.home / "steward.toml").write_text(ELSEWHERE)
    given = {"BACKUP_PASSPHRASE": SECRET, **own}
    file = steward.folder / "b.tar.gz"
    code, told = await steward.printed_by("backup", str(file), "--with-secrets", **given)
    assert code == 0, told
    code, told = await steward.printed_by("restore", str(file), "--into", str(home), **given)
    assert code == 0, told
    assert f"Start it: `env -u STEWARD_DATABASE_URL STEWARD_HOME={home} " in told
    plain = (home / ".env").read_text()
    assert plain.startswith("# mine\nSTEWARD_LOG=json\n")
    assert not any(f"\n{name}=" in plain for name in ("STEWARD_WORKSPACE", "STEWARD_DATABASE_URL"))
    assert (home / "steward.toml").read_text().count("# ") == 1
    code, told = await steward.printed_by("config", STEWARD_HOME=str(home))
    assert (code, f"{home}/workspace" in told, f"{home}/steward.db" in told) == (0, True, True)
    assert "elsewhere" not in told


async def test_no_browser_and_no_code_of_the_backup_gets_in(steward: Steward) -> None:
    await steward.start(STEWARD_WEB_PORT=free_port())
    origin = await door(steward)
    links = list[str]()
    for nth in (1, 2):
        steward.say("/login")
        link = LINK.search((await steward.sees("Open this link", times=nth)).text)
        assert link is not None
        links.append(link[2])
    file, home = steward.folder / "b.tar.gz", steward.folder / "again"
    async with browser(origin) as ann, browser(origin) as other:
        assert (await ann.enter(links[0])).status_code == 303
        assert (await ann.get("/chat/telegram:42")).status_code == 200
        await steward.recorded()
        assert (await steward.printed_by("backup", str(file)))[0] == 0
        await steward.stop()
        assert (await steward.printed_by("restore", str(file), "--into", str(home)))[0] == 0
        # The secret of the installation is the same, so the cookie still has its name.
        await lives_in(steward, home)
        await door(steward)
        assert (await ann.get("/chat/telegram:42")).status_code == 303
        assert (await other.enter(links[1])).status_code != 303
        assert steward.records.rows("SELECT count(*) FROM session") == [(0,)]


async def test_of_an_answer_that_was_half_sent_nothing_is_sent_twice(steward: Steward) -> None:
    """In the copy half of an answer was sent; the rest came right after it."""
    await steward.start()
    long = "\n\n".join(f"Paragraph {number}. " + "word " * 120 for number in range(16))
    steward.script(text("Blue."), text(f"{long}\n\nThe end."))
    steward.say("Which colour?")
    await steward.sees("Blue.")
    steward.say("Tell me more.")
    await steward.sees("The end.")
    await steward.recorded()
    shown = [one.text for one in steward.showing("word")]
    assert len(shown) > 1
    noted = "SELECT chat FROM sending"
    assert steward.records.rows(noted), "its chat was noted"
    await steward.stop()
    with change_of(f"sqlite:///{steward.home / 'steward.db'}") as connection:
        for statement in HALF_SENT:
            connection.exec_driver_sql(statement)
    file, home = steward.folder / "b.tar.gz", steward.folder / "again"
    assert (await steward.printed_by("backup", str(file)))[0] == 0
    assert (await steward.printed_by("restore", str(file), "--into", str(home)))[0] == 0
    assert Records(home / "steward.db").rows(noted) == [], "nothing is looked for"
    await lives_in(steward, home)
    await steward.sees("I was brought back from a backup")
    await steward.sees(f"{MAY_BE_SENT}\nParagraph 0.")
    card = await steward.card(about="The end.")
    # The question quotes all of it.
    assert len(steward.showing("word")) == 2 * len(shown)
    steward.press(card, "Send it now")
    await steward.until(lambda: len(steward.showing("word")) == 3 * len(shown))


@pytest.mark.timeout(300)
async def test_copies_taken_in_a_storm_of_kills_come_back_whole(tmp_path: Path) -> None:
    count = await copies(tmp_path, 200 if THOROUGH else 3, seed=1)
    assert (count.taken > 0, count.faults) == (True, [])


@pytest.mark.postgres
async def test_a_backup_comes_back_into_a_server_where_the_settings_name_one(
    own_postgres_url: str, steward: Steward
) -> None:
    await talk(steward)
    await steward.stop()
    file, home = steward.folder / "b.tar.gz", steward.folder / "again"
    code, told = await steward.printed_by("backup", str(file))
    assert code == 0, told
    there = {"STEWARD_HOME": str(home), "STEWARD_WORKSPACE": str(home / "workspace")}
    there |= {"STEWARD_DATABASE_URL": own_postgres_url}
    code, told = await steward.printed_by("restore", str(file), **there)
    assert (code, f"Brought back to {home}" in told) == (0, True), told
    assert not (home / "steward.db").exists()
    code, told = await steward.printed_by("verify", **there)
    assert (code, EVERYTHING_HOLDS in told) == (0, True), told
    code, told = await steward.printed_by("restore", str(file), **there)
    assert (code, "Nothing is written over" in told) == (2, True), told
    steward.home, steward.workspace = home, home / "workspace"
    steward.records = ServerRecords(own_postgres_url)
    await steward.start(**there)
    await steward.sees(BROUGHT_BACK)
    steward.script(text("Green."))
    steward.say("And which now?")
    await steward.sees("Green.")
