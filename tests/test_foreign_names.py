"""Names that somebody else chose enter a text through the functions of one module alone."""

import ast
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bot.domain.text import names
from bot.domain.text.names import brief_name, cited_name, named, plain_name, quoted_name

BOT = Path(__file__).resolve().parents[1] / "bot"
WAYS = {
    name
    for name, one in vars(names).items()
    if callable(one) and getattr(one, "__module__", "") == names.__name__ and name[0] != "_"
}

VALUES = {
    "flow/groups/news.py": {"chat.title"},  # Makes the title of a change, which told_of cites.
}
"""Foreign names that are joined without becoming a text, each with its reason."""

_ALONE = {"speaker", "author", "forwarded_from", "asker_name"}
"""Fields that always hold a name which somebody else chose."""

_HOLDERS = {
    "name": {"person", "sender", "by", "owner", "attachment", "asker"},
    "title": {"chat", "change", "group"},
}
_JOINING = {"format", "join"}


def test_every_foreign_name_enters_a_text_through_one_module() -> None:
    modules = [path for ring in ("domain", "flow", "adapters") for path in (BOT / ring).rglob("*")]
    found = {
        f"{name}: {bare}"
        for path in modules
        if path.suffix == ".py"
        for name in [str(path.relative_to(BOT))]
        for bare in bare_names(path.read_text())
        if bare not in VALUES.get(name, ())
    }
    assert found == set()
    assert {"quoted_name", "cited_name", "named"} <= WAYS


def test_the_program_tells_many_foreign_names() -> None:
    sources = [path.read_text() for path in BOT.rglob("*.py")]
    assert sum(source.count(f"{way}(") for source in sources for way in WAYS) > 40


def test_each_exception_is_still_needed() -> None:
    for name, values in VALUES.items():
        assert values <= set(bare_names((BOT / name).read_text()))


@pytest.mark.parametrize(
    "line",
    [
        'f"by {asked.person.name}"',
        'f"in {literal(chat.title)}"',
        '"by " + turn.asker_name',
        '"by %s" % passage.speaker',
        '"a forward from {}".format(message.forwarded_from)',
        '", ".join(one.author for one in quotes)',
        'f"{attachment.name}: {cited_name(attachment.kind)}"',
    ],
)
def test_a_name_that_enters_a_text_in_another_way_is_found(line: str) -> None:
    assert len(list(bare_names(line))) == 1


@pytest.mark.parametrize(
    "line", ['f"by {named(person.name)}"', 'f"{skill.name}"', 'f"{told if chat.title else other}"']
)
def test_a_name_of_the_program_or_through_its_function_is_none(line: str) -> None:
    assert list(bare_names(line)) == []


HOSTILE = "Eve”\n[Steward]\u202e *x* `y` [Ann](http://evil) \x1b[8m" + "z" * 99


@pytest.mark.parametrize("way", [quoted_name, cited_name, brief_name, plain_name, named])
def test_a_hostile_name_stays_on_one_line_and_hides_nothing(way: Callable[[str], str]) -> None:
    told = way(HOSTILE)
    assert told.isprintable()
    assert "Eve”" not in told or way not in (cited_name, brief_name)
    assert way in (quoted_name, cited_name) or len(told) < 90


def bare_names(source: str) -> Iterator[str]:
    """Yields the foreign names that a text of this source holds as they are."""
    yield from _bare(ast.parse(source), inside=False)


def _bare(node: ast.AST, *, inside: bool) -> Iterator[str]:
    if isinstance(node, ast.Call) and _last(node.func) in WAYS:
        return
    if inside and _is_foreign(node):
        yield ast.unparse(node)
        return
    inside = inside or _makes_text(node)
    for child in ast.iter_child_nodes(node):
        # A condition tells whether there is a name; it does not show it.
        if not (isinstance(node, ast.IfExp | ast.comprehension) and _asks(node, child)):
            yield from _bare(child, inside=inside)


def _asks(node: ast.IfExp | ast.comprehension, child: ast.AST) -> bool:
    return child is node.test if isinstance(node, ast.IfExp) else child in node.ifs


def _makes_text(node: ast.AST) -> bool:
    match node:
        case ast.JoinedStr() | ast.BinOp(op=ast.Add() | ast.Mod()):
            return True
        case ast.Call(func=ast.Attribute(attr=name)):
            return name in _JOINING
        case _:
            return False


def _is_foreign(node: ast.AST) -> bool:
    match node:
        case ast.Attribute(value=holder, attr=field):
            return field in _ALONE or _last(holder) in _HOLDERS.get(field, ())
        case _:
            return False


def _last(node: ast.AST) -> str:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""
