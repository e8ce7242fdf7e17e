"""A PostgreSQL server that belongs to one test, which may stop, kill and restart it."""

import asyncio
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
from sqlalchemy import NullPool, create_engine, text
from sqlalchemy.exc import DBAPIError

from tests.lacking import missing
from tests.ports import free_port
from tests.without import SERVERS, mount_disk, unmount

_SETTINGS = (
    *("-c", "fsync=off", "-c", "listen_addresses=127.0.0.1", "-c", "shared_buffers=16MB"),
    *("-c", "max_connections=60", "-c", "logging_collector=off"),
    # Where the disk is small, the log for a restart leaves room for rows.
    *("-c", "max_wal_size=64MB"),
)
_DATABASE = "steward"
_PAGE = 8192
STANDBY = "standby"
"""The name by which a primary knows the server that follows it."""


def _binaries() -> Path | None:
    """Returns the folder of the server's programs, the newest that there is."""
    here = [one for one in SERVERS.glob("*/bin/initdb") if os.access(one, os.X_OK)]
    if found := sorted(here, key=_version):
        return found[-1].parent
    named = shutil.which("initdb")
    return Path(named).resolve().parent if named else None


def _version(program: Path) -> int:
    name = program.parts[-3]
    return int(name) if name.isdigit() else 0


