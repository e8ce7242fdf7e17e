"""Chooses the folder of this machine that a chat works in."""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from bot.adapters.terminal.update import folder_of
from bot.domain.talk.chat import Chat
from bot.domain.talk.person import Person
from bot.ports.people import People
from bot.ports.tool import Folder
from bot.settings import Settings


async def workspace_of(
    settings: Settings, people: People, chat: Chat, person: int | Person
) -> Folder:
    """Returns the workspace for an owner's private chat, and an own folder for any other chat.

    A folder that the settings name for the chat comes first. An owner's chat in a terminal works
    in the folder that it is about.
    """
    root = settings.workspace
    asker = await people.get(person) if isinstance(person, int) else person
    shared = _shared(dict(settings.shared_folders), chat)
    if shared is None and chat.private and asker is not None and asker.is_owner:
        project = folder_of(chat.address)
        if project is not None:
            # One that is gone is not made anew: it is the person's.
            return Folder(project, project=True)
        await asyncio.to_thread(_made, root)
        return Folder(root)
    address = chat.moved_from or chat.address
    names = (address.channel, address.chat, address.thread or "")
    folder = root / (shared or f"chats/{'-'.join(name for name in names if name)}")
    await asyncio.to_thread(_made, folder)
    return Folder(folder, own=shared is None)


def _made(folder: Path) -> None:
    # The tool that needs the folder says why it cannot be used.
    with suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)


def _shared(folders: Mapping[str, str], chat: Chat) -> str | None:
    """Returns the folder of a topic or else of its group, by its number now or before it moved."""
    addresses = [address for address in (chat.address, chat.moved_from) if address is not None]
    keys = (key for a in addresses for key in (a.key, replace(a, thread=None).key))
    return next((folders[key] for key in keys if key in folders), None)
