"""Reads the settings: environment, credentials, .env, steward.toml, default: the first counts."""

import difflib
import os
from collections import ChainMap
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

from pydantic import SecretStr, ValidationError
from pydantic_core import ErrorDetails

from bot.domain.assignments.hook import SECRET_PREFIX
from bot.domain.money.model import Price
from bot.domain.money.provider import OPENAI_URL
from bot.domain.talk.errors import SettingError
from bot.settings.fields import FIELDS, PREFIX, checked, filled
from bot.settings.layers import (
    ENVIRONMENT,
    MODELS,
    PROVIDERS,
    SERVERS,
    Layer,
    dotenv_file,
    environment,
    is_there,
    toml_file,
    toml_layer,
)
from bot.settings.models import read_models
from bot.settings.providers import provider_warnings, read_providers
from bot.settings.secret_files import credentials, from_files, referred
from bot.settings.sections import MeaningAccess, OpenAIAccess, Settings
from bot.settings.servers import read_servers, server_warnings
from bot.settings.showing import DEFAULT, HIDDEN, lines_of, origin_of, secrets_of
from bot.shipped.model_table import embedder_prices

_TESTS = "STEWARD_TEST_"
_ENDINGS = [name.removeprefix(PREFIX) for name in FIELDS if name.startswith(PREFIX)]
_WISHES = {
    "int_parsing": "it should be a whole number",
    "int_from_float": "it should be a whole number",
    "float_parsing": "it should be a number",
    "bool_parsing": "it should be true or false",
}


def read_settings(
    environ: Mapping[str, str],
    folder: Path,
    *,
    home: Path | None = None,
    look: bool = True,
    without: Collection[str] = (),
) -> Settings:
    """Reads all settings; `folder` is where .env and steward.toml lie. Raises SettingError.

    `home` counts unless a file names another. Without `look` nobody asks whether home and workspace
    can be folders. Settings named by `without` are read as not set.
    """
    content = toml_file(folder)
    layers = _layers(environ, folder, content, without)
    values = _placed(_with_home(_values(layers), layers, home), folder.absolute())
    settings: Settings = filled(Settings, values)
    variables = ChainMap(*(dict(layer.values) for layer in layers[:-1]))
    named = {n: SecretStr(str(v)) for n, v in variables.items() if n.startswith(SECRET_PREFIX)}
    settings = replace(
        settings,
        meaning=_with_server(settings.meaning, settings.openai),
        skills=settings.skills and folder.absolute() / settings.skills,
        lines=lines_of(values, layers),
        warnings=_unknown(layers),
        hook_secrets=named,
        secrets=(*secrets_of(values), *named.values()),
    )
    settings = _with_tables(settings, content, variables, folder.absolute())
    if look:
        _check_folders(settings)
    _check_apart(settings, folder, [file for layer in layers for file in layer.files])
    return settings


def _with_tables(
    settings: Settings, content: Mapping[str, Any], variables: Mapping[str, Any], folder: Path
) -> Settings:
    """Returns the settings with the servers, providers and models that steward.toml describes."""
    tables, ways = content.get(SERVERS, {}), content.get(PROVIDERS, {})
    servers = read_servers(tables, variables, folder)
    providers = read_providers(ways, variables)
    models, described, odd = read_models(content.get(MODELS, {}))
    hidden = [SecretStr(secret) for each in (*servers, *providers) for secret in each.secrets]
    warned = (*server_warnings(tables, servers), *provider_warnings(ways, providers), *odd)
    return replace(
        settings,
        policy=replace(settings.policy, offered=described),
        warnings=(*settings.warnings, *warned),
        servers=servers,
        providers=providers,
        models=models,
        secrets=(*settings.secrets, *hidden),
    )


def _with_home(
    values: dict[str, Any], layers: Sequence[Layer], home: Path | None
) -> dict[str, Any]:
    if home is None or origin_of("STEWARD_HOME", layers) not in (DEFAULT, ENVIRONMENT):
        return values
    # A relative one in the environment is relative to where the person stands.
    return values | {"STEWARD_HOME": home}