class OwnServer:
    """A server on a free port of this machine, on a folder that goes with it."""

    def __init__(self, programs: Path, folder: Path) -> None:
        self._programs = programs
        self._data = folder / "data"
        self._log = folder / "server.log"
        self._port = free_port()
        self._sockets = f"unix_socket_directories={folder}"
        self._process: subprocess.Popen[bytes] | None = None
        self.address = f"postgresql+psycopg://postgres@127.0.0.1:{self._port}"
        self.url = f"{self.address}/{_DATABASE}"
        self.without_network = (
            f"postgresql+psycopg://postgres@/{_DATABASE}?host={folder}&port={self._port}"
        )
        """The address of the database that needs no network."""

    def make(self) -> None:
        """Makes an empty cluster with one database."""
        wanted = ("-A", "trust", "-U", "postgres", "--no-sync", "-E", "UTF8", "--locale=C")
        self._run("initdb", "-D", str(self._data), *wanted)
        self.begin()
        self._until_up()
        self.ask(f"CREATE DATABASE {_DATABASE}", database="postgres")

    @property
    def place(self) -> str:
        """The host and port, as an address names them."""
        return f"127.0.0.1:{self._port}"

    def follow(self, primary: "OwnServer") -> None:
        """Copies another server, and follows it from then on."""
        host, _, port = primary.place.partition(":")
        told = f"host={host} port={port} user=postgres application_name={STANDBY}"
        self._run("pg_basebackup", "-D", str(self._data), "-d", told, "-R", "-c", "fast")
        self.begin()
        self._until_up()

    def promote(self) -> None:
        """Makes a server that follows another one the primary."""
        self._run("pg_ctl", "promote", "-w", "-D", str(self._data))

    def begin(self) -> None:
        """Starts the server, and does not wait until it is up."""
        command = (*_as_postgres(), str(self._programs / "postgres"), "-D", str(self._data))
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [*command, "-p", str(self._port), "-c", self._sockets, *_SETTINGS],
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    async def start(self) -> None:
        """Starts the server and waits until it takes connections."""
        self.begin()
        await asyncio.to_thread(self._until_up)

    async def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """Stops the server: SIGINT cuts all connections, SIGQUIT stops without tidying up."""
        await asyncio.to_thread(self.end, how)

    def end(self, how: signal.Signals = signal.SIGQUIT) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        with suppress(ProcessLookupError, ValueError, OSError):
            os.kill(int((self._data / "postmaster.pid").read_text().split()[0]), how)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def ask(self, statement: str, database: str = _DATABASE) -> list[tuple[object, ...]]:
        """Carries out a statement as the owner of the server."""
        engine = create_engine(
            f"{self.address}/{database}", poolclass=NullPool, isolation_level="AUTOCOMMIT"
        )
        with engine.connect() as connection:
            result = connection.execute(text(statement))
            return [tuple(row) for row in result] if result.returns_rows else []

    def cut(self, one: bool = False) -> None:
        """Ends all connections of the program, or one of them."""
        bound = " ORDER BY random() LIMIT 1" if one else ""
        self.ask(
            "SELECT pg_terminate_backend(pid) FROM (SELECT pid FROM pg_stat_activity"
            f" WHERE datname = '{_DATABASE}' AND pid <> pg_backend_pid(){bound}) AS ours"
        )

    async def spoil(self, table: str) -> None:
        """Writes over the first page of a table, while the server is down."""
        ((path,),) = self.ask(f"SELECT pg_relation_filepath('{table}')")
        await self.stop()
        with (self._data / str(path)).open("r+b") as raw:
            raw.write(b"\xa5" * _PAGE)
        await self.start()

    @contextmanager
    def full(self) -> Iterator[None]:
        """Leaves not one byte free on the server's disk, which has to be one of its own."""
        ballast = self._data.parent / "ballast"
        with ballast.open("wb", buffering=0) as file, suppress(OSError):
            while True:
                file.write(bytes(1 << 20))
        try:
            yield
        finally:
            ballast.unlink()

    @contextmanager
    def silent(self) -> Iterator[None]:
        """Stops every process of the server: connections stay open, and nothing answers."""
        assert self._process is not None
        postmaster = int((self._data / "postmaster.pid").read_text().split()[0])
        stopped = [psutil.Process(postmaster)]
        stopped[0].suspend()
        stopped += stopped[0].children()
        for process in stopped:
            process.suspend()
        try:
            yield
        finally:
            for process in stopped:
                with suppress(psutil.NoSuchProcess):
                    process.resume()
            # The program that started the server stops with it, and does not go on by itself.
            psutil.Process(self._process.pid).resume()

    @property
    def runs(self) -> bool:
        """Returns False when the server has ended by itself."""
        return self._process is not None and self._process.poll() is None

    def _until_up(self) -> None:
        for _ in range(600):
            with suppress(DBAPIError):
                self.ask("SELECT 1", database="postgres")
                return
            assert self._process is not None
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(0.05)
        raise AssertionError(f"the server does not come up:\n{self._log.read_text()}")

    def _run(self, program: str, *arguments: str) -> None:
        command = [*_as_postgres(), str(self._programs / program), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


def _as_postgres() -> tuple[str, ...]:
    """Returns the words before a command: the server refuses to run as root."""
    return ("runuser", "-u", "postgres", "--") if os.geteuid() == 0 else ()


@contextmanager
def own_server(*, room: int = 0) -> Iterator[OwnServer]:
    """Makes a server with an empty database, and removes both in the end.

    With `room` it has a disk of its own, of so many bytes.
    """
    with _place(room) as (programs, folder):
        server = OwnServer(programs, folder)
        try:
            server.make()
            yield server
        finally:
            server.end()


@contextmanager
def two_servers() -> Iterator[tuple[OwnServer, OwnServer]]:
    """Makes a primary and its standby, which has on its disk whatever the primary confirms."""
    with _place() as (programs, folder):
        first, second = folder / "first", folder / "second"
        for one in (first, second):
            one.mkdir()
            if os.geteuid() == 0:
                shutil.chown(one, "postgres")
        primary = OwnServer(programs, first)
        standby = OwnServer(programs, second)
        try:
            primary.make()
            standby.follow(primary)
            primary.ask(f"ALTER SYSTEM SET synchronous_standby_names = '{STANDBY}'", "postgres")
            # What does not wait for the disk is lost for sure, not by luck.
            primary.ask("ALTER SYSTEM SET wal_writer_delay = '10s'", "postgres")
            primary.ask("SELECT pg_reload_conf()", "postgres")
            yield primary, standby
        finally:
            standby.end()
            primary.end()


def needs_server() -> None:
    """Skips the test where no server can be started."""
    if _binaries() is None:
        missing("no PostgreSQL programs", "apt-get install postgresql")


@contextmanager
def _place(room: int = 0) -> Iterator[tuple[Path, Path]]:
    """Yields the folder of the server's programs and one for its data, which is removed again."""
    programs = _binaries()
    if programs is None:
        missing("no PostgreSQL programs", "apt-get install postgresql")
    folder = Path(tempfile.mkdtemp(prefix="steward-postgres-"))
    if room:
        mount_disk(folder, room)
    try:
        if os.geteuid() == 0:
            shutil.chown(folder, "postgres")
        yield programs, folder
    finally:
        if room:
            unmount(folder)
        shutil.rmtree(folder, ignore_errors=True)
