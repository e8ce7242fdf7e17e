"""Folders of skills: which win, what cannot be read, what is looked at anew."""

import os
from itertools import count
from pathlib import Path

import pytest

from bot.adapters.skill_folder.skill_folders import LOOK_SECONDS, PAUSE_SECONDS, SkillFolders
from bot.domain.skills.skill import SkillSet
from bot.domain.talk.errors import ToolFailure
from tests.adapters.skill_folder.folders import loaded, skill_file
from tests.fakes.clock import FakeClock


def test_the_later_folder_wins(tmp_path: Path) -> None:
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    skill_file(ours, "a", body="ours")
    skill_file(ours, "b")
    skill_file(theirs, "a", body="theirs")
    known = loaded(ours, theirs).known
    assert [s.name for s in known.ready] == ["a", "b"]
    assert known.skills["a"].body == "theirs"


def test_a_broken_one_does_not_win_and_harms_nothing_else(tmp_path: Path) -> None:
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    skill_file(ours, "a", body="ours")
    broken = skill_file(theirs, "a", head="tools: [\n")
    skill_file(theirs, "b")
    known = loaded(ours, theirs).known
    assert known.skills["a"].body == "ours"
    assert known.usable("b") is not None
    (fault,) = known.faults
    assert str(fault).startswith(f"{broken}:")
    assert fault.line > 3


@pytest.mark.parametrize("kind", ["huge", "binary", "link", "lost link", "none", "folder", "pipe"])
def test_a_file_that_is_none_is_told_with_its_path(tmp_path: Path, kind: str) -> None:
    root = tmp_path / "skills"
    skill_file(root, "good")
    outside = skill_file(tmp_path / "outside", "bad")
    file = root / "bad" / "SKILL.md"
    if kind == "lost link":
        (root / "bad").symlink_to(tmp_path / "nowhere")
    else:
        (root / "bad").mkdir()
    if kind == "huge":
        file.write_bytes(b"---\n" + b"x" * 10_000_000)
    elif kind == "binary":
        file.write_bytes(bytes(range(256)))
    elif kind == "link":
        file.symlink_to(outside)
    elif kind == "folder":
        file.mkdir()
    elif kind == "pipe":
        os.mkfifo(file)
    known = loaded(root).known
    assert [s.name for s in known.ready] == ["good"]
    (fault,) = known.faults
    assert fault.file == str(file)
    assert fault.reason


def test_hidden_folders_and_files_are_no_skills(tmp_path: Path) -> None:
    root = tmp_path / "skills"
    skill_file(root, "good")
    (root / ".git").mkdir()
    (root / "__pycache__").mkdir()
    (root / "README.md").write_text("Hello")
    known = loaded(root, tmp_path / "nowhere").known
    assert [s.name for s in known.ready] == ["good"]
    assert known.faults == ()


def test_what_a_skill_needs_is_named_when_it_is_missing(tmp_path: Path) -> None:
    root = tmp_path / "skills"
    skill_file(root, "env", "requires: {env: [TRACKER]}\n")
    skill_file(root, "bin", "requires: {bin: [no-such-program]}\n")
    skill_file(root, "var", "vars: {TRACKER: {required: true}}\n")
    skill_file(root, "other", "requires: {skills: [gone]}\n")
    unmet = {s.name: s.unmet for s in loaded(root).known.skills.values()}
    assert "TRACKER in the environment" in unmet["env"]
    assert "program no-such-program" in unmet["bin"]
    assert "variable TRACKER" in unmet["var"]
    assert "skill gone" in unmet["other"]
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "no-such-program").touch(mode=0o755)
    environ = {"TRACKER": "here", "PATH": str(tmp_path / "bin")}
    skill_file(root, "gone")
    (tmp_path / "skills.toml").write_text('[allow]\nvar = ["TRACKER"]\n')
    assert len(loaded(root, environ=environ).known.ready) == 5


