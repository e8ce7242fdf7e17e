"""The image: what its files say, and its sandbox and its parts, tried without an engine."""

import json
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
from tests.e2e.test_package import environment_with, source, wheel
from tests.lacking import missing

__all__ = ["source", "wheel"]

ROOT = Path(__file__).parents[2]
FILTER = ROOT / "docker" / "seccomp.json"
UNDER = [sys.executable, "-m", "tests.e2e.own_seccomp", str(FILTER)]
_SLIM_MB = 300
"""Most MB of the packages of postgres.txt as installed; docker/slim.sh takes 60 of them."""

_SLIMMED_MB = 240
"""Most MB that stay of them; Debian, Python and bubblewrap are 110 MB beside them."""


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


def copied(packages: Path) -> None:
    """Puts copies in the place of links: as in the image, packages can be made smaller there."""
    for link in packages.iterdir():
        if link.is_symlink():
            target = link.resolve()
            link.unlink()
            if target.is_dir():
                shutil.copytree(target, link, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy2(target, link)


@pytest.mark.timeout(600)
def test_what_the_image_keeps_of_the_packages_is_small_and_runs_where_all_else_is_read_only(
    wheel: Path, tmp_path: Path
) -> None:
    for program in ("strip", "bwrap"):
        if shutil.which(program) is None:
            missing(f"no {program}", "apt-get install binutils bubblewrap")
    lock = (ROOT / "requirements" / "postgres.txt").read_text()
    programs = environment_with(
        wheel, tmp_path / "steward", *re.findall(r"^([\w.-]+)==", lock, re.MULTILINE)
    )
    (packages,) = programs.parent.glob("lib/python3.*/site-packages")
    copied(packages)
    subprocess.run([ROOT / "docker" / "slim.sh", programs.parent], check=True)
    files = (one for one in programs.parent.rglob("*") if one.is_file() and not one.is_symlink())
    assert 100 < sum(one.stat().st_size for one in files) / 1e6 < _SLIMMED_MB
    (loads,) = [words for verb, words in steps() if verb == "RUN" and "python -B -c" in words]
    (code,) = re.findall(r'-B -c "(.+?)"', loads)
    run = [*UNDER, "bwrap", *in_place(programs.parent, tmp_path / "data"), "--"]
    for command in (("python", "-B", "-c", code), ("steward", "doctor"), ("sh", "-c", SERVES)):
        done = subprocess.run(
            [*run, *command],
            cwd=ROOT,
            env=environment_of_the_image(),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        if "doctor" in command:
            assert "can be written" in done.stdout


def words_of(wanted: str) -> list[str]:
    """Returns the last words of an instruction of the Dockerfile, as the engine reads them."""
    found = [words for verb, words in steps() if verb == wanted][-1]
    return json.loads(found[found.index("[") :])


SERVES = f"""
{shlex.join([*words_of("ENTRYPOINT"), *words_of("CMD")])} & bot=$!
for _ in $(seq 300); do
    if {shlex.join(words_of("HEALTHCHECK"))} 2>/dev/null; then kill $bot; wait $bot; exit; fi
    sleep 0.2
done
exit 1
"""
"""What the engine starts, until what it asks about the health of that says it is well."""


def environment_of_the_image() -> dict[str, str]:
    (told,) = [words for verb, words in steps() if verb == "ENV" and "STEWARD_HOME" in words]
    named = dict(word.split("=", 1) for word in shlex.split(told))
    return {**named, "PATH": named["PATH"].replace("$PATH", "/run/image:/usr/bin:/bin")}


def in_place(environment: Path, data: Path) -> list[str]:
    """Returns a folder like the image: its parts in their places, and only /data to be written."""
    data.mkdir()
    whole = ("/usr", "/etc", "/bin", "/lib", "/lib64", "/sbin")
    healthy, python = ROOT / "docker" / "healthy.sh", Path(sys.executable).resolve().parents[1]
    # Programs name the place where they were installed, and the environment its Python.
    parts = {
        "/opt/steward": environment,
        str(environment): environment,
        "/run/image/steward-healthy": healthy,
        **{place: Path(place) for place in whole if Path(place).exists()},
        **({} if python.is_relative_to("/usr") else {str(python): python}),
    }
    return [
        *("--tmpfs", "/tmp"),
        *(word for place, part in parts.items() for word in ("--ro-bind", str(part), place)),
        *("--bind", str(data), "/data", "--proc", "/proc", "--dev", "/dev"),
        *("--remount-ro", "/", "--chdir", "/data", "--unshare-net"),
        *("--unshare-user", "--uid", "1000", "--gid", "1000"),
    ]
