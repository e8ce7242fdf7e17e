"""Reads the tool servers of `steward.toml`; the operator chose them, so no card asks."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    FiniteFloat,
    ValidationError,
    model_validator,
)

from bot.domain.errors import SettingError
from bot.domain.server import LONGEST_NAME, ServerSpec, is_server_name
from bot.settings import forms
from bot.settings.layers import SERVERS, TOML

_REFERENCE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_SECRET = re.compile(r"TOKEN|SECRET|PASSW|KEY|CREDENTIAL|AUTH", re.IGNORECASE)
_DEFAULT = ServerSpec("default")
_WISHES = {
    "extra_forbidden": "no key of a server",
    "string_type": "it should be a text",
    "list_type": "it should be a list of texts",
    "dict_type": "it should be a table of texts",
    "bool_type": "it should be true or false",
    "bool_parsing": "it should be true or false",
}

Seconds = Annotated[FiniteFloat, Field(gt=0)]
SecondsOrNone = Annotated[FiniteFloat, Field(ge=0)]


def _plain(text: str) -> str:
    if "\0" in text:
        raise ValueError("it holds a NUL character")
    return text


Text = Annotated[str, AfterValidator(_plain)]


class _Server(BaseModel):
    """One table [mcp.<name>], as it is written."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    command: Text = ""
    args: tuple[Text, ...] = ()
    url: Annotated[str, AfterValidator(forms.service_url)] | None = None
    env: dict[str, Text] = Field(default_factory=dict[str, str])
    headers: dict[str, Text] = Field(default_factory=dict[str, str])
    folder: Text = ""
    trusted: bool = False
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


def read_servers(tables: Any, variables: Mapping[str, Any], folder: Path) -> tuple[ServerSpec, ...]:
    """Reads the table [mcp]; `${NAME}` in values of env and headers is looked up in `variables`."""
    if not isinstance(tables, dict):
        raise SettingError(f"{TOML} has mcp, which should be tables: [mcp.<name>].")
    return tuple(_server(name, table, variables, folder) for name, table in tables.items())


def _server(name: str, table: Any, variables: Mapping[str, Any], folder: Path) -> ServerSpec:
    if not is_server_name(name):
        wish = f"small letters, digits and single strokes, at most {LONGEST_NAME} of them"
        raise _fault(name, f"its name should be {wish}")
    if not isinstance(table, dict):
        raise _fault(name, "it should be a table")
    try:
        read = _Server.model_validate(table)
    except ValidationError as error:
        # Without its cause, which quotes every value, secrets too.
        raise _fault(name, _sentence(error)) from None
    return ServerSpec(
        name=name,
        command=(read.command, *read.args) if read.command else (),
        url=read.url or "",
        env=_filled(name, read.env, variables),
        headers=_filled(name, read.headers, variables),
        folder=str(folder / read.folder),
        trusted=read.trusted,
        start_seconds=read.start_seconds,
        call_seconds=read.call_seconds,
        idle_seconds=read.idle_seconds,
        secrets=_secrets(read, variables),
    )


def _filled(
    server: str, values: Mapping[str, str], variables: Mapping[str, Any]
) -> tuple[tuple[str, str], ...]:
    def found(reference: re.Match[str]) -> str:
        name = reference[1]
        if name not in variables:
            raise _fault(
                server, f"it names ${{{name}}}, which is neither in the environment nor in .env"
            )
        return str(variables[name])

    return tuple((name, _REFERENCE.sub(found, value)) for name, value in sorted(values.items()))


def _secrets(read: _Server, variables: Mapping[str, Any]) -> tuple[str, ...]:
    """Returns values that were looked up, values of headers, and values named like a secret."""
    values = (*read.env.values(), *read.headers.values())
    looked_up = (str(variables[name]) for value in values for name in _REFERENCE.findall(value))
    plain = [v for v in read.headers.values() if not _REFERENCE.search(v)]
    plain += [v for n, v in read.env.items() if _SECRET.search(n) and not _REFERENCE.search(v)]
    return (*looked_up, *plain)


def _sentence(error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    why = str(first.get("ctx", {}).get("error", "")) or _WISHES.get(first["type"], first["msg"])
    where = ".".join(str(part) for part in first["loc"])
    return f"{where}: {why}" if where else why


def _fault(name: str, why: str) -> SettingError:
    return SettingError(f"{TOML} has a server [{SERVERS}.{name}] that cannot be used: {why}.")
