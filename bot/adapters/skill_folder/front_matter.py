"""Reads the YAML at the head of a Markdown file, with the lines of its values."""

import re
from collections.abc import Mapping
from typing import Any, TypeAlias

import yaml

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
_VALUES = frozenset({"true", "false", "yes", "no", "on", "off", "null", "y", "n"})
_NAMES = {"int": "a number", "float": "a number", "bool": "true or false", "null": "nothing"}


class Malformed(Exception):
    """The fault of a file and its line; the line is 0 for the whole file."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line = line
        self.reason = reason


def split(content: str) -> tuple[Fields, str]:
    """Returns the fields of the front matter and the text behind it; raises Malformed."""
    content = content.removeprefix("\ufeff").replace("\r\n", "\n")
    first, _, rest = content.partition("\n")
    if first.rstrip() != "---":
        raise Malformed(1, "it does not begin with a line of three dashes")
    end = _END.search(rest)
    if end is None:
        raise Malformed(1, "the front matter is not closed by a line of three dashes")
    head, body = rest[: end.start()], rest[end.end() :].strip()
    found = _plain_lines(head)
    if found is not None:
        return found, body
    node = _composed(head)
    if node is None:
        raise Malformed(1, "the front matter is empty")
    return fields(node, "the front matter"), body


def _plain_lines(document: str) -> Fields | None:
    """Returns the fields of a document with only plain words behind each key; None for others.

    Most documents are like that, and this takes a tenth of the library's time. Words that begin
    with a letter and contain no sign of YAML stand for themselves, except words for other values.
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
        raise Malformed(line, f"no YAML: {fault.problem or fault.context}") from None
    except (yaml.YAMLError, RecursionError) as fault:
        reason = str(getattr(fault, "reason", "")) or "it cannot be read"
        raise Malformed(1, f"no YAML: {reason}") from None
    finally:
        if loader is not None:
            loader.dispose()


def _plumb(document: str) -> None:
    """Refuses a text so deeply nested that the library, written in C, would crash the program."""
    if sum(map(document.count, "[{-:?")) <= _NESTED:
        return  # each level begins with one of these signs
    depth = 0
    for event in yaml.parse(document, Loader=_LOADER):
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > _NESTED:
            line = event.start_mark.line + _FIRST_LINE
            raise Malformed(line, "the value is nested too deep or too large")


def line_of(node: Node) -> int:
    return node.start_mark.line + _FIRST_LINE


def fields(node: Node, what: str) -> Fields:
    """Returns a mapping with text keys, each once."""
    if not isinstance(node, yaml.MappingNode):
        raise Malformed(line_of(node), f"{what}: should be a mapping of names to values")
    found: dict[str, Node] = {}
    for key, value in node.value:
        if not isinstance(key, yaml.ScalarNode):
            raise Malformed(line_of(key), f"{what}: a key should be a text")
        if key.value in found:
            raise Malformed(line_of(key), f"{what}: {key.value} stands there twice")
        found[key.value] = value
    return found


def is_nothing(node: Node) -> bool:
    return node.tag == _NOTHING


def text(node: Node, what: str) -> str:
    """Returns a text without white space around it; a number counts only in quotes."""
    if not isinstance(node, yaml.ScalarNode) or node.tag != _TEXT:
        raise Malformed(line_of(node), f"{what}: should be a text, not {_shape(node)}")
    return node.value.strip()


def scalar(node: Node, what: str) -> str:
    """Returns a single value as it is written: `1.0` stays `1.0`."""
    if not isinstance(node, yaml.ScalarNode):
        raise Malformed(line_of(node), f"{what}: should be one value, not {_shape(node)}")
    return "" if is_nothing(node) else node.value.strip()


def texts(node: Node, what: str) -> tuple[str, ...]:
    """Returns a list of texts; a single text counts as a list of one."""
    if isinstance(node, yaml.SequenceNode):
        return tuple(scalar(item, what) for item in node.value)
    return (text(node, what),)


def flag(node: Node, what: str) -> bool:
    if not isinstance(node, yaml.ScalarNode) or not node.tag.endswith(":bool"):
        raise Malformed(line_of(node), f"{what}: should be true or false, not {_shape(node)}")
    return node.value.lower() in ("true", "yes", "on")


def seconds(node: Node, what: str) -> float:
    """Returns a positive number of seconds."""
    try:
        number = float(scalar(node, what))
    except ValueError:
        number = 0.0
    if not 0 < number < 1e6:
        raise Malformed(line_of(node), f"{what}: should be a number of seconds")
    return number


def is_list(node: Node) -> bool:
    return isinstance(node, yaml.SequenceNode)


def is_mapping(node: Node) -> bool:
    return isinstance(node, yaml.MappingNode)


def plain(node: Node) -> Any:
    """Returns any value as mappings, lists and texts; scalars stay as they are written."""
    return _plain(node, [0], 0)


def _plain(node: Node, count: list[int], depth: int) -> Any:
    count[0] += 1
    # References can turn a short text into a huge or endless value.
    if count[0] > _MOST_NODES or depth > _DEEPEST:
        raise Malformed(line_of(node), "the value is nested too deep or too large")
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
