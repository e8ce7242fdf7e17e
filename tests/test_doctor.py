"""The doctor: what it looks at, what it says, and what it leaves alone."""

import asyncio
import dataclasses
import os
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.bootstrap.telegram import TelegramForm
from bot.checkup.checkup import checkup
from bot.doctor import PROBE_SECONDS, Check, Finding, Probe, examine, table
from bot.domain.plans.template import Template
from bot.domain.skills.skill import Skill, SkillFault, SkillSet
from bot.domain.talk.errors import ChannelError, ModelDenied, StoreTooNew
from bot.ports.templates import Broken
from bot.settings import read_settings
from tests.fakes.clock import FakeClock
from tests.lacking import skip

CREDENTIALS = {"ANTHROPIC_API_KEY": "sk-test-1", "TELEGRAM_BOT_TOKEN": "1:abc"}
NOW = datetime(2100, 1, 1, tzinfo=UTC)


class Visit:
    """One visit to the doctor; probes succeed unless told otherwise, and are noted."""

    def __init__(self, folder: Path, given: Mapping[str, str], **probes: Probe) -> None:
        self.folder = folder
        database = {"STEWARD_DATABASE_URL": "postgresql://db/x"}
        # Prices that nobody knows never grow old.
        self.settings = dataclasses.replace(
            read_settings(database | dict(given), folder), models={}
        )
        self.tried: list[str] = []
        real = checkup(self.settings, [TelegramForm()])
        self.probes = dataclasses.replace(
            real,
            checks=[self._played(check, probes) for check in real.checks],
            skills=self._skills,
            templates=self._templates,
        )
        self.skills = SkillSet()
        self.templates: Sequence[Template | Broken] = ()

    def _played(self, check: Check | Finding, probes: Mapping[str, Probe]) -> Check | Finding:
        """The check as the program makes it, but for its probe."""
        if isinstance(check, Finding):
            return check
        then = tuple(self._played(next, probes) for next in check.then)
        probe = probes.get(check.subject, self._good(check.subject))
        return dataclasses.replace(check, probe=probe, then=then)

    def _good(self, name: str) -> Probe:
        async def probe() -> str:
            self.tried.append(name)
            return f"{name} works"

        return probe

    async def _skills(self) -> SkillSet:
        return self.skills

    async def _templates(self) -> Sequence[Template | Broken]:
        return self.templates

    async def found(self, now: datetime = NOW) -> dict[str, Finding]:
        clock = FakeClock(now)
        findings = await examine(self.settings, self.probes, clock, self.folder)
        return {finding.subject: finding for finding in findings}


async def test_checks_wait_for_one_another_no_longer_than_the_slowest_takes(
    tmp_path: Path,
) -> None:
    both = asyncio.Barrier(2)

    async def probe() -> str:
        await both.wait()
        return "it works"

    visit = Visit(tmp_path, CREDENTIALS, telegram=probe, model=probe)
    found = await visit.found()
    assert (found["telegram"].level, found["model"].level) == ("ok", "ok")


def failing(error: Exception) -> Probe:
    async def probe() -> str:
        raise error

    return probe


async def test_a_healthy_place_has_no_complaint(tmp_path: Path) -> None:
    visit = Visit(tmp_path, CREDENTIALS)
    findings = await visit.found()
    assert {finding.level for finding in findings.values()} == {"ok"}
    assert findings["model"].sentence == "model works."
    first = ["model", "telegram", "updates", "page", "database"]
    assert visit.tried == [*first, "owner", "kept", "memory", "sandbox"]


async def test_without_key_and_token_the_network_is_left_alone(tmp_path: Path) -> None:
    visit = Visit(tmp_path, {})
    findings = await visit.found()
    assert "telegram" not in visit.tried
    assert findings["telegram"].level == "warn"
    assert "TELEGRAM_BOT_TOKEN" in findings["telegram"].mend


@pytest.mark.parametrize(
    ("subject", "error"),
    [
        ("model", ModelDenied("the key is refused")),
        ("telegram", OSError("no route")),
        ("updates", ChannelError("Telegram could not deliver")),
        ("database", StoreTooNew("it is of a newer version")),
    ],
)
async def test_a_failed_probe_is_told_with_what_mends_it(
    tmp_path: Path, subject: str, error: Exception
) -> None:
    visit = Visit(tmp_path, CREDENTIALS, **{subject: failing(error)})
    finding = (await visit.found())[subject]
    assert finding.level == "fail"
    assert finding.sentence == f"{error}."
    assert finding.mend


