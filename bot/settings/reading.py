"""Reads the settings: environment before .env before steward.toml before the default."""

import dataclasses
import difflib
from collections import ChainMap
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import SecretStr, ValidationError
from pydantic_core import ErrorDetails

from bot.domain.assignments.hook import SECRET_PREFIX
from bot.domain.talk.errors import SettingError
from bot.settings.building import settings_from
from bot.settings.fields import PREFIX, Fields
from bot.settings.folders import check_apart, check_folders
from bot.settings.layers import (
    MODELS,
    PROVIDERS,
    SERVERS,
    Layer,
    dotenv_file,
    environment,
    toml_file,
    toml_layer,
)
from bot.settings.models import read_models
from bot.settings.providers import provider_warnings, read_providers
from bot.settings.servers import read_servers, server_warnings
from bot.settings.showing import HIDDEN, NAMES, lines_of, origin_of
from bot.settings.values import Settings

_TESTS = "STEWARD_TEST_"
_ENDINGS = [name.removeprefix(PREFIX) for name in NAMES if name.startswith(PREFIX)]
_WISHES = {
    "int_parsing": "it should be a whole number",
    "int_from_float": "it should be a whole number",
    "float_parsing": "it should be a number",
    "bool_parsing": "it should be true or false",
}


def read_settings(
    environ: Mapping[str, str], folder: Path, *, look: bool = True, without: Collection[str] = ()
) -> Settings:
    """Reads all settings; `folder` is where .env and steward.toml lie. Raises SettingError.

    Without `look` nobody asks whether home and workspace can be folders. Settings named by
    `without` are read as not set.
    """
    content = toml_file(folder)
    layers = _layers(environ, folder, content, without)
    fields = _fields(layers)
    settings = settings_from(fields, folder.absolute())
    variables = ChainMap(*(dict(layer.values) for layer in layers[:2]))
    tables = content.get(SERVERS, {})
    servers = read_servers(tables, variables, folder.absolute())
    providers = read_providers(content.get(PROVIDERS, {}), variables)
    models, described, odd = read_models(content.get(MODELS, {}))
    hidden = [SecretStr(secret) for each in (*servers, *providers) for secret in each.secrets]
    named = {n: SecretStr(str(v)) for n, v in variables.items() if n.startswith(SECRET_PREFIX)}
    if look:
        check_folders(settings)
    check_apart(settings, folder)
    return dataclasses.replace(
        settings,
        lines=lines_of(fields, settings, layers),
        warnings=(
            *_unknown(layers),
            *server_warnings(tables, servers),
            *provider_warnings(content.get(PROVIDERS, {}), providers),
            *odd,
        ),
        servers=servers,
        providers=providers,
        models=models,
        model_names=described,
        hook_secrets=named,
        secrets=(*settings.secrets, *hidden, *named.values()),
    )


def given(environ: Mapping[str, str], folder: Path, name: str) -> tuple[str, str]:
    """Returns the raw text of a setting and its origin; empty when it is not set."""
    layers = _layers(environ, folder, toml_file(folder), ())
    found = next((layer for layer in layers if name in layer.values), None)
    return ("", "") if found is None else (str(found.values[name]).strip(), found.origin)


def _layers(
    environ: Mapping[str, str], folder: Path, content: Mapping[str, Any], without: Collection[str]
) -> Sequence[Layer]:
    layers = (environment(environ), dotenv_file(folder), toml_layer(content, frozenset(NAMES)))
    return [
        Layer(layer.origin, {n: v for n, v in layer.values.items() if n not in without})
        for layer in layers
    ]


def _fields(layers: Sequence[Layer]) -> Fields:
    first_wins = ChainMap(*(dict(layer.values) for layer in layers))
    try:
        return Fields.model_validate(dict(first_wins))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        # Without its cause, which quotes every value, secrets too.
        raise SettingError(_sentence(first, layers)) from None


def _sentence(error: ErrorDetails, layers: Sequence[Layer]) -> str:
    why = str(error.get("ctx", {}).get("error", "")) or _WISHES.get(error["type"], error["msg"])
    why = why.replace("Input should be", "it should be")
    if not error["loc"]:
        return f"{why}."
    name = str(error["loc"][0])
    value = "" if name in HIDDEN else f" “{str(error['input'])[:80]}”"
    return f"{name} ({origin_of(name, layers)}) cannot be{value or ' used'}: {why}."


def _unknown(layers: Sequence[Layer]) -> tuple[str, ...]:
    """Returns a warning for each unknown name with our prefix, and a name that is near to it."""
    found: list[str] = []
    for layer in layers:
        for name in sorted(layer.values):
            if name in NAMES or not name.startswith(PREFIX) or name.startswith(_TESTS):
                continue
            near = difflib.get_close_matches(name.removeprefix(PREFIX), _ENDINGS, 1, 0.7)
            meant = f"; did you mean {PREFIX}{near[0]}?" if near else "."
            found.append(f"{name} ({layer.origin}) is no setting of this version{meant}")
    return tuple(found)
