"""The doors of the page: published holes of such pages, tried on one running program."""

import asyncio
import re
import secrets
import signal
import socket
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TypeVar

import httpx
import pytest

from bot.adapters.sql.store import Store, open_store
from bot.domain.change import Change, Revoke
from bot.domain.talk.message import Address
from bot.domain.talk.person import Person, Role, Sender
from bot.domain.talk.session import MOST_TRIES, new_code
from tests.e2e.browser import LINK
from tests.e2e.launching import surroundings
from tests.patience import PATIENCE
from tests.ports import free_port

T = TypeVar("T")
ANN, BOB = Sender("telegram", "42", "Ann"), Sender("telegram", "7", "Bob")
WRITTEN = ("/chat/new", "/chat/{}/say", "/chat/{}/press", "/chat/{}/word", "/chat/{}/stop")
POSTED = (*WRITTEN, "/sessions/end", "/leave")
READ = ("/", "/chats", "/chat/{}", "/chat/{}/older", "/chat/{}/events?mark=0.0", "/sessions")


@dataclass(frozen=True)
class Served:
    """A program that serves its page, beside a platform that nobody reaches."""

    folder: Path
    origin: str
    process: subprocess.Popen[bytes]
    code: str

    @property
    def port(self) -> int:
        return int(self.origin.rpartition(":")[2])

    def peak_memory(self) -> int:
        """The most bytes of memory that the program has had so far."""
        told = Path(f"/proc/{self.process.pid}/status").read_text()
        (peak,) = re.findall(r"VmHWM:\s+(\d+) kB", told)
        return int(peak) * 1024

    def bytes_of_open_files(self) -> int:
        """The bytes of open files without a name, such as parts of a form that comes."""
        sizes = list[int]()
        for file in Path(f"/proc/{self.process.pid}/fd").iterdir():
            with suppress(OSError):
                if str(file.readlink()).endswith(" (deleted)"):
                    sizes.append(file.stat().st_size)
        return sum(sizes)

    def stored(self, work: Callable[[Store], Awaitable[T]]) -> T:
        """Does something in the store beside the program."""

        async def done() -> T:
            url = f"sqlite+aiosqlite:///{self.folder / 'data' / 'steward.db'}"
            async with open_store(url, upgrade=False) as store:
                return await work(store)

        return asyncio.run(done())

    def person(self, sender: Sender, role: Role = Role.OWNER) -> Person:
        async def admitted(store: Store) -> Person:
            person = await store.people.admit(sender, role)
            await store.chats.at(Address.from_key(sender.key), private=True)
            return person

        return self.stored(admitted)

    def offered(self, person: Person, **changed: datetime) -> str:
        """A code for a person."""
        words, code = new_code(changed.get("at", datetime.now(UTC)), person.id)
        self.stored(lambda store: store.sessions.offer(code, datetime.now(UTC)))
        return words

    def visitor(self, person: Person) -> "Visitor":
        found = Visitor(self.origin)
        answer = found.enter(self.offered(person))
        assert answer.status_code == 303, answer.text
        return found


class Visitor(httpx.Client):
    """A browser that says where it is, as browsers do."""

    def __init__(self, origin: str) -> None:
        super().__init__(base_url=origin, trust_env=False, timeout=PATIENCE)
        self.own = {"origin": origin, "sec-fetch-site": "same-origin", "accept": "text/html"}

    def __enter__(self) -> "Visitor":
        # It has been used before, to sign in.
        return self

    def enter(self, code: str) -> httpx.Response:
        return self.post("/enter", data={"code": code}, headers=self.own)

    @property
    def key(self) -> str:
        """The name of the newest conversation."""
        return self.get("/", headers=self.own).headers["location"].removeprefix("/chat/")

    @property
    def token(self) -> str:
        found = re.search(
            r'name="csrf" value="(\w+)"', self.get("/sessions", headers=self.own).text
        )
        assert found is not None
        return found[1]

    def say(self, text: str, **headers: str) -> httpx.Response:
        fields = {"text": text, "id": secrets.token_hex(8), "csrf": self.token}
        return self.post(f"/chat/{self.key}/say", data=fields, headers={**self.own, **headers})


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with page_of_its_own(tmp_path_factory.mktemp("page")) as one:
        yield one
        ended = (one.folder / "output.txt").read_text()[-2_000:]
        assert one.process.poll() is None, f"it ended by itself:\n{ended}"


