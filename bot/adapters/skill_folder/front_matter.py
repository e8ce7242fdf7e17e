"""Reads the YAML at the head of a Markdown file, with the line of each value."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import accumulate, pairwise
from typing import Any, TypeAlias

import yaml

from bot.adapters.markdown_folder import Wrong
from bot.domain.value import frozen

Node: TypeAlias = yaml.Node
Fields: TypeAlias = Mapping[str, Node]

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_END = re.compile(r"^---[ \t]*$", re.MULTILINE)
_FIRST_LINE = 2
_MOST_NODES = 2_000
_DEEPEST = 12
_NESTED = 100
_TEXT = "tag:yaml.org,2002:str"
_NOTHING = "tag:yaml.org,2002:null"
_PLAIN_LINE = re.compile(r"([a-z][a-z_-]*): ([A-Za-z](?:[\w .,;()/+=<>'’–-]*[\w.,;()/+=<>'’–-])?)")
_KEY = re.compile(r"([A-Za-z_][\w-]*):")
_ENTRY = re.compile(r"([A-Za-z_][\w-]*):[ \t]+([^\s\[{|>&*!%#?-].*)")
_VALUES = frozenset({"true", "false", "yes", "no", "on", "off", "null", "y", "n"})
_NAMES = {"int": "a number", "float": "a number", "bool": "true or false", "null": "nothing"}


@frozen
class FrontMatter:
    """The head of a file: its fields, and the text after it."""

    fields: Fields
    body: str
    remarks: tuple[str, ...] = ()
    """A remark on each line that lacks quotes, and on each field that was left out."""


def split(content: str, needed: Collection[str]) -> FrontMatter:
    """Returns the fields of the front matter and the text after it; raises Wrong.

    A field that is no YAML is left out, unless it is among those that are `needed`.
    """
    content = content.removeprefix("\ufeff").replace("\r\n", "\n")
    first, _, rest = content.partition("\n")
    if first.rstrip() != "---":
        raise Wrong(
            1, "it does not begin with a line of three dashes; name and description belong there"
        )
    end = _END.search(rest)
    if end is None:
        raise Wrong(1, "the front matter is not closed by a line of three dashes")
    head, body = rest[: end.start()], rest[end.end() :].strip()
    found = _plain_lines(head)
    if found is not None:
        return FrontMatter(found, body)
    node, remarks = _forgiven(head, needed)
    if node is None:
        raise Wrong(1, "the front matter is empty")
    return FrontMatter(fields(node, "the front matter"), body, remarks)


def _forgiven(document: str, needed: Collection[str]) -> tuple[Node | None, tuple[str, ...]]:
    """Returns the document with quotes where they lack, without what cannot be read at all.

    Other programs accept `description: Use it when: …`, which is not valid YAML, and read nothing
    but name and description.
    """
    try:
        return _composed(document), ()
    except Wrong as fault:
        chunks = list(_entries(document))
        quoted = [_quoted(chunk) for chunk in chunks]
        remarks = _remarks(chunks, quoted, "the value holds a colon; put it in quotes")
        for pieces in (quoted, _readable(quoted, needed)):
            told = _remarks(quoted, pieces, "this is no YAML, so it is left out")
            with suppress(Wrong):
                return _composed("".join(pieces)), (*remarks, *told)
        raise _explained(fault, document) from None


def _remarks(before: Sequence[str], after: Sequence[str], remark: str) -> tuple[str, ...]:
    """Returns the remark with the line of each piece that is another one now."""
    starts = list(accumulate((chunk.count("\n") for chunk in before), initial=_FIRST_LINE))
    changed = (n for n, chunk in enumerate(before) if after[n] != chunk)
    return tuple(f"line {starts[n]}: {remark}" for n in changed)


def _readable(chunks: Sequence[str], needed: Collection[str]) -> Sequence[str]:
    """Returns the pieces with empty lines in place of those that are not needed and no YAML."""
    kept = list(chunks)
    begins = [n for n, chunk in enumerate(chunks) if _KEY.match(chunk)]
    for begin, end in pairwise((*begins, len(chunks))):
        key = _KEY.match(chunks[begin])
        if key is not None and key[1] not in needed and not _is_valid("".join(chunks[begin:end])):
            kept[begin:end] = ["\n" * chunk.count("\n") for chunk in chunks[begin:end]]
    return kept


def _entries(document: str) -> Iterator[str]:
    """Yields the document in pieces: an unindented line with the indented lines below it."""
    chunk = ""
    for line in document.splitlines(keepends=True):
        if chunk and not line.startswith(" "):
            yield chunk
            chunk = ""
        chunk += line
    if chunk:
        yield chunk


def _quoted(chunk: str) -> str:
    """Puts a plain value that is not valid YAML in quotes; returns any other piece unchanged."""
    first, _, more = chunk.partition("\n")
    match = _ENTRY.fullmatch(first.rstrip())
    if match is None or _is_valid(chunk):
        return chunk
    value = match[2] if not more.strip() else f"{match[2]}\n{more.rstrip()}"
    end = "\n" * (chunk.count("\n") - value.count("\n"))
    doubled = value.replace("'", "''")
    return f"{match[1]}: '{doubled}'{end}"


def _is_valid(chunk: str) -> bool:
    try:
        _composed(chunk)
    except Wrong:
        return False
    return True


def _explained(fault: Wrong, document: str) -> Wrong:
    """Returns the fault with advice for the person who wrote the file."""
    lines = document.split("\n")
    at = fault.line - _FIRST_LINE
    said = lines[at] if 0 <= at < len(lines) else ""
    if "\t" in said:
        return Wrong(fault.line, f"{fault}; put spaces in place of tabs")
    if ":" in said.partition(":")[2]:
        return Wrong(fault.line, f"{fault}; put the value in quotes")
    return fault


def _plain_lines(document: str) -> Fields | None:
    """Returns the fields of a document with only plain words behind each key, else None.

    Most files are like this, and it takes a tenth of the library's time. A text that begins with a
    letter and has no YAML sign means itself, except for a few words such as `true` and `null`.
    """
    found: dict[str, Node] = {}
    for number, line in enumerate(document.removesuffix("\n").split("\n")):
        match = _PLAIN_LINE.fullmatch(line)
        if match is None or match[1] in found or match[2].lower() in _VALUES:
            return None
        found[match[1]] = yaml.ScalarNode(_TEXT, match[2], yaml.Mark("", 0, number, 0, None, 0))
    return found or None


def _composed(document: str) -> Node | None:
    loader = None
    try:
        _plumb(document)
        loader = _LOADER(document)
        return loader.get_single_node()
    except yaml.MarkedYAMLError as fault:
        mark = fault.problem_mark or fault.context_mark
        line = mark.line + _FIRST_LINE if mark is not None else 1
        raise Wrong(line, f"no YAML: {fault.problem or fault.context}") from None
    except (yaml.YAMLError, RecursionError) as fault:
        reason = str(getattr(fault, "reason", "")) or "it cannot be read"
        raise Wrong(1, f"no YAML: {reason}") from None
    finally:
        if loader is not None:
            loader.dispose()


def _plumb(document: str) -> None:
    """Refuses values nested so deep that the library, written in C, would crash the program."""
    if sum(map(document.count, "[{-:?")) <= _NESTED:
        return  # each level begins with one of these signs
    depth = 0
    for event in yaml.parse(document, Loader=_LOADER):
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > _NESTED:
            line = event.start_mark.line + _FIRST_LINE
            raise Wrong(line, "the value is nested too deep or too large")


def line_of(node: Node) -> int:
    return node.start_mark.line + _FIRST_LINE


def fields(node: Node, what: str) -> Fields:
    """Returns a mapping with text keys; each key occurs once."""
    if not isinstance(node, yaml.MappingNode):
        raise Wrong(line_of(node), f"{what}: should be a mapping of names to values")
    found: dict[str, Node] = {}
    for key, value in node.value:
        if not isinstance(key, yaml.ScalarNode):
            raise Wrong(line_of(key), f"{what}: a key should be a text")
        if key.value in found:
            raise Wrong(line_of(key), f"{what}: {key.value} stands there twice")
        found[key.value] = value
    return found


def is_nothing(node: Node) -> bool:
    return node.tag == _NOTHING


def text(node: Node, what: str) -> str:
    """Returns a text without white space around it; refuses a number without quotes."""
    if not isinstance(node, yaml.ScalarNode) or node.tag != _TEXT:
        raise Wrong(line_of(node), f"{what}: should be a text, not {_shape(node)}")
    return node.value.strip()


def scalar(node: Node, what: str) -> str:
    """Returns a single value exactly as it is written: `1.0` stays `1.0`."""
    if not isinstance(node, yaml.ScalarNode):
        raise Wrong(line_of(node), f"{what}: should be one value, not {_shape(node)}")
    return "" if is_nothing(node) else node.value.strip()


def texts(node: Node, what: str) -> tuple[str, ...]:
    """Returns a list of texts; a single text counts as a list of one."""
    if isinstance(node, yaml.SequenceNode):
        return tuple(scalar(item, what) for item in node.value)
    return (text(node, what),)


def flag(node: Node, what: str) -> bool:
    if not isinstance(node, yaml.ScalarNode) or not node.tag.endswith(":bool"):
        raise Wrong(line_of(node), f"{what}: should be true or false, not {_shape(node)}")
    return node.value.lower() in ("true", "yes", "on")


def seconds(node: Node, what: str) -> float:
    """Returns a positive number of seconds."""
    try:
        number = float(scalar(node, what))
    except ValueError:
        number = 0.0
    if not 0 < number < 1e6:
        raise Wrong(line_of(node), f"{what}: should be a number of seconds")
    return number


def is_list(node: Node) -> bool:
    return isinstance(node, yaml.SequenceNode)


def is_scalar(node: Node) -> bool:
    return isinstance(node, yaml.ScalarNode)


def is_list_of_scalars(node: Node) -> bool:
    return isinstance(node, yaml.SequenceNode) and all(map(is_scalar, node.value))


def is_mapping(node: Node) -> bool:
    return isinstance(node, yaml.MappingNode)


def plain(node: Node) -> Any:
    """Returns any value as mappings, lists and texts; scalars stay as they are written."""
    return _plain(node, [0], 0)


def _plain(node: Node, count: list[int], depth: int) -> Any:
    count[0] += 1
    # References can turn a short text into a huge or endless value.
    if count[0] > _MOST_NODES or depth > _DEEPEST:
        raise Wrong(line_of(node), "the value is nested too deep or too large")
    match node:
        case yaml.MappingNode():
            return {_key(k): _plain(v, count, depth + 1) for k, v in node.value}
        case yaml.SequenceNode():
            return [_plain(item, count, depth + 1) for item in node.value]
        case _:
            return node.value


def _key(node: Node) -> str:
    return node.value if isinstance(node, yaml.ScalarNode) else f"line {line_of(node)}"


def _shape(node: Node) -> str:
    if isinstance(node, yaml.MappingNode):
        return "a mapping"
    if isinstance(node, yaml.SequenceNode):
        return "a list"
    return _NAMES.get(node.tag.rpartition(":")[2], "something else")
