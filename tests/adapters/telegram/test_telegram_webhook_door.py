"""The door of the webhook over real HTTP: what is let in, what is kept, what is answered."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, suppress

import httpx
import pytest

from bot.adapters.http_server.http_servers import HttpServers
from bot.adapters.telegram.webhook_door import LARGEST_BODY, WebhookDoor
from bot.domain.talk.errors import SettingError, StoreBusy
from bot.domain.talk.message import RawUpdate
from tests.patience import PATIENCE

SECRET = "a-secret-nobody-may-guess"
HEADER = "X-Telegram-Bot-Api-Secret-Token"
UPDATE = {"update_id": 7, "message": {"text": "hello"}}


SETTING = "STEWARD_WEBHOOK_PORT"


def serving(door: WebhookDoor, port: int) -> AbstractAsyncContextManager[int]:
    return HttpServers().serving(door, door.path, port, SETTING)


class Store:
    """Keeps what it accepts, a commit at a time; a shut one lets nobody in until it is opened."""

    def __init__(self) -> None:
        self.commits: list[list[RawUpdate]] = []
        self.refuse = 0
        self.entered = asyncio.Event()
        self.open = asyncio.Event()
        self.open.set()

    @property
    def updates(self) -> list[RawUpdate]:
        return [update for commit in self.commits for update in commit]

    async def accept(self, batch: Sequence[RawUpdate]) -> None:
        self.entered.set()
        await self.open.wait()
        if self.refuse:
            self.refuse -= 1
            raise StoreBusy("locked")
        self.commits.append(list(batch))


@pytest.fixture
def store() -> Store:
    return Store()


@pytest.fixture
async def door(store: Store) -> AsyncIterator[httpx.AsyncClient]:
    """A client of an open door, who knows the secret as the platform does."""
    app = WebhookDoor("/telegram/hook", SECRET, store.accept)
    app.tells_strangers = True
    async with (
        serving(app, 0) as port,
        httpx.AsyncClient(
            base_url=f"http://127.0.0.1:{port}", headers={HEADER: SECRET}, verify=False
        ) as client,
    ):
        yield client


async def arrived(door: httpx.AsyncClient) -> None:
    """Lets the call made before arrive: one over another line is answered in the meantime."""
    for _ in range(3):
        assert (await door.get("/telegram/hook")).status_code == 405


async def test_an_update_is_confirmed_once_it_is_kept(
    door: httpx.AsyncClient, store: Store
) -> None:
    store.open.clear()
    call = asyncio.create_task(door.post("/telegram/hook", json=UPDATE))
    await asyncio.wait_for(store.entered.wait(), PATIENCE)
    assert not call.done()
    store.open.set()
    assert (await call).status_code == 200
    [update] = store.updates
    assert (update.key, json.loads(update.body)) == ("7", UPDATE)


async def test_a_store_that_fails_has_the_update_come_again(
    door: httpx.AsyncClient, store: Store
) -> None:
    store.refuse = 1
    assert (await door.post("/telegram/hook", json=UPDATE)).status_code == 503
    assert store.updates == []
    assert (await door.post("/telegram/hook", json=UPDATE)).status_code == 200
    assert len(store.updates) == 1


@pytest.mark.parametrize(
    "secret", [None, "", "wrong", SECRET[:-1], SECRET + "x", SECRET.upper(), "\xe4\xf6"]
)
async def test_without_the_secret_nothing_is_kept(
    door: httpx.AsyncClient, store: Store, secret: str | None
) -> None:
    del door.headers[HEADER]
    headers = [] if secret is None else [(HEADER.encode(), secret.encode("latin-1"))]
    answer = await door.post("/telegram/hook", json=UPDATE, headers=headers)
    assert answer.status_code == 403
    assert store.updates == []


async def test_a_stranger_is_told_of_once(
    door: httpx.AsyncClient, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(3):
        await door.post("/telegram/hook", json=UPDATE, headers={HEADER: "wrong-secret-word"})
    told = [record.getMessage() for record in caplog.records]
    assert len(told) == 1
    assert "wrong-secret-word" not in told[0]


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("POST", "/", 404),
        ("POST", "/telegram/hook/", 404),
        ("POST", "/telegram/%68ook", 404),
        ("GET", "/other", 404),
        ("GET", "/telegram/hook", 405),
        ("PUT", "/telegram/hook", 405),
    ],
)
async def test_only_a_post_to_the_path_is_taken(
    door: httpx.AsyncClient, store: Store, method: str, path: str, status: int
) -> None:
    answer = await door.request(method, path, content=json.dumps(UPDATE))
    assert answer.status_code == status
    assert store.updates == []
    assert answer.headers.get("allow") == ("POST" if status == 405 else None)


async def test_a_body_that_says_it_is_too_large_is_not_read(
    door: httpx.AsyncClient, store: Store
) -> None:
    answer = await door.post("/telegram/hook", content=b" " * (LARGEST_BODY + 1))
    assert answer.status_code == 413
    assert store.updates == []


async def test_a_body_of_unknown_length_is_cut_off(door: httpx.AsyncClient, store: Store) -> None:
    async def endless() -> AsyncIterator[bytes]:
        for _ in range(100):
            yield b" " * 100_000

    # The door may have closed before the last piece is sent.
    with suppress(httpx.WriteError, httpx.ReadError, httpx.RemoteProtocolError):
        answer = await door.post("/telegram/hook", content=endless())
        assert answer.status_code == 413
    assert store.updates == []
    assert (await door.post("/telegram/hook", json=UPDATE)).status_code == 200


async def test_a_body_that_is_broken_off_is_not_kept(door: httpx.AsyncClient, store: Store) -> None:
    host, port = str(door.base_url.host), door.base_url.port
    assert port is not None
    reader, writer = await asyncio.open_connection(host, port)
    writer.write(
        f"POST /telegram/hook HTTP/1.1\r\nhost: x\r\n{HEADER}: {SECRET}\r\n"
        f'content-length: 40\r\n\r\n{{"update_id": 1}}'.encode()
    )
    writer.write_eof()
    await reader.read()
    writer.close()
    await writer.wait_closed()
    assert (await door.post("/telegram/hook", json=UPDATE)).status_code == 200
    assert [update.key for update in store.updates] == ["7"]


@pytest.mark.parametrize("body", [b"", b"{", b"\xff\x00", b"[" * 5000, b"null", b"nonsense"])
async def test_what_cannot_be_read_is_kept_and_never_comes_again(
    door: httpx.AsyncClient, store: Store, body: bytes
) -> None:
    assert (await door.post("/telegram/hook", content=body)).status_code == 200
    [update] = store.updates
    assert update.key.startswith("sha256:")
    assert not isinstance(json.loads(update.body), dict)
    assert "\0" not in update.body


async def test_calls_that_come_while_the_store_is_busy_share_a_commit_in_their_order(
    door: httpx.AsyncClient, store: Store
) -> None:
    store.open.clear()
    calls = [asyncio.create_task(door.post("/telegram/hook", json={"update_id": 1}))]
    await asyncio.wait_for(store.entered.wait(), PATIENCE)
    async with asyncio.timeout(PATIENCE):
        for number in range(2, 6):
            calls.append(
                asyncio.create_task(door.post("/telegram/hook", json={"update_id": number}))
            )
            await arrived(door)
    store.open.set()
    assert {answer.status_code for answer in await asyncio.gather(*calls)} == {200}
    assert [len(commit) for commit in store.commits] == [1, 4]
    assert [update.key for update in store.updates] == ["1", "2", "3", "4", "5"]


async def test_a_commit_that_fails_fails_for_all_who_share_it(
    door: httpx.AsyncClient, store: Store
) -> None:
    store.open.clear()
    store.refuse = 2
    calls = [asyncio.create_task(door.post("/telegram/hook", json={"update_id": 1}))]
    await asyncio.wait_for(store.entered.wait(), PATIENCE)
    for number in (2, 3):
        calls.append(asyncio.create_task(door.post("/telegram/hook", json={"update_id": number})))
        await arrived(door)
    store.open.set()
    assert [a.status_code for a in await asyncio.gather(*calls)] == [503, 503, 503]
    assert store.updates == []


async def test_a_call_under_way_is_answered_before_the_door_closes(store: Store) -> None:
    store.open.clear()
    async with httpx.AsyncClient(headers={HEADER: SECRET}, verify=False) as client:
        async with serving(WebhookDoor("/", SECRET, store.accept), 0) as port:
            url = f"http://127.0.0.1:{port}/"
            call = asyncio.create_task(client.post(url, json=UPDATE))
            await asyncio.wait_for(store.entered.wait(), PATIENCE)
            asyncio.get_running_loop().call_soon(store.open.set)
        assert (await call).status_code == 200
        with pytest.raises(httpx.ConnectError):
            await client.post(url, json=UPDATE)


async def test_a_port_in_use_is_told_by_its_setting(store: Store) -> None:
    first = WebhookDoor("/", SECRET, store.accept)
    async with serving(first, 0) as port:
        with pytest.raises(SettingError, match=rf"STEWARD_WEBHOOK_PORT cannot be {port}"):
            async with serving(first, port):
                pass


async def test_the_port_is_open_to_the_machine_itself_alone(store: Store) -> None:
    app = WebhookDoor("/telegram/hook", SECRET, store.accept)
    async with serving(app, 0) as port, httpx.AsyncClient() as client:
        assert (await client.get(f"http://127.0.0.1:{port}/")).status_code == 404
        with pytest.raises(httpx.ConnectError):
            await client.get(f"http://127.0.0.2:{port}/")