async def test_a_webhook_nobody_reaches_is_mended_at_its_port(tmp_path: Path) -> None:
    given = {"TELEGRAM_WEBHOOK_URL": "https://bot.example.org/x", "STEWARD_WEBHOOK_PORT": "9000"}
    failed = failing(ChannelError("Telegram could not deliver"))
    visit = Visit(tmp_path, CREDENTIALS | given, updates=failed)
    assert "127.0.0.1:9000" in (await visit.found())["updates"].mend


async def test_a_bad_token_is_told_once(tmp_path: Path) -> None:
    visit = Visit(tmp_path, CREDENTIALS, telegram=failing(ChannelError("a bad token")))
    findings = await visit.found()
    assert findings["telegram"].level == "fail"
    assert "updates" not in visit.tried
    assert "updates" not in findings


async def test_a_silent_probe_is_given_up(tmp_path: Path) -> None:
    visit = Visit(tmp_path, CREDENTIALS, model=failing(TimeoutError()))
    finding = (await visit.found())["model"]
    assert finding.level == "fail"
    assert f"{PROBE_SECONDS:g} s" in finding.sentence


async def test_a_server_has_its_own_time_to_start_before_it_is_given_up(tmp_path: Path) -> None:
    (tmp_path / "steward.toml").write_text("[mcp.slow]\ncommand='x'\nstart_seconds=90\n")
    silent: Mapping[str, Probe] = {"mcp.slow": failing(TimeoutError())}
    visit = Visit(tmp_path, CREDENTIALS, **silent)
    finding = (await visit.found())["mcp.slow"]
    assert (finding.level, finding.sentence) == (
        "warn",
        f"No answer within {PROBE_SECONDS + 90:g} s.",
    )


@pytest.mark.parametrize("made", [False, True])
async def test_a_database_file_is_opened_only_when_it_is_there(tmp_path: Path, made: bool) -> None:
    if made:
        (tmp_path / "data").mkdir()
        (tmp_path / "data" / "steward.db").write_text("")
    visit = Visit(tmp_path, {"STEWARD_DATABASE_URL": ""})
    assert (await visit.found())["database"].level == "ok"
    assert ("database" in visit.tried) is made
    assert "owner" in visit.tried


@pytest.mark.parametrize("name", ["HOME", "WORKSPACE"])
async def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path, name: str) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o500)
    if os.access(closed, os.W_OK):
        skip("root may write everywhere", "make test as another user")
    visit = Visit(tmp_path, {f"STEWARD_{name}": str(closed / "inside")})
    finding = (await visit.found())[name.lower()]
    assert finding.level == "fail"
    assert f"change STEWARD_{name}" in finding.mend


async def test_no_sandbox_is_a_warning(tmp_path: Path) -> None:
    visit = Visit(tmp_path, {}, sandbox=failing(OSError("bwrap is missing")))
    finding = (await visit.found())["sandbox"]
    assert finding.level == "warn"
    assert "Every command asks you first" in finding.sentence


async def test_prices_of_models_in_use_are_told_when_they_are_older_than_a_year(
    tmp_path: Path,
) -> None:
    visit = Visit(tmp_path, CREDENTIALS)
    own = "price = { input = 1, output = 2, date = 2026-05-01 }"
    (tmp_path / "steward.toml").write_text(f'[models."ollama/x"]\n{own}\n')
    visit.settings = read_settings(dict(CREDENTIALS), tmp_path)
    assert "prices" not in await visit.found(datetime(2026, 11, 22, tzinfo=UTC))
    found = (await visit.found(datetime(2027, 5, 2, tzinfo=UTC)))["prices"]
    assert found.level == "warn"
    assert found.sentence.endswith("costs may be wrong: ollama/x (2026-05-01).")


async def test_unknown_names_are_findings(tmp_path: Path) -> None:
    finding = (await Visit(tmp_path, {"STEWARD_WINDOW_PORT": "1"}).found())["settings"]
    assert finding.level == "warn"
    assert "STEWARD_WINDOW_PORT" in finding.sentence


async def test_a_clock_behind_the_installation_is_wrong(tmp_path: Path) -> None:
    finding = (await Visit(tmp_path, {}).found(datetime(1970, 1, 2, tzinfo=UTC)))["clock"]
    assert finding.level == "fail"


@pytest.mark.parametrize(("mode", "warned"), [(0o755, True), (0o750, True), (0o700, False)])
async def test_a_home_others_can_look_into_is_told(tmp_path: Path, mode: int, warned: bool) -> None:
    home = tmp_path / "data"
    home.mkdir()
    home.chmod(mode)
    findings = await Visit(tmp_path, {}).found()
    assert ("permissions" in findings) is warned


