"""A browser for tests: it reads pages, sends their forms, and listens to their events."""

import asyncio
import re
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx
from bs4 import BeautifulSoup, Tag

from tests.patience import PATIENCE

LINK = re.compile(r"(http://127\.0\.0\.1:\d+)/enter#(\S+)")


@dataclass(frozen=True)
class Sent:
    """A form of a page."""

    action: str
    fields: Mapping[str, str]
    label: str
    """The words on its button."""


@dataclass(frozen=True)
class Event:
    """One event of a stream."""

    name: str
    data: str
    id: str = ""

    @property
    def text(self) -> str:
        return BeautifulSoup(self.data, "html.parser").get_text(" ", strip=True)

    @property
    def element(self) -> str:
        """The name of the message that it shows."""
        found = BeautifulSoup(self.data, "html.parser").find(id=re.compile("^m-"))
        return str(found["id"]) if isinstance(found, Tag) else ""


@dataclass
class Heard:
    """What a stream has told so far."""

    events: list[Event] = field(default_factory=list[Event])
    changed: asyncio.Condition = field(default_factory=asyncio.Condition)
    ended: bool = False

    @property
    def last_id(self) -> str:
        return next((one.id for one in reversed(self.events) if one.id), "")

    async def until(self, wanted: Any) -> Any:
        """The first truthy value of a look at the events."""
        async with asyncio.timeout(PATIENCE), self.changed:
            while not (value := wanted(self)):
                await self.changed.wait()
            return value

    async def hears(self, words: str, name: str = "message") -> Event:
        """Wait until an event says these words; the first one."""
        return await self.until(
            lambda one: next((e for e in one.events if e.name == name and words in e.text), None)
        )


class Browser:
    """A browser at one address; its cookies are its own."""

    def __init__(self, client: httpx.AsyncClient) -> None:
        self.client = client
        self.origin = str(client.base_url).rstrip("/")

    async def get(self, path: str, **headers: str) -> httpx.Response:
        return await self.client.get(path, headers={"accept": "text/html", **headers})

    async def post(self, path: str, fields: Mapping[str, str], **more: Any) -> httpx.Response:
        headers = {
            "origin": self.origin,
            "sec-fetch-site": "same-origin",
            **more.pop("headers", {}),
        }
        return await self.client.post(path, data=dict(fields), headers=headers, **more)

    async def enter(self, code: str) -> httpx.Response:
        return await self.post("/enter", {"code": code})

    async def page(self, path: str = "/") -> BeautifulSoup:
        """The page at an address, to which it may be sent on."""
        answer = await self.client.get(path, headers={"accept": "text/html"}, follow_redirects=True)
        assert answer.status_code == 200, (answer.status_code, answer.text)
        return BeautifulSoup(answer.text, "html.parser")

    async def home(self) -> str:
        """The address of the newest conversation."""
        return (await self.get("/")).headers["location"]

    async def forms(self, path: str = "/") -> Sequence[Sent]:
        return forms_in(await self.page(path))

    async def send(self, form: Sent, **fields: str) -> httpx.Response:
        return await self.post(form.action, {**form.fields, **fields})

    async def say(self, text: str, path: str = "/", **fields: str) -> httpx.Response:
        forms = await self.forms(path)
        form = next(one for one in forms if one.action.endswith("/say") and "id" in one.fields)
        answer = await self.send(form, text=text, **fields)
        assert answer.status_code == 303, answer.text
        return answer

    async def press(self, label: str, path: str = "/") -> httpx.Response:
        """Press the newest button with this label."""
        found = [one for one in await self.forms(path) if label in one.label]
        assert found, f"there is no button {label}"
        return await self.send(found[-1])

    async def messages(self, path: str = "/") -> list[tuple[str, str]]:
        """The messages of a page with their names, as they stand."""
        found = (await self.page(path)).find_all(id=re.compile("^m-[io]"))
        return [(str(one["id"]), one.get_text(" ", strip=True)) for one in found]

    async def sees(self, words: str, path: str = "/") -> str:
        """Load the page until it shows these words, as people do without scripts."""
        async with asyncio.timeout(PATIENCE):
            while True:
                found = [text for _, text in await self.messages(path) if words in text]
                if found:
                    return found[-1]
                await asyncio.sleep(0.05)

    async def stream(self, path: str) -> str:
        """The address of the events of a page."""
        found = re.search(r"/chat/[^\"'<> ]+/events\?mark=[^\"'<> ]+", str(await self.page(path)))
        assert found is not None
        return found[0].replace("&amp;", "&")

    @asynccontextmanager
    async def listening(self, path: str, last_id: str = "") -> AsyncGenerator[Heard]:
        """Listens to the events of a chat while the block runs."""
        address = await self.stream(path) if "/events" not in path else path
        heard = Heard()
        task = asyncio.create_task(self._listen(address, heard, last_id))
        try:
            yield heard
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def _listen(self, address: str, heard: Heard, last_id: str) -> None:
        headers = {"accept": "text/event-stream"} | ({"last-event-id": last_id} if last_id else {})
        try:
            async with self.client.stream("GET", address, headers=headers, timeout=None) as answer:
                lines: list[str] = []
                async for line in answer.aiter_lines():
                    if line:
                        lines.append(line)
                        continue
                    event = event_in(lines)
                    lines = []
                    if event is not None:
                        async with heard.changed:
                            heard.events.append(event)
                            heard.changed.notify_all()
        except httpx.HTTPError:
            pass
        finally:
            heard.ended = True
            async with heard.changed:
                heard.changed.notify_all()


def event_in(lines: Sequence[str]) -> Event | None:
    told: dict[str, str] = {}
    data: list[str] = []
    for line in lines:
        name, _, value = line.partition(": ")
        if name == "data" or line == "data:":
            data.append(value)
        else:
            told[name] = value
    if "event" not in told:
        return None
    return Event(told["event"], "\n".join(data), told.get("id", ""))


def forms_in(page: BeautifulSoup) -> list[Sent]:
    found: list[Sent] = []
    for form in page.find_all("form"):
        if str(form.get("method", "")).lower() != "post":
            continue
        fields = {
            str(one["name"]): str(one.get("value", ""))
            for one in form.find_all("input")
            if one.get("name") and one.get("type") in ("hidden", None, "text")
        }
        beside = page.find_all("button", form=form["id"]) if form.get("id") else []
        for button in (*form.find_all("button"), *beside):
            own = {str(button["name"]): str(button.get("value", ""))} if button.get("name") else {}
            label = button.get_text(" ", strip=True) or str(button.get("aria-label", ""))
            found.append(Sent(str(form["action"]), {**fields, **own}, label))
    return found


@asynccontextmanager
async def browser(origin: str) -> AsyncGenerator[Browser]:
    async with httpx.AsyncClient(base_url=origin, trust_env=False, timeout=PATIENCE) as client:
        yield Browser(client)
