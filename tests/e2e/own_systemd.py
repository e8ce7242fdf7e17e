"""A real systemd in namespaces of its own, for tests of the service that it runs.

It has no unit but targets without content, and folders of its own at /etc/systemd/system, /srv
and /opt, where the checkout stands: a service cannot see one below /tmp.
The machine's own files are as they are, and its processes are not seen.
"""

import asyncio
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.lacking import missing
from tests.patience import PATIENCE

_SYSTEMD = Path("/lib/systemd/systemd")
_CONTROL_GROUPS = Path("/sys/fs/cgroup")
_TARGETS = (
    *("basic", "sysinit", "shutdown", "umount", "final", "multi-user", "network-online"),
    *("reboot", "poweroff", "halt"),
)
_WITHOUT = "[Unit]\nDefaultDependencies=no\n"
_BOOT = """\
set -e
mount --make-rprivate /
mount -t tmpfs -o mode=755 tmpfs /run
mount --bind "$1/units" /lib/systemd/system
mount --bind "$1/etc" /etc/systemd/system
mount -t tmpfs -o mode=755 tmpfs /srv
mkdir /srv/steward
mount --bind "$2" /srv/steward
mount -t tmpfs -o mode=755 tmpfs /opt
mkdir /opt/steward
mount --bind "$4" /opt/steward
# These two files say where their checkout is.
cd /opt/steward/.venv
for file in bin/steward lib/python*/site-packages/__editable___steward_*_finder.py; do
    sed "s|$4|/opt/steward|g" "$file" > "/run/${file##*/}"
    chmod 755 "/run/${file##*/}"
    mount --bind "/run/${file##*/}" "$file"
done
cd /
# Another user may need the interpreter that root installed for itself.
if [ -d "$3" ]; then
    mkdir /run/python
    mount --bind "$3" /run/python
    mount -t tmpfs -o mode=755 tmpfs /root
    mkdir -p "$3"
    mount --move /run/python "$3"
fi
mount --make-rshared /
exec env -i container=test PATH="$PATH" /lib/systemd/systemd --system --unit=basic.target \\
    --log-target=console --show-status=no
"""


_CHECKOUT = Path(__file__).parents[2]
PROGRAM = "/opt/steward/.venv/bin/steward"
"""The program of this checkout, where a service finds it."""


class OwnSystemd:
    def __init__(self, pid: int) -> None:
        self._inside = ("nsenter", "-t", str(pid), "--mount", "--pid", "--uts", "--ipc")

    async def run(self, *command: str) -> tuple[int, str]:
        """Runs a command beside its services, in /srv/steward: the exit code, and what it says."""
        process = await asyncio.create_subprocess_exec(
            *(*self._inside, "sh", "-c", 'cd /srv/steward && exec "$@"', "sh", *command),
            env={"PATH": os.environ["PATH"], "LANG": "C.UTF-8"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        async with asyncio.timeout(PATIENCE):
            said, _ = await process.communicate()
        assert process.returncode is not None
        return process.returncode, said.decode()

    async def did(self, *command: str) -> str:
        """Runs a command that must succeed; what it says."""
        code, said = await self.run(*command)
        assert code == 0, said
        return said


@contextmanager
def own_systemd(folder: Path, served: Path) -> Iterator[OwnSystemd]:
    """Boots systemd, with `served` at /srv/steward, and ends it with all that it has started."""
    for name in ("units", "etc"):
        (folder / name).mkdir(parents=True)
    for target in _TARGETS:
        (folder / "units" / f"{target}.target").write_text(_WITHOUT)
    python = sys.base_prefix if sys.base_prefix.startswith("/root/") else ""
    flags = ("--pid", "--fork", "--kill-child", "--mount", "--mount-proc", "--uts", "--ipc")
    with (folder / "log").open("wb") as log:
        boot = ("sh", "-c", _BOOT, "boot", str(folder), str(served), python, str(_CHECKOUT))
        outer = subprocess.Popen(["unshare", *flags, *boot], stdout=log, stderr=log)
    try:
        yield OwnSystemd(_booted(outer, folder / "log"))
    finally:
        outer.send_signal(signal.SIGKILL)
        outer.wait()
        _leave_no_groups()


def needs_systemd() -> None:
    """Skips the test where no systemd can be booted beside what runs the machine."""
    if os.geteuid() != 0 or Path("/run/systemd/system").exists():
        missing("no systemd of its own", "root, on a machine that systemd does not run itself")
    if not _SYSTEMD.exists() or not (_CONTROL_GROUPS / "systemd").is_dir():
        missing("no systemd", "apt-get install systemd, with its control group mounted")
    if shutil.which("bwrap") is None:
        missing("no bubblewrap", "apt-get install bubblewrap")


def _booted(outer: subprocess.Popen[bytes], log: Path) -> int:
    """Returns the process that is systemd, once it takes orders."""
    children = Path(f"/proc/{outer.pid}/task/{outer.pid}/children")
    for _ in range(int(PATIENCE * 20)):
        inner = children.read_text().split()
        if inner:
            asked = ("--mount", "--pid", "systemctl", "is-system-running")
            looked = subprocess.run(
                ["nsenter", "-t", inner[0], *asked], capture_output=True, check=False
            )
            if looked.stdout.strip() in (b"running", b"degraded", b"starting"):
                return int(inner[0])
        try:
            outer.wait(0.05)
        except subprocess.TimeoutExpired:
            continue
        break
    raise AssertionError(f"systemd did not come up:\n{log.read_text(errors='replace')}")


def _leave_no_groups() -> None:
    for group in sorted(_CONTROL_GROUPS.glob("*/*/**/"), reverse=True):
        if {"init.scope", "system.slice"} & set(group.parts):
            with suppress(OSError):
                group.rmdir()