@pytest.mark.parametrize(
    ("text", "mode", "warned"),
    [
        ("TELEGRAM_BOT_TOKEN=1:abc\n", 0o644, True),
        ("TELEGRAM_BOT_TOKEN=1:abc\n", 0o600, False),
        ("STEWARD_LOG=json\n", 0o644, False),
    ],
)
async def test_secrets_others_can_read_are_told(
    tmp_path: Path, text: str, mode: int, warned: bool
) -> None:
    (tmp_path / ".env").write_text(text)
    (tmp_path / ".env").chmod(mode)
    findings = await Visit(tmp_path, {}).found()
    assert ("permissions" in findings) is warned
    if warned:
        assert findings["permissions"].mend == "chmod 600 .env"


def test_the_table_puts_what_mends_below() -> None:
    findings = [Finding("a", "ok", "Fine."), Finding("disk", "fail", "Full.", "Make room.")]
    assert table(findings, 80).splitlines() == [
        "ok    a     Fine.",
        "fail  disk  Full.",
        "            → Make room.",
    ]


async def test_skills_that_cannot_be_used_are_told_with_file_and_line(tmp_path: Path) -> None:
    visit = Visit(tmp_path, CREDENTIALS)
    fit = Skill("minutes", "Makes minutes.", "Body.", "/skills/minutes")
    unfit = Skill("letters", "Writes.", "Body.", "/skills/letters", unmet="it needs the program x")
    fault = SkillFault("/skills/bad/SKILL.md", 3, "no YAML: found a tab")
    visit.skills = SkillSet({"minutes": fit, "letters": unfit}, (fault,))
    findings = await examine(visit.settings, visit.probes, FakeClock(NOW), tmp_path)
    told = [(f.level, f.sentence) for f in findings if f.subject == "skills"]
    assert told == [
        ("ok", "1 skill is ready."),
        ("warn", "/skills/bad/SKILL.md:3: no YAML: found a tab."),
        ("warn", "letters: it needs the program x."),
    ]


async def test_tools_that_a_skill_allows_and_nobody_has_are_told(tmp_path: Path) -> None:
    visit = Visit(tmp_path, CREDENTIALS)
    allowed = ("read_file", "Bash", "notes__find", "Grep")
    skill = Skill("minutes", "Makes minutes.", "Body.", "/skills/minutes", tools=allowed)
    visit.skills = SkillSet({"minutes": skill})
    finding = (await visit.found())["skills"]
    assert (finding.level, finding.sentence) == ("warn", "minutes: no tools are called Bash, Grep.")
    assert "Correct tools in its SKILL.md" in finding.mend


async def test_of_a_thousand_odd_skills_some_are_told_and_how_many_more(tmp_path: Path) -> None:
    visit = Visit(tmp_path, CREDENTIALS)
    odd = ("its name is odd",)
    many = {f"s{n}": Skill(f"s{n}", "D.", "B.", f"/s{n}", warnings=odd) for n in range(1000)}
    visit.skills = SkillSet(many, (SkillFault("/bad/SKILL.md", 3, "no YAML"),))
    findings = await examine(visit.settings, visit.probes, FakeClock(NOW), tmp_path)
    told = [f.sentence for f in findings if f.subject == "skills"]
    assert told[:3] == [
        "1000 skills are ready.",
        "/bad/SKILL.md:3: no YAML.",
        "s0: its name is odd.",
    ]
    assert len(told) == 22
    assert told[-1] == "And 981 more like this."


async def test_a_skill_that_nothing_can_go_on_after_is_told(tmp_path: Path) -> None:
    visit = Visit(tmp_path, CREDENTIALS)
    one = Skill("notes", "Notes.", "Body.", "/skills/notes", next_skill="raport")
    visit.skills = SkillSet({"notes": one, "report": Skill("report", "R.", "B.", "/skills/report")})
    finding = (await visit.found())["skills"]
    assert finding.level == "warn"
    assert "there is no skill “raport” (did you mean report?)" in finding.sentence


async def test_templates_that_cannot_be_used_are_told_with_file_and_line(tmp_path: Path) -> None:
    visit = Visit(tmp_path, CREDENTIALS)
    fit = Template("tidy", "Tidies.", (), "1. Tidy up.")
    visit.templates = (Broken("plans/bad.md", 4, "the name is missing"), fit)
    findings = await examine(visit.settings, visit.probes, FakeClock(NOW), tmp_path)
    told = [(f.level, f.sentence) for f in findings if f.subject == "plans"]
    assert told == [
        ("ok", "1 of 2 ready-made plans are ready."),
        ("warn", "plans/bad.md:4: the name is missing."),
    ]
