"""The source keeps to the style of the house: names, sentences, and the words of the tests."""

import ast
import io
import re
import tokenize
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import pytest

from tests import words

ROOT = Path(__file__).resolve().parents[1]
BOT = ROOT / "bot"
INNER = [path for ring in ("domain", "ports", "flow") for path in (BOT / ring).rglob("*.py")]
_TOLD = ("alembic", "benchmarks", "bot", "pictures")
_STIFF = re.compile(
    r"\b(?:at work|(?:is|are|was|were) to be|comes? to (?:its|their|an) end|(?<!as )it goes on"
    r"|by a word of|waits? for your word)\b",
    re.IGNORECASE,
)
"""Phrases that a reader has to read twice."""

_MANY = 14
"""Fields from which on each one has its sentence."""

_LONG = 30
"""Characters from which on words that several tests look for have one place."""

_MOST_METHODS = 5
_LARGE = {
    "Channel": "one platform, that callers pick by its name, and that the flood gate wraps whole",
}
"""Protocols with more methods, each with its reason."""

_WHOLE_IN = {
    "delivery/outlet.py",
    "goals/goal_opening.py",
    "goals/goal_pages.py",
    "goals/parts.py",
    "goals/updates.py",
    "world.py",
}
"""Files that name all parts of a port together: the world, and openings that give parts on."""

_SPEAKING = ("e2e", "flow", "scenarios")


def test_each_field_of_a_large_value_has_its_sentence() -> None:
    classes = [(path, one) for path in INNER for one in _classes(path)]
    large = [(path, one) for path, one in classes if len(list(_fields(one))) >= _MANY]
    assert len(large) > 10
    assert [f"{path.name}: {bare}" for path, one in large for bare in _bare(one)] == []


def test_no_public_class_name_stands_twice() -> None:
    names = Counter(one.name for path in INNER for one in _classes(path))
    assert len(names) > 300
    assert [n for n, count in names.items() if count > 1 and not n.startswith("_")] == []


def test_a_port_has_few_methods() -> None:
    protocols = [one for path in INNER for one in _classes(path) if _bases(one) & {"Protocol"}]
    assert len(protocols) > 60
    large = {one.name for one in protocols if len(_methods(one)) > _MOST_METHODS}
    assert large == set(_LARGE)


def test_callers_of_a_port_that_has_parts_name_the_part_that_they_need() -> None:
    ports = [one for path in (BOT / "ports").rglob("*.py") for one in _classes(path)]
    wholes = {one.name for one in ports if "Protocol" in _bases(one) and len(one.bases) > 2}
    assert len(wholes) == 10
    named = {
        str(path.relative_to(BOT / "flow"))
        for path in (BOT / "flow").rglob("*.py")
        if wholes & {n.id for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.Name)}
    }
    assert named == _WHOLE_IN
    assert [one.name for one in ports if one.name in wholes and _methods(one)] == []


def test_methods_of_a_port_are_counted() -> None:
    (one,) = ast.parse(
        "class P(Protocol):\n    def a(self): ...\n    async def b(self): ...\n"
    ).body
    assert isinstance(one, ast.ClassDef)
    assert (_bases(one), _methods(one)) == ({"Protocol"}, ["a", "b"])


def test_docstrings_and_comments_have_no_stiff_phrase() -> None:
    modules = [path for folder in _TOLD for path in (ROOT / folder).rglob("*.py")]
    assert len(modules) > 900
    found = {str(path.relative_to(ROOT)): _stiff(path.read_text()) for path in modules}
    assert {path: told for path, told in found.items() if told} == {}


@pytest.mark.parametrize(
    "text",
    [
        '"""The skill at work."""\n',
        'LIMIT = 1\n"""The limit that is\nto be kept."""\n',
        "x = 1  # then it goes on\n",
    ],
)
def test_a_stiff_phrase_is_found(text: str) -> None:
    assert _stiff(text)


def test_words_that_several_tests_look_for_have_one_place() -> None:
    files = defaultdict[str, set[str]](set)
    for path, text in _asserted():
        if len(text) >= _LONG and " " in text and not text.startswith("SELECT"):
            files[text].add(path)
    assert len(files) > 50
    assert {text: paths for text, paths in files.items() if len(paths) > 1} == {}


def test_no_test_spells_out_the_words_that_have_a_place() -> None:
    placed = [value for value in vars(words).values() if isinstance(value, str)]
    long = {value for value in placed if len(value) >= _LONG and value != words.__doc__}
    assert len(long) > 20
    assert [(path, text) for path, text in _asserted() if text in long] == []


def _classes(path: Path) -> Iterator[ast.ClassDef]:
    body = ast.parse(path.read_text()).body
    return (node for node in body if isinstance(node, ast.ClassDef))


def _fields(one: ast.ClassDef) -> Iterator[ast.AnnAssign]:
    """Yields the fields; the mark before those that are given by name is none."""
    fields = (line for line in one.body if isinstance(line, ast.AnnAssign))
    return (line for line in fields if ast.unparse(line.annotation) != "KW_ONLY")


def _bare(one: ast.ClassDef) -> Iterator[str]:
    """Yields the fields that have no sentence, neither behind them nor as a setting."""
    for line, after in zip(one.body, [*one.body[1:], None], strict=True):
        if isinstance(line, ast.AnnAssign) and not (_is_text(after) or _is_setting(line.value)):
            yield f"{one.name}.{ast.unparse(line.target)}"


def _is_setting(made: ast.expr | None) -> bool:
    """Tells if a field is a setting, or a section whose class has the sentence."""
    return (
        isinstance(made, ast.Call)
        and isinstance(made.func, ast.Name)
        and made.func.id in ("setting", "section")
    )


def _is_text(node: ast.stmt | None) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _stiff(source: str) -> Sequence[str]:
    """Returns what is told in stiff phrases; most files need no parser, since they have none."""
    if not _STIFF.search(" ".join(source.split())):
        return ()
    return [text for text in _told(source) if _STIFF.search(text)]


def _told(source: str) -> Iterator[str]:
    """Yields docstrings, sentences under values, and comments, each on one line."""
    for node in ast.walk(ast.parse(source)):
        body = getattr(node, "body", None)
        for line in body if isinstance(body, list) else ():
            if _is_text(line):
                yield " ".join(ast.literal_eval(line.value).split())
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.string


@cache
def _asserted() -> Sequence[tuple[str, str]]:
    """Returns the texts that assertions hold, each with its file."""
    return [
        (str(path.relative_to(ROOT)), part.value)
        for folder in _SPEAKING
        for path in sorted((ROOT / "tests" / folder).rglob("test_*.py"))
        for node in _statements(ast.parse(path.read_text()).body)
        if isinstance(node, ast.Assert)
        for part in ast.walk(node.test)
        if isinstance(part, ast.Constant) and isinstance(part.value, str)
    ]


def _statements(body: Sequence[ast.AST]) -> Iterator[ast.AST]:
    """Yields the statements, and those inside of them; their expressions are many more."""
    for one in body:
        yield one
        for field in ("body", "orelse", "finalbody", "handlers", "cases"):
            yield from _statements(getattr(one, field, ()))


def _bases(one: ast.ClassDef) -> set[str]:
    return {ast.unparse(base).partition("[")[0] for base in one.bases}


def _methods(one: ast.ClassDef) -> list[str]:
    return [m.name for m in one.body if isinstance(m, ast.FunctionDef | ast.AsyncFunctionDef)]