def test_a_value_for_one_skill_wins_over_one_for_all_and_over_the_environment(
    tmp_path: Path,
) -> None:
    head = "vars: {A: default, B: default, C: default, D: default}\n"
    skill_file(tmp_path / "skills", "one", head)
    (tmp_path / "skills.toml").write_text(
        '[vars]\nA = "all"\nB = "all"\nN = 1\n[skills.one]\nA = "own"\n[skills.two]\nC = "other"\n'
        '[allow]\none = ["C"]\ntwo = "D"\n'
    )
    environ = {"A": "around", "B": "around", "C": "around", "D": "around"}
    known = loaded(tmp_path / "skills", environ=environ).known
    assert known.skills["one"].environment == {
        "A": "own",
        "B": "all",
        "C": "around",
        "D": "default",
    }


DEEP = f"a = {'[' * 5000}{']' * 5000}"


@pytest.mark.parametrize(
    "text",
    ["a = [", 'vars = "x"', "[vars]\nA = []", "[skills]\nx = 1", "\xff", DEEP, "[allow]\nx = [1]"],
)
def test_a_file_of_values_that_cannot_be_read_is_told(tmp_path: Path, text: str) -> None:
    skill_file(tmp_path / "skills", "one", "vars: {A: {required: true}}\n")
    (tmp_path / "skills.toml").write_bytes(text.encode("latin-1"))
    known = loaded(tmp_path / "skills").known
    assert [Path(fault.file).name for fault in known.faults] == ["skills.toml"]
    assert known.ready == ()


def files(root: Path) -> SkillFolders:
    skill_file(root, "one")
    (root / "one" / "scripts").mkdir()
    (root / "one" / "scripts" / "run.sh").write_text("echo hi\n")
    (root / "one" / "raw.bin").write_bytes(b"\xff\0")
    (root / "one" / "huge.txt").write_bytes(b"x" * 1_000_001)
    (root / "outside.txt").write_text("outside")
    (root / "one" / "link.txt").symlink_to(root / "outside.txt")
    (root / "one" / "folder").symlink_to(root)
    return loaded(root)


async def test_a_file_beside_a_skill_is_read(tmp_path: Path) -> None:
    assert await files(tmp_path / "skills").read("one", "scripts/run.sh") == "echo hi\n"


@pytest.mark.parametrize(
    "path",
    [
        "../outside.txt",
        "scripts/../../outside.txt",
        "/etc/passwd",
        "link.txt",
        "folder/outside.txt",
        "gone.txt",
        "raw.bin",
        "huge.txt",
        "a\0b",
        "a\ud800b",
    ],
)
async def test_no_path_and_no_link_leads_elsewhere(tmp_path: Path, path: str) -> None:
    skills = files(tmp_path / "skills")
    with pytest.raises(ToolFailure):
        await skills.read("one", path)
    with pytest.raises(ToolFailure, match="there is no skill"):
        await skills.read("../one", "SKILL.md")


async def test_a_folder_lists_itself(tmp_path: Path) -> None:
    skills = files(tmp_path / "skills")
    every = ["huge.txt", "link.txt", "raw.bin", "scripts/run.sh"]
    assert (await skills.read("one", ".")).split("\n") == every
    assert await skills.files("one", 9) == every
    assert await skills.read("one", "scripts") == "scripts/run.sh"
    assert await skills.files("one", 3) == [*every[:3], "… and 1 more"]


async def test_links_that_stay_within_the_folder_are_followed(tmp_path: Path) -> None:
    skills = files(tmp_path / "skills")
    one = tmp_path / "skills" / "one"
    (one / "docs").symlink_to("scripts")
    (one / "scripts" / "again.sh").symlink_to("../docs/run.sh")
    (one / "circle").symlink_to("circle")
    (one / "out").symlink_to("scripts/../../outside.txt")
    (one / "absolute").symlink_to(one / "scripts")
    assert await skills.read("one", "docs/again.sh") == "echo hi\n"
    for path in ("circle", "out", "absolute/run.sh"):
        with pytest.raises(ToolFailure):
            await skills.read("one", path)


