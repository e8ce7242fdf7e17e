"""Reads a SKILL.md: the open Agent Skills format, and Steward's own keys."""

import re
import shlex
from collections.abc import Callable, Mapping

from bot.adapters.skill_folder import front_matter as yaml
from bot.adapters.skill_folder.front_matter import Fields, Malformed, Node, line_of
from bot.domain.skill import Requirements, Skill, SkillServer
from bot.domain.variable import Variable

Lookup = Callable[[str, str], str | None]
"""Returns the operator's value of a variable, by skill and name."""

LARGEST = 200_000
"""Bytes of a SKILL.md."""

_OWN = ("next_skill", "conditional_next_skills", "model_tier", "requires", "vars", "mcp")
_OPEN = ("name", "description", "license", "compatibility", "metadata", "allowed-tools")
_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_TOOLS = re.compile(r"[^\s,(]+(?:\([^()]*\))?")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
_SERVER = re.compile(r"[A-Za-z0-9_-]{1,64}")
_LONGEST_NAME, _LONGEST_DESCRIPTION, _LONGEST_COMPATIBILITY = 64, 1024, 500
_RESERVED = ("STEWARD_", "ANTHROPIC_", "TELEGRAM_", "LD_")
_VARIABLE_KEYS = frozenset({"default", "required", "secret", "description"})
_SERVER_KEYS = frozenset({"command", "args", "url", "env", "start_timeout", "idle_timeout"})


def read_skill(content: bytes, folder: str, path: str, lookup: Lookup) -> Skill:
    """Returns the skill of a file in a folder of this name; raises Malformed."""
    if len(content) > LARGEST:
        raise Malformed(0, f"it is larger than {LARGEST // 1000} kB")
    found, body = yaml.split(_decoded(content))
    name = _name(found, folder)
    metadata = _metadata(found)
    own = {key: found.get(key, metadata.get(key)) for key in _OWN}
    own_values = {key: node for key, node in own.items() if node and not yaml.is_nothing(node)}
    return Skill(
        name=name,
        description=_bounded(found, "description", _LONGEST_DESCRIPTION),
        body=body,
        folder=path,
        license=_optional(found, "license"),
        compatibility=_compatibility(found),
        metadata={k: yaml.plain(v) for k, v in metadata.items() if k not in _OWN},
        allowed_tools=_allowed_tools(found),
        next_skill=_skill_name(own_values, "next_skill"),
        conditional_next=_conditional(own_values),
        model_tier=_optional(own_values, "model_tier") or None,
        requires=_requirements(own_values),
        variables=_variables(own_values, name, lookup),
        servers=_servers(own_values, name),
        extra={k: yaml.plain(v) for k, v in found.items() if k not in (*_OPEN, *_OWN)},
    )


def _decoded(content: bytes) -> str:
    if b"\0" in content:
        raise Malformed(0, "it is not text")
    try:
        return content.decode()
    except UnicodeDecodeError as fault:
        line = content[: fault.start].count(b"\n") + 1
        raise Malformed(line, "it is not UTF-8") from None


def _name(found: Fields, folder: str) -> str:
    node = _required(found, "name")
    name = yaml.scalar(node, "name")
    if not _NAME.fullmatch(name) or len(name) > _LONGEST_NAME:
        rule = "1 to 64 of a-z, 0-9 and single hyphens between them"
        raise Malformed(line_of(node), f"name: should be {rule}")
    if name != folder:
        raise Malformed(line_of(node), f"name: {name} should be the name of its folder, {folder}")
    return name


def _required(found: Fields, key: str) -> Node:
    node = found.get(key)
    if node is None or yaml.is_nothing(node):
        raise Malformed(1, f"{key}: is missing")
    return node


def _bounded(found: Fields, key: str, longest: int) -> str:
    node = _required(found, key)
    words = yaml.text(node, key)
    if not 0 < len(words) <= longest:
        raise Malformed(line_of(node), f"{key}: should be 1 to {longest} characters")
    return words


def _optional(found: Fields, key: str) -> str:
    node = found.get(key)
    return yaml.text(node, key) if node is not None and not yaml.is_nothing(node) else ""


def _compatibility(found: Fields) -> str:
    return (
        _bounded(found, "compatibility", _LONGEST_COMPATIBILITY) if "compatibility" in found else ""
    )


def _metadata(found: Fields) -> Fields:
    node = found.get("metadata")
    return yaml.fields(node, "metadata") if node is not None and not yaml.is_nothing(node) else {}


def _allowed_tools(found: Fields) -> tuple[str, ...] | None:
    """Returns the names: between spaces, as the format says, or with commas or as a list."""
    node = found.get("allowed-tools")
    if node is None or yaml.is_nothing(node):
        return None
    written = yaml.texts(node, "allowed-tools")
    return tuple(dict.fromkeys(name for one in written for name in _TOOLS.findall(one)))


def _skill_name(found: Fields, key: str) -> str | None:
    return _named(found[key], key) if key in found else None


def _named(node: Node, what: str) -> str:
    name = yaml.text(node, what)
    if not _NAME.fullmatch(name):
        raise Malformed(line_of(node), f"{what}: should be the name of a skill")
    return name