def _placed(values: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Returns the values with the folders and the database that others depend on."""
    home = folder / values["STEWARD_HOME"]
    workspace, database = values["STEWARD_WORKSPACE"], values["STEWARD_DATABASE_URL"]
    return values | {
        "STEWARD_HOME": home,
        "STEWARD_WORKSPACE": folder / workspace if workspace else home / "workspace",
        "STEWARD_DATABASE_URL": database or f"sqlite+aiosqlite:///{home / 'steward.db'}",
    }


def _with_server(meaning: MeaningAccess, openai: OpenAIAccess) -> MeaningAccess:
    """Returns the way to the embedder: where no server is named, it is OpenAI with its key.

    Where the settings state no price, it is what OpenAI is known to take.
    """
    dollars, dated = meaning.dollars, ""
    if dollars is None and meaning.url in (None, OPENAI_URL):
        dollars, dated = embedder_prices().get(meaning.model or "", (None, ""))
    price = None if dollars is None else Price(dollars, Decimal(0), dollars, dollars, dated)
    if meaning.url is not None:
        return replace(meaning, price=price)
    return replace(meaning, url=openai.base_url, key=meaning.key or openai.key, price=price)


def given(environ: Mapping[str, str], folder: Path, name: str) -> tuple[str, str]:
    """Returns the raw text of a setting and its origin; empty when it is not set."""
    layers = _layers(environ, folder, toml_file(folder), ())
    found = next((layer for layer in layers if name in layer.values), None)
    return ("", "") if found is None else (str(found.values[name]).strip(), found.origin)


def _layers(
    environ: Mapping[str, str], folder: Path, content: Mapping[str, Any], without: Collection[str]
) -> Sequence[Layer]:
    secrets = HIDDEN | referred(content)
    layers = (
        *from_files(environment(environ), secrets),
        credentials(environ),
        *from_files(dotenv_file(folder), secrets),
        toml_layer(content, frozenset(FIELDS)),
    )
    return [
        replace(layer, values={n: v for n, v in layer.values.items() if n not in without})
        for layer in layers
    ]


def _values(layers: Sequence[Layer]) -> dict[str, Any]:
    first_wins = ChainMap(*(dict(layer.values) for layer in layers))
    try:
        return checked(dict(first_wins))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        # Without its cause, which quotes every value, secrets too.
        raise SettingError(_sentence(first, layers)) from None
    except ValueError as fault:
        raise SettingError(f"{fault}.") from None


def _sentence(error: ErrorDetails, layers: Sequence[Layer]) -> str:
    why = str(error.get("ctx", {}).get("error", "")) or _WISHES.get(error["type"], error["msg"])
    why = why.replace("Input should be", "it should be")
    name = str(error["loc"][0])
    value = "" if name in HIDDEN else f" “{str(error['input'])[:80]}”"
    return f"{name} ({origin_of(name, layers)}) cannot be{value or ' used'}: {why}."


def _unknown(layers: Sequence[Layer]) -> tuple[str, ...]:
    """Returns a warning for each unknown name with our prefix, and a name that is near to it."""
    found: list[str] = []
    for layer in layers:
        for name in sorted(layer.values):
            if name in FIELDS or not name.startswith(PREFIX) or name.startswith(_TESTS):
                continue
            near = difflib.get_close_matches(name.removeprefix(PREFIX), _ENDINGS, 1, 0.7)
            meant = f"; did you mean {PREFIX}{near[0]}?" if near else "."
            found.append(f"{name} ({layer.origin}) is no setting of this version{meant}")
    return tuple(found)


def _check_folders(settings: Settings) -> None:
    _check_folder("STEWARD_HOME", settings.home)
    home = settings.home
    if home.is_dir() and not os.access(home, os.R_OK | os.X_OK):
        # The workspace is below it as a rule, and would be blamed.
        raise SettingError(f"STEWARD_HOME cannot be {home}: your user may not read that folder.")
    _check_folder("STEWARD_WORKSPACE", settings.workspace)


def _check_folder(name: str, path: Path) -> None:
    """Raises SettingError unless the path is a folder or can become one; makes no folder."""
    for place in (path, *path.parents):
        try:
            if place.is_dir():
                return
            if place.exists():
                raise SettingError(f"{name} cannot be {path}: {place} is not a folder.")
        except OSError as error:
            raise SettingError(f"{name} cannot be {path}: {error.strerror}.") from error


def _check_apart(settings: Settings, folder: Path, secret: Sequence[Path]) -> None:
    """Refuses a workspace that holds secrets or records, since tools read all of it unasked."""
    workspace = settings.workspace.resolve()
    files = (*(folder / name for name in (".env", "steward.toml")), *secret)
    for ours in (settings.home, *filter(is_there, files)):
        if ours.resolve().is_relative_to(workspace):
            raise SettingError(f"STEWARD_WORKSPACE cannot be {workspace}: it holds {ours.name}.")