async def test_a_folder_that_an_installer_linked_is_a_skill(tmp_path: Path) -> None:
    root, store = tmp_path / "skills", tmp_path / "store"
    root.mkdir()
    skill_file(store, "letters")
    (store / "letters" / "notes.md").write_text("Beside it.")
    (root / "letters").symlink_to("../store/letters")
    skills = loaded(root)
    assert skills.known.skills["letters"].folder == str(store / "letters")
    assert skills.known.faults == ()
    assert await skills.read("letters", "notes.md") == "Beside it."


def test_a_link_that_leads_back_is_not_followed(tmp_path: Path) -> None:
    root = tmp_path / "skills"
    skill_file(root, "letters")
    (root / "back").symlink_to(tmp_path)
    known = loaded(root).known
    assert known.skills["letters"].warnings == ()
    (fault,) = known.faults
    assert "back/SKILL.md: it is a link" in str(fault)


async def test_a_folder_that_was_swapped_since_is_not_read(tmp_path: Path) -> None:
    root, store, secret = tmp_path / "skills", tmp_path / "store", tmp_path / "secret"
    root.mkdir()
    skill_file(store, "letters")
    (root / "letters").symlink_to(store / "letters")
    skills = loaded(root)
    secret.mkdir()
    (secret / "letters").mkdir()
    (secret / "letters" / "notes.md").write_text("Nobody may see it.")
    store.rename(tmp_path / "old")
    store.symlink_to(secret)
    with pytest.raises(ToolFailure, match="replaced by another"):
        await skills.read("letters", "notes.md")


def test_links_in_a_clone_lead_nowhere_outside_of_it(tmp_path: Path) -> None:
    root = tmp_path / "skills"
    outside = skill_file(tmp_path / "outside", "bad")
    good = skill_file(root / "clone" / "all", "good")
    (root / "clone" / "linked").symlink_to(outside.parent)
    for name, target in (("inner", "../all/good/SKILL.md"), ("outer", str(outside))):
        (root / "clone" / name).mkdir()
        (root / "clone" / name / "SKILL.md").symlink_to(target)
    known = loaded(root).known
    assert [s.name for s in known.ready] == ["good"]
    assert known.skills["good"].folder == str(good.parent)
    (fault,) = known.faults
    assert "outer/SKILL.md: a link leads out" in str(fault)


def test_skills_are_found_some_folders_down_and_hidden_ones_are_not(tmp_path: Path) -> None:
    root = tmp_path / "skills"
    skill_file(root / "clone" / "plugins" / "a" / "skills", "deep")
    skill_file(root / "clone" / "skills", "near")
    skill_file(root / "clone" / ".git" / "skills", "hidden")
    skill_file(root / "clone" / "node_modules" / "x", "foreign")
    skill_file(root / "far" / "1" / "2" / "3" / "4" / "5", "lost")
    known = loaded(root).known
    assert [s.name for s in known.ready] == ["deep", "near"]
    (lost,) = known.faults
    assert lost.is_about("far")
    assert known.refusal("far") == "there is no skill “far”"
    assert lost.reason == "1 skill is left out: 1 in far/1/2/3/4/5, more than 6 folders down"


def test_skills_that_a_search_leaves_out_are_counted_with_the_reason(tmp_path: Path) -> None:
    root = tmp_path / "skills"
    for name in ("a", "b"):
        skill_file(root / "openai" / "skills" / ".curated", name)
    skill_file(root / "openai" / "skills", "seen")
    skill_file(root, "whole")
    for name in ("c", "d", "e"):
        skill_file(root / "whole" / "skills", name)
    skill_file(root / ".system", "f")
    known = loaded(root).known
    assert [s.name for s in known.ready] == ["seen", "whole"]
    told = {fault.skill: fault.reason for fault in known.faults}
    assert told.keys() == {"openai", "whole", ".system"}
    assert "2 skills are left out: 2 in openai/skills/.curated, since" in told["openai"]
    assert "3 skills are left out: 3 in whole/skills, below another skill" in told["whole"]
    assert "1 skill is left out: 1 in .system, since I skip names" in told[".system"]


