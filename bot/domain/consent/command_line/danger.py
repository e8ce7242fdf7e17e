"""Finds grave commands: they always ask, and no standing rule can cover them."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from bot.domain.consent.command_line.programs import (
    INTERPRETERS,
    PRIVILEGE,
    SHELLS,
    WRAPPERS,
    names,
    program,
)
from bot.domain.consent.command_line.script import MARK, NotUnderstood, ScriptReader, SimpleCommand

_GRAVE_PROGRAMS = {
    "acts with other rights": PRIVILEGE,
    "changes disks or file systems": names(
        "dd wipefs fdisk sfdisk gdisk parted mkswap cryptsetup lvremove vgremove pvremove "
        "blkdiscard shred hdparm mount umount losetup"
    ),
    "turns the machine off or changes how it runs": names(
        "shutdown reboot halt poweroff init telinit kexec sysctl modprobe insmod rmmod iptables "
        "nft ufw setcap chattr setenforce"
    ),
    "changes accounts or timed jobs": names(
        "useradd userdel usermod groupadd passwd chpasswd visudo crontab at batch"
    ),
    "ends processes by their name": names("killall killall5 pkill"),
}
_PACKAGES = names("apt apt-get aptitude dpkg yum dnf zypper pacman apk brew snap rpm")
_PACKAGE_CHANGES = names(
    "install remove purge upgrade dist-upgrade full-upgrade autoremove add del delete uninstall "
    "erase update -i -r -s -u -e --install --remove --purge"
)
_QUIET_SERVICES = names("status show list-units list-unit-files is-active cat")
_DOWNLOADERS = names("curl wget nc ncat netcat socat aria2c ftp")
_COPIERS = names("cp mv ln tee install truncate rsync")
_HARMLESS_TARGETS = frozenset(("/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty"))
_PREFIXES = names("if then else elif do while until ! { time coproc")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*(\[[^\]]*\])?\+?=")
_FORK_BOMB = re.compile(r"([^\s(){};|&]{1,40})\(\)\{[^}]{0,200}\1\|\1&")
_UNREADABLE = "it cannot be read with certainty"
_MOST_WORDS = 100
MAX_JUDGED = 32_000
"""The most characters that are read of one command; a script inside it counts again each time."""
_COMPUTED = frozenset((MARK, "*", "?", "[", "{"))
_FINDERS = names("find fd xargs parallel")


def is_dangerous(command: str) -> str | None:
    """Returns the reason why a part of a command is grave; None when no part is.

    This keeps grave commands out of standing rules. The sandbox is the boundary, not this check. A
    long command, or one with scripts in scripts, counts as grave after a bounded amount of work.
    """
    return _danger(command, 0, _Effort())


@dataclass(slots=True)
class _Effort:
    """The characters that may still be read for one command and all scripts inside it."""

    left: int = MAX_JUDGED

    def affords(self, characters: int) -> bool:
        self.left -= characters
        return self.left >= 0


def _danger(command: str, depth: int, effort: _Effort) -> str | None:
    if not effort.affords(len(command)) or "\0" in command or depth > 3:
        return _UNREADABLE
    if _FORK_BOMB.search(re.sub(r"\s", "", command)):
        return "it multiplies without end"
    if "((" in command and "<<" in command:
        return _UNREADABLE  # a shift in arithmetic looks like a here-document
    reader = ScriptReader(command)
    try:
        reader.read()
    except NotUnderstood:
        return _UNREADABLE
    downloads = any(program(c.words[0]) in _DOWNLOADERS for c in reader.commands if c.words)
    found = (_danger_of(simple, downloads, depth, effort) for simple in reader.commands)
    return next((reason for reason in found if reason), None)


def _danger_of(simple: SimpleCommand, downloads: bool, depth: int, effort: _Effort) -> str | None:
    if any(_is_outside(target) for target in simple.targets):
        return "it writes outside the workspace"
    words = _without_prefixes(simple.words)
    if not words:
        return None
    name = program(words[0])
    if simple.fed and (name in SHELLS or (downloads and name in INTERPRETERS)):
        return "it runs what it reads from a pipe"
    if name in SHELLS or name in ("eval", "source", ".", "trap"):
        return _danger_of_text([*words, *simple.bodies], depth, effort)
    if name in WRAPPERS or name in PRIVILEGE or name in ("find", "fd", "ssh"):
        return _danger_inside(words, depth, effort)
    return _danger_of_words(words)


def _without_prefixes(words: list[str]) -> list[str]:
    at = 0
    while at < len(words):
        if words[at] == "function":
            at += 1
        elif words[at] not in _PREFIXES and not _ASSIGNMENT.match(words[at]):
            break
        at += 1
    rest = words[at:]
    return [] if rest and rest[0] in ("for", "select", "case", "[[", "}") else rest


def _danger_of_text(words: list[str], depth: int, effort: _Effort) -> str | None:
    """Judges a shell or `eval` by all of its words that may be a script."""
    if any(MARK in word for word in words):
        return "it runs text that is computed"
    if len(words) > _MOST_WORDS:
        return _UNREADABLE
    scripts = [" ".join(words[1:]), *words[1:]]
    return next((reason for text in scripts if (reason := _danger(text, depth + 1, effort))), None)


def _danger_inside(words: list[str], depth: int, effort: _Effort) -> str | None:
    """Judges a program that may run another program named anywhere in its words."""
    if len(words) > _MOST_WORDS:
        return _UNREADABLE
    for reason in _dangers_inside(words, depth, effort):
        if reason:
            return reason
    return None


def _dangers_inside(words: list[str], depth: int, effort: _Effort) -> Iterator[str | None]:
    yield _danger_of_words(words)
    finds = program(words[0]) in _FINDERS
    for at in range(1, len(words)):
        tail = words[at:]
        name = program(tail[0])
        if name in SHELLS or name == "eval":
            yield _danger_of_text(tail, depth, effort)
        elif name == "rm" and finds:
            yield "it deletes whatever it finds"
        elif not tail[0].startswith("-") and not set(tail[0]) & _COMPUTED:
            yield _danger_of_words(tail)
        if re.search(r"\s", tail[0]):
            yield _danger(tail[0].replace(MARK, "$_"), depth + 1, effort)


def _danger_of_words(words: list[str]) -> str | None:
    if set(words[0]) & _COMPUTED and words[0] not in ("[", "[["):
        return "it runs a program whose name is computed"
    name, rest = program(words[0]), words[1:]
    if name.startswith("mkfs"):
        return "it changes disks or file systems"
    for reason, programs in _GRAVE_PROGRAMS.items():
        if name in programs:
            return f"it {reason}"
    judge = _JUDGES.get(name)
    if judge is not None:
        return judge(rest)
    if name in _PACKAGES and any(word in _PACKAGE_CHANGES or word[:2] == "-S" for word in rest):
        return "it changes the packages of the machine"
    if name in _COPIERS and any(_is_outside(word) for word in rest):
        return "it writes outside the workspace"
    return None


def _is_outside(target: str) -> bool:
    if target in _HARMLESS_TARGETS or (target.startswith("/tmp/") and ".." not in target):
        return False
    return target.startswith(("/", "~")) or ".." in target.split("/")


def _has_flag(words: Sequence[str], letters: str, *names: str) -> bool:
    short = (w for w in words if w.startswith("-") and not w.startswith("--"))
    return any(set(w) & set(letters) for w in short) or any(
        w.partition("=")[0] in names for w in words
    )


def _judge_rm(rest: list[str]) -> str | None:
    broad = (".", "./", "*", "./*", ".*")
    for target in (word for word in rest if not word.startswith("-")):
        if target in broad or MARK in target or _is_outside(target):
            return "it deletes broadly"
    return "it deletes broadly" if "--no-preserve-root" in rest else None


def _judge_mode(rest: list[str]) -> str | None:
    if _has_flag(rest, "R", "--recursive"):
        return "it changes rights of whole folders"
    if any(re.fullmatch(r"[2-7]\d{3}|[ugoa]*[+=][rwxXt]*s[rwxXst]*", word) for word in rest):
        return "it gives a program the rights of its owner"
    return None


def _judge_find(rest: list[str]) -> str | None:
    return "it deletes whatever it finds" if "-delete" in rest else None


def _judge_kill(rest: list[str]) -> str | None:
    pids = rest[1:] if rest and re.fullmatch(r"-([A-Z]+|\d+)", rest[0]) else rest
    if {"0", "1", "-1", "-0"} & {pid.strip() for pid in pids}:
        return "it ends processes that are not its own"
    return None


def _judge_services(rest: list[str]) -> str | None:
    verbs = [word for word in rest if not word.startswith("-")]
    return None if set(verbs[:1]) <= _QUIET_SERVICES else "it changes services of the machine"


def _judge_git(rest: list[str]) -> str | None:
    verbs = [word for word in rest if not word.startswith("-")]
    forced = any(word.startswith(("+", ":")) for word in rest)
    if "push" in verbs and (
        forced or _has_flag(rest, "fd", "--force", "--force-with-lease", "--mirror", "--delete")
    ):
        return "it rewrites or deletes history of the remote"
    lost = (
        ("reset" in verbs and "--hard" in rest)
        or ("clean" in verbs and _has_flag(rest, "f", "--force"))
        or ("branch" in verbs and _has_flag(rest, "D"))
        or ("stash" in verbs and {"drop", "clear"} & set(verbs))
        or {"filter-branch", "filter-repo", "update-ref", "reflog"} & set(verbs)
        or ("checkout" in verbs and ("." in verbs or _has_flag(rest, "f", "--force")))
    )
    return "it throws away work that git cannot bring back" if lost else None


def _judge_container(rest: list[str]) -> str | None:
    broad = "--privileged" in rest or "prune" in rest or any(w.startswith("/:") for w in rest)
    return "it acts on the machine through containers" if broad else None


_JUDGES: dict[str, Callable[[list[str]], str | None]] = {
    "rm": _judge_rm,
    "chmod": _judge_mode,
    "chown": _judge_mode,
    "chgrp": _judge_mode,
    "find": _judge_find,
    "kill": _judge_kill,
    "systemctl": _judge_services,
    "service": lambda _: "it changes services of the machine",
    "git": _judge_git,
    "docker": _judge_container,
    "podman": _judge_container,
}
