"""Talks that need a phone: with other people, in a group, and spoken."""

from collections.abc import Awaitable, Callable
from typing import Protocol

from pictures.talks import Screen, write
from tests.standins.messages_api import calls, text, tool


class PhoneScreen(Screen, Protocol):
    """A person with a phone, among others."""

    async def hear(self, name: str, words: str, *, group: bool = False) -> None:
        """Lets somebody else write, in their own chat or in the group."""
        ...

    async def ask_in_group(self, words: str) -> None:
        """Writes into the group."""
        ...

    async def speak(self) -> None:
        """Sends a voice message."""
        ...


async def knocking(at: PhoneScreen) -> None:
    at.script(text("Hello, Bob."))
    await at.hear("Bob", "Can I use you?")
    await at.press("✅ Let in")
    await at.hear("Bob", "Hello")
    await at.hear("Cy", "And I?")
    await at.press("Ignore")
    await at.say("/people")
    await at.say("/rights 43")
    await at.say("/rights 43 commands off")
    await at.hear("Bob", "/allow 44")
    await at.say("/revoke 43")
    await at.hear("Bob", "Still there?")


async def in_a_group(at: PhoneScreen) -> None:
    at.script(text("Friday at eight."), calls(write("list.md", "- milk\n")), text("It is there."))
    await at.hear("Bob", "Who is this?", group=True)
    await at.ask_in_group("@steward_bot when do we meet?")
    await at.ask_in_group("/help@steward_bot")
    await at.ask_in_group("@steward_bot put milk on the list")
    await at.press("✅ Approve")
    await at.ask_in_group("/activation@steward_bot")
    await at.ask_in_group("/context@steward_bot")


async def by_voice(at: PhoneScreen) -> None:
    at.script(text("I cannot hear it."))
    await at.speak()
    await at.say("/voice on")


async def a_file_sent(at: PhoneScreen) -> None:
    at.script(calls(tool("send_file", {"path": "notes.md"})), text("There it is."))
    await at.say("Send me my notes")


TALKS: dict[str, Callable[[PhoneScreen], Awaitable[None]]] = {
    talk.__name__: talk for talk in (knocking, in_a_group, by_voice, a_file_sent)
}
