"""Running commands: what the card says, what they can reach, and that nothing is left of them."""

import asyncio
import contextlib
import os
import socket
import sys
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from bot.adapters.tools.command import RunCommand, resolved
from bot.adapters.tools.process import HEAD, TAIL
from bot.adapters.tools.sandbox import Sandbox, View
from bot.domain.skills.skill import Skill
from bot.domain.talk.errors import ToolFailure
from bot.domain.talk.message import CodeBlock
from bot.domain.talk.reach import Reach
from bot.domain.tools.tool import Effect, ExactRule, ToolOutput
from bot.domain.tools.variable import Variable
from bot.ports.tool import Place
from tests.adapters.tools.folders import names_in
from tests.lacking import working_sandbox
from tests.patience import PATIENCE
from tests.processes import outlived

pytestmark = pytest.mark.commands

NAP = str(1_000_000 + os.getpid())
"""Seconds that nobody else sleeps on this machine."""


@pytest.fixture
async def walled() -> Sandbox:
    return await working_sandbox()


@pytest.fixture(params=["walled", "bare"])
async def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    return Sandbox(program=None) if request.param == "bare" else await working_sandbox()


async def run(sandbox: Sandbox, place: Place, command: str, seconds: int = 20) -> ToolOutput:
    arguments = {"command": command, "timeout": seconds}
    return await RunCommand(sandbox).run(arguments, place, None)


def survivors(word: str) -> list[psutil.Process]:
    """Processes with this word among their arguments that do not end by themselves; ends them."""
    found: list[psutil.Process] = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if any(word in argument for argument in process.cmdline()):
                found.append(process)
    alive = outlived(found, seconds=3)
    for process in alive:
        process.kill()
    return alive


async def none_naps() -> bool:
    return not await asyncio.to_thread(survivors, NAP)


async def test_output_and_exit_code_come_back(sandbox: Sandbox, place: Place) -> None:
    output = await run(sandbox, place, command := "echo out; echo err >&2; pwd; exit 3")
    assert output.text == f"exit code 3 of {command}\nout\nerr\n{place.workspace}"
    assert output.failed
    assert (output.failed, output.timed_out) == (True, False)
    assert not (await run(sandbox, place, "true")).failed


async def test_files_of_the_workspace_are_read_and_written(
    sandbox: Sandbox, place: Place, workspace: Path
) -> None:
    (workspace / "in").write_text("x")
    await run(sandbox, place, "cat in > out")
    assert (workspace / "out").read_text() == "x"


async def test_nothing_of_our_environment_is_inherited(sandbox: Sandbox, place: Place) -> None:
    canary = f"canary{os.getpid()}"
    os.environ["STEWARD_TEST_CANARY"] = canary
    try:
        output = await run(sandbox, place, "env; cat /proc/self/environ /proc/1/environ")
    finally:
        del os.environ["STEWARD_TEST_CANARY"]
    assert canary not in output.text
    assert f"HOME={place.workspace}" in output.text
    assert "TERM=dumb" in output.text


async def test_a_command_known_to_read_obeys_no_settings_of_the_workspace(
    sandbox: Sandbox, place: Place
) -> None:
    await run(sandbox, place, "printf '#!/bin/sh\\necho ran > ran.txt\\n' > p; chmod +x p")
    armed = f"[log]\n\tshowSignature = true\n[gpg]\n\tprogram = {place.workspace}/p\n"
    (place.workspace / ".gitconfig").write_text(f"{armed}[alias]\n\tmine = log\n")
    await run(sandbox, place, "git init -q; git -c user.name=a -c user.email=a@b commit -q "
              "--allow-empty -m first")  # fmt: skip
    with (place.workspace / ".git" / "config").open("a") as settings:
        settings.write(armed)
    assert "first" in (await run(sandbox, place, "git log -1 --format=%s")).text
    assert not (place.workspace / "ran.txt").exists()
    assert "first" in (await run(sandbox, place, "git mine")).text, "a card's command has its home"


async def test_input_is_empty(sandbox: Sandbox, place: Place) -> None:
    assert (await run(sandbox, place, "cat; read x || echo none")).text == "exit code 0\nnone"


async def test_escape_sequences_and_odd_bytes_are_tamed(sandbox: Sandbox, place: Place) -> None:
    command = r"printf '\033[31mred\033[0m \033]0;title\007\377 a\rb\n10%%\r20%%\r\n'"
    assert (await run(sandbox, place, command)).text == "exit code 0\nb\n20%"


