"""Reads the providers of models of `steward.toml`; their keys stand in the environment alone."""

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from bot.domain.money.provider import LONGEST_NAME, ProviderSpec
from bot.domain.talk.errors import SettingError
from bot.settings import forms
from bot.settings.layers import PROVIDERS, TOML
from bot.settings.tables import REFERENCE, quoted, unknown_keys, validated

OWN = ("anthropic", "openai", "demo")
"""Providers that have settings of their own."""

_NAME = re.compile(r"[a-z0-9]+([_-][a-z0-9]+)*")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_HEADER = re.compile(r"[A-Za-z0-9-]+")
_OUTPUT_FIELDS = ("max_tokens", "max_completion_tokens")


def _variable(text: str) -> str:
    # What stands there may be the key itself, so it is not quoted.
    if text and not _VARIABLE.fullmatch(text):
        raise ValueError("it should be the name of a variable, such as OPENROUTER_API_KEY")
    return text


def _output_field(text: str) -> str:
    if text not in _OUTPUT_FIELDS:
        raise ValueError(f"it should be {' or '.join(_OUTPUT_FIELDS)}")
    return text


class _Provider(BaseModel):
    """One table [providers.<name>], as it is written."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    base_url: Annotated[str, AfterValidator(forms.service_url)]
    key: Annotated[str, AfterValidator(_variable)] = ""
    headers: dict[str, str] = Field(default_factory=dict[str, str])
    output_field: Annotated[str, AfterValidator(_output_field)] = _OUTPUT_FIELDS[0]
    stream_usage: bool = True
    trusted: bool = False


_KEYS = tuple(_Provider.model_fields)


def read_providers(tables: Any, variables: Mapping[str, Any]) -> tuple[ProviderSpec, ...]:
    """Reads the table [providers]; keys and `${NAME}` in headers are looked up in `variables`.

    An entry that nobody can use becomes a provider with a fault: the others are not concerned.
    """
    if not isinstance(tables, dict):
        raise SettingError(f"{TOML} has providers, which should be tables: [providers.<name>].")
    return tuple(_provider(name, table, variables) for name, table in tables.items())


def provider_warnings(tables: Any, providers: Sequence[ProviderSpec]) -> tuple[str, ...]:
    """Returns a sentence for each entry that cannot be used and each key that nobody knows."""
    faults = (
        f"{TOML}: [{PROVIDERS}.{p.name}] cannot be used: {p.fault}." for p in providers if p.fault
    )
    return (*faults, *unknown_keys(PROVIDERS, "a provider", tables, _KEYS))


def _provider(name: str, table: Any, variables: Mapping[str, Any]) -> ProviderSpec:
    try:
        return _usable(name, table, variables)
    except SettingError as fault:
        return ProviderSpec(quoted(name), base_url=_address(table), fault=str(fault))


def _address(table: Any) -> str:
    """Returns the address of an entry that cannot be used; empty when it has no good one."""
    found = table.get("base_url") if isinstance(table, dict) else None
    try:
        return forms.service_url(found) if isinstance(found, str) else ""
    except ValueError:
        return ""


def _usable(name: str, table: Any, variables: Mapping[str, Any]) -> ProviderSpec:
    if name in OWN:
        raise SettingError(f"{name} has settings of its own, so choose another name")
    if not _NAME.fullmatch(name) or len(name) > LONGEST_NAME:
        wish = f"small letters, digits and single - or _ between them, at most {LONGEST_NAME}"
        raise SettingError(f"its name should be {wish}")
    read = validated(table, _Provider)
    key = _key(read.key, variables)
    headers = _headers(read.headers, variables)
    password = forms.password_of(read.base_url)
    hidden = (key, password or "", *(value for _, value in headers))
    return ProviderSpec(
        name=name,
        base_url=read.base_url,
        key=key,
        headers=headers,
        output_field=read.output_field,
        streams_usage=read.stream_usage,
        trusted=read.trusted,
        secrets=tuple(filter(None, hidden)),
        key_name=read.key,
    )


def _key(name: str, variables: Mapping[str, Any]) -> str:
    if not name:
        return ""
    found = str(variables.get(name, "")).strip()
    if not found:
        raise SettingError(f"its key {name} is neither in the environment nor in .env")
    try:
        return forms.key(found)
    except ValueError as fault:
        raise SettingError(f"its key {name}: {fault}") from None


def _headers(
    headers: Mapping[str, str], variables: Mapping[str, Any]
) -> tuple[tuple[str, str], ...]:
    def found(reference: re.Match[str]) -> str:
        if reference[1] not in variables:
            told = "which is neither in the environment nor in .env"
            raise SettingError(f"a header names ${{{reference[1]}}}, {told}")
        return str(variables[reference[1]])

    filled: list[tuple[str, str]] = []
    for name, value in sorted(headers.items()):
        text = REFERENCE.sub(found, value)
        if not _HEADER.fullmatch(name) or not text.isprintable() or not text.isascii():
            raise SettingError(f"its header {quoted(name)} holds signs that no header has")
        filled.append((name, text))
    return tuple(filled)