@pytest.mark.parametrize("name", ["openai/.curated", "whole/skills", "far/1/2/3/4/5", "near"])
def test_what_a_link_brings_in_as_it_was_told_is_left_out_no_more(
    tmp_path: Path, name: str
) -> None:
    root = tmp_path / "skills"
    skill_file(root, "near")
    skill_file(root, "whole")
    skill_file(root / name, "one")
    (fault,) = loaded(root).known.faults
    assert f"1 in {name if name != 'near' else 'near/one'}, " in fault.reason
    assert fault.helps == "To have it, put a link to that folder into skills"
    (root / "linked").symlink_to(root / (name if name != "near" else "near/one"))
    known = loaded(root).known
    assert known.usable("one") is not None
    assert known.faults == ()


def test_a_broken_file_above_skills_that_are_left_out_is_told_beside_them(tmp_path: Path) -> None:
    root = tmp_path / "skills"
    skill_file(root, "whole", head="tools: [\n")
    skill_file(root / "whole" / "skills", "one")
    broken, lost = loaded(root).known.faults
    assert (broken.line, "1 skill is left out" in lost.reason) == (5, True)
    assert "cannot be read: SKILL.md, line 5" in loaded(root).known.refusal("whole")


def test_a_file_beside_the_folders_is_told_to_need_one(tmp_path: Path) -> None:
    root = tmp_path / "skills"
    skill_file(root, "good")
    skill_file(tmp_path, "skills")
    (fault,) = loaded(root).known.faults
    assert str(fault) == f"{root}/SKILL.md: a skill needs a folder of its own"
    assert fault.helps == "Make a folder for it in skills, and move it there with its files"


def test_a_link_brings_in_what_was_left_out(tmp_path: Path) -> None:
    root, clone = tmp_path / "skills", tmp_path / "clone"
    skill_file(clone / ".curated", "a")
    root.mkdir()
    (root / "curated").symlink_to(clone / ".curated")
    known = loaded(root).known
    assert [s.name for s in known.ready] == ["a"]
    assert known.faults == ()


def test_a_misspelt_file_is_told_with_what_to_do(tmp_path: Path) -> None:
    file = skill_file(tmp_path / "skills", "letters")
    file.rename(file.with_name("skill.md"))
    (fault,) = loaded(tmp_path / "skills").known.faults
    assert fault.is_about("letters")
    assert "rename skill.md to SKILL.md" in fault.reason


def test_a_broken_one_is_known_by_its_folder_and_by_its_own_name(tmp_path: Path) -> None:
    file = skill_file(tmp_path / "skills", "react", "tools: [\n")
    file.write_text(file.read_text().replace("name: react", "name: Vercel React"))
    known = loaded(tmp_path / "skills").known
    for name in ("react", "vercel-react", "Vercel React"):
        assert "cannot be read: SKILL.md, line" in known.refusal(name)


def test_of_two_skills_with_one_name_the_persons_own_wins_and_says_so(tmp_path: Path) -> None:
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    skill_file(ours, "tea")
    skill_file(theirs, "tea", body="Mine.")
    known = loaded(ours, theirs).known
    assert (known.skills["tea"].body, known.skills["tea"].own) == ("Mine.", True)
    (warning,) = known.skills["tea"].warnings
    assert f"takes the place of another tea, in {ours / 'tea'}" in warning