async def test_a_signal_is_named(sandbox: Sandbox, place: Place) -> None:
    output = await run(sandbox, place, "sh -c 'kill -9 $$'; exit $?")
    assert output.text.startswith("exit code 137 (SIGKILL)")


async def test_endless_output_is_bounded_and_both_ends_kept(sandbox: Sandbox, place: Place) -> None:
    output = await run(sandbox, place, "echo first; yes | head -c 30000000; echo last")
    assert output.text.startswith("exit code 0\nfirst\n")
    assert output.text.endswith("last")
    assert "bytes left out" in output.text
    assert len(output.text) < HEAD + TAIL + 200
    flood = await run(sandbox, place, "yes", seconds=1)
    assert flood.text.startswith("killed after 1 s")
    assert len(flood.text) < HEAD + TAIL + 200


async def test_a_command_is_killed_whole_when_its_time_is_up(
    sandbox: Sandbox, place: Place
) -> None:
    command = f"echo begun; trap '' TERM; env -i /bin/sleep {NAP} & (sleep {NAP} & sleep {NAP})"
    async with asyncio.timeout(PATIENCE):
        output = await run(sandbox, place, command, seconds=1)
    assert output.text == "killed after 1 s, its time was up; output so far:\nbegun"
    assert output.failed
    assert output.timed_out
    assert await none_naps()


async def test_a_cancelled_command_leaves_no_process(
    sandbox: Sandbox, place: Place, workspace: Path
) -> None:
    os.mkfifo(workspace / "up")
    os.mkfifo(workspace / "inner")
    child = f"sh -c 'echo > inner; exec sleep {NAP}'"
    command = f"setsid {child} & nohup {child} & read x < inner; echo up > up; sleep {NAP}"
    task = asyncio.ensure_future(run(sandbox, place, command))
    assert await asyncio.to_thread((workspace / "up").read_text) == "up\n"
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await none_naps()


async def test_a_cancel_at_the_very_start_leaves_no_process(sandbox: Sandbox, place: Place) -> None:
    await sandbox.works()
    for steps in range(8):
        task = asyncio.ensure_future(run(sandbox, place, f"sleep {NAP}"))
        for _ in range(steps):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert await none_naps()


HALF_BUILT = f"""#!/bin/sh
case "$*" in *"-c exit 0") exit 0 ;; esac
setsid sh -c 'echo up > up; exec sleep {NAP}' &
wait
"""


async def test_a_wall_that_is_ended_before_it_stands_leaves_no_process(
    place: Place, workspace: Path, tmp_path: Path
) -> None:
    builder = tmp_path / "half-built"
    builder.write_text(HALF_BUILT)
    builder.chmod(0o700)
    os.mkfifo(workspace / "up")
    task = asyncio.ensure_future(run(Sandbox(program=str(builder)), place, "true"))
    assert await asyncio.to_thread((workspace / "up").read_text) == "up\n"
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await none_naps()


@pytest.mark.parametrize("detach", ["", "setsid ", "nohup "])
async def test_a_child_that_stays_behind_is_ended_and_does_not_hold_us(
    sandbox: Sandbox, place: Place, workspace: Path, detach: str
) -> None:
    os.mkfifo(workspace / "up")
    child = f"{detach}sh -c 'echo up > up; exec sleep {NAP}' 2>/dev/null"
    async with asyncio.timeout(PATIENCE):
        output = await run(sandbox, place, f"{child} & read word < up; echo $word")
    assert output.text == "exit code 0\nup"
    assert await none_naps()


async def test_a_child_that_becomes_other_programs_all_the_time_is_ended(
    place: Place, workspace: Path
) -> None:
    (workspace / "restless").write_text(f"exec /bin/sh restless {NAP}\n")
    os.mkfifo(workspace / "up")
    bare = Sandbox(program=None)
    for _ in range(30):
        child = f"setsid sh -c 'echo up > up; exec /bin/sh restless {NAP}' 2>/dev/null"
        ended = await run(bare, place, f"{child} & until read word < up; do :; done")
        assert ended.text == "exit code 0"
        assert await none_naps()


async def test_the_wall_hides_everything_but_the_workspace(
    walled: Sandbox, place: Place, outside: Path, workspace: Path
) -> None:
    (workspace / "link").symlink_to(outside / "secret")
    command = f"cat {outside}/secret link ../outside/secret; echo x > {outside}/new; ls /root /home"
    output = await run(walled, place, command)
    assert "canary" not in output.text
    assert names_in(outside) == ["secret"]
    system = await run(walled, place, "touch /usr/steward-test /etc/steward-test; ls /tmp /proc")
    assert "Read-only file system" in system.text
    assert str(os.getpid()) not in system.text.split()


