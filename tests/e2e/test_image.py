"""The image: what its files say, and its sandbox and its parts, tried without an engine."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.e2e.launching import surroundings
from tests.lacking import missing

ROOT = Path(__file__).parents[2]
FILTER = ROOT / "docker" / "seccomp.json"
UNDER = [sys.executable, "-m", "tests.e2e.own_seccomp", str(FILTER)]
_SLIM_MB = 300
"""Most MB of the packages of postgres.txt as installed; docker/slim.sh takes 60 of them."""


def steps() -> list[tuple[str, str]]:
    """Returns each instruction of the Dockerfile with its words."""
    text = re.sub(r"^#.*\n", "", (ROOT / "Dockerfile").read_text(), flags=re.MULTILINE)
    lines = re.sub(r"\\\n\s*", "", text).splitlines()
    return [(verb, words) for verb, _, words in (line.partition(" ") for line in lines) if verb]


def composed() -> dict[str, Any]:
    """Returns each service of ours by its name."""
    services = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
    return {name: one for name, one in services.items() if one["image"] == "steward"}


def test_the_image_is_made_in_two_stages_from_locks_and_runs_without_rights() -> None:
    told = steps()
    stages = [number for number, (verb, _) in enumerate(told) if verb == "FROM"]
    assert len(stages) == 2
    build, final = told[: stages[1]], told[stages[1] :]
    installs = [word for verb, word in build if verb == "RUN" and "pip install" in word]
    for command in " && ".join(installs).split("&&"):
        if "pip install" in command:
            assert "--require-hashes" in command or "--no-deps" in command, command
    assert not [words for _, words in final if "pip" in shlex.split(words)]
    assert [words for verb, words in final if verb == "USER"] == ["steward"]
    verbs = [verb for verb, _ in final]
    assert verbs.index("USER") < verbs.index("ENTRYPOINT")
    (health,) = [words for verb, words in final if verb == "HEALTHCHECK"]
    assert health.endswith('CMD ["steward-healthy"]')
    for verb, words in told:
        if verb == "COPY" and "--from" not in words:
            for place in words.split()[:-1]:
                assert (ROOT / place).exists(), place


def test_the_container_can_write_its_volume_alone_and_keeps_a_short_log() -> None:
    services = composed()
    assert len(services) > 1
    for bot in services.values():
        assert bot["read_only"] is True
        assert bot["cap_drop"] == ["ALL"]
        assert f"seccomp={FILTER.relative_to(ROOT)}" in bot["security_opt"]
        assert "seccomp=unconfined" not in bot["security_opt"]
        assert "no-new-privileges:true" in bot["security_opt"]
        assert set(bot["logging"]["options"]) == {"max-size", "max-file"}
        assert [one.partition(":")[2] for one in bot["volumes"]] == ["/data"]


def test_the_packages_of_the_small_image_stay_small() -> None:
    names = re.findall(r"^([\w.-]+)==", (ROOT / "requirements" / "postgres.txt").read_text(), re.M)
    size = 0
    for name in dict.fromkeys(names):
        try:
            files = distribution(name).files or ()
        except PackageNotFoundError:
            continue
        places = (Path(str(one.locate())) for one in files if one.suffix != ".pyc")
        size += sum(place.stat().st_size for place in places if place.is_file())
    assert 100 < size / 1e6 < _SLIM_MB


def under_the_filter(*command: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [*UNDER, *command],
        cwd=ROOT,
        env=surroundings(),
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.commands
def test_bubblewrap_and_the_program_work_under_the_filter_of_the_image(tmp_path: Path) -> None:
    if shutil.which("bwrap") is None:
        missing("no bubblewrap", "apt-get install bubblewrap")
    refused = "import ctypes; print(ctypes.CDLL(None).syscall(101, 0, 0, 0, 0))"
    if os.uname().machine == "x86_64":
        assert under_the_filter(sys.executable, "-c", refused).stdout == "-1\n"
    bare = ("--unshare-all", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev")
    done = under_the_filter("bwrap", *bare, "sh", "-c", "id -u && touch /nowhere")
    assert "Read-only" in done.stderr, done
    done = subprocess.run(
        [*UNDER, sys.executable, "-m", "bot", "doctor"],
        cwd=ROOT,
        env=surroundings(tmp_path),
        capture_output=True,
        text=True,
        check=False,
    )
    assert re.search(r"^ok +sandbox +Commands run in the workspace, sandboxed", done.stdout, re.M)