@contextmanager
def page_of_its_own(folder: Path, **others: str) -> Iterator[Served]:
    port = free_port()
    process, output = running(folder, port, **others), folder / "output.txt"
    try:
        until(lambda: LINK.search(output.read_text()))
        until(lambda: listens(port))
        found = LINK.search(output.read_text())
        assert found is not None
        yield Served(folder, found[1], process, found[2])
    finally:
        process.kill()
        process.wait()


def running(folder: Path, port: int, **others: str) -> subprocess.Popen[bytes]:
    environment = surroundings() | {
        "STEWARD_WEB_PORT": str(port),
        "TELEGRAM_BOT_TOKEN": "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw",
        "TELEGRAM_API_URL": "http://127.0.0.1:9",
        **others,
    }
    with (folder / "output.txt").open("ab") as output:
        return subprocess.Popen(
            [sys.executable, "-m", "bot", "run"],
            cwd=folder,
            env=environment,
            stdout=output,
            stderr=output,
            stdin=subprocess.DEVNULL,
        )


def until(look: Callable[[], object]) -> None:
    end = datetime.now(UTC) + timedelta(seconds=PATIENCE)
    while not look():
        assert datetime.now(UTC) < end, "it never came true"
        asyncio.run(asyncio.sleep(0.05))


def listens(port: int) -> bool:
    with closing(socket.socket()) as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def raw(port: int, request: str) -> str:
    """The answer to bytes as no library would send them, as far as it comes."""
    told = bytearray()
    with closing(socket.create_connection(("127.0.0.1", port), PATIENCE)) as line:
        with suppress(ConnectionError):
            line.sendall(request.encode("latin-1"))
        with suppress(ConnectionError):
            while piece := line.recv(65_536):
                told += piece
    return told.decode("latin-1")


@pytest.fixture(scope="module")
def ann(served: Served) -> Person:
    return served.person(ANN)


@pytest.fixture(scope="module")
def visitor(served: Served, ann: Person) -> Iterator[Visitor]:
    with served.visitor(ann) as found:
        yield found


def inbox(served: Served) -> list[str]:
    async def bodies(store: Store) -> list[str]:
        rows = await store.inbox.unrouted(1_000)
        return [row.body for row in rows if row.channel == "web"]

    return served.stored(bodies)


def test_a_foreign_site_does_not_drive_the_page(served: Served, visitor: Visitor) -> None:
    """CVE-2026-25253: the local page obeyed whatever site a browser had open."""
    evil = "https://evil.example"
    forged = (
        {"origin": evil},
        {"origin": evil, "sec-fetch-site": "cross-site"},
        {"origin": "null"},
        {"origin": "", "sec-fetch-site": "cross-site"},
        {"origin": "", "sec-fetch-site": ""},
        {"origin": f"{served.origin}.evil.example"},
        {"origin": "http://127.0.0.1:1"},
        {"sec-fetch-site": "same-site"},
    )
    for headers in forged:
        whole = {name: value for name, value in {**visitor.own, **headers}.items() if value}
        fields = {"text": "evil words", "id": secrets.token_hex(8), "csrf": visitor.token}
        answer = httpx.post(
            f"{served.origin}/chat/{visitor.key}/say",
            data=fields,
            headers=whole,
            cookies=dict(visitor.cookies),
            trust_env=False,
        )
        assert answer.status_code == 403, headers
        assert "access-control-allow-origin" not in answer.headers
    assert [body for body in inbox(served) if "evil" in body] == []
    asked = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"}
    assert visitor.get("/", headers=asked).status_code == 403
    asked = {"origin": evil, "access-control-request-method": "POST"}
    assert visitor.request("OPTIONS", "/", headers=asked).status_code == 405
    upgraded = {"connection": "upgrade", "upgrade": "websocket", "sec-websocket-version": "13"}
    assert visitor.get("/", headers={**upgraded, "sec-websocket-key": "AAAA"}).status_code != 101


