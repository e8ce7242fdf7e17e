"""The page behind real proxies, set up as docs/page.md says."""

import asyncio
import re
import shutil
import socket
import ssl
import textwrap
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from itertools import takewhile
from pathlib import Path
from typing import TypeAlias

import httpx
import pytest
import yaml

from tests.e2e.browser import LINK, Browser
from tests.e2e.steward import Steward
from tests.lacking import missing
from tests.patience import PATIENCE
from tests.ports import free_port
from tests.standins.certified import certified
from tests.standins.messages_api import Gate, text

pytestmark = pytest.mark.flows_own("the page is served beside any platform")

DOCS = Path(__file__).parents[2] / "docs" / "page.md"
LARGE, TOO_LARGE = 19_000_000, 23_000_000
FORGED = {
    "x-forwarded-for": "10.9.8.7",
    "x-forwarded-host": "evil.example",
    "x-forwarded-proto": "http",
    "forwarded": "for=10.9.8.7;host=evil.example;proto=http",
    "x-real-ip": "10.9.8.7",
}
_PUBLIC = "STEWARD_WEB_PUBLIC_URL"
Setup: TypeAlias = Callable[[Path, int, int, Path], Sequence[str]]
"""Writes the settings of a proxy, and returns its command."""

NGINX = """
daemon off; user root; pid nginx.pid; error_log stderr;
events {}
http {
    access_log off;
    client_body_temp_path bodies; proxy_temp_path answers; fastcgi_temp_path f;
    uwsgi_temp_path u; scgi_temp_path s;
%s
}
"""


def example(first: str, port: int, inner: int, certificate: Path) -> str:
    """The example of a proxy in docs/page.md, on ports of this test and with its certificate."""
    block = DOCS.read_text().partition(f"    # {first}")[2].partition("\n")[2]
    lines = takewhile(lambda line: line.startswith("    "), block.splitlines())
    changes = {
        "127.0.0.1:8787": f"127.0.0.1:{inner}",
        "listen 443 ssl": f"listen 127.0.0.1:{port} ssl",
        "server_name steward.example.org": "server_name localhost",
        "steward.example.org {": f"localhost:{port} {{\n    tls {certificate} {certificate}",
        "/etc/ssl/steward.pem": str(certificate),
        "/etc/ssl/steward.key": str(certificate),
    }
    told = textwrap.dedent("\n".join(lines))
    for old, new in changes.items():
        told = told.replace(old, new)
    assert "8787" not in told
    assert "example.org" not in told
    return told


def nginx(folder: Path, port: int, inner: int, certificate: Path) -> Sequence[str]:
    (folder / "nginx.conf").write_text(NGINX % example("nginx", port, inner, certificate))
    return "nginx", "-e", "stderr", "-p", f"{folder}/", "-c", "nginx.conf"


def caddy(folder: Path, port: int, inner: int, certificate: Path) -> Sequence[str]:
    ours = "{\n    admin off\n    auto_https disable_redirects\n}\n"
    (folder / "Caddyfile").write_text(ours + example("Caddy", port, inner, certificate))
    return "caddy", "run", "--config", f"{folder}/Caddyfile", "--adapter", "caddyfile"


@asynccontextmanager
async def running(command: Sequence[str], folder: Path, port: int) -> AsyncGenerator[None]:
    """Runs a proxy until the block ends."""
    surroundings = {"HOME": str(folder), "PATH": "/usr/sbin:/usr/bin:/bin"}
    with (folder / "proxy.txt").open("wb") as log:
        process = await asyncio.create_subprocess_exec(
            *command, cwd=folder, env=surroundings, stdout=log, stderr=log
        )
    try:
        async with asyncio.timeout(PATIENCE):
            while True:
                with socket.socket() as probe:
                    if probe.connect_ex(("127.0.0.1", port)) == 0:
                        break
                assert process.returncode is None, (folder / "proxy.txt").read_text()
                await asyncio.sleep(0.02)
        yield
    finally:
        process.terminate()
        await process.wait()


@pytest.mark.parametrize("set_up", [nginx, caddy])
async def test_the_page_works_behind_a_proxy_as_the_docs_set_it_up(
    steward: Steward, tmp_path: Path, set_up: Setup
):
    name = set_up.__name__
    if shutil.which(name) is None:
        missing(f"no {name}", f"apt-get install {'nginx-light' if set_up is nginx else name}")
    port, inner = free_port(), free_port()
    certificate, public = certified(tmp_path, "localhost"), f"https://localhost:{port}"
    await steward.start(STEWARD_WEB_PORT=inner, STEWARD_WEB_PUBLIC_URL=public)
    code = await steward.eventually(lambda: re.search(r"(\S+)/enter#(\S+)", steward.output))
    assert code[1] == public
    trusting = ssl.create_default_context(cafile=certificate)
    command = set_up(tmp_path, port, inner, certificate)
    async with (
        running(command, tmp_path, port),
        httpx.AsyncClient(base_url=public, verify=trusting, timeout=PATIENCE) as client,
    ):
        page = Browser(client)
        await answering(page)
        entered = await page.enter(code[2])
        assert entered.status_code == 303, entered.text
        assert re.match("__Host-.*; Secure$", entered.headers["set-cookie"])
        await streams(steward, page)
        await takes_files(steward, page)
        await believes_nobody(page, inner)


