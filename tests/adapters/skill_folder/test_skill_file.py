"""One SKILL.md: the open format, what Steward reads beyond it, and how faults are told."""

from contextlib import suppress
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from bot.adapters.skill_folder import front_matter
from bot.adapters.skill_folder.front_matter import Malformed
from bot.adapters.skill_folder.skill_file import LARGEST, read_skill
from bot.domain.skill import Requirements, Skill, SkillServer
from bot.domain.variable import Variable

WHOLE = """---
name: minutes
description: "Turns notes into minutes: decisions, tasks. Use it when notes are pasted."
license: Apache-2.0
compatibility: Needs pandoc
allowed-tools: read_file  write_file Bash(git add:*)
metadata:
  author: ann
  version: 1.0
next_skill: report
conditional_next_skills:
  there are open questions: interview
model_tier: deep
requires:
  env: [HOME]
  bin: pandoc
  skills:
    - report
vars:
  LANGUAGE: German
  TOKEN: {secret: true, required: true, description: for the tracker}
mcp:
  command: npx -y "@scope/server"
  args: [--quiet]
  env: {TOKEN: "{{TOKEN}}"}
  start_timeout: 20
colour: blue
---

# Minutes

Write in {{LANGUAGE}}.
"""


def read(text: str, folder: str = "minutes") -> Skill:
    given = {"TOKEN": "s3cret-value"}
    return read_skill(text.encode(), folder, f"/skills/{folder}", lambda _, name: given.get(name))


def fault(text: str, folder: str = "minutes") -> tuple[int, str]:
    with pytest.raises(Malformed) as raised:
        read(text, folder)
    return raised.value.line, raised.value.reason


def with_head(*lines: str) -> str:
    head = ("name: minutes", "description: Makes minutes.", *lines)
    return "\n".join(["---", *head, "---", "Body."])


def test_every_key_of_the_format_and_of_ours_is_read() -> None:
    assert read(WHOLE) == Skill(
        name="minutes",
        description="Turns notes into minutes: decisions, tasks. Use it when notes are pasted.",
        body="# Minutes\n\nWrite in {{LANGUAGE}}.",
        folder="/skills/minutes",
        license="Apache-2.0",
        compatibility="Needs pandoc",
        metadata={"author": "ann", "version": "1.0"},
        allowed_tools=("read_file", "write_file", "Bash(git add:*)"),
        next_skill="report",
        conditional_next={"there are open questions": "interview"},
        model_tier="deep",
        requires=Requirements(env=("HOME",), bin=("pandoc",), skills=("report",)),
        variables=(
            Variable("LANGUAGE", "German"),
            Variable("TOKEN", "s3cret-value", True, True, "for the tracker"),
        ),
        servers=(
            SkillServer(
                "minutes",
                ("npx", "-y", "@scope/server", "--quiet"),
                env={"TOKEN": "{{TOKEN}}"},
                start_seconds=20,
            ),
        ),
        extra={"colour": "blue"},
    )


def test_our_keys_may_stand_under_metadata_where_the_top_has_none() -> None:
    skill = read(
        with_head(
            "next_skill: report",
            "metadata:",
            "  next_skill: other",
            "  model_tier: fast",
            "  conditional_next_skills: {it is urgent: pager}",
            "  author: ann",
        )
    )
    assert (skill.next_skill, skill.model_tier) == ("report", "fast")
    assert skill.conditional_next == {"it is urgent": "pager"}
    assert skill.metadata == {"author": "ann"}


def test_several_servers_have_names_and_an_empty_command_is_none() -> None:
    skill = read(
        with_head(
            "mcp:",
            "  time: {command: [python, -m, clock]}",
            "  web: {url: 'https://example.org/mcp', idle_timeout: 5}",
            "  off: {command: ''}",
        )
    )
    assert skill.servers == (
        SkillServer("time", ("python", "-m", "clock")),
        SkillServer("web", url="https://example.org/mcp", idle_seconds=5),
    )


@pytest.mark.parametrize("name", ["a", "a" * 64, "a1-b2-c3", "2026"])
def test_a_legal_name_is_taken(name: str) -> None:
    assert read(f"---\nname: {name}\ndescription: d\n---\n", name).name == name


@pytest.mark.parametrize(
    "name", ["-a", "a-", "a--b", "A", "a_b", "ä", "a b", "a" * 65, "a/b", "''"]
)
def test_an_illegal_name_is_told_with_its_line(name: str) -> None:
    line, reason = fault(f"---\ndescription: d\nname: {name}\n---\n", name)
    assert line == 3
    assert reason.startswith("name: ")


def test_the_name_is_that_of_the_folder() -> None:
    text = with_head()
    assert fault(text, "other") == (2, "name: minutes should be the name of its folder, other")


