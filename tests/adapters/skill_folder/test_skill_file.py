"""One SKILL.md: the open format, what Steward reads beyond it, and how faults are told."""

import re
from contextlib import suppress
from pathlib import Path
from time import process_time

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from bot.adapters.markdown_folder import Wrong
from bot.adapters.skill_folder import front_matter
from bot.adapters.skill_folder.declared_variables import refusal_of
from bot.adapters.skill_folder.skill_file import LARGEST, read_skill, said_name
from bot.domain.consent.pre_approval import PreApproved
from bot.domain.skills.skill import Requirements, Skill, SkillServer
from bot.domain.tools.variable import Variable
from bot.settings.fields import FIELDS

WHOLE = """---
name: minutes
description: "Turns notes into minutes: decisions, tasks. Use it when notes are pasted."
license: Apache-2.0
compatibility: Needs pandoc
allowed-tools: read_file  Write Bash(git add:*)
tools: read_file, current_time
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
    with pytest.raises(Wrong) as raised:
        read(text, folder)
    return raised.value.line, str(raised.value)


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
        tools=("read_file", "current_time"),
        pre_approved=(
            PreApproved("read_file", "", "read_file"),
            PreApproved("write_file", "", "Write"),
            PreApproved("run_command", "git add *", "Bash(git add:*)"),
        ),
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
    ("said", "name"),
    [
        ("-a", "a"),
        ("a--b", "a-b"),
        ("Skill Development", "skill-development"),
        ("a_b", "a-b"),
        ("Über uns", "uber-uns"),
        ("team/tools: x", "team-tools-x"),
        ("a" * 65, "a" * 64),
        ("none", "none-skill"),
        ("off", "off-skill"),
    ],
)
def test_a_name_with_other_signs_gets_a_plain_one_and_is_kept(said: str, name: str) -> None:
    skill = read(f'---\ndescription: d\nname: "{said}"\n---\n', name)
    assert (skill.name, skill.title) == (name, said)
    assert f"is called {name} here" in skill.warnings[0]


def test_a_name_without_a_letter_of_ours_is_one_all_the_same() -> None:
    one, other = (read(f"---\nname: {n}\ndescription: d\n---\n", n) for n in ("日报", "周报"))
    assert one.name.startswith("skill-")
    assert one.name != other.name
    assert read("---\nname: 日报\ndescription: d\n---\n", "daily").name == "daily"


def test_a_name_that_is_not_the_folders_is_warned_about() -> None:
    skill = read(with_head(), "other")
    assert (skill.name, skill.title) == ("minutes", "")
    assert skill.warnings == ("name: minutes is not the name of its folder, other",)


@pytest.mark.parametrize("line", ["", "name:", "name: ''", "name: [a]"])
def test_without_a_name_the_folder_gives_it(line: str) -> None:
    skill = read(f"---\ndescription: d\n{line}\n---\n", "daily")
    assert (skill.name, skill.title) == ("daily", "")
    assert "its folder names it" in skill.warnings[0]


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (["requires: {mcp: [rube]}"], "requires: mcp is not checked"),
        (["requires: {bins: [chrome], bin: [sh]}"], "requires: bins is not checked"),
        (["requires: [python3]"], "requires: is not checked"),
        (["metadata: [a]"], "metadata: should be a mapping"),
        (["license: {name: MIT}"], "license: should be a text"),
        (["allowed-tools: {a: b}"], "allowed-tools: should be names"),
        ([f"compatibility: {'c' * 501}"], "compatibility: has 501 characters"),
        (["tools: Read, Grep"], "tools: names none of Steward's tools"),
        (["tools: [computer, file_operations]"], "tools: names none of Steward's tools"),
        (["tools: [{name: read_file}]"], "tools: should be names"),
        (["vars: {lower: 1}"], "vars: lower is left out: a name is made of capital letters"),
        (["vars: {A-B: 1}"], "vars: A-B is left out"),
        (["vars: {ANTHROPIC_API_KEY: x}"], "belongs to Steward"),
        (["mcp: {command: 'x {{ZONE}}'}"], "{{ZONE}} stays as it is: vars has no ZONE"),
        (["vars: {T: {secret: true}}", "mcp: {command: 'x {{T}}'}"], "T is secret and goes into"),
    ],
)
def test_what_breaks_a_rule_of_the_format_is_warned_about_and_loads(
    lines: list[str], words: str
) -> None:
    skill = read(with_head(*lines))
    (warning,) = skill.warnings
    assert words in warning
    assert skill.tools is None


def test_known_requirements_are_read_beside_unknown_ones() -> None:
    skill = read(with_head("requires: {bins: [chrome], bin: [sh], env: TOKEN}"))
    assert skill.requires == Requirements(env=("TOKEN",), bin=("sh",))


@pytest.mark.parametrize(("length", "warned"), [(1024, 0), (1025, 1), (5000, 1)])
def test_a_long_description_is_taken_and_its_length_said(length: int, warned: int) -> None:
    skill = read(f"---\nname: minutes\ndescription: {'d' * length}\n---\n")
    assert len(skill.description) == length
    assert len(skill.warnings) == warned
    assert all(f"has {length} characters" in told for told in skill.warnings)


@pytest.mark.parametrize(
    ("value", "read_as"),
    [
        ("Use it when: the user asks", "Use it when: the user asks"),
        ("It's for: notes", "It's for: notes"),
        ("First: one\n  and second: two", "First: one and second: two"),
        ('"Quoted" words: more', '"Quoted" words: more'),
    ],
)
def test_a_plain_value_with_a_colon_is_read_as_if_in_quotes(value: str, read_as: str) -> None:
    skill = read(f"---\nname: minutes\ndescription: {value}\nvars: {{A: '1'}}\n---\nBody.")
    assert skill.description == read_as
    assert skill.environment == {"A": "1"}
    assert skill.warnings == ("line 3: the value holds a colon; put it in quotes",)


def test_a_list_of_tools_restricts_only_where_one_is_ours() -> None:
    assert read(with_head("tools: read_file Bash web__search")).tools == (
        "read_file",
        "Bash",
        "web__search",
    )
    assert read(with_head("tools: []")).tools == ()
    assert read(with_head("allowed-tools: Read, Bash")).tools is None


@pytest.mark.parametrize(("value", "manual"), [("true", True), ("'true'", True), ("false", False)])
def test_a_skill_may_be_kept_from_models(value: str, manual: bool) -> None:
    assert read(with_head(f"disable-model-invocation: {value}")).manual is manual


@pytest.mark.parametrize(
    "name",
    [
        *("BASH_ENV", "ENV", "LD_PRELOAD", "DYLD_INSERT_LIBRARIES", "PATH", "HOME", "IFS"),
        *("PYTHONSTARTUP", "PERL5OPT", "RUBYOPT", "NODE_OPTIONS", "GIT_SSH_COMMAND", "SHELLOPTS"),
        *("PROMPT_COMMAND", "JAVA_TOOL_OPTIONS", "MAVEN_OPTS", "HTTPS_PROXY", "LESSOPEN", "PAGER"),
        *("MAKEFLAGS", "EDITOR", "CLAUDE_SKILL_DIR", "SKILL_DIR", "STEWARD_HOME", "PS4", "GOFLAGS"),
        *("RIPGREP_CONFIG_PATH", "PYTEST_ADDOPTS", "DJANGO_SETTINGS_MODULE", "FZF_DEFAULT_COMMAND"),
        *("PSQLRC", "IRBRC", "PRYRC", "MAILRC", "SCREENRC", "QUILTRC", "BORG_RSH", "ODBCSYSINI"),
        *("BORG_PASSCOMMAND", "RCLONE_PASSWORD_COMMAND", "RESTIC_PASSWORD_COMMAND", "COMPOSER"),
        *("GCC_EXEC_PREFIX", "COMPILER_PATH", "MAGICK_CODER_MODULE_PATH", "PSQL_EDITOR"),
        *("NOTMUCH_CONFIG", "SPARK_HOME", "RCLONE_METADATA_MAPPER", "SUDO_ASKPASS", "NNN_OPENER"),
        *("KUBECONFIG", "CONFIG_SHELL", "CMAKE_TOOLCHAIN_FILE", "GUNICORN_CMD_ARGS", "MAGIC"),
        "HOOK_BUILD",
    ],
)
def test_no_skill_sets_what_programs_obey(name: str) -> None:
    skill = read(with_head("vars:", f"  {name}: /tmp/x", "  TEAM: tea"))
    assert skill.environment == {"TEAM": "tea"}
    assert f"vars: {name} is left out" in skill.warnings[0]


@pytest.mark.parametrize(
    "name",
    [
        "TEAM",
        "GOAL",
        "LESSON",
        "GITHUB_TOKEN",
        "LANGUAGE",
        "NOTES_PATH",
        "VIMEO_KEY",
        "DATA_SRC",
        "RESTIC_PASSWORD",
    ],
)
def test_names_that_only_look_alike_are_free(name: str) -> None:
    assert read(with_head(f"vars: {{{name}: x}}")).environment == {name: "x"}


@pytest.mark.parametrize("name", FIELDS)
def test_every_setting_of_the_program_belongs_to_it(name: str) -> None:
    assert refusal_of(name) == "this name belongs to Steward"


def test_the_name_in_a_file_is_known_however_broken_the_rest_is() -> None:
    assert said_name(b"---\nname: 'Deep Work'\nlicense: [\n---\n") == "Deep Work"
    assert said_name(b"\xff\xfe") == ""


@pytest.mark.parametrize(
    ("lines", "line", "words"),
    [
        (["next_skill: [a, b]"], 4, "next_skill: should be a text, not a list"),
        (["next_skill: No Name"], 4, "next_skill: should be the name of a skill"),
        (["conditional_next_skills: [a]"], 4, "should be a mapping"),
        (["conditional_next_skills:", "  if so: 7"], 5, "if so: should be a text"),
        (["vars: {A: {secret: perhaps}}"], 4, "vars: A: secret: should be true or false"),
        (["vars:", "  A: {secert: true}"], 5, "vars: A: secert is none of default, desc"),
        (["mcp: {command: x, url: 'https://e.org'}"], 4, "a command or a url, not both"),
        (["mcp: {command: 'a \"b'}"], 4, "No closing quotation"),
        (["mcp: {url: ftp://e.org}"], 4, "url should begin"),
        (["mcp: {command: x, cwd: y}"], 4, "cwd is none of"),
        (["mcp: {command: x, start_timeout: soon}"], 4, "should be a number of seconds"),
        (["license: MIT", "license: MIT"], 5, "license stands there twice"),
        (["\tx: 1"], 4, "put spaces in place of tabs"),
        (["tools: {a: b: c}"], 4, "put the value in quotes"),
        (["tools: *nobody"], 4, "no YAML"),
        (["disable-model-invocation: [true"], 5, "no YAML"),
        (["? [a, b]", ": c"], 4, "a key should be a text"),
    ],
)
def test_a_fault_is_told_with_its_line(lines: list[str], line: int, words: str) -> None:
    at, reason = fault(with_head(*lines))
    assert words in reason
    assert at == line


@pytest.mark.parametrize(
    "odd",
    [
        "argument-hint: [date] [duration]",
        "extra: [1, 2",
        "x: {a: b: c}",
        "x: *nobody",
        "allowed-tools: [Read",
        "x:\n  - [1\n- 2",
    ],
)
def test_a_field_that_nobody_needs_is_left_out_when_it_is_no_yaml(odd: str) -> None:
    skill = read(with_head("license: MIT", odd, "compatibility: any"))
    assert (skill.license, skill.compatibility) == ("MIT", "any")
    assert skill.description
    assert skill.pre_approved == ()
    assert "line 5: this is no YAML, so it is left out" in skill.warnings


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("# No front matter", 1, "three dashes"),
        ("---\nname: minutes\n", 1, "not closed"),
        ("---\n---\nBody", 1, "empty"),
        ("---\n- a\n---\n", 2, "should be a mapping"),
        ("---\nname: minutes\n---\n", 1, "description: is missing"),
        ("---\nname: minutes\ndescription:\n---\n", 1, "description: is missing"),
        ("---\nname: minutes\ndescription: '  '\n---\n", 3, "description: is empty"),
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
    with pytest.raises(Wrong) as raised:
        read_skill(content, "x", "/x", lambda *_: None)
    assert words in str(raised.value)
    assert raised.value.line == line


def test_references_cannot_grow_or_circle() -> None:
    doubled = [f"x{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 9)]
    _, reason = fault(with_head("x0: &a0 [lol]", *doubled))
    assert "too deep or too large" in reason
    _, reason = fault(with_head("x: &x [*x]"))
    assert "too deep or too large" in reason


@pytest.mark.parametrize("level", ["- ", "? ", "- - ? "])
def test_what_is_nested_without_an_end_is_a_fault_and_no_crash(level: str) -> None:
    nested = "  " + level * (150_000 // len(level)) + "a"
    line, reason = fault(with_head("tools:", nested))
    assert (line, "too deep" in reason) == (5, True)
    assert "left out" in read(with_head("k:", nested)).warnings[0]


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
        with suppress(Wrong):
            skill = read_skill(given_bytes, "x", "/x", lambda *_: None)
            assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", skill.name)


def test_the_shipped_skills_have_no_fault() -> None:
    root = Path(__file__).resolve().parents[3] / "skills"
    names = [folder.name for folder in root.iterdir() if folder.is_dir()] if root.is_dir() else []
    for name in names:
        content = (root / name / "SKILL.md").read_bytes()
        skill = read_skill(content, name, str(root / name), lambda *_: None)
        assert (skill.name, skill.warnings) == (name, ())


def test_thousands_of_values_that_lack_quotes_are_mended_in_time() -> None:
    lines = "".join(f"k{n}: a: b\n" for n in range(9_000))
    before = process_time()
    found = read(f"---\nname: minutes\ndescription: b: c\n{lines}---\nBody")
    assert process_time() - before < 4
    assert found.warnings[-1] == "line 9003: the value holds a colon; put it in quotes"