async def test_there_is_no_network_behind_the_wall(walled: Sandbox, place: Place) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        command = f"echo x > /dev/tcp/127.0.0.1/{port} && echo reached"
        output = await run(walled, place, command)
        assert "reached" not in _printed(output)
        assert output.untrusted is None
        connected = await run(Sandbox(network=True), place, command)
        assert "reached" in connected.text
        assert connected.untrusted == "output of a command with network"


def _printed(output: ToolOutput) -> str:
    """What the command wrote, without the first line, which names it."""
    return output.text.partition("\n")[2]


async def test_a_child_cannot_signal_us(walled: Sandbox, place: Place) -> None:
    output = await run(walled, place, f"kill -0 {os.getpid()} && echo seen")
    assert "seen" not in _printed(output)


async def test_the_card_says_where_and_offers_this_command_alone(
    walled: Sandbox, place: Place
) -> None:
    arguments = {"command": "pytest -q"}
    preview = await RunCommand(walled).preview(arguments, place)
    assert preview.effect is Effect.WRITE
    assert preview.where == "in the workspace, sandboxed, no network"
    assert (preview.title, preview.blocks) == ("Run `pytest -q`", ())
    assert preview.outcome == "Ran `pytest -q`"
    assert preview.always == ExactRule('{"command":"pytest -q"}')
    connected = await RunCommand(Sandbox(network=True)).preview(arguments, place)
    assert connected.where == "in the workspace, sandboxed, with network"


async def test_a_command_reaches_beyond_its_folder_unless_the_sandbox_keeps_it_there(
    place: Place,
) -> None:
    # A card runs nothing, so a program that builds no wall does as well; it is everywhere.
    walled, online = Sandbox(program="/bin/true"), Sandbox(network=True, program="/bin/true")
    own, shared = replace(place, own=True), replace(place, own=False)
    told, kept = (Variable("TOKEN", "s3cret-value", secret=s) for s in (True, False))
    skill = Skill("tracker", "Logs in.", "Log in.", "/", variables=(kept,))
    under = replace(own, skill=skill)
    secretive = replace(skill, variables=(told,))
    knowing = replace(skill, variables=(kept, told))
    assert await walled.works()
    assert await online.works()

    async def reach(sandbox: Sandbox, place: Place) -> Reach | None:
        return (await RunCommand(sandbox).preview({"command": "touch x"}, place)).reach

    assert [await reach(walled, at) for at in (own, under)] == [Reach.COMMAND] * 2
    beyond = {
        "no network is kept away": (online, own),
        "the folder belongs to no chat": (walled, place),
        "chats share the folder": (walled, shared),
        "it knows a secret": (walled, replace(own, skill=secretive)),
        "it knows a secret beside another variable": (walled, replace(own, skill=knowing)),
    }
    found = {why: await reach(*case) for why, case in beyond.items()}
    assert found == dict.fromkeys(beyond, Reach.BEYOND)


async def test_a_card_does_not_cut_in_its_title_what_stands_whole_below(
    walled: Sandbox, place: Place
) -> None:
    command = f"echo {'a long word ' * 12}"
    preview = await RunCommand(walled).preview({"command": command}, place)
    assert preview.title == "Run this command"
    assert preview.blocks == (CodeBlock(command, "bash"),)
    assert preview.subject.startswith("Run `echo a long word")


async def test_the_card_shows_the_time_a_command_wants(walled: Sandbox, place: Place) -> None:
    arguments = {"command": "pytest -q", "timeout": 600}
    tool = RunCommand(walled)
    preview = await tool.preview(arguments, place)
    assert preview.where == "in the workspace, sandboxed, no network, for up to 600 s"
    short = {"command": "echo hello", "timeout": 5}
    shown = await tool.preview(short, place)
    assert "hello" in (await tool.run(short, place, shown.seen)).text


@pytest.mark.parametrize(
    "command", ["echo " + "x" * 60, "echo a  b", "echo `date`", "echo a\necho b", "echo …"]
)
async def test_a_command_that_its_line_cannot_show_whole_stands_below_it(
    walled: Sandbox, place: Place, command: str
) -> None:
    preview = await RunCommand(walled).preview({"command": command}, place)
    assert preview.blocks == (CodeBlock(command, "bash"),)


@pytest.mark.parametrize("command", ["ls; ls", "python3 x.py", "make", "ls > x", "echo $HOME"])
async def test_commands_that_are_not_plain_get_no_rule(
    walled: Sandbox, place: Place, command: str
) -> None:
    preview = await RunCommand(walled).preview({"command": command}, place)
    assert (preview.effect, preview.always, preview.always_label) == (Effect.WRITE, None, "")