@pytest.mark.parametrize(
    ("lines", "line", "words"),
    [
        (["allowed-tools: {a: b}"], 4, "allowed-tools: should be a text, not a mapping"),
        (["metadata: [a]"], 4, "metadata: should be a mapping"),
        (["license: 12"], 4, "license: should be a text, not a number"),
        (["next_skill: [a, b]"], 4, "next_skill: should be a text, not a list"),
        (["next_skill: No Name"], 4, "next_skill: should be the name of a skill"),
        (["conditional_next_skills: [a]"], 4, "should be a mapping"),
        (["conditional_next_skills:", "  if so: 7"], 5, "if so: should be a text"),
        (["requires: {pip: x}"], 4, "requires: pip is none of env, bin and skills"),
        (["vars: {A: {secret: perhaps}}"], 4, "vars: A: secret: should be true or false"),
        (["vars:", "  A: {secert: true}"], 5, "vars: A: secert is none of default, desc"),
        (["vars: {A-B: 1}"], 4, "vars: A-B: should be letters"),
        (["vars: {ANTHROPIC_API_KEY: x}"], 4, "belongs to Steward"),
        (["mcp: {command: x, url: 'https://e.org'}"], 4, "a command or a url, not both"),
        (["mcp: {command: 'a \"b'}"], 4, "No closing quotation"),
        (["mcp: {url: ftp://e.org}"], 4, "url should begin"),
        (["mcp: {command: x, cwd: y}"], 4, "cwd is none of"),
        (["mcp: {command: x, start_timeout: soon}"], 4, "should be a number of seconds"),
        (["license: MIT", "license: MIT"], 5, "license stands there twice"),
        (["compatibility: ''"], 4, "compatibility: should be 1 to 500 characters"),
        (["extra: [1, 2"], 5, "no YAML"),
        (["\tx: 1"], 4, "no YAML"),
        (["x: *nobody"], 4, "no YAML"),
        (["? [a, b]", ": c"], 4, "a key should be a text"),
    ],
)
def test_a_fault_is_told_with_its_line(lines: list[str], line: int, words: str) -> None:
    at, reason = fault(with_head(*lines))
    assert words in reason
    assert at == line


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("# No front matter", 1, "three dashes"),
        ("---\nname: minutes\n", 1, "not closed"),
        ("---\n---\nBody", 1, "empty"),
        ("---\n- a\n---\n", 2, "should be a mapping"),
        ("---\nname: minutes\n---\n", 1, "description: is missing"),
        ("---\ndescription: d\n---\n", 1, "name: is missing"),
        ("---\nname: minutes\ndescription:\n---\n", 1, "description: is missing"),
        ("---\nname: minutes\ndescription: '  '\n---\n", 3, "1 to 1024"),
        (f"---\nname: minutes\ndescription: {'d' * 1025}\n---\n", 3, "1 to 1024"),
        ("", 1, "three dashes"),
    ],
)
def test_a_file_that_is_no_skill_is_told(text: str, line: int, words: str) -> None:
    at, reason = fault(text)
    assert words in reason
    assert at == line


@pytest.mark.parametrize(
    ("content", "line", "words"),
    [
        (b"---\nname: x\nd\xff\n---", 3, "not UTF-8"),
        (b"\x7fELF\0\0", 0, "not text"),
        (b"x" * (LARGEST + 1), 0, "larger than"),
    ],
)
def test_bytes_that_are_no_text_are_told(content: bytes, line: int, words: str) -> None:
    with pytest.raises(Malformed) as raised:
        read_skill(content, "x", "/x", lambda *_: None)
    assert words in raised.value.reason
    assert raised.value.line == line


def test_references_cannot_grow_or_circle() -> None:
    doubled = [f"x{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 9)]
    _, reason = fault(with_head("x0: &a0 [lol]", *doubled))
    assert "too deep or too large" in reason
    _, reason = fault(with_head("x: &x [*x]"))
    assert "too deep or too large" in reason


@pytest.mark.parametrize("level", ["- ", "? ", "- - ? "])
def test_what_is_nested_without_an_end_is_a_fault_and_no_crash(level: str) -> None:
    line, reason = fault(with_head("k:", "  " + level * (150_000 // len(level)) + "a"))
    assert (line, "too deep" in reason) == (5, True)


def test_marks_of_other_systems_are_no_fault() -> None:
    text = "\ufeff" + with_head("license: MIT").replace("\n", "\r\n")
    skill = read(text)
    assert (skill.license, skill.body) == ("MIT", "Body.")


@given(
    st.dictionaries(
        st.from_regex(r"[a-z][a-z_-]{0,8}", fullmatch=True),
        st.one_of(
            st.text(alphabet=st.characters(codec="utf-8"), max_size=30),
            st.text(alphabet="abYESnof12 .,:;#'-_e+~", max_size=12),
            st.sampled_from(["yes", "No", "on", "NULL", "true", "y", "a: b", "a #b", "a:", "x "]),
        ),
        min_size=1,
        max_size=4,
    )
)
def test_the_short_way_through_plain_lines_says_what_yaml_says(lines: dict[str, str]) -> None:
    document = "".join(f"{key}: {value}\n" for key, value in lines.items())
    found = front_matter._plain_lines(document)
    if found is not None:
        assert {k: v.value for k, v in found.items()} == yaml.safe_load(document)
        assert all(v.tag.endswith(":str") for v in found.values())


@given(st.binary(max_size=200), st.text(max_size=100))
def test_whatever_stands_there_is_a_skill_or_a_fault(content: bytes, text: str) -> None:
    for given_bytes in (content, b"---\n" + content + b"\n---\n", f"---\n{text}\n---\n".encode()):
        with suppress(Malformed):
            assert read_skill(given_bytes, "x", "/x", lambda *_: None).name == "x"


def test_the_shipped_skills_have_no_fault() -> None:
    root = Path(__file__).resolve().parents[3] / "skills"
    names = [folder.name for folder in root.iterdir() if folder.is_dir()] if root.is_dir() else []
    for name in names:
        content = (root / name / "SKILL.md").read_bytes()
        assert read_skill(content, name, str(root / name), lambda *_: None).name == name
