"""Makes the unit with which systemd runs Steward as a service that may touch little."""

import os
import pwd
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from bot.domain.talk.errors import SettingError
from bot.domain.value import frozen
from bot.settings import read_settings
from bot.settings.whereabouts import KnownFolders, whereabouts
from bot.shipped import checkout

FILE = Path("/etc/systemd/system/steward.service")
_NAME = re.compile(r"[A-Z][A-Z0-9_]*")
_TEMPORARY = (Path("/tmp"), Path("/var/tmp"))
_HOMES = (Path("/home"), Path("/root"), Path("/run/user"))
_ROOT = "Steward should not run as root. Name the user it runs as: steward service --user NAME"

_NO_FOLDER = (
    "No settings are here. Go to the folder with the .env of the service, for instance "
    "/srv/steward, or set STEWARD_HOME."
)

_UNIT = """\
# Steward as a service; `steward service` made this file.
[Unit]
Description=Steward, an assistant that asks before it acts
Wants=network-online.target
After=network-online.target postgresql.service

[Service]
Type=notify
User={user}
WorkingDirectory={folder}
Environment=STEWARD_HOME={home}
{credentials}ExecStart={program} run

# Not after a wrong setting (2) or on a damaged database (65): an operator must act first.
Restart=on-failure
RestartSec=5
RestartPreventExitStatus=2 65
# An upgrade of the database takes its time, and so does a server that is away.
TimeoutStartSec=infinity
TimeoutStopSec=20
# The event loop says every 20 seconds that it works.
WatchdogSec=60
KillMode=mixed

# What it may write: its own folders and a /tmp of its own.
ProtectSystem=strict
ReadWritePaths={writes}
ProtectHome={homes}
PrivateTmp=yes
PrivateDevices=yes
UMask=0077

# What it may do. Commands run in bubblewrap, which needs namespaces, mounts, and a /proc that
# nothing covers: so there is no ProtectKernelTunables=, ProtectKernelLogs= and ProtectProc=.
NoNewPrivileges=yes
CapabilityBoundingSet=
RestrictNamespaces=user mnt pid net ipc uts cgroup
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
ProtectClock=yes
ProtectKernelModules=yes
ProtectControlGroups=yes
KeyringMode=private
SystemCallArchitectures=native
SystemCallFilter=@system-service @mount
SystemCallErrorNumber=EPERM

LimitNOFILE=8192
TasksMax=1024
MemoryMax=75%

[Install]
WantedBy=multi-user.target
"""


@frozen
class SystemdService:
    """A service: the folder with its settings, its home, and the folders that it writes to."""

    user: str
    folder: Path
    home: Path
    writes: Sequence[Path]
    credentials: Sequence[tuple[str, Path]] = ()
    """Each secret with the file that systemd reads it from."""

    program: Path = Path(sys.executable).with_name("steward")

    def unit(self) -> str:
        """Returns the text of the unit; raises SettingError if a path cannot stand in one."""
        own = (self.home, self.folder, *self.writes, self.program, Path(sys.base_prefix))
        lost = next((p for p in own if any(p.is_relative_to(t) for t in _TEMPORARY)), None)
        if lost is not None:
            raise SettingError(f"A service has a /tmp of its own, so it would not find {lost}.")
        shut = not any(path.is_relative_to(home) for path in own for home in _HOMES)
        return _UNIT.format(
            user=self.user,
            folder=_path(self.folder),
            home=_path(self.home),
            program=_path(self.program),
            writes=" ".join(dict.fromkeys(map(_path, (self.home, *self.writes)))),
            homes="yes" if shut else "read-only",
            credentials="".join(
                f"LoadCredential={name}:{_path(file)}\n" for name, file in self.credentials
            ),
        )

    def install(self, file: Path = FILE) -> Path:
        """Writes the unit, and makes missing folders for its user alone; raises SettingError."""
        unit = self.unit()
        try:
            owner = pwd.getpwnam(self.user)
            for folder in (self.home, *self.writes):
                if not folder.exists():
                    folder.mkdir(mode=0o700, parents=True)
                    os.chown(folder, owner.pw_uid, owner.pw_gid)
            spare = file.with_suffix(".new")
            spare.write_text(unit, encoding="utf-8")
            spare.chmod(0o644)
            spare.replace(file)
        except OSError as error:
            told = f"{error.filename} cannot be written: {error.strerror}."
            hint = "Run this as root, or print it without --install."
            raise SettingError(f"{told} {hint}") from error
        return file


def service_of(
    environ: Mapping[str, str],
    standing: Path,
    user: str | None,
    credentials: Sequence[str],
    further: Sequence[Path],
) -> SystemdService:
    """Returns the service as its start finds its folders, whoever asks; raises SettingError."""
    name = user_of(user)
    place = whereabouts(environ, standing, KnownFolders(), checkout=checkout(), serves=True)
    stranger = pwd.getpwnam(name).pw_uid != os.getuid()
    if stranger and place.folder != standing and not environ.get("STEWARD_HOME"):
        raise SettingError(_NO_FOLDER)
    # A secret may stand in a file that only the service can read.
    read = {n: v for n, v in environ.items() if not n.endswith("_FILE")}
    settings = read_settings(read, place.folder, home=place.home, look=False)
    writes = [settings.workspace, *further]
    if settings.database_url.startswith("sqlite"):
        writes.append(Path(settings.database_url.partition(":///")[2]).parent)
    apart = [one for one in writes if not one.is_relative_to(settings.home)]
    try:
        given = [credential(one) for one in credentials]
    except ValueError as fault:
        raise SettingError(f"--credential cannot be used: {fault}.") from None
    return SystemdService(name, place.folder, settings.home, apart, given)


def user_of(name: str | None) -> str:
    """Returns the user that a service runs as; raises SettingError for root and a stranger."""
    try:
        found = pwd.getpwnam(name) if name else pwd.getpwuid(os.getuid())
    except KeyError:
        raise SettingError(f"There is no user {name or os.getuid()} on this machine.") from None
    if found.pw_uid == 0:
        raise SettingError(_ROOT)
    return found.pw_name


def credential(text: str) -> tuple[str, Path]:
    """Reads NAME=FILE; raises ValueError unless that is a variable and a whole path."""
    name, _, file = text.partition("=")
    if not _NAME.fullmatch(name) or not Path(file).is_absolute():
        raise ValueError("write a setting and a whole path: TELEGRAM_BOT_TOKEN=/etc/steward/token")
    return name, Path(file)


def _path(path: Path) -> str:
    """Returns a path as a unit spells it, where % begins a specifier."""
    text = str(path)
    if not text.isprintable() or any(sign in text for sign in "\"'\\ :$"):
        raise SettingError(f"A unit cannot name {path}: it has a space or a sign with a meaning.")
    return text.replace("%", "%%")