def test_to_be_on_this_machine_signs_nobody_in(served: Served, visitor: Visitor) -> None:
    """CVE-2026-22812: the page asked nobody who came from 127.0.0.1 to sign in."""
    key = visitor.key
    with Visitor(served.origin) as stranger:
        for path in (one.format(key) for one in READ):
            shown = stranger.get(path, headers={"accept": "text/html"})
            assert (shown.status_code, shown.headers["location"]) == (303, "/enter"), path
            assert stranger.get(path, headers={"accept": "*/*"}).status_code == 401
        for path in (one.format(key) for one in POSTED):
            assert stranger.post(path, data={"text": "x"}, headers=stranger.own).status_code == 401
        assert "set-cookie" not in stranger.get("/enter").headers


def test_nobody_but_the_named_proxies_reaches_the_page(tmp_path: Path) -> None:
    """Programs of this machine could ask in the name of a proxy that has no address of its own."""
    with page_of_its_own(tmp_path, STEWARD_WEB_PROXIES="127.0.0.2") as served:
        for peer, status in (("127.0.0.1", 403), ("127.0.0.2", 200), ("127.0.0.3", 403)):
            transport = httpx.HTTPTransport(local_address=peer)
            with httpx.Client(base_url=served.origin, transport=transport) as client:
                for path in ("/enter", "/static/style.css"):
                    answer = client.get(path, headers={"x-forwarded-for": "127.0.0.2"})
                    assert answer.status_code == status, (peer, path)
                entered = client.post(
                    "/enter", data={"code": "x"}, headers={"origin": served.origin}
                )
                assert ("the address of its proxy" in entered.text) is (status == 403), peer


def test_rights_come_from_the_store_alone(served: Served, visitor: Visitor) -> None:
    """CVE-2026-53821: the client said which rights it had."""
    bob = served.person(BOB, Role.MEMBER)
    served.person(ANN)
    claims = {
        "x-user": "1",
        "x-role": "owner",
        "authorization": "Bearer owner",
        "forwarded": "for=1",
    }
    with Visitor(served.origin) as stranger:
        stranger.cookies.set(next(iter(visitor.cookies)), "A" * 43)
        stranger.cookies.set("role", "owner")
        assert stranger.get("/sessions", headers=claims).status_code == 401
    with served.visitor(bob) as member:
        for key in ("telegram:42", visitor.key, "telegram:42~5", "terminal:local", "web:999999"):
            assert member.get(f"/chat/{key}", headers={**member.own, **claims}).status_code == 404
            fields = {"text": "as Ann", "person": "1", "owner": "1", "csrf": member.token}
            answer = member.post(f"/chat/{key}/say", data=fields, headers=member.own)
            assert answer.status_code == 404, key
        assert member.get("/chat/telegram:7", headers=member.own).status_code == 200
    assert [body for body in inbox(served) if "as Ann" in body] == []


def test_the_first_visitor_decides_nothing(served: Served) -> None:
    """CVE-2026-49973: whoever came first set the password."""
    with Visitor(served.origin) as first:
        door = first.get("/enter", headers=first.own).text
        assert "password" not in door.lower()
        assert re.findall(r'<input[^>]* name="(\w+)"', door) == ["code"]
        for code in ("", "x", "00000000-" + "A" * 22, served.code[:-1], served.code.upper()):
            assert first.enter(code).status_code in (403, 429), code
        assert "set-cookie" not in first.enter("").headers
    with Visitor(served.origin) as person:
        assert person.enter(served.code).status_code == 303
        assert person.enter(served.code).status_code in (403, 429)
        assert person.get("/sessions", headers=person.own).status_code == 200


def test_an_open_stream_ends_with_its_session_and_with_the_access(
    served: Served, ann: Person
) -> None:
    """CVE-2026-44553: a stream that was open kept rights that had been taken back."""
    for number, take in enumerate((_end_sessions, _revoke)):
        carl = served.person(Sender("telegram", f"90{number}", "Carl"), Role.MEMBER)
        with served.visitor(carl) as visitor:
            address = f"/chat/{visitor.key}/events?mark=0.0"
            with visitor.stream("GET", address, headers={"accept": "text/event-stream"}) as told:
                lines = told.iter_lines()
                assert next(lines) == "retry: 1000"
                take(served, carl)
                heard = list(lines)
            assert "event: left" in heard
            assert visitor.get(address, headers={"accept": "text/event-stream"}).status_code == 401