@pytest.mark.parametrize("command", ["sudo ls", "rm -rf /", "echo 'open", "ls && reboot"])
async def test_grave_commands_are_danger_with_the_reason(
    walled: Sandbox, place: Place, command: str
) -> None:
    preview = await RunCommand(walled).preview({"command": command}, place)
    assert preview.effect is Effect.DANGER
    assert preview.why.startswith("Always asks: it ")
    assert preview.always is None


@pytest.mark.parametrize("program", [None, "/nonexistent/bwrap", "/bin/false"])
async def test_without_a_working_sandbox_every_command_is_danger(
    place: Place, program: str | None
) -> None:
    sandbox = Sandbox(program=program)
    tool = RunCommand(sandbox)
    preview = await tool.preview({"command": "ls"}, place)
    assert preview.effect is Effect.DANGER
    assert preview.always is None
    assert "no sandbox" in preview.where
    assert (await tool.run({"command": "env"}, place, None)).untrusted is not None


async def test_hidden_characters_of_a_command_are_visible_on_the_card(
    walled: Sandbox, place: Place
) -> None:
    preview = await RunCommand(walled).preview({"command": "ls \u202e\x1b[8m x"}, place)
    assert preview.blocks == (CodeBlock("ls \\u202e\\x1b[8m x", "bash"),)
    assert preview.subject.isprintable()


async def test_a_command_shown_as_walled_in_never_runs_bare(place: Place, workspace: Path) -> None:
    tool = RunCommand(Sandbox(program=None))
    with pytest.raises(ToolFailure, match="shown to run in the workspace, sandboxed"):
        await tool.run({"command": "touch x"}, place, "in the workspace, sandboxed, no network")
    assert names_in(workspace) == []


HARDENED = """
import asyncio, ctypes, pathlib, sys
from bot.adapters.tools.hardening import harden
from bot.adapters.tools.command import resolved
from bot.adapters.tools.sandbox import Sandbox

async def main():
    for sandbox in (Sandbox(), Sandbox(program=None)):
        run = await sandbox.run("echo ran", pathlib.Path(sys.argv[1]), 10)
        print(run.output.strip(), flush=True)
    dumpable = ctypes.CDLL(None).prctl(3, 0, 0, 0, 0)
    print(dumpable, flush=True)

harden()
asyncio.run(main())
"""