def test_a_clone_cannot_take_the_name_of_a_skill_put_there_by_hand(tmp_path: Path) -> None:
    root = tmp_path / "skills"
    skill_file(root, "tea", body="By hand.")
    skill_file(root / "a-clone" / "skills", "tea", body="Another.")
    skill_file(root / "zoo", "tea", body="Another still.")
    assert loaded(root).known.skills["tea"].body == "By hand."


def test_all_that_is_missing_is_named(tmp_path: Path) -> None:
    head = (
        "requires: {env: [AAA, BBB], bin: [no-such], skills: [gone]}\nvars: {V: {required: true}}\n"
    )
    skill_file(tmp_path / "skills", "one", head)
    unmet = loaded(tmp_path / "skills").known.skills["one"].unmet
    for name in ("AAA", "BBB", "no-such", "variable V", "skill gone"):
        assert name in unmet


def test_a_variable_of_the_environment_is_seen_where_the_operator_allowed_it(
    tmp_path: Path,
) -> None:
    root, environ = tmp_path / "skills", {"TRACKER_TOKEN": "s3cret", "OTHER": "x"}
    skill_file(root, "one", "vars: {TRACKER_TOKEN: {required: true}, OTHER: }\n")
    skill_file(root, "two", "vars: {TRACKER_TOKEN: }\n")
    known = loaded(root, environ=environ).known
    assert "[allow] there lets it see" in known.skills["one"].unmet
    assert known.skills["one"].environment == {}
    (tmp_path / "skills.toml").write_text('[allow]\none = ["TRACKER_TOKEN"]\n')
    known = loaded(root, environ=environ).known
    assert known.skills["one"].environment == {"TRACKER_TOKEN": "s3cret"}
    assert known.skills["two"].environment == {}


async def test_a_costly_look_is_followed_by_a_long_pause(tmp_path: Path) -> None:
    spent = count(0.0, 0.05)
    skill_file(tmp_path / "skills", "one")
    clock = FakeClock()
    roots = [tmp_path / "skills"]
    async with SkillFolders(roots, tmp_path, {}, clock, spent=lambda: next(spent)):
        while len(clock.slept) < 3:
            await clock.advance(LOOK_SECONDS)
    assert clock.slept[1] == LOOK_SECONDS
    assert clock.slept[2] == pytest.approx(5.0)


async def test_a_change_is_taken_over_once_it_has_stood_for_a_look(tmp_path: Path) -> None:
    clock, told = FakeClock(), list[SkillSet]()
    root = tmp_path / "skills"
    skill_file(root, "one")
    folders = SkillFolders([root], tmp_path, {}, clock, told.append)
    async with folders:
        first = folders.known
        assert told == [first]
        folders.load()
        assert folders.known is first
        skill_file(root, "two")
        skill_file(root, "one", body="Another body.")
        # A new set is told before it is used.
        while folders.known is first:
            await clock.advance(LOOK_SECONDS)
        assert told == [first, folders.known]
        assert [s.name for s in folders.known.ready] == ["one", "two"]
        assert folders.known.skills["one"].body == "Another body."
        assert first.skills["one"].body == "Do it."


async def test_a_fault_nobody_foresaw_is_told_once_and_the_watch_goes_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    clock, tries = FakeClock(), list[SkillSet]()
    faults = [RuntimeError("a"), RuntimeError("b"), KeyError("c")]

    def tell(skills: SkillSet) -> None:
        tries.append(skills)
        if len(skills.skills) > 1 and faults:
            raise faults.pop(0)

    root = tmp_path / "skills"
    skill_file(root, "one")
    async with SkillFolders([root], tmp_path, {}, clock, tell) as folders:
        skill_file(root, "two")
        while len(folders.known.ready) < 2:
            await clock.advance(LOOK_SECONDS)
        assert [s.name for s in folders.known.ready] == ["one", "two"]
    assert len(tries) == 5
    assert clock.slept.count(PAUSE_SECONDS) == 3
    told = [r.exc_info[0] for r in caplog.records if r.exc_info is not None]
    assert told == [RuntimeError, KeyError]
