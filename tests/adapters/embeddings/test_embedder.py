"""The embedder over HTTP, against a server that refuses what the real one refuses."""

from collections.abc import AsyncIterator

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from bot.adapters.embeddings.embedder import Embeddings as Client
from bot.domain.memory.meaning import MOST_BYTES, STRANGE_TEXTS, nearness
from bot.domain.talk.errors import EmbedderDenied, EmbedderError, EmbedderRefuses
from tests.standins.embeddings import KEY, MODEL, SPOILT, Embeddings
from tests.standins.serving import serving


@pytest.fixture
def server() -> Embeddings:
    return Embeddings()


@pytest.fixture
async def url(server: Embeddings) -> AsyncIterator[str]:
    async with serving(server.app) as address:
        yield f"{address}/v1"


@pytest.fixture
async def client(url: str) -> AsyncIterator[Client]:
    opened = Client(url, MODEL, KEY)
    yield opened
    await opened.close()


async def test_each_text_gets_a_vector_of_length_one(client: Client) -> None:
    car, auto, soup = (await client.embed(["my car", "mein Auto", "hot soup"])).vectors
    assert nearness(car, car) == pytest.approx(1)
    assert nearness(car, auto) > nearness(car, soup) + 0.2
    assert len((await client.embed(STRANGE_TEXTS)).vectors) == len(STRANGE_TEXTS)


async def test_a_wrong_key_and_an_unknown_model_are_denied_without_the_key(url: str) -> None:
    for model, key in ((MODEL, "sk-wrong-0123456789"), ("other", KEY), (MODEL, None)):
        other = Client(url, model, key)
        with pytest.raises(EmbedderDenied) as told:
            await other.embed(["x"])
        await other.close()
        assert "sk-" not in str(told.value)


async def test_what_is_too_long_for_a_server_is_cut_until_it_fits(
    server: Embeddings, client: Client
) -> None:
    server.most_tokens = 300
    (vector,) = (await client.embed(["word " * 4_000])).vectors
    assert len(vector) == server.size
    assert len(server.inputs[0].encode()) <= MOST_BYTES // 4
    await client.embed(["word " * 4_000])
    assert len(server.inputs) == 2


async def test_a_server_that_takes_nothing_refuses(server: Embeddings, client: Client) -> None:
    server.most_tokens = 1
    with pytest.raises(EmbedderRefuses):
        await client.embed(["many words that are too many"])


async def test_no_text_is_empty_or_broken_for_the_server(client: Client) -> None:
    assert len((await client.embed(["", "\ud800", "\0", " "])).vectors) == 4


@pytest.mark.parametrize("fate", ["down", "drop", "huge", "html", *SPOILT])
async def test_an_answer_that_is_none_is_a_fault(
    server: Embeddings, client: Client, fate: str
) -> None:
    server.fate = fate
    with pytest.raises(EmbedderError):
        await client.embed(["one", "two"])
    server.fate = ""
    assert len((await client.embed(["one", "two"])).vectors) == 2


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        ({"prompt_tokens": 3, "total_tokens": 3}, 3),
        ({"total_tokens": 4}, 4),
        ({"prompt_tokens": -1}, 0),
        ({"prompt_tokens": True}, 0),
        ({"prompt_tokens": 10**30}, 0),
        ({"prompt_tokens": "3"}, 0),
        ([3], 0),
        (None, 0),
    ],
)
async def test_only_tokens_that_can_be_are_believed(usage: object, tokens: int) -> None:
    async def answer(_: Request) -> Response:
        data = [{"index": 0, "embedding": [1.0, 0.5]}]
        return JSONResponse({"data": data, "usage": usage})

    app = Starlette(routes=[Route("/v1/embeddings", answer, methods=["POST"])])
    async with serving(app) as address:
        client = Client(f"{address}/v1", MODEL)
        assert (await client.embed(["some words"])).tokens == tokens
        await client.close()


async def test_an_answer_that_cannot_be_used_is_paid_for_and_a_refusal_is_not(
    server: Embeddings, client: Client
) -> None:
    for fate, paid in (("nan", True), ("fewer", True), ("html", True), ("down", False)):
        server.fate = fate
        with pytest.raises(EmbedderError) as told:
            await client.embed(["one", "two"])
        assert told.value.paid is paid, fate


async def test_nobody_there_is_a_fault() -> None:
    client = Client("http://127.0.0.1:1/v1", MODEL, KEY)
    with pytest.raises(EmbedderError, match="is not reached: nothing answers there"):
        await client.embed(["x"])
    await client.close()


async def test_questions_share_one_connection() -> None:
    clients = set[int]()

    async def answer(request: Request) -> Response:
        assert request.client is not None
        clients.add(request.client.port)
        return JSONResponse({"data": [{"index": 0, "embedding": [1.0, 0.5]}]})

    app = Starlette(routes=[Route("/v1/embeddings", answer, methods=["POST"])])
    async with serving(app) as address:
        client = Client(f"{address}/v1", MODEL)
        for _ in range(3):
            await client.embed(["some words"])
        await client.close()
    assert len(clients) == 1


async def test_a_proxy_of_the_environment_is_asked_with_its_login(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[bytes] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        asked.append(dict(scope["headers"])[b"proxy-authorization"])
        answer = JSONResponse({"data": [{"index": 0, "embedding": [1.0, 0.5]}]})
        await answer(scope, receive, send)

    async with serving(app) as proxy:
        for name in ("NO_PROXY", "no_proxy", "http_proxy"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("HTTP_PROXY", proxy.replace("//", "//ann:secret@"))
        client = Client("http://embedder.invalid/v1", MODEL, KEY)
        assert (await client.embed(["some words"])).vectors
        await client.close()
    assert asked == [b"Basic YW5uOnNlY3JldA=="]


@pytest.mark.parametrize("address", ["http://[", "http://a b", "none"])
async def test_an_address_that_is_none_is_a_fault(address: str) -> None:
    client = Client(address, MODEL, KEY)
    with pytest.raises(EmbedderError, match="is not reached"):
        await client.embed(["x"])
    await client.close()


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"model": MODEL, "input": []}, 400),
        ({"model": MODEL, "input": [""]}, 400),
        ({"model": MODEL, "input": ["x"] * 2_049}, 400),
        ({"model": MODEL, "input": ["word " * 9_000]}, 400),
        ({"model": MODEL, "input": ["word " * 8_000] * 40}, 400),
        ({"model": MODEL, "input": "x", "odd": 1}, 400),
        ({"model": "none", "input": "x"}, 404),
    ],
)
async def test_the_server_is_as_strict_as_the_real_one(
    url: str, body: dict[str, object], status: int
) -> None:
    async with httpx2.AsyncClient() as client:
        headers = {"Authorization": f"Bearer {KEY}"}
        answer = await client.post(f"{url}/embeddings", json=body, headers=headers)
    assert answer.status_code == status
