"""Opens the thread of a message; it has the message's number, so its address is known before."""

from bot.adapters.discord.addresses import CHANNEL, channel_in, is_server
from bot.adapters.discord.api import DiscordApi
from bot.adapters.discord.faults import ThreadIsThere, Unknown
from bot.adapters.discord.fields import Fields
from bot.adapters.discord.spoken import Own, spoken
from bot.domain.talk.message import Address
from bot.domain.text.visible_text import clipped

_LONGEST_NAME = 60
_UNNAMED = "Task"
_MESSAGE = "/channels/{channel_id}/messages/{message_id}"


def thread_at(address: Address, message_id: str) -> Address | None:
    """Returns the address of the thread that a message of a server's channel opens."""
    if not is_server(address) or address.thread is not None:
        return None
    return Address(CHANNEL, address.chat, message_id)


def holder_of(to: Address, message_id: str) -> Address:
    """Returns where a message stands: the one that opened a thread stands above it."""
    return Address(to.channel, to.chat) if message_id == to.thread else to


async def open_thread(api: DiscordApi, to: Address) -> bool:
    """Opens the thread of an address; returns False if no message stands there to open it."""
    if to.thread is None:
        return False
    names = {"channel_id": to.chat.removeprefix("-"), "message_id": to.thread}
    try:
        message = Fields(await api.call("GET", _MESSAGE, names=names))
        told = {"name": _name_of(message, api.own_id)}
        await api.call("POST", f"{_MESSAGE}/threads", told, names=names)
    except ThreadIsThere:
        return True
    except Unknown:
        return False
    return True


async def wake_thread(api: DiscordApi, thread: Address) -> None:
    """Takes a thread out of the archive; raises RecipientGone for one that is locked."""
    names = {"channel_id": channel_in(thread)}
    await api.call("PATCH", "/channels/{channel_id}", {"archived": False}, names=names)


def _name_of(message: Fields, own_id: str) -> str:
    """Returns the first words of a message, as the name of its thread."""
    words = " ".join(spoken(message, Own(own_id)).with_names.split())
    return clipped(words, _LONGEST_NAME) or _UNNAMED
