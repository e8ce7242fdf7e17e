"""Adds a provider to `steward.toml` and keeps everything else that stands there."""

import json
from pathlib import Path

from bot.domain.money.provider import ProviderSpec
from bot.settings.env_file import rewritten
from bot.settings.layers import PROVIDERS, TOML


def add_provider(folder: Path, provider: ProviderSpec) -> Path:
    """Adds a table at the end of the file, and returns the file.

    The file is replaced as a whole or not at all. Raises SettingError when it cannot be written.
    """
    return rewritten(folder / TOML, lambda before: f"{before}{_gap(before)}{_table(provider)}")


def _gap(before: str) -> str:
    if not before:
        return ""
    return "\n" if before.endswith("\n") else "\n\n"


def _table(provider: ProviderSpec) -> str:
    """Returns the table; a JSON string is a string of TOML, too."""
    lines = [f"[{PROVIDERS}.{provider.name}]", f"base_url = {json.dumps(provider.base_url)}"]
    if provider.key_name:
        lines.append(f"key = {json.dumps(provider.key_name)}")
    return "\n".join(lines) + "\n"
