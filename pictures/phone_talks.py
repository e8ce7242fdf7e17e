"""Talks that need a phone: with other people, in a group, and spoken."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol

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

    async def called(self, body: Mapping[str, Any]) -> None:
        """Lets another program call the hook `build`, and waits until its run has ended."""
        ...

    @property
    def page(self) -> str:
        """Returns the address of a page of the web."""
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


async def a_watched_page(at: PhoneScreen) -> None:
    look, silent = calls(tool("web_fetch", {"url": at.page})), calls(tool("nothing_to_report", {}))
    at.script(look, silent, text("(nobody reads this)"))
    at.script(look, text("Tickets are back: Friday at nine, 24 €."))
    await at.say(f"/schedule every day 08:00 | Look at {at.page}. Tell me when there are tickets.")
    await at.press("⏩ Run now")
    await at.say("/tasks 1")
    await at.press("⏩ Run now")
    await at.say("/tasks 1")


async def a_hook_calls(at: PhoneScreen) -> None:
    at.script(text("The pump got no water: the test `test_pump` waits for it since 14:02."))
    at.script(calls(write("report.md", "# Build 8\n")), text("I wrote it down."))
    await at.called({"build": 7, "repo": "garden", "log": "pump: no water"})
    await at.called({"build": 8, "repo": "garden", "log": "pump: no water"})
    await at.press("✅ Approve")
    await at.say("/status")


TALKS: dict[str, Callable[[PhoneScreen], Awaitable[None]]] = {
    talk.__name__: talk
    for talk in (knocking, in_a_group, by_voice, a_file_sent, a_watched_page, a_hook_calls)
}
