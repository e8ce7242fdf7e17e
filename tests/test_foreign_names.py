"""Names that somebody else chose enter a text through the functions of one module alone.

Within a function it is seen whether a name goes on to a text by a variable. What a function returns
as a text counts as one.
"""

import ast
from collections.abc import Callable, Iterator, Set
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

_TEXTS = BOT / "domain" / "text"
OTHER_WAYS = {
    "set_apart",  # Quotes the facts of a block itself.
}
OTHERS = {
    one.name
    for path in _TEXTS.glob("*.py")
    if path.name != "names.py"
    for one in ast.parse(path.read_text()).body
    if isinstance(one, ast.FunctionDef) and one.name not in OTHER_WAYS
}
"""Functions that make a text fit for something else: a name needs more."""

VALUES = {
    "flow/groups/news.py": {"chat.title"},  # Makes the title of a change, which told_of cites.
    # Stands alone: on a line of a list as Markdown, on a button, or on the page of its person.
    "flow/commands/conversation_commands.py": {"given"},
    "bootstrap/page_rows_told.py": {"talk.conversation.title"},
}
"""Foreign names that are joined without becoming a text, each with its reason."""

_PATHS = "file.name"
"""Beyond the flow, a file is one of this machine, or a channel names it as its platform does."""

_ALONE = {"speaker", "author", "forwarded_from", "asker_name", "decider_name"}
"""Fields that always hold a name which somebody else chose."""

_HOLDERS = {
    "name": {
        *("person", "sender", "by", "owner", "asker"),
        *("attachment", "file", "fileref"),
        *("task", "timedtask", "goal", "guild", "remote"),
    },
    "title": {"chat", "change", "group", "conversation", "plan", "handed_in"},
}
_JOINING = {"format", "join"}
_ADDING = {"append", "add", "extend", "update"}
_SAME = {"list", "tuple", "set", "frozenset", "sorted", "reversed", "dict", "next", "iter"}
"""Functions that hand on what a collection holds."""


def test_every_foreign_name_enters_a_text_through_one_module() -> None:
    modules = [path for path in BOT.rglob("*.py") if _TEXTS not in path.parents]
    assert len(modules) > 500
    found = {
        f"{name}: {bare}"
        for path in modules
        for name in [str(path.relative_to(BOT))]
        for bare in bare_names(path.read_text())
        if bare not in VALUES.get(name, ()) and (bare != _PATHS or name.startswith("flow/"))
    }
    assert found == set()
    assert {"quoted_name", "cited_name", "named"} <= WAYS
    assert {"visible", "literal", "one_line"} <= OTHERS


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
        "told = visible(plan.asker_name)",
        "names += [literal(one.person.name) for one in owners]",
        'def told(asker):\n    who = asker.name if asker else "nobody"\n    return f"by {who}"',
        "def told(chat) -> str:\n    return chat.title or chat.address.key",
        'def told(subjects):\n    return f"by {subjects.named(sender.name)}"',
        '", ".join(one_line(file.name, 80) for file in files)',
        'f"the task “{visible(task.name)}”"',
        'f"· {conversation.title}"',
        """f"I could not send {file['name']}\"""",
        'def told(body):\n    match body:\n        case Asker(speaker=a):\n            f"{a}: b"',
        'def told(turn):\n    who = turn.speaker\n    by = who or "Person"\n    return f"by {by}"',
        'def told(turn):\n    kind, by = "message", turn.speaker\n    return f"{kind} by {by}"',
        'def told(all):\n    who = sorted(asker.name for asker in all)\n    return ", ".join(who)',
        'def told(turns):\n    for one in [turn.speaker for turn in turns]:\n        f"by {one}"',
        'def told(all):\n    who = {one.speaker for one in all}\n    return [f"{a}!" for a in who]',
        'def told(turn):\n    who = []\n    who.append(turn.speaker)\n    return " and ".join(who)',
    ],
)
def test_a_name_that_enters_a_text_in_another_way_is_found(line: str) -> None:
    assert len(list(bare_names(line))) == 1


