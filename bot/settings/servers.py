"""Reads the tool servers of `steward.toml`; the operator chose them, so no card asks."""

import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import (
    AfterValidator,
    AliasChoices,
    BaseModel,
    ConfigDict,
    Field,
    FiniteFloat,
    model_validator,
)

from bot.domain.talk.errors import SettingError
from bot.domain.tools.server import LONGEST_NAME, ServerSpec, is_server_name
from bot.settings import forms
from bot.settings.layers import SERVERS, TOML
from bot.settings.tables import REFERENCE, quoted, unknown_keys, validated

_OTHER = re.compile(r"[^a-z0-9]+")
_SECRET = re.compile(r"TOKEN|SECRET|PASSW|KEY|CREDENTIAL|AUTH", re.IGNORECASE)
_DEFAULT = ServerSpec("default")
_CWD = "cwd"
"""The name of `folder` in the settings of other programs."""

Seconds = Annotated[FiniteFloat, Field(gt=0)]
SecondsOrNone = Annotated[FiniteFloat, Field(ge=0)]


def _plain(text: str) -> str:
    if "\0" in text:
        raise ValueError("it holds a NUL character")
    return text


Text = Annotated[str, AfterValidator(_plain)]


class _Server(BaseModel):
    """One table [mcp.<name>], as it is written."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    command: Text = ""
    args: tuple[Text, ...] = ()
    url: Annotated[str, AfterValidator(forms.service_url)] | None = None
    env: dict[str, Text] = Field(default_factory=dict[str, str])
    headers: dict[str, Text] = Field(default_factory=dict[str, str])
    folder: Text = Field("", validation_alias=AliasChoices("folder", _CWD))
    trusted: bool = False
    tools: tuple[Text, ...] | None = None
    reads: tuple[Text, ...] = ()
    start_seconds: Seconds = _DEFAULT.start_seconds
    call_seconds: Seconds = _DEFAULT.call_seconds
    idle_seconds: SecondsOrNone = _DEFAULT.idle_seconds

    @model_validator(mode="after")
    def _either(self) -> Self:
        if bool(self.command) == (self.url is not None):
            raise ValueError("it should have either a command or a url")
        if self.url is not None and (self.args or self.env):
            raise ValueError("args and env belong to a command; a url has headers")
        if self.command and self.headers:
            raise ValueError("headers belong to a url; a command has env")
        return self


_KEYS = sorted((*_Server.model_fields, _CWD))


def read_servers(tables: Any, variables: Mapping[str, Any], folder: Path) -> tuple[ServerSpec, ...]:
    """Reads the table [mcp]; `${NAME}` in values of env and headers is looked up in `variables`.

    An entry that nobody can use becomes a server with a fault: the others are not concerned.
    """
    if not isinstance(tables, dict):
        raise SettingError(f"{TOML} has mcp, which should be tables: [mcp.<name>].")
    return tuple(_server(name, table, variables, folder) for name, table in tables.items())


def server_warnings(tables: Any, servers: Sequence[ServerSpec]) -> tuple[str, ...]:
    """Returns a sentence for each entry that cannot be used and each key that nobody knows."""
    faults = (f"{TOML}: [{_shown(s.name)}] cannot be used: {s.fault}." for s in servers if s.fault)
    return (*faults, *unknown_keys(SERVERS, "a server", tables, _KEYS))


def _server(name: str, table: Any, variables: Mapping[str, Any], folder: Path) -> ServerSpec:
    try:
        return _usable(name, table, variables, folder)
    except SettingError as fault:
        return ServerSpec(quoted(name), fault=str(fault))


def _usable(name: str, table: Any, variables: Mapping[str, Any], folder: Path) -> ServerSpec:
    if not is_server_name(name):
        wish = f"small letters, digits and single - or _ between them, at most {LONGEST_NAME}"
        raise SettingError(f"its name should be {wish}{_proposed(name)}")
    read = validated(table, _Server)
    place = folder / read.folder
    return ServerSpec(
        name=name,
        command=(*_words(read.command, place), *read.args) if read.command else (),
        url=read.url or "",
        env=_filled(read.env, variables),
        headers=_filled(read.headers, variables),
        folder=str(place),
        trusted=read.trusted,
        start_seconds=read.start_seconds,
        call_seconds=read.call_seconds,
        idle_seconds=read.idle_seconds,
        secrets=_secrets(read, variables),
        tools=read.tools,
        reads=read.reads,
    )


def _words(command: str, folder: Path) -> tuple[str, ...]:
    """Returns the words of a command line; a program with a space in its path is one word."""
    if not any(letter.isspace() for letter in command) or (folder / command).is_file():
        return (command,)
    try:
        return tuple(shlex.split(command))
    except ValueError as fault:
        raise SettingError(f"command: {str(fault).lower()}") from None


def _proposed(name: str) -> str:
    near = _OTHER.sub("-", name.lower()).strip("-_")[:LONGEST_NAME].rstrip("-_")
    return f", {near} for example" if is_server_name(near) else ""


def _shown(name: str) -> str:
    return f"{SERVERS}.{quoted(name)}"


def _filled(values: Mapping[str, str], variables: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    def found(reference: re.Match[str]) -> str:
        name = reference[1]
        if name not in variables:
            raise SettingError(
                f"it names ${{{name}}}, which is neither in the environment nor in .env"
            )
        return str(variables[name])

    return tuple((name, REFERENCE.sub(found, value)) for name, value in sorted(values.items()))


def _secrets(read: _Server, variables: Mapping[str, Any]) -> tuple[str, ...]:
    """Returns values that were looked up, values of headers, and values named like a secret."""
    values = (*read.env.values(), *read.headers.values())
    looked_up = (str(variables[name]) for value in values for name in REFERENCE.findall(value))
    plain = [v for v in read.headers.values() if not REFERENCE.search(v)]
    plain += [v for n, v in read.env.items() if _SECRET.search(n) and not REFERENCE.search(v)]
    return (*looked_up, *plain)
