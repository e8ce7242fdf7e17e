"""Ready-made plans in folders: the ones that come along, and the person's own, which win."""

import asyncio
import os
import secrets
from collections.abc import Sequence
from pathlib import Path

from bot.adapters.markdown_folder import Wrong, files_in, text_of
from bot.adapters.plan_folder import front_matter
from bot.domain.plans.template import Template, is_name
from bot.ports.templates import Broken

_LARGEST = 200_000
"""Bytes of one file."""

_MOST = 500
"""Files of one folder that are read."""


class PlanFolder:
    """The port Templates; reads files anew each time, so that an edited file needs no restart."""

    def __init__(self, own: Path, shipped: Path) -> None:
        self._own = own
        self._shipped = shipped

    async def all(self) -> Sequence[Template | Broken]:
        return await asyncio.to_thread(self._all)

    async def get(self, name: str) -> Template | Broken | None:
        return await asyncio.to_thread(self._get, name) if is_name(name) else None

    async def save(self, template: Template) -> str | None:
        return await asyncio.to_thread(self._save, template)

    def _all(self) -> list[Template | Broken]:
        names = {
            file.stem for folder in (self._shipped, self._own) for file in files_in(folder, _MOST)
        }
        found = (self._get(name) for name in sorted(names))
        return [one for one in found if one is not None]

    def _get(self, name: str) -> Template | Broken | None:
        for folder in (self._own, self._shipped):
            file = folder / f"{name}.md"
            if file.exists() or file.is_symlink():
                return _read(file, folder)
        return None

    def _save(self, template: Template) -> str | None:
        """Writes a whole file or none: links it under its name after it is written."""
        file = self._own / f"{template.name}.md"
        self._own.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft = self._own / f".{secrets.token_hex(8)}"
        with draft.open("x", encoding="utf-8") as target:
            target.write(front_matter.write(template))
            target.flush()
            os.fsync(target.fileno())
        try:
            os.link(draft, file)
        except FileExistsError:
            return None
        finally:
            draft.unlink()
        return f"{self._own.name}/{file.name}"


def _read(file: Path, folder: Path) -> Template | Broken:
    shown = f"{folder.name}/{file.name}"
    try:
        text = text_of(file, folder, _LARGEST)
    except Wrong as wrong:
        return Broken(shown, wrong.line, str(wrong))
    return front_matter.read(text, shown, file.stem)