def _end_sessions(served: Served, person: Person) -> None:
    served.stored(lambda store: store.sessions.end(person.id))


def _revoke(served: Served, person: Person) -> None:
    change = Change((Revoke(person.id, "access_ended"),))
    served.stored(lambda store: store.journal.commit(change))


def test_the_page_answers_under_its_exact_names_alone(served: Served, visitor: Visitor) -> None:
    """CVE-2026-11624: a name that only began like a loopback address was taken for one."""
    port = served.port
    foreign = (
        *("127.evil.com", f"127.evil.com:{port}", f"127.0.0.1.evil.com:{port}", "evil.com"),
        *(f"localhost.:{port}", f"127.0.0.1.:{port}", f"localhost.evil.com:{port}", "localhost"),
        *("127.0.0.1", "127.0.0.1:1", f"127.1:{port}", f"0x7f.0.0.1:{port}", f"2130706433:{port}"),
        *(f"[::ffff:127.0.0.1]:{port}", f"[0:0:0:0:0:0:0:1]:{port}", f"[::1%25lo]:{port}", "[::1]"),
        *(
            f"x@127.0.0.1:{port}",
            f"127.0.0.1:{port}/static/",
            f"127.0.0.1:0{port}",
            f"0.0.0.0:{port}",
        ),
        *(
            f"127.0.0.1:{port},evil.com",
            f" evil.com 127.0.0.1:{port}",
            f"127.0.0.1:{port}:{port}",
            "",
        ),
    )
    for host in foreign:
        told = raw(port, f"GET /enter HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n")
        assert told.split()[1] in ("421", "400"), host
    double = f"Host: 127.0.0.1:{port}\r\nHost: evil.com\r\n"
    assert raw(port, f"GET /enter HTTP/1.1\r\n{double}\r\n").split()[1] == "400"
    assert raw(port, "GET /enter HTTP/1.0\r\n\r\n").split()[1] == "421"
    for host in (f"localhost:{port}", f"LOCALHOST:{port}", f"[::1]:{port}", f"127.0.0.1:{port}"):
        told = raw(port, f"GET /enter HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n")
        assert told.split()[1] == "200", host


def test_a_secret_that_was_replaced_opens_nothing(served: Served) -> None:
    """The old secret of a session went on to work after it was rotated."""
    dora = served.person(Sender("telegram", "77", "Dora"), Role.MEMBER)
    with served.visitor(dora) as old, served.visitor(dora) as new:
        assert old.get("/sessions", headers=old.own).status_code == 200
        ended = {"csrf": new.token, "session": _listed(new, here=False)[0]}
        assert new.post("/sessions/end", data=ended, headers=new.own).status_code == 303
        assert old.get("/sessions", headers=old.own).status_code == 303
        assert new.get("/sessions", headers=new.own).status_code == 200
        kept = dict(new.cookies)
        new.post("/leave", data={"csrf": new.token}, headers=new.own)
        assert not new.cookies
        left = httpx.get(f"{served.origin}/sessions", cookies=kept, trust_env=False)
        assert left.status_code == 401


def _listed(visitor: Visitor, *, here: bool) -> list[str]:
    """The sessions of a person by the field that ends them, but for the one that asks."""
    found = re.findall(r'name="session" value="(\w+)"', visitor.get("/sessions").text)
    assert found
    return found