def _conditional(found: Fields) -> Mapping[str, str]:
    node = found.get("conditional_next_skills")
    if node is None:
        return {}
    what = "conditional_next_skills"
    return {k: _named(v, f"{what}: {k}") for k, v in yaml.fields(node, what).items()}


def _requirements(found: Fields) -> Requirements:
    node = found.get("requires")
    if node is None:
        return Requirements()
    parts = yaml.fields(node, "requires")
    for key, value in parts.items():
        if key not in ("env", "bin", "skills"):
            raise Malformed(line_of(value), f"requires: {key} is none of env, bin and skills")
    needs = {key: yaml.texts(value, f"requires: {key}") for key, value in parts.items()}
    return Requirements(needs.get("env", ()), needs.get("bin", ()), needs.get("skills", ()))


def _variables(found: Fields, skill: str, lookup: Lookup) -> tuple[Variable, ...]:
    node = found.get("vars")
    if node is None:
        return ()
    named = yaml.fields(node, "vars").items()
    return tuple(_variable(name, value, skill, lookup) for name, value in named)


def _variable(name: str, node: Node, skill: str, lookup: Lookup) -> Variable:
    what = f"vars: {name}"
    if not _VARIABLE.fullmatch(name):
        raise Malformed(line_of(node), f"{what}: should be letters, digits and underscores")
    if name.upper().startswith(_RESERVED):
        raise Malformed(line_of(node), f"{what}: this name belongs to Steward or the system")
    given = lookup(skill, name)
    if not yaml.is_mapping(node):
        default = None if yaml.is_nothing(node) else yaml.scalar(node, what)
        return Variable(name, given if given is not None else default)
    parts = yaml.fields(node, what)
    if unknown := parts.keys() - _VARIABLE_KEYS:
        # A misspelt `secret` must not lead to the value in prompts.
        key, known = min(unknown), ", ".join(sorted(_VARIABLE_KEYS))
        raise Malformed(line_of(parts[key]), f"{what}: {key} is none of {known}")
    default = yaml.scalar(parts["default"], what) if "default" in parts else None
    return Variable(
        name,
        given if given is not None else default,
        required="required" in parts and yaml.flag(parts["required"], f"{what}: required"),
        secret="secret" in parts and yaml.flag(parts["secret"], f"{what}: secret"),
        description=_optional(parts, "description"),
    )


def _servers(found: Fields, skill: str) -> tuple[SkillServer, ...]:
    """Returns one server, named like its skill, or several by their names."""
    node = found.get("mcp")
    if node is None:
        return ()
    parts = yaml.fields(node, "mcp")
    if parts.keys() & {"command", "url"}:
        servers = [_server(skill, parts, line_of(node))]
    else:
        servers = [_server(n, yaml.fields(v, f"mcp: {n}"), line_of(v)) for n, v in parts.items()]
    return tuple(s for s in servers if s is not None)


def _server(name: str, parts: Fields, line: int) -> SkillServer | None:
    """Returns a server; None when its command is empty, which switches it off."""
    what = f"mcp: {name}"
    if not _SERVER.fullmatch(name):
        raise Malformed(line, f"{what}: a name is letters, digits, hyphens and underscores")
    if unknown := parts.keys() - _SERVER_KEYS:
        known = ", ".join(sorted(_SERVER_KEYS))
        raise Malformed(line, f"{what}: {min(unknown)} is none of {known}")
    command = (*_words(parts, "command", what), *_words(parts, "args", what))
    url = _optional(parts, "url") or None
    if command and url:
        raise Malformed(line, f"{what}: has a command or a url, not both")
    if url is not None and not url.startswith(("https://", "http://")):
        raise Malformed(line, f"{what}: url should begin with https:// or http://")
    env = yaml.fields(parts["env"], f"{what}: env") if "env" in parts else {}
    server = SkillServer(
        name, command, url, {k: yaml.scalar(v, f"{what}: env: {k}") for k, v in env.items()}
    )
    return _timed(server, parts, what) if command or url else None


def _timed(server: SkillServer, parts: Fields, what: str) -> SkillServer:
    start, idle = server.start_seconds, server.idle_seconds
    if "start_timeout" in parts:
        start = yaml.seconds(parts["start_timeout"], f"{what}: start_timeout")
    if "idle_timeout" in parts:
        idle = yaml.seconds(parts["idle_timeout"], f"{what}: idle_timeout")
    return SkillServer(server.name, server.command, server.url, server.env, start, idle)


def _words(parts: Fields, key: str, what: str) -> tuple[str, ...]:
    """Returns a list of words, or a line split into words as a shell does."""
    node = parts.get(key)
    if node is None or yaml.is_nothing(node):
        return ()
    if yaml.is_list(node):
        return yaml.texts(node, f"{what}: {key}")
    try:
        return tuple(shlex.split(yaml.text(node, f"{what}: {key}")))
    except ValueError as fault:
        raise Malformed(line_of(node), f"{what}: {key}: {fault}") from None