@pytest.mark.parametrize(
    "line",
    [
        'f"by {named(person.name)}"',
        'f"{skill.name}"',
        'f"{told if chat.title else other}"',
        "set_apart(source, text, name=attachment.name)",
        'def told(asker):\n    who = asker.name\n    return f"by {named(who)}"',
        'def told(person):\n    note = Note(person.name)\n    return f"{note.id}"',
        "def told(person) -> Person:\n    return replace(person, name=sender.name)",
    ],
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
    tree = ast.parse(source)
    yield from _bare(tree, frozenset(), inside=False)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _bare_of(node)


def _bare_of(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[str]:
    """Yields the variables of a function that hold such a name in a text, and what it returns."""
    known = frozenset(_captured(function))
    while held := frozenset(_holding(function, known)) - known:
        known |= held
    if known:
        yield from (one for one in _bare(function, known, inside=False) if one in known)
    if isinstance(function.returns, ast.Name) and function.returns.id == "str":
        for node in ast.walk(function):
            if isinstance(node, ast.Return) and node.value is not None:
                yield from map(ast.unparse, filter(_is_foreign, _choices(node.value)))


def _captured(function: ast.AST) -> Iterator[str]:
    """Yields the variables to which a pattern gives such a name."""
    for node in ast.walk(function):
        if isinstance(node, ast.MatchClass):
            for field, pattern in zip(node.kwd_attrs, node.kwd_patterns, strict=True):
                named = pattern.name if isinstance(pattern, ast.MatchAs) else None
                if named is not None and _is_name(_last(node.cls).lower(), field):
                    yield named


def _holding(function: ast.AST, known: Set[str]) -> Iterator[str]:
    """Yields the variables that get such a name, or what a known variable holds."""
    for node in ast.walk(function):
        for target, value in _assigned(node):
            choices = _choices(value)
            if isinstance(target, ast.Name) and any(_holds(one, known) for one in choices):
                yield target.id


def _assigned(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    match node:
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
            yield from zip(targets, values, strict=False)
        case ast.Assign(targets=[target], value=value):
            yield target, value
        case (
            ast.NamedExpr(target=target, value=value)
            | ast.AnnAssign(target=target, value=ast.expr() as value)
        ):
            yield target, value
        case ast.For(target=target, iter=many) | ast.comprehension(target=target, iter=many):
            yield target, many
        case ast.Call(func=ast.Attribute(value=many, attr=add), args=[value]) if add in _ADDING:
            yield many, value
        case _:
            pass


def _holds(node: ast.AST, known: Set[str]) -> bool:
    return _is_foreign(node) or _is_in(node, known)


def _is_in(node: ast.AST, known: Set[str]) -> bool:
    return isinstance(node, ast.Name) and node.id in known


def _choices(value: ast.expr) -> Iterator[ast.expr]:
    """Yields what the value of an expression may be."""
    match value:
        case ast.IfExp(body=one, orelse=other):
            yield from (*_choices(one), *_choices(other))
        case ast.BoolOp(values=values) | ast.List(elts=values) | ast.Tuple(elts=values):
            for one in values:
                yield from _choices(one)
        case ast.ListComp(elt=one) | ast.SetComp(elt=one) | ast.GeneratorExp(elt=one):
            yield from _choices(one)
        case ast.Call(func=ast.Name(id=same), args=[many, *_]) if same in _SAME:
            yield from _choices(many)
        case _:
            yield value


def _bare(node: ast.AST, known: Set[str], *, inside: bool) -> Iterator[str]:
    if isinstance(node, ast.Call) and _is_way(node.func):
        return
    if inside and _holds(node, known):
        yield ast.unparse(node)
        return
    inside = inside or _makes_text(node)
    for child in ast.iter_child_nodes(node):
        # A condition tells whether there is a name; it does not show it.
        if not (isinstance(node, ast.IfExp | ast.comprehension) and _asks(node, child)):
            yield from _bare(child, known, inside=inside)


def _asks(node: ast.IfExp | ast.comprehension, child: ast.AST) -> bool:
    return child is node.test if isinstance(node, ast.IfExp) else child in node.ifs


def _is_way(function: ast.expr) -> bool:
    return isinstance(function, ast.Name) and function.id in WAYS | OTHER_WAYS


def _makes_text(node: ast.AST) -> bool:
    match node:
        case ast.JoinedStr() | ast.BinOp(op=ast.Add() | ast.Mod()):
            return True
        case ast.Call(func=ast.Attribute(attr=name)):
            return name in _JOINING
        case ast.Call(func=ast.Name(id=name)):
            return name in OTHERS
        case _:
            return False


def _is_foreign(node: ast.AST) -> bool:
    match node:
        case ast.Attribute(value=holder, attr=field):
            return _is_name(_last(holder), field)
        case ast.Subscript(value=holder, slice=ast.Constant(value=str() as field)):
            return _is_name(_last(holder), field)
        case _:
            return False


def _is_name(holder: str, field: str) -> bool:
    return field in _ALONE or holder in _HOLDERS.get(field, ())


def _last(node: ast.AST) -> str:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""