def test_a_forged_address_passes_no_check_of_paths(served: Served) -> None:
    """CVE-2026-48710: a Host header moved the path that was checked."""
    port = served.port
    host = f"127.0.0.1:{port}"
    paths = (
        *("/static/../sessions", "/static/..%2fsessions", "/static/%2e%2e/sessions", "//sessions"),
        *(
            "/enter/../sessions",
            "/enter%2f..%2fsessions",
            "/%73essions",
            "/sessions?/static/",
            "/ENTER",
        ),
        *("/static//sessions", "/sessions#/static/", "/sessions;/static/", "/enter/", "/static/"),
        *(
            f"http://{host}/sessions",
            f"http://{host}/static/../sessions",
            "/.//sessions",
            "\\sessions",
        ),
        *("/static/../../application.py", "/static/%2e%2e/%2e%2e/gate.py", "/static/....//gate.py"),
    )
    for path in paths:
        told = raw(port, f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n")
        status, words = told.split()[1], told.partition("\r\n\r\n")[2]
        assert status in ("303", "400", "401", "404", "307"), (path, status)
        assert "import" not in words, path
        assert 'name="session"' not in words, path


def test_now_says_which_channel_is_not_reached(visitor: Visitor) -> None:
    def now() -> str:
        return " ".join(
            re.sub("<[^>]*>", " ", visitor.get("/now", headers=visitor.own).text).split()
        )

    until(lambda: "Telegram cannot be reached" in now())
    told = now().partition("Channel State")[2]
    assert "Telegram not reached" in told
    assert "Page connected" in told


def test_forms_need_the_token_of_their_session(served: Served, ann: Person) -> None:
    with served.visitor(ann) as one, served.visitor(ann) as other:
        for token in ("", "x", other.token, one.token[:-1], one.token.upper() + "A"):
            for path in (path.format(one.key) for path in POSTED):
                fields = {"csrf": token, "text": "forged", "message": "o1", "data": "x", "all": "1"}
                answer = one.post(path, data=fields, headers=one.own)
                assert answer.status_code == 403, (path, token)
        assert one.get("/sessions", headers=one.own).status_code == 200
        again = {"csrf": one.token, "text": "said once", "id": "the-same-name"}
        for _ in range(3):
            path = f"/chat/{one.key}/say"
            assert one.post(path, data=again, headers=one.own).status_code == 303
    bodies = inbox(served)
    assert len([body for body in bodies if "said once" in body]) == 1
    assert [body for body in bodies if "forged" in body] == []


def test_a_thousand_tries_open_nothing_and_keep_nobody_out(served: Served, ann: Person) -> None:
    good, tried = served.offered(ann), served.offered(ann)
    late = served.offered(ann, at=datetime.now(UTC) - timedelta(minutes=11))
    id = tried.partition("-")[0]
    with Visitor(served.origin) as stranger, ThreadPoolExecutor(16) as pool:
        wrong = [f"{secrets.token_hex(4)}-{secrets.token_urlsafe(16)}" for _ in range(990)]
        wrong += [f"{id}-{secrets.token_urlsafe(16)}" for _ in range(MOST_TRIES)]
        wrong += ["-", "\0" * 40, "é" * 31, "A" * 100, late]
        statuses = {answer.status_code for answer in pool.map(stranger.enter, wrong)}
        assert statuses <= {403, 429}
        assert "set-cookie" not in stranger.enter(tried).headers
        assert stranger.enter(good).status_code == 303


def test_a_cookie_of_another_installation_opens_nothing(
    served: Served, visitor: Visitor, tmp_path: Path
) -> None:
    name, value = next(iter(visitor.cookies.items()))
    assert re.fullmatch(r"steward_[0-9a-f]{10}", name)
    # Another program of this machine: a browser sends a cookie to every port of a host.
    with page_of_its_own(tmp_path) as other, Visitor(other.origin) as theirs:
        assert theirs.enter(other.code).status_code == 303
        ((their_name, their_value),) = theirs.cookies.items()
        assert their_name != name
        mine = httpx.get(f"{other.origin}/sessions", cookies={name: value}, trust_env=False)
        assert mine.status_code == 401
    for changed in (
        {their_name: their_value},
        {name: their_value},
        {name: value[:-1] + "x"},
        {their_name: value},
        {name: f"{value}="},
    ):
        answer = httpx.get(f"{served.origin}/sessions", cookies=changed, trust_env=False)
        assert answer.status_code == 401


def test_every_answer_forbids_what_a_page_does_not_need(served: Served, visitor: Visitor) -> None:
    paths = (
        "/enter",
        "/sessions",
        f"/chat/{visitor.key}",
        "/nowhere",
        "/static/style.css",
        "/x" * 40,
    )
    for path in paths:
        headers = visitor.get(path, headers=visitor.own).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        told = [headers[name] for name in ("x-frame-options", "x-content-type-options")]
        assert told == ["DENY", "nosniff"]
        assert not [name for name in headers if name.startswith("access-control")]


def test_the_cookie_is_out_of_reach_of_scripts_and_of_other_sites(served: Served) -> None:
    code = served.offered(served.person(ANN))
    with Visitor(served.origin) as found:
        cookie = found.enter(code).headers["set-cookie"]
        left = found.post("/leave", data={"csrf": found.token}, headers=found.own)
    flags = "Path=/; Max-Age={}; HttpOnly; SameSite=Strict"
    assert re.fullmatch(rf"steward_[0-9a-f]{{10}}=[\w-]{{43}}; {flags.format(30 * 86_400)}", cookie)
    name = cookie.partition("=")[0]
    assert left.headers["set-cookie"] == f"{name}=; {flags.format(0)}"


def test_large_and_endless_forms_are_refused(served: Served, visitor: Visitor) -> None:
    cookie = "; ".join(f"{name}={value}" for name, value in visitor.cookies.items())
    head = (
        f"POST /chat/{visitor.key}/say HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\n"
        f"Origin: {served.origin}\r\nCookie: {cookie}\r\n"
    )
    form = "Content-Type: application/x-www-form-urlencoded\r\n"
    files = "Content-Type: multipart/form-data; boundary=x\r\n"
    declared = raw(served.port, f"{head}{files}Content-Length: {1 << 30}\r\n\r\n--x")
    assert declared.split()[1] == "413"
    many = "".join(
        f'--x\r\nContent-Disposition: form-data; name="file"; filename="{n}"\r\n\r\nx\r\n'
        for n in range(2_000)
    )
    told = raw(
        served.port, f"{head}{files}Connection: close\r\nContent-Length: {len(many)}\r\n\r\n{many}"
    )
    assert told.split()[1:2] in ([], ["400"], ["413"])
    chunk = "8000\r\n" + "a" * 0x8000 + "\r\n"
    with closing(socket.create_connection(("127.0.0.1", served.port), PATIENCE)) as line:
        line.sendall(f"{head}{form}Transfer-Encoding: chunked\r\n\r\n".encode())
        # The line is closed while it comes.
        with pytest.raises(ConnectionError):
            _pour(line, chunk.encode())
    assert visitor.say("").status_code == 400


def test_a_gigabyte_without_a_length_is_refused_while_it_comes(
    served: Served, visitor: Visitor
) -> None:
    cookie = "; ".join(f"{name}={value}" for name, value in visitor.cookies.items())
    head = (
        f"POST /chat/{visitor.key}/say HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\n"
        f"Origin: {served.origin}\r\nCookie: {cookie}\r\nTransfer-Encoding: chunked\r\n"
        "Content-Type: multipart/form-data; boundary=x\r\n\r\n"
    )
    part = '--x\r\nContent-Disposition: form-data; name="file"; filename="large.bin"\r\n\r\n'
    piece = b"10000\r\n" + bytes(0x10000) + b"\r\n"
    memory, sent, largest, told = served.peak_memory(), 0, 0, b""
    with closing(socket.create_connection(("127.0.0.1", served.port), PATIENCE)) as line:
        line.sendall(f"{head}{len(part):x}\r\n{part}\r\n".encode())
        with suppress(ConnectionError):
            while sent < 1 << 30 and not (told := _heard(line)):
                line.sendall(piece)
                sent += 0x10000
                largest = max(largest, served.bytes_of_open_files())
            told += _rest(line)
    assert b" 413 " in told.split(b"\r\n")[0]
    assert b"have at most 20 MB" in told
    # What the system holds between both ends comes on top.
    assert (20 << 20) <= sent < (40 << 20)
    assert largest < (22 << 20)
    assert served.peak_memory() - memory < (30 << 20)
    assert served.bytes_of_open_files() < (1 << 20)
    assert [*(served.folder / "uploads").glob("*")] == []
    assert visitor.say("").status_code == 400


def _heard(line: socket.socket) -> bytes:
    """Returns what the other end has said by now."""
    line.setblocking(False)
    try:
        return line.recv(1 << 16)
    except BlockingIOError:
        return b""
    finally:
        line.settimeout(PATIENCE)


def _rest(line: socket.socket) -> bytes:
    """Returns what the other end says until it ends the connection."""
    told = bytearray()
    with suppress(ConnectionError):
        while heard := line.recv(1 << 16):
            told += heard
    return bytes(told)


def test_what_is_refused_is_told_in_a_sentence_of_ours(visitor: Visitor) -> None:
    ours, token, say = visitor.own, visitor.token, f"/chat/{visitor.key}/say"
    many = [("file", (f"{n}.txt", b"x", "text/plain")) for n in range(11)]
    broken = {"content-type": "multipart/form-data; boundary=x"}
    old = {"csrf": token, "chat": "1", "switch": "nothing", "to": "on", "kind": "x", "typed": "x"}
    for answer, status, told in (
        (visitor.get("/nothing", headers=ours), 404, "There is no such page here"),
        (visitor.get("/static/nothing", headers=ours), 404, "There is no such page here"),
        (visitor.get("/press", headers=ours), 405, "Use the buttons"),
        (visitor.post("/more", data={"csrf": token}, headers=ours), 405, "Use the buttons"),
        (visitor.post(say, content=b"--y", headers=ours | broken), 400, "did not come whole"),
        (visitor.post(say, files=many, headers=ours), 400, "more than 10 files"),
        (visitor.post("/settings", data=old, headers=ours), 409, "This page is out of date"),
        (visitor.post("/now", data=old, headers=ours), 409, "This page is out of date"),
        (visitor.post("/people", data=old, headers=ours), 400, "This page is out of date"),
        (visitor.post("/now", data={"csrf": "x"}, headers=ours), 403, "from an older page"),
    ):
        sentence = re.search(r'<p role="alert">(.*?)</p>', answer.text)
        assert sentence is not None, answer.text
        assert (answer.status_code, told in sentence[1]) == (status, True), sentence[1]
    for method in ("PUT", "DELETE", "OPTIONS"):
        answer = visitor.request(method, "/more", headers=ours)
        assert (answer.status_code, "Nothing was done" in answer.text) == (405, True)


def test_a_file_that_comes_in_the_packets_of_a_phone_is_taken(visitor: Visitor) -> None:
    """A proxy may pass on each packet as it comes."""
    fields = {"csrf": visitor.token, "id": "sent-from-a-phone", "text": "Look"}
    files = {"file": ("large.bin", b"x" * 4_200_000, "application/octet-stream")}
    path, at = f"/chat/{visitor.key}/say", visitor.own
    whole = visitor.build_request("POST", path, data=fields, files=files, headers=at)
    body, form = whole.read(), {"content-type": whole.headers["content-type"]}
    packets = (body[at : at + 1_400] for at in range(0, len(body), 1_400))
    assert visitor.post(path, content=packets, headers=at | form).status_code == 303


def _pour(line: socket.socket, chunk: bytes) -> None:
    for _ in range(4_000):
        line.sendall(chunk)


NOWHERE = (
    *(
        "/chat/%00",
        "/chat/x",
        "/chat/web:",
        "/chat/web:1~%00",
        "/chat/web:1~%ED%A0%80",
        "/turn/%00",
    ),
    *("/chat/{}/older?before=%00", "/chat/{}/events?mark=%00", "/file/99999999999999999999/0"),
    *("/file/1/99999999999999999999", "/file/-1/0", "/turn/x?round=%00", "/%ff", "/static/%00"),
    *("/record?action=%00", "/money?by=%00", "/sessions?x=%00", "/chat/{}/older?before=1.1"),
    *(f"/cards?after={at}~1~x" for at in ("0001-01-01T00:00:00%2B23:59", "9999-12-31T23:59-23:59")),
    *(f"/cards?before=2026-01-01T00:00:00%2B00:00~1~{id}" for id in ("%00", "%F0%9F", "'")),
)
WORDS = ("\0", "x" * 300, "9" * 400, "o1", "o" + "9" * 18, "i" + "9" * 18, "٣", "../x", "-1")


def test_nothing_that_is_asked_or_sent_is_a_fault_of_ours(served: Served, visitor: Visitor) -> None:
    key, token = visitor.key, visitor.token
    for path in NOWHERE:
        answer = visitor.get(path.format(key), headers=visitor.own)
        assert answer.status_code < 500, path
    names = ("data", "message", "chat", "key", "text", "session", "edits", "back", "id")
    written = (*(path.format(key) for path in WRITTEN), "/press", "/word", "/sessions/end")
    for path in written:
        for words in WORDS:
            fields = {**dict.fromkeys(names, words), "id": secrets.token_hex(8), "csrf": token}
            answer = visitor.post(path, data=fields, headers=visitor.own)
            assert answer.status_code < 500, (path, words)
            assert answer.headers.get("location", "/").startswith("/")
    assert "Traceback" not in (served.folder / "output.txt").read_text()


def test_open_streams_and_slow_readers_do_not_delay_the_end(tmp_path: Path) -> None:
    with page_of_its_own(tmp_path) as served:
        lines: list[socket.socket] = []
        with served.visitor(served.person(ANN)) as visitor:
            key = visitor.key
            cookie = "; ".join(f"{name}={value}" for name, value in visitor.cookies.items())
            told = f"HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\nCookie: {cookie}\r\n"
            for _ in range(300):
                line = socket.create_connection(("127.0.0.1", served.port), PATIENCE)
                line.sendall(f"GET /chat/{key}/events?mark=0.0 {told}\r\n".encode())
                lines.append(line)
            for line in lines:
                assert line.recv(12) == b"HTTP/1.1 200"
            # Somebody asks for much and reads nothing, and a form never comes whole.
            greedy = socket.create_connection(("127.0.0.1", served.port), PATIENCE)
            with suppress(TimeoutError):
                greedy.settimeout(0.2)
                while True:
                    greedy.sendall(f"GET /static/style.css {told}\r\n".encode() * 100)
            posted = socket.create_connection(("127.0.0.1", served.port), PATIENCE)
            form = "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n"
            posted.sendall(f"POST /leave {told}Origin: {served.origin}\r\n{form}\r\ncs".encode())
            lines += [greedy, posted]
        served.process.send_signal(signal.SIGTERM)
        assert served.process.wait(PATIENCE) == 0
        for line in lines:
            line.close()
    # The server tells when it had to cut something off after its time of grace.
    output = (tmp_path / "output.txt").read_text()
    assert "graceful" not in output
    assert "Traceback" not in output


def test_a_port_in_use_is_told_once_and_the_run_goes_on(tmp_path: Path) -> None:
    with closing(socket.socket()) as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        process, output = running(tmp_path, port), tmp_path / "output.txt"
        try:
            until(lambda: "The page in the browser is off" in output.read_text())
            # Its home is open by now, so a signal is followed.
            until((tmp_path / "data" / "door").exists)
            assert process.poll() is None
            process.send_signal(signal.SIGTERM)
            assert process.wait(PATIENCE) == 0
        finally:
            process.kill()
            process.wait()
    told = output.read_text()
    assert told.count(f"port {port} of 127.0.0.1 is in use") == 1
    assert "Traceback" not in told
    assert "/enter#" not in told


def test_a_service_writes_no_link_into_its_journal(tmp_path: Path) -> None:
    port, output = free_port(), tmp_path / "output.txt"
    with closing(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)) as manager:
        manager.bind(str(tmp_path / "manager"))
        process = running(tmp_path, port, NOTIFY_SOCKET=str(tmp_path / "manager"))
        try:
            until(lambda: f"The page is at http://127.0.0.1:{port}." in output.read_text())
            until((tmp_path / "data" / "door").exists)
            process.send_signal(signal.SIGTERM)
            assert process.wait(PATIENCE) == 0
        finally:
            process.kill()
            process.wait()
    assert "steward login" in output.read_text()
    assert "/enter#" not in output.read_text()