async def test_a_hardened_process_is_undumpable_and_still_runs_commands(place: Place) -> None:
    """Hardening cannot be undone, so another process than the test's is hardened."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        HARDENED,
        str(place.workspace),
        stdout=asyncio.subprocess.PIPE,
        env={"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    output, _ = await process.communicate()
    assert output.decode().split() == ["ran", "ran", "0"]
    assert process.returncode == 0


async def test_a_skill_lends_its_variables_and_its_files(
    sandbox: Sandbox, place: Place, outside: Path
) -> None:
    variables = (Variable("TRACKER", "s3cret-value", secret=True), Variable("PATH_OF", "x"))
    skill = Skill("tracker", "Logs in.", "Log in.", str(outside), variables=variables)
    under = replace(place, skill=skill)
    output = await run(sandbox, under, 'echo "$TRACKER $PATH_OF"; cat "$SKILL_DIR/secret"; pwd')
    assert output.text == f"exit code 0\ns3cret-value x\ncanary{place.workspace}"
    assert "s3cret" not in (await run(sandbox, place, "env")).text
    card = await RunCommand(sandbox).preview({"command": "true"}, under)
    assert card.where.endswith(", with variables of the skill tracker: PATH_OF, TRACKER (secret)")


async def test_a_command_runs_that_an_older_version_has_shown_in_other_words(
    place: Place, workspace: Path
) -> None:
    tool, command = RunCommand(Sandbox(program=None)), {"command": "touch ran"}
    shown = "in the workspace, NOT sandboxed, with all rights of the bot"
    await tool.run(command, place, shown)
    assert (workspace / "ran").exists()
    with pytest.raises(ToolFailure, match="ask again"):
        await tool.run(command, place, "in the workspace, sandboxed, no network")


async def test_the_words_for_the_place_of_a_command_are_those_that_cards_are_compared_by() -> None:
    """Where one of them changes, run_place.py has to know the former words."""
    walled, online, bare = Sandbox(), Sandbox(network=True), Sandbox(program=None)
    for one in (walled, online):
        one._works = True
    told = [
        await one.where(view) for one in (walled, online) for view in (View(), View(writes=False))
    ]
    assert [*told, await bare.where()] == [
        "in the workspace, sandboxed, no network",
        "in the workspace, files of other chats too, where it can change nothing, sandboxed,"
        " no network",
        "in the workspace, sandboxed, with network",
        "in the workspace, files of other chats too, where it can change nothing, sandboxed,"
        " with network",
        "runs on this machine with your permissions (no sandbox)",
    ]


async def test_a_command_runs_with_the_secrets_its_card_told_of_and_no_others(
    place: Place, workspace: Path
) -> None:
    tool, command = RunCommand(Sandbox(program=None)), {"command": "touch ran"}
    secret = (Variable("TRACKER", "s3cret-value", secret=True),)
    under = replace(place, skill=Skill("tracker", "Logs in.", "Log in.", "/", variables=secret))
    card, bare = await tool.preview(command, under), await tool.preview(command, place)
    with pytest.raises(
        ToolFailure, match=r"would now run .* with variables of the skill tracker: TRACKER"
    ):
        await tool.run(command, under, bare.seen)
    with pytest.raises(
        ToolFailure, match=r"shown to run .* of the skill tracker: TRACKER \(secret\), it"
    ):
        await tool.run(command, place, card.seen)
    assert not (workspace / "ran").exists()
    await tool.run(command, under, card.seen)
    assert (workspace / "ran").exists()


async def test_the_files_of_a_skill_cannot_be_changed_behind_the_wall(
    walled: Sandbox, place: Place, outside: Path
) -> None:
    under = replace(place, skill=Skill("tracker", "Logs in.", "Log in.", str(outside)))
    output = await run(walled, under, 'echo no > "$SKILL_DIR/secret"')
    assert output.failed
    assert (outside / "secret").read_text() == "canary"


async def test_a_command_finds_the_folder_of_its_skill_under_every_name(
    sandbox: Sandbox, place: Place, outside: Path
) -> None:
    under = replace(place, skill=Skill("tracker", "Logs in.", "Log in.", str(outside)))
    command = 'cat "$CLAUDE_SKILL_DIR/secret" "${CLAUDE_PLUGIN_ROOT}/secret" "$SKILL_DIR/secret"'
    assert (await run(sandbox, under, command)).text == "exit code 0\ncanarycanarycanary"


async def test_a_path_of_the_skill_is_resolved_and_shown(
    sandbox: Sandbox, place: Place, workspace: Path, outside: Path
) -> None:
    (outside / "scripts").mkdir()
    (outside / "scripts" / "x.sh").write_text('echo "skill: $1"\n')
    under = replace(place, skill=Skill("tracker", "Logs in.", "Log in.", str(outside)))
    tool, call = RunCommand(sandbox), {"command": "bash scripts/x.sh 'a b'"}
    card = await tool.preview(call, under)
    (shown,) = card.blocks
    assert isinstance(shown, CodeBlock)
    assert shown.text == f"bash {outside}/scripts/x.sh 'a b'"
    assert "scripts/x.sh is taken from the skill's folder" in card.why
    assert (card.effect, card.always) == (Effect.DANGER, None)
    assert (await tool.run(call, under, card.seen)).text == "exit code 0\nskill: a b"
    (workspace / "scripts").mkdir()
    (workspace / "scripts" / "x.sh").write_text("echo workspace\n")
    with pytest.raises(ToolFailure, match="ask again"):
        await tool.run(call, under, card.seen)
    again = await tool.preview(call, under)
    assert "taken from" not in again.why
    assert (await tool.run(call, under, again.seen)).text == "exit code 0\nworkspace"


@pytest.mark.parametrize(
    "command",
    [
        "cat scripts/../secret",
        "cat secret",
        "cat gone/x",
        "cat links/secret",
        "cat scripts/x.sh | head",
        "cat $HOME/scripts/x.sh",
    ],
)
async def test_other_paths_stay_as_they_are(
    place: Place, outside: Path, tmp_path: Path, command: str
) -> None:
    (outside / "scripts").mkdir()
    (outside / "scripts" / "x.sh").touch()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "secret").touch()
    (outside / "links").symlink_to(tmp_path / "elsewhere")
    skill = Skill("tracker", "Logs in.", "Log in.", str(outside))
    assert resolved(command, place.workspace, skill).command == command
    assert resolved("cat scripts/x.sh", place.workspace, None).command == "cat scripts/x.sh"


async def test_a_command_without_a_sandbox_reaches_beyond_its_folder(place: Place) -> None:
    bare = RunCommand(Sandbox(program=None))
    preview = await bare.preview({"command": "ls"}, replace(place, own=True))
    assert preview.reach is Reach.BEYOND
