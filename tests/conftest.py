"""What all tests share: loopback without proxies, and a tool server for those that ask."""

import os
import shutil
import signal
from pathlib import Path

import pytest
from hypothesis import settings

from tests.lacking import missing

pytest_plugins = [
    "tests.collecting",
    "tests.empty_databases",
    "tests.forked_chroma",
    "tests.lacked",
    "tests.reasons",
    "tests.skips",
    "tests.without",
]

os.environ["NO_PROXY"] = os.environ["no_proxy"] = "127.0.0.1,localhost"

# A shell that runs a command in its background has it ignore Ctrl-C, and `nohup` a closed terminal;
# so would each program that a test starts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

# No test speaks TLS with anyone: reading a machine's certificates takes each client 20 ms.
os.environ["SSL_CERT_FILE"] = str(Path(__file__).parent / "standins" / "authority.pem")

_SERVERS = Path(__file__).parent / "servers"

# The machine's load must not decide whether a property holds. A change alone may make a test fail,
# so the same cases are tried each time; `thorough` tries others, and many more.
settings.register_profile("steward", deadline=None, derandomize=True, max_examples=60)
settings.register_profile("thorough", deadline=None, max_examples=3_000)
settings.load_profile(os.environ.get("STEWARD_TEST_PROFILE", "steward"))


@pytest.fixture(scope="session", autouse=True)
def person(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Keeps what a run without a home of its own writes away from whoever runs the tests."""
    os.environ["XDG_DATA_HOME"] = str(tmp_path_factory.mktemp("person"))


@pytest.fixture(scope="session")
def everything() -> tuple[str, ...]:
    """The command of npm's server-everything, which the lock in tests/servers pins."""
    script = _SERVERS / "node_modules/@modelcontextprotocol/server-everything/dist/index.js"
    node = shutil.which("node")
    if node is None or not script.exists():
        missing("npm's tool server is not installed", "make servers, with Node.js 20")
    return node, str(script)
