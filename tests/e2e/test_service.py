"""Steward as a service of a real systemd, in the unit that `steward service` makes."""

import os
import pwd

import pytest

from bot.settings.fields import FIELDS
from tests.e2e.own_systemd import PROGRAM, OwnSystemd, needs_systemd, own_systemd
from tests.e2e.steward import KEY, Steward, results_in
from tests.standins.bot_api import TOKEN
from tests.standins.messages_api import calls, text, tool
from tests.words import APPROVE

_SECRETS = ("TELEGRAM_BOT_TOKEN", "ANTHROPIC_API_KEY")
_TRIES = "id -un; touch kept && echo wrote"

_DROP_IN = "/etc/systemd/system/steward.service.d"
_QUICK = """\
# A test does not wait for a minute, and there is no journal.
[Service]
WatchdogSec=3
RestartSec=0
StandardOutput=append:/srv/steward/output.txt
StandardError=inherit
"""


def _prepared(steward: Steward) -> None:
    """Gives the folder with its settings to a user that is not root, and secrets to root."""
    told = {name: value for name, value in steward.settings.items() if name in FIELDS}
    told |= {"STEWARD_HOME": "/srv/steward/home"}
    lines = (f"{name}={value}\n" for name, value in told.items() if name not in _SECRETS)
    (steward.folder / ".env").write_text("".join(lines))
    (steward.folder / "quick.conf").write_text(_QUICK)
    for name, secret in zip(_SECRETS, (TOKEN, KEY), strict=True):
        (steward.folder / name).write_text(f"{secret}\n")
    nobody = pwd.getpwnam("nobody")
    for path in (steward.folder, *steward.folder.rglob("*")):
        os.chown(path, nobody.pw_uid, nobody.pw_gid)
    for name in _SECRETS:
        os.chown(steward.folder / name, 0, 0)
        (steward.folder / name).chmod(0o600)


async def _pid(systemd: OwnSystemd) -> int:
    return int(await systemd.did("systemctl", "show", "--property=MainPID", "--value", "steward"))


@pytest.mark.flows_own("the manager of services knows no platform")
@pytest.mark.timeout(240)
async def test_systemd_runs_the_unit_feeds_it_secrets_and_starts_it_again_when_it_hangs(
    steward: Steward, tmp_path_factory: pytest.TempPathFactory
) -> None:
    needs_systemd()
    _prepared(steward)
    steward.script(calls(tool("run_command", {"command": _TRIES})), text("Tried."))
    with own_systemd(tmp_path_factory.mktemp("systemd"), steward.folder) as systemd:
        secrets = [f"--credential={name}=/srv/steward/{name}" for name in _SECRETS]
        told = await systemd.did(PROGRAM, "service", "--user=nobody", "--install", *secrets)
        assert "systemctl enable --now steward" in told
        await systemd.did("sh", "-c", f"mkdir {_DROP_IN} && cp quick.conf {_DROP_IN}")
        await systemd.did("systemctl", "daemon-reload")
        await systemd.did("systemctl", "start", "steward")
        first = await _pid(systemd)

        steward.say("Try what you may")
        steward.press(await steward.card(), APPROVE)
        await steward.sees("Tried.")
        (result,) = results_in(steward.model.requests[1]).values()
        assert "nobody" in result, result
        assert "wrote" in result, result
        within = ("nsenter", "-t", str(first), "--mount", "touch")
        assert "Read-only" in (await systemd.run(*within, "/srv/steward/.env"))[1]
        assert "Read-only" in (await systemd.run(*within, "/usr/bin/true"))[1]
        await systemd.did(*within, "/srv/steward/home/new")
        shown = await systemd.did("systemctl", "show", "steward")
        shown += await systemd.did("cat", f"/proc/{first}/environ", f"/proc/{first}/cmdline")
        shown += await systemd.did("cat", "/srv/steward/output.txt")
        assert TOKEN not in shown
        assert KEY not in shown

        await systemd.did("kill", "-STOP", str(first))
        steward.script(text("I am back."))
        steward.say("Are you there?")
        await steward.sees("I am back.")
        second = await _pid(systemd)
        assert second not in (0, first)

        await systemd.did("systemctl", "stop", "steward")
        state = await systemd.did("systemctl", "show", "--property=ActiveState,Result", "steward")
        assert state.split() == ["Result=success", "ActiveState=inactive"]
