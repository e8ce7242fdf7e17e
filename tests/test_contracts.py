"""Each import contract breaks when its rule is broken; the package as it stands keeps them all."""

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
_HEADING = re.compile(r"^(.+)\n-+$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Fault:
    """Files to plant into a copy of the package, and the contract that must break by them."""

    contract: str
    files: Mapping[str, str]
    told: str
    """Words of the contract's report that name this fault and no other one."""


FAULTS = {
    "a file of the flow outside every room": Fault(
        "running-order", {"flow/helpers.py": ""}, "bot.flow.helpers"
    ),
    "a room that imports a room above it": Fault(
        "running-order",
        {"flow/log/upward.py": "import bot.flow.turn.turns"},
        "bot.flow.log.upward -> bot.flow.turn.turns",
    ),
    "a room that imports the room beside it": Fault(
        "running-order",
        {"flow/models/sideward.py": "import bot.flow.signs.newest_state"},
        "bot.flow.models.sideward -> bot.flow.signs.newest_state",
    ),
    "a file of the domain outside every room": Fault(
        "domain-rooms", {"domain/helpers.py": ""}, "bot.domain.helpers"
    ),
    "a noun that imports one above it": Fault(
        "domain-rooms",
        {"domain/text/upward.py": "import bot.domain.turn.turn"},
        "bot.domain.text.upward -> bot.domain.turn.turn",
    ),
    "a delivery that imports the work of a turn": Fault(
        "rows-alone",
        {"flow/delivery/curious.py": "import bot.flow.log.work"},
        "bot.flow.delivery.curious -> bot.flow.log.work",
    ),
    "a circle inside a room": Fault(
        "acyclic",
        {
            "flow/signs/chicken.py": "import bot.flow.signs.egg",
            "flow/signs/egg.py": "import bot.flow.signs.chicken",
        },
        "No cycles are allowed in bot.flow.signs.",
    ),
    "an adapter that imports another one": Fault(
        "strangers",
        {"adapters/tools/friend.py": "import bot.adapters.media.kind"},
        "bot.adapters.tools.friend -> bot.adapters.media.kind",
    ),
    "a domain that imports a library": Fault(
        "core", {"domain/text/learned.py": "import yaml"}, "bot.domain.text.learned -> yaml"
    ),
    "a flow that imports a library": Fault(
        "core", {"flow/log/learned.py": "import sqlalchemy"}, "bot.flow.log.learned -> sqlalchemy"
    ),
    "a room that declares arguments outside of its tools": Fault(
        "arguments",
        {"flow/goals/loose.py": "import pydantic"},
        "bot.flow.goals.loose -> pydantic",
    ),
    "a port that declares arguments of its own": Fault(
        "arguments", {"ports/loose.py": "import pydantic_core"}, "bot.ports.loose -> pydantic_core"
    ),
    "a room's tools that import another library": Fault(
        "core",
        {"flow/hooks/tools.py": "import sqlalchemy"},
        "bot.flow.hooks.tools -> sqlalchemy",
    ),
    "a tool of the world that imports a room": Fault(
        "rings",
        {"adapters/tools/roomy.py": "import bot.flow.goals.planning"},
        "bot.adapters.tools.roomy -> bot.flow.goals.planning",
    ),
    "a start that builds the tools of a room": Fault(
        "handed-out",
        {"bootstrap/again.py": "import bot.flow.goals.tools"},
        "bot.bootstrap.again -> bot.flow.goals.tools",
    ),
    "a library imported outside of its adapter": Fault(
        "libraries",
        {"bootstrap/direct.py": "import telegram"},
        "bot.bootstrap.direct -> telegram",
    ),
    "a command line that imports an adapter": Fault(
        "handed-in",
        {"cli/eager.py": "import bot.adapters.system_clock"},
        "bot.cli.eager -> bot.adapters.system_clock",
    ),
    "a port that imports the flow": Fault(
        "rings",
        {"ports/outward.py": "import bot.flow.world"},
        "bot.ports.outward -> bot.flow.world",
    ),
    "a wiring that imports the probes of the doctor": Fault(
        "rings",
        {"bootstrap/outward.py": "import bot.checkup.database_probes"},
        "bot.bootstrap.outward -> bot.checkup.database_probes",
    ),
    "a probe that imports a command that ends": Fault(
        "rings",
        {"checkup/sideward.py": "import bot.one_off.asking"},
        "bot.checkup.sideward -> bot.one_off.asking",
    ),
    "a module without a ring": Fault("rings", {"ringless.py": ""}, "bot.ringless"),
}


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    """Reports a copy with every fault in it: one graph serves all of them."""
    folder = _copy(tmp_path_factory.mktemp("planted"))
    for fault in FAULTS.values():
        for path, source in fault.files.items():
            (folder / "bot" / path).write_text(f"{source}\n")
    return _broken(folder)


def test_the_package_as_it_stands_keeps_every_contract(tmp_path: Path) -> None:
    assert _broken(_copy(tmp_path)) == {}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS.keys())
