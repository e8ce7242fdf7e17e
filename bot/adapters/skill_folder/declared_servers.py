"""The tool servers that a SKILL.md declares."""

import re
import shlex
from collections.abc import Callable, Sequence

from bot.adapters.markdown_folder import Wrong
from bot.adapters.skill_folder import front_matter as yaml
from bot.adapters.skill_folder.front_matter import Fields, Node, line_of
from bot.domain.skills.skill import SkillServer
from bot.domain.tools.variable import Variable, placeholders, rendered

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_KEYS = frozenset({"command", "args", "url", "env", "start_timeout", "idle_timeout"})


def declared_servers(
    node: Node | None, skill: str, variables: Sequence[Variable], warn: Callable[[str], None]
) -> tuple[SkillServer, ...]:
    """Returns one server with the name of its skill, or several servers with names of their own."""
    if node is None:
        return ()
    parts = yaml.fields(node, "mcp")
    if parts.keys() & {"command", "url"}:
        read = [_server(skill, parts, line_of(node), variables)]
    else:
        read = [
            _server(n, yaml.fields(v, f"mcp: {n}"), line_of(v), variables) for n, v in parts.items()
        ]
    servers = tuple(s for s in read if s is not None)
    for server in servers:
        _check(server, variables, warn)
    return servers


def _check(server: SkillServer, variables: Sequence[Variable], warn: Callable[[str], None]) -> None:
    """Warns of placeholders that stay unfilled: secret values are filled in only in `env`."""
    known = {v.name: v for v in variables}
    shown = placeholders(" ".join((*server.command, server.url or "")))
    for name in dict.fromkeys((*shown, *placeholders(" ".join(server.env.values())))):
        variable = known.get(name)
        if variable is None:
            warn(f"mcp: {server.name}: {{{{{name}}}}} stays as it is: vars has no {name}")
        elif variable.secret and name in shown:
            warn(f"mcp: {server.name}: {name} is secret and goes into env only")


def _server(
    name: str, parts: Fields, line: int, variables: Sequence[Variable]
) -> SkillServer | None:
    """Returns a server; None when its command is empty, which switches it off."""
    what = f"mcp: {name}"
    if not _NAME.fullmatch(name):
        raise Wrong(line, f"{what}: a name is letters, digits, hyphens and underscores")
    if unknown := parts.keys() - _KEYS:
        known = ", ".join(sorted(_KEYS))
        raise Wrong(line, f"{what}: {min(unknown)} is none of {known}")
    command = (*_words(parts, "command", what), *_words(parts, "args", what))
    url = _url(parts)
    if command and url:
        raise Wrong(line, f"{what}: has a command or a url, not both")
    if url is not None and not rendered(url, variables).startswith(("https://", "http://")):
        raise Wrong(line, f"{what}: url should begin with https:// or http://")
    env = yaml.fields(parts["env"], f"{what}: env") if "env" in parts else {}
    server = SkillServer(
        name, command, url, {k: yaml.scalar(v, f"{what}: env: {k}") for k, v in env.items()}
    )
    return _timed(server, parts, what) if command or url else None


def _url(parts: Fields) -> str | None:
    node = parts.get("url")
    return None if node is None or yaml.is_nothing(node) else yaml.text(node, "url") or None


def _timed(server: SkillServer, parts: Fields, what: str) -> SkillServer:
    start, idle = server.start_seconds, server.idle_seconds
    if "start_timeout" in parts:
        start = yaml.seconds(parts["start_timeout"], f"{what}: start_timeout")
    if "idle_timeout" in parts:
        idle = yaml.seconds(parts["idle_timeout"], f"{what}: idle_timeout")
    return SkillServer(server.name, server.command, server.url, server.env, start, idle)


def _words(parts: Fields, key: str, what: str) -> tuple[str, ...]:
    """Returns a list of words, or a line split as a shell would split it."""
    node = parts.get(key)
    if node is None or yaml.is_nothing(node):
        return ()
    if yaml.is_list(node):
        return yaml.texts(node, f"{what}: {key}")
    try:
        return tuple(shlex.split(yaml.text(node, f"{what}: {key}")))
    except ValueError as fault:
        raise Wrong(line_of(node), f"{what}: {key}: {fault}") from None