async def test_the_page_works_behind_the_proxy_of_the_profile_grown(
    steward: Steward, tmp_path: Path
):
    if shutil.which("caddy") is None:
        missing("no caddy", "apt-get install caddy")
    services = yaml.safe_load((DOCS.parents[1] / "docker-compose.yml").read_text())["services"]
    # Each process makes links to the page: whoever delivers, too.
    ours = [one for one in services.values() if one["image"] == "steward" and "profiles" in one]
    told = {one["environment"].get(_PUBLIC) for one in ours}
    (published,) = services["web"]["ports"]
    (setting,) = told
    assert setting == f"${{{_PUBLIC}:-http://{published.rpartition(':')[0]}}}"
    port, inner = free_port(), free_port()
    command = [
        one.replace(":8080", f":{port}").replace(":8787", f":{inner}")
        for one in services["proxy"]["command"]
    ]
    await steward.start(STEWARD_WEB_PORT=inner, **{_PUBLIC: f"http://127.0.0.1:{port}"})
    link = await steward.eventually(lambda: LINK.search(steward.output))
    async with (
        running(command, tmp_path, port),
        httpx.AsyncClient(base_url=link[1], timeout=PATIENCE) as client,
    ):
        page = Browser(client)
        await answering(page)
        assert (await page.enter(link[2])).status_code == 303
        await streams(steward, page)


async def answering(page: Browser) -> None:
    """Wait until the program answers: the proxy tells of it meanwhile."""
    async with asyncio.timeout(PATIENCE):
        while (await page.get("/enter")).status_code == 502:
            await asyncio.sleep(0.05)


async def streams(steward: Steward, page: Browser) -> None:
    """The words of an answer come while the model is still writing."""
    home, gate = await page.home(), Gate()
    steward.script(text("First words, and then the rest.").in_pieces(2).held(gate, after=3))
    async with page.listening(home) as heard:
        await page.say("Tell me slowly", home)
        await heard.hears("First words", "draft")
        gate.release()
        await heard.hears("then the rest.")


async def takes_files(steward: Steward, page: Browser) -> None:
    home = await page.home()
    form = next(one for one in await page.forms(home) if one.action.endswith("/say"))
    steward.script(text("I have got it."))
    sent = {**form.fields, "text": "Look at this", "id": "a-large-file"}
    files = {"file": ("large.bin", b"\0" * LARGE, "application/octet-stream")}
    answer = await page.post(form.action, sent, files=files)
    assert answer.status_code == 303, answer.text
    assert "large.bin" in await page.sees("Look at this", home)
    await page.sees("I have got it.", home)
    try:
        files = {"file": ("larger.bin", b"\0" * TOO_LARGE, "application/octet-stream")}
        answer = await page.post(form.action, {**sent, "id": "a-larger-file"}, files=files)
    except httpx.TransportError:
        return  # Either side may hang up on a body that nobody takes.
    assert answer.status_code == 413, answer.text


async def believes_nobody(page: Browser, inner: int) -> None:
    """Headers that say who asks change nothing, through the proxy and past it."""
    home = await page.home()
    plain, forged = await page.get(home), await page.get(home, **FORGED)
    assert (plain.status_code, forged.status_code) == (200, 200)
    assert "evil.example" not in forged.text
    assert (await page.get("/", **FORGED)).headers["location"] == home
    site = {"origin": "https://evil.example", "sec-fetch-site": "cross-site"}
    assert (await page.client.post("/leave", headers=site)).status_code == 403
    # Another name leads to no page, whether the proxy or the page refuses it.
    other = await page.client.get("/enter", headers={"host": "evil.example"})
    assert "Sign in" not in other.text
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{inner}", trust_env=False) as past:
        forged = FORGED | {"x-forwarded-host": page.origin.removeprefix("https://")}
        assert (await past.get("/enter", headers=forged)).status_code == 421
        cookies = "; ".join(f"{name}={value}" for name, value in page.client.cookies.items())
        asked = {"host": page.origin.removeprefix("https://"), "accept": "text/html"}
        assert (await past.get(home, headers=asked)).headers["location"] == "/enter"
        assert (await past.get(home, headers=asked | {"cookie": cookies})).status_code == 200