def test_a_planted_fault_breaks_its_contract(fault: Fault, planted: Mapping[str, str]) -> None:
    assert fault.told in " ".join(planted[fault.contract].split())


def test_every_contract_has_a_fault_that_breaks_it() -> None:
    assert {fault.contract for fault in FAULTS.values()} == set(_names().values())


def _copy(folder: Path) -> Path:
    """Copies the package and the configuration of the project."""
    shutil.copytree(ROOT / "bot", folder / "bot", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


def _broken(folder: Path) -> dict[str, str]:
    """Runs import-linter in a folder; returns the report of each broken contract by its id."""
    linter = Path(sys.executable).with_name("lint-imports")
    told = subprocess.run(
        [linter, "--no-cache", "--no-logo"],
        cwd=folder,
        env={"PATH": os.environ["PATH"], "COLUMNS": "200", "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    names = _names()
    sections = _HEADING.split(told.stdout.partition("\nBroken contracts\n")[2])[1:]
    found = dict(zip(sections[::2], sections[1::2], strict=True))
    broken = {names[name]: text for name, text in found.items() if name in names}
    count = re.search(r"^Contracts: (\d+) kept, (\d+) broken\.$", told.stdout, re.MULTILINE)
    assert count is not None, told.stdout + told.stderr
    assert (int(count[1]), int(count[2])) == (len(names) - len(broken), len(broken))
    assert (told.returncode == 0) == (not broken)
    return broken


def _names() -> dict[str, str]:
    """Returns the id of each contract by its name."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    contracts = project["tool"]["importlinter"]["contracts"]
    return {contract["name"]: contract["id"] for contract in contracts}


def test_delivery_may_import_no_room_there_is() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    (alone,) = [one for one in contracts["contracts"] if one["id"] == "rows-alone"]
    rooms = {path.parent.name for path in (ROOT / "bot" / "flow").glob("*/__init__.py")}
    expected = {f"bot.flow.{room}" for room in rooms - {"delivery"}}
    assert expected <= set(alone["forbidden_modules"])


def test_files_of_the_flow_lean_on_few_others() -> None:
    flow = ROOT / "bot" / "flow"
    counts = {path: _imports(path) for path in flow.rglob("*.py")}
    together = {path for path in counts if path.parent.name == "composition"}
    others = sorted(count for path, count in counts.items() if path not in together)
    assert (len(others) > 90, len(together) > 5) == (True, True)
    assert others[int(0.9 * (len(others) - 1))] <= 16
    assert max(counts[path] for path in together) <= 30


def _imports(path: Path) -> int:
    nodes = ast.walk(ast.parse(path.read_text()))
    return sum(isinstance(node, ast.Import | ast.ImportFrom) for node in nodes)
