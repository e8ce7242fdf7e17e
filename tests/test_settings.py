"""Settings: where they come from, what they become, and how wrong ones are told."""

import dataclasses
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from pydantic import SecretStr

from bot.domain.talk.errors import SettingError
from bot.domain.talk.limits import Limits, ModelTimes, Rate, SendRates
from bot.domain.talk.rights import UNBOUND, Pace
from bot.settings import Settings, read_settings

ROOT = Path(__file__).resolve().parents[1]
KEY = "sk-test-0123456789abcdefghijklmnop"
TOKEN = "123456:AAtest_token-0123456789abcdefghijk"


def origin(settings: Settings, name: str) -> tuple[str, str]:
    line = next(line for line in settings.lines if line.name == name)
    return line.value, line.origin


def test_everything_has_a_default(tmp_path: Path) -> None:
    settings = read_settings({}, tmp_path)
    assert settings.home == tmp_path / "data"
    assert settings.workspace == tmp_path / "data" / "workspace"
    assert settings.database_url == f"sqlite+aiosqlite:///{tmp_path}/data/steward.db"
    assert settings.policy.model == "anthropic/claude-sonnet-5-5"
    assert (settings.anthropic.key, settings.telegram.token) == (None, None)
    assert settings.policy.limits == Limits()
    assert settings.policy.model_times == ModelTimes()
    assert settings.send_rates == SendRates()
    assert (settings.secrets, settings.warnings) == ((), ())
    assert {line.origin for line in settings.lines} == {"default"}


def test_environment_beats_dotenv_beats_toml(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("STEWARD_SOFT_ROUNDS=5\nSTEWARD_PAUSES=2\n")
    (tmp_path / "steward.toml").write_text("soft_rounds = 6\npauses = 3\nattempts = 4\n")
    settings = read_settings({"STEWARD_SOFT_ROUNDS": "4"}, tmp_path)
    assert origin(settings, "STEWARD_SOFT_ROUNDS") == ("4", "environment")
    assert origin(settings, "STEWARD_PAUSES") == ("2", ".env")
    assert origin(settings, "STEWARD_ATTEMPTS") == ("4", "steward.toml")
    limits = settings.policy.limits
    assert (limits.soft_rounds, limits.pauses, limits.attempts) == (4, 2, 4)


def test_an_empty_value_is_no_value(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("STEWARD_SOFT_ROUNDS=7\n")
    given = {"ANTHROPIC_API_KEY": "", "STEWARD_OWNERS": " ", "STEWARD_SOFT_ROUNDS": ""}
    settings = read_settings(given, tmp_path)
    assert settings.anthropic.key is None
    assert settings.owners == ()
    assert origin(settings, "STEWARD_SOFT_ROUNDS") == ("7", ".env")


@pytest.mark.parametrize("kind", [Limits, ModelTimes])
def test_every_number_can_be_set(tmp_path: Path, kind: type[Limits | ModelTimes]) -> None:
    prefix = "STEWARD_MODEL_" if kind is ModelTimes else "STEWARD_"
    for field in dataclasses.fields(kind):
        value = 0.7 if field.name.startswith("compact") else 1500
        # What must not be above it goes along.
        also = {"STEWARD_MAX_ROUNDS": "1500", "STEWARD_SAME_ERROR_STOP": "1500"}
        also |= {"STEWARD_CALLS_PER_TURN": "1500", "STEWARD_MODEL_BACKOFF_MAX_SECONDS": "1500"}
        also |= {"STEWARD_RESULT_BYTES": "1000"}
        settings = read_settings(also | {f"{prefix}{field.name.upper()}": str(value)}, tmp_path)
        group = settings.policy.limits if kind is Limits else settings.policy.model_times
        several = isinstance(field.default, tuple)
        assert getattr(group, field.name) == ((value,) if several else value)


def test_every_setting_has_a_sentence(tmp_path: Path) -> None:
    lines = read_settings({}, tmp_path).lines
    assert len(lines) > 40
    assert [line.name for line in lines if not line.sentence.endswith(".")] == []


@pytest.mark.parametrize(
    ("text", "rates"),
    [
        ("off", None),
        ("chat=2,group=10/min,all=5", SendRates(Rate(2, 1), Rate(10, 60), Rate(5, 1))),
        ("group=100/h", SendRates(Rate(1, 1), Rate(100, 3600), Rate(30, 1))),
        ("chat=off", SendRates(None, Rate(20, 60), Rate(30, 1))),
        (" chat = 3/s , all = 9 ", SendRates(Rate(3, 1), Rate(20, 60), Rate(9, 1))),
        ("burst=1", SendRates(burst=1)),
    ],
)
def test_send_rates_are_read(tmp_path: Path, text: str, rates: SendRates | None) -> None:
    assert read_settings({"STEWARD_SEND_RATES": text}, tmp_path).send_rates == rates


def test_printed_send_rates_read_as_the_same_again(tmp_path: Path) -> None:
    for text in ("off", "chat=2,group=off,all=9/h,burst=5"):
        settings = read_settings({"STEWARD_SEND_RATES": text}, tmp_path)
        assert origin(settings, "STEWARD_SEND_RATES")[0] == text


@pytest.mark.parametrize(
    ("text", "pace"), [("", UNBOUND), ("OFF", UNBOUND), ("1000/d, 20/min", Pace(20, None, 1000))]
)
def test_the_pace_of_members_is_read(tmp_path: Path, text: str, pace: Pace) -> None:
    assert read_settings({"STEWARD_MEMBER_PACE": text}, tmp_path).policy.member_pace == pace


def test_a_pace_that_is_none_is_told(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="“fast”: it should be messages"):
        read_settings({"STEWARD_MEMBER_PACE": "fast"}, tmp_path)


@pytest.mark.parametrize(
    ("given", "url"),
    [
        ("postgresql://me@db/steward", "postgresql+psycopg://me@db/steward"),
        ("postgres://me:pw12345@db:5432/x", "postgresql+psycopg://me:pw12345@db:5432/x"),
        ("postgresql+psycopg://db/x", "postgresql+psycopg://db/x"),
        (
            "postgresql://me@a:1,b:2/x?target_session_attrs=read-write",
            "postgresql+psycopg://me@/x?target_session_attrs=read-write&host=a:1&host=b:2",
        ),
        ("sqlite:////var/x.db", "sqlite+aiosqlite:////var/x.db"),
        ("sqlite+aiosqlite:///x.db", "sqlite+aiosqlite:///x.db"),
    ],
)
def test_database_addresses_get_their_driver(tmp_path: Path, given: str, url: str) -> None:
    assert read_settings({"STEWARD_DATABASE_URL": given}, tmp_path).database_url == url


def test_accounts_and_lists(tmp_path: Path) -> None:
    (tmp_path / "steward.toml").write_text('owners = ["telegram:42", "discord:7"]\n')
    settings = read_settings({"STEWARD_ALLOWED": " telegram:1, telegram:1,telegram:-5,"}, tmp_path)
    assert settings.owners == ("telegram:42", "discord:7")
    assert settings.allowed == ("telegram:1", "telegram:-5")


def test_shared_folders_are_chats_with_a_folder_of_the_workspace(tmp_path: Path) -> None:
    assert read_settings({}, tmp_path).shared_folders == ()
    given = "telegram:-1001=team, telegram:-1001/7=team/a b,telegram:43=."
    settings = read_settings({"STEWARD_SHARED_FOLDERS": given}, tmp_path)
    assert settings.shared_folders == (
        ("telegram:-1001", "team"),
        ("telegram:-1001/7", "team/a b"),
        ("telegram:43", "."),
    )


@pytest.mark.parametrize(
    "given",
    [
        *(
            "team",
            "ann=team",
            "telegram:1=",
            "telegram:1=/etc",
            "telegram:1=..",
            "telegram:1=a/../b",
        ),
        *("telegram:1=a//b", "telegram:1=.git", "telegram:1=chats/x", "telegram:1=a,telegram:1=b"),
    ],
)
def test_a_shared_folder_elsewhere_is_refused(tmp_path: Path, given: str) -> None:
    with pytest.raises(SettingError, match="STEWARD_SHARED_FOLDERS"):
        read_settings({"STEWARD_SHARED_FOLDERS": given}, tmp_path)


def test_endings_of_documents_are_read_in_lower_case(tmp_path: Path) -> None:
    settings = read_settings({"STEWARD_RULE_DOCUMENTS": ".MD, .org,.md"}, tmp_path)
    assert settings.policy.rule_documents == (".md", ".org")


def test_toml_takes_full_names_too(tmp_path: Path) -> None:
    (tmp_path / "steward.toml").write_text(
        f'STEWARD_HOME = "h"\nanthropic_api_key = "{KEY}"\nsandbox_network = true\n'
    )
    settings = read_settings({}, tmp_path)
    assert settings.home == tmp_path / "h"
    assert settings.anthropic.key is not None
    assert settings.sandbox_network is True


def test_services_are_addressed_without_a_last_slash(tmp_path: Path) -> None:
    given = {"TELEGRAM_API_URL": "http://127.0.0.1:8081/", "ANTHROPIC_BASE_URL": "http://[::1]:9/a"}
    settings = read_settings(given, tmp_path)
    assert settings.telegram.api_url == "http://127.0.0.1:8081"
    assert settings.anthropic.base_url == "http://[::1]:9/a"


def test_a_webhook_is_an_address_with_a_port_behind_it(tmp_path: Path) -> None:
    secret = "a-secret-for-calls-of-the-webhook"
    given = {
        "TELEGRAM_WEBHOOK_URL": "https://bot.example.org:8443/hook/",
        "TELEGRAM_WEBHOOK_SECRET": secret,
        "STEWARD_WEBHOOK_PORT": "9000",
    }
    settings = read_settings(given, tmp_path)
    webhook = settings.telegram.webhook
    assert webhook is not None
    assert (webhook.url, webhook.port) == ("https://bot.example.org:8443/hook/", 9000)
    assert webhook.secret in settings.secrets
    assert secret not in repr(settings)
    assert origin(settings, "TELEGRAM_WEBHOOK_SECRET")[0] == f"…{secret[-4:]}"


def test_without_an_address_there_is_no_webhook(tmp_path: Path) -> None:
    given = {"STEWARD_WEBHOOK_PORT": "9000", "TELEGRAM_WEBHOOK_SECRET": "0123456789abcdef"}
    assert read_settings(given, tmp_path).telegram.webhook is None


WRONG = [
    ("STEWARD_SOFT_ROUNDS", "many"),
    ("STEWARD_SOFT_ROUNDS", "-3"),
    ("STEWARD_SOFT_ROUNDS", "0"),
    ("STEWARD_SOFT_ROUNDS", "2.5"),
    ("STEWARD_SOFT_ROUNDS", "81"),
    ("STEWARD_RESULT_BYTES", "300000"),
    ("STEWARD_TURN_SECONDS", "inf"),
    ("STEWARD_TURN_SECONDS", "nan"),
    ("STEWARD_TURN_SECONDS", "-1"),
    ("STEWARD_COMPACT_AT", "1.5"),
    ("STEWARD_COMPACT_AT", "0.4"),
    ("STEWARD_CONTEXT_WINDOW", "12"),
    ("STEWARD_MODEL_RETRIES", "-1"),
    ("STEWARD_MODEL_BACKOFF_SECONDS", "90"),
    ("STEWARD_SEND_RATES", "chat=0"),
    ("STEWARD_SEND_RATES", "chat=fast"),
    ("STEWARD_SEND_RATES", "chat=1,chat=2"),
    ("STEWARD_SEND_RATES", "burst=0"),
    ("STEWARD_SEND_RATES", "burst=2/min"),
    ("STEWARD_SEND_RATES", "everyone=1"),
    ("STEWARD_OWNERS", "42"),
    ("STEWARD_OWNERS", "telegram:@alice"),
    ("STEWARD_MODEL", "claude"),
    ("STEWARD_DATABASE_URL", "mysql://db/x"),
    ("STEWARD_DATABASE_URL", "sqlite:///"),
    ("STEWARD_DATABASE_URL", "postgresql://db:port/x"),
    ("STEWARD_LOG", "xml"),
    ("STEWARD_LOG_LEVEL", "loud"),
    ("STEWARD_SANDBOX_NETWORK", "maybe"),
    ("STEWARD_RULE_DOCUMENTS", "md"),
    ("STEWARD_RULE_DOCUMENTS", ".md,*"),
    ("STEWARD_LANES", "0"),
    ("STEWARD_HOME", "~nobody-of-this-name/x"),
    ("STEWARD_HOME", "a\0b"),
    ("ANTHROPIC_BASE_URL", "api.example"),
    ("ANTHROPIC_BASE_URL", "ftp://example"),
    ("ANTHROPIC_BASE_URL", "http://example:port"),
    ("ANTHROPIC_BASE_URL", "http://exa mple"),
    ("TELEGRAM_API_URL", "http://example/?x=1"),
    ("TELEGRAM_WEBHOOK_URL", "http://bot.example.org/hook"),
    ("TELEGRAM_WEBHOOK_URL", "https:///hook"),
    ("TELEGRAM_WEBHOOK_URL", "https://bot.example.org/hook?x=1"),
    ("TELEGRAM_WEBHOOK_URL", "https://me:word@bot.example.org/hook"),
    ("TELEGRAM_WEBHOOK_URL", "https://bot.example.org/häk"),
    ("STEWARD_WEBHOOK_PORT", "0"),
    ("STEWARD_WEBHOOK_PORT", "65536"),
]


@pytest.mark.parametrize(("name", "value"), WRONG)
def test_a_wrong_value_is_one_sentence_with_its_name(tmp_path: Path, name: str, value: str) -> None:
    with pytest.raises(SettingError) as caught:
        read_settings({name: value}, tmp_path)
    sentence = str(caught.value)
    assert name in sentence
    assert sentence.endswith(".")
    assert "\n" not in sentence


def test_a_wrong_value_tells_where_it_stands(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("STEWARD_SOFT_ROUNDS=x\n")
    with pytest.raises(SettingError, match=r"STEWARD_SOFT_ROUNDS \(\.env\)"):
        read_settings({}, tmp_path)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("TELEGRAM_BOT_TOKEN", "hunter2hunter2"),
        ("ANTHROPIC_API_KEY", "hunter2\x1b[31m"),
        ("ANTHROPIC_API_KEY", "hunter2 hunter2"),
        ("STEWARD_SPEAK_KEY", "hunter2 hunter2"),
        ("STEWARD_SPEAK_URL", "gopher://me:hunter2@db/x"),
        ("TELEGRAM_WEBHOOK_SECRET", "hunter2"),
        ("TELEGRAM_WEBHOOK_SECRET", "hunter2 hunter2 hunter2"),
        ("STEWARD_DATABASE_URL", "postgresql://me:hunter2@db:port/x"),
        ("STEWARD_DATABASE_URL", "mysql://me:hunter2@db/x"),
        ("TELEGRAM_API_URL", "gopher://me:hunter2@db/x"),
    ],
)
def test_a_wrong_secret_is_not_quoted(tmp_path: Path, name: str, value: str) -> None:
    with pytest.raises(SettingError, match=name) as caught:
        read_settings({name: value}, tmp_path)
    assert "hunter2" not in f"{caught.value!r} {caught.value.__cause__!r}"
    assert caught.value.__suppress_context__


def test_bad_toml_is_told_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "steward.toml").write_text('home = "x"\nsoft_rounds = = 3\n')
    with pytest.raises(SettingError, match=r"steward\.toml cannot be read.*line 2"):
        read_settings({}, tmp_path)


@pytest.mark.parametrize("text", ["[limits]\nsoft_rounds = 3\n", "home='a'\nSTEWARD_HOME='b'\n"])
def test_toml_of_another_shape_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "steward.toml").write_text(text)
    with pytest.raises(SettingError, match=r"steward\.toml"):
        read_settings({}, tmp_path)


def test_a_bad_dotenv_line_is_told_but_not_quoted(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text(f'A=1\nTELEGRAM_BOT_TOKEN="{TOKEN}\n')
    with pytest.raises(SettingError, match="line 2") as caught:
        read_settings({}, tmp_path)
    assert TOKEN not in str(caught.value)


@pytest.mark.parametrize("name", [".env", "steward.toml"])
def test_an_unreadable_file_is_told(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    with pytest.raises(SettingError, match=re.escape(f"{name} cannot be read")):
        read_settings({}, tmp_path)


@pytest.mark.parametrize("name", [".env", "steward.toml"])
def test_a_file_that_is_no_text_is_told(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"A='\xff\xfe'\n")
    with pytest.raises(SettingError, match=re.escape(f"{name} cannot be read")):
        read_settings({}, tmp_path)


@pytest.mark.parametrize("name", ["STEWARD_HOME", "STEWARD_WORKSPACE"])
@pytest.mark.parametrize("below", ["", "a/b"])
def test_a_folder_that_is_a_file_is_refused(tmp_path: Path, name: str, below: str) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SettingError, match=f"{name} .*is not a folder"):
        read_settings({name: str(tmp_path / "file" / below)}, tmp_path)


def test_unknown_names_are_warned_of_with_the_nearest(tmp_path: Path) -> None:
    (tmp_path / "steward.toml").write_text("soft_round = 3\n")
    given = {"STEWARD_PIGEONS": "80", "STEWARD_TEST_X": "1", "PATH": "/bin", "STEWARD_HOMES": "x"}
    warnings = read_settings(given, tmp_path).warnings
    assert len(warnings) == 3
    assert warnings[0].endswith("did you mean STEWARD_HOME?")
    assert warnings[1] == "STEWARD_PIGEONS (environment) is no setting of this version."
    assert warnings[2].endswith("did you mean STEWARD_SOFT_ROUNDS?")


def test_secrets_are_masked_wherever_settings_are_shown(tmp_path: Path) -> None:
    given = {
        "ANTHROPIC_API_KEY": KEY,
        "TELEGRAM_BOT_TOKEN": "1:short",
        "STEWARD_DATABASE_URL": "postgresql://me:hunter2@db/x",
    }
    settings = read_settings(given, tmp_path)
    assert origin(settings, "ANTHROPIC_API_KEY")[0] == "…mnop"
    assert origin(settings, "TELEGRAM_BOT_TOKEN")[0] == "set"
    assert origin(settings, "STEWARD_DATABASE_URL")[0] == "postgresql+psycopg://me:***@db/x"
    shown = repr(settings)
    assert not any(secret in shown for secret in (KEY, "1:short", "hunter2"))
    assert {s.get_secret_value() for s in settings.secrets} == {KEY, "1:short", "hunter2"}


def test_the_way_to_a_voice_is_read_and_its_secrets_are_masked(tmp_path: Path) -> None:
    assert read_settings({}, tmp_path).speak is None
    given = {
        "STEWARD_SPEAK_URL": "https://me:hunter2@voice.example/v1/",
        "STEWARD_SPEAK_KEY": KEY,
        "STEWARD_SPEAK_PRICE": "15",
    }
    settings = read_settings(given, tmp_path)
    told = settings.speak
    assert told is not None
    assert (told.model, told.voice, told.price, told.seconds) == ("tts-1", "alloy", 15, 60)
    assert told.url == "https://me:hunter2@voice.example/v1"
    assert origin(settings, "STEWARD_SPEAK_KEY")[0] == "…mnop"
    assert origin(settings, "STEWARD_SPEAK_URL")[0] == "https://me:***@voice.example/v1"
    assert {s.get_secret_value() for s in settings.secrets} == {KEY, "hunter2"}
    shown = "".join(f"{line.value}{line.sentence}" for line in settings.lines)
    assert not any(secret in shown for secret in (KEY, "hunter2"))
    with pytest.raises(SettingError, match="STEWARD_SPEAK_PRICE"):
        read_settings({**given, "STEWARD_SPEAK_PRICE": "-1"}, tmp_path)


@pytest.mark.parametrize(
    ("workspace", "held"), [("data", "data"), (".", "data"), ("work", ".env"), ("link", "data")]
)
def test_a_workspace_that_holds_our_own_files_is_refused(
    tmp_path: Path, workspace: str, held: str
) -> None:
    folder = tmp_path / "work" if held == ".env" else tmp_path
    folder.mkdir(exist_ok=True)
    (folder / "link").symlink_to(folder)
    (folder / ".env").write_text("")
    home = {"STEWARD_HOME": str(tmp_path / "data")}
    with pytest.raises(SettingError, match=re.escape(f"it holds {held}.")):
        read_settings({"STEWARD_WORKSPACE": str(tmp_path / workspace), **home}, folder)


def test_servers_are_read_with_their_secrets_from_the_environment(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("TICKETS_TOKEN=swordfish\n")
    (tmp_path / "steward.toml").write_text(
        '[mcp.time]\ncommand = "uvx"\nargs = ["mcp-server-time"]\ntrusted = true\n'
        'env = { ZONE = "${ZONE}" }\nidle_seconds = 0\n'
        '[mcp.tickets]\nurl = "https://tickets.example.org/mcp"\n'
        'headers = { Authorization = "Bearer ${TICKETS_TOKEN}" }\n'
    )
    settings = read_settings({"ZONE": "UTC"}, tmp_path)
    time, tickets = settings.servers
    assert (time.command, time.trusted, time.idle_seconds) == (("uvx", "mcp-server-time"), True, 0)
    assert (time.env, time.folder) == ((("ZONE", "UTC"),), str(tmp_path))
    assert tickets.url == "https://tickets.example.org/mcp"
    assert tickets.headers == (("Authorization", "Bearer swordfish"),)
    assert "swordfish" not in repr(settings)
    assert "swordfish" in [secret.get_secret_value() for secret in settings.secrets]
    assert (tickets.secrets, time.secrets) == (("swordfish",), ("UTC",))


@pytest.mark.parametrize(
    ("table", "why"),
    [
        ("[mcp.Time]\ncommand='x'", "its name should be small letters"),
        ("[mcp.a__b]\ncommand='x'", "its name should be small letters"),
        ("[mcp.time]\nargs=['x']", "either a command or a url"),
        ("[mcp.time]\ncommand='x'\nurl='http://127.0.0.1/'", "either a command or a url"),
        ("[mcp.time]\nurl='ftp://x'", "url: it"),
        ("[mcp.time]\nurl='http://127.0.0.1/'\nenv={A='b'}", "args and env belong to a command"),
        ("[mcp.time]\ncommand='x'\nheaders={A='b'}", "headers belong to a url"),
        ("[mcp.time]\ncommand='x'\nstart_seconds=0", "start_seconds: "),
        ("[mcp.time]\ncommand='x'\nenv={A='${NO_SUCH}'}", "names ${NO_SUCH}, which is neither"),
        ("[mcp.time]\ncommand='x'\nenv={A=1}", "env.A: it should be a text"),
        ("[mcp]\ntime='x'", "it should be a table"),
        ("[mcp.GitHub]\ncommand='x'", "single - or _ between them, at most 32, github for example"),
        ("[mcp.\"a.b\"]\ncommand='x'", "at most 32, a-b for example"),
        ("[mcp.time]\ncommand='npx \"x'", "command: no closing quotation"),
    ],
)
def test_a_server_that_cannot_be_used_is_told_and_keeps_no_other_from_working(
    tmp_path: Path, table: str, why: str
) -> None:
    (tmp_path / "steward.toml").write_text(f"{table}\n[mcp.good]\ncommand='x'\n")
    settings = read_settings({}, tmp_path)
    wrong, good = settings.servers
    assert why in wrong.fault
    assert (good.name, good.fault) == ("good", "")
    (warning,) = settings.warnings
    assert warning.startswith("steward.toml: [mcp.")
    assert why in warning


def test_servers_that_are_no_tables_are_refused(tmp_path: Path) -> None:
    (tmp_path / "steward.toml").write_text("mcp = 'x'")
    with pytest.raises(SettingError, match=r"steward\.toml has mcp, which should be tables"):
        read_settings({}, tmp_path)


def test_a_key_that_nobody_knows_is_told_and_the_server_works(tmp_path: Path) -> None:
    (tmp_path / "steward.toml").write_text("[mcp.time]\ncommand='x'\ntype='stdio'\ncwd='sub'\n")
    settings = read_settings({}, tmp_path)
    (time,) = settings.servers
    assert (time.fault, time.folder) == ("", str(tmp_path / "sub"))
    (warning,) = settings.warnings
    assert warning.startswith("steward.toml: [mcp.time] has type, which is no key of a server: ")


def test_a_command_line_in_one_text_is_split_unless_it_is_a_program(tmp_path: Path) -> None:
    (tmp_path / "my server").write_text("")
    (tmp_path / "steward.toml").write_text(
        "[mcp.a]\ncommand='npx -y \"x y\"'\nargs=['z w']\n[mcp.b]\ncommand='./my server'\n"
    )
    a, b = read_settings({}, tmp_path).servers
    assert a.command == ("npx", "-y", "x y", "z w")
    assert b.command == ("./my server",)


def test_tools_of_a_server_are_chosen_by_name(tmp_path: Path) -> None:
    (tmp_path / "steward.toml").write_text(
        "[mcp.a]\ncommand='x'\ntools=['look', 'echo']\nreads=['look']\n[mcp.b]\ncommand='x'\n"
    )
    a, b = read_settings({}, tmp_path).servers
    assert (a.tools, a.reads) == (("look", "echo"), ("look",))
    assert (b.tools, b.reads) == (None, ())


_NEW = '    naps: int = setting(3, "Naps that a turn may take.", ge=1)\n'
_TRIED = """
from pathlib import Path
from bot.domain.talk.errors import SettingError
from bot.settings import read_settings

def tried(**given):
    try:
        settings = read_settings(given, Path())
    except SettingError as fault:
        return print(fault)
    line = next(line for line in settings.lines if line.name == "STEWARD_NAPS")
    print(settings.policy.naps, line.value, line.origin, line.sentence)

tried()
tried(STEWARD_NAPS="5")
tried(STEWARD_NAPS="0")
print(*read_settings({"STEWARD_NAP": "5"}, Path()).warnings)
"""


def test_a_new_setting_is_one_field_in_one_file(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "bot", tmp_path / "bot", ignore=shutil.ignore_patterns("__pycache__"))
    policy = tmp_path / "bot" / "flow" / "policy.py"
    before, mark, after = policy.read_text().partition("    plan_explore: bool = setting(")
    policy.write_text(f"{before}{_NEW}{mark}{after}")
    told = subprocess.run(
        [sys.executable, "-c", _TRIED], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert told.stdout.splitlines() == [
        "3 3 default Naps that a turn may take.",
        "5 5 environment Naps that a turn may take.",
        "STEWARD_NAPS (environment) cannot be “0”: it should be greater than or equal to 1.",
        "STEWARD_NAP (environment) is no setting of this version; did you mean STEWARD_NAPS?",
    ]


def test_a_secret_stands_in_a_file_of_its_own(tmp_path: Path) -> None:
    key, token = tmp_path / "key", tmp_path / "token"
    key.write_text("sk-ant-swordfish\n")
    token.write_text("hunter2-of-the-server\n")
    (tmp_path / ".env").write_text(f"TICKETS_TOKEN_FILE={token}\nHOOK_DOOR_FILE={token}\n")
    (tmp_path / "steward.toml").write_text(
        '[mcp.tickets]\nurl = "https://tickets.example.org/mcp"\n'
        'headers = { Authorization = "Bearer ${TICKETS_TOKEN}" }\n'
    )
    settings = read_settings({"ANTHROPIC_API_KEY_FILE": str(key)}, tmp_path)
    assert settings.anthropic.key == SecretStr("sk-ant-swordfish")
    assert origin(settings, "ANTHROPIC_API_KEY")[1] == "environment (file)"
    assert settings.servers[0].headers == (("Authorization", "Bearer hunter2-of-the-server"),)
    assert settings.hook_secrets == {"HOOK_DOOR": SecretStr("hunter2-of-the-server")}
    hidden = {secret.get_secret_value() for secret in settings.secrets}
    assert {"sk-ant-swordfish", "hunter2-of-the-server"} <= hidden
    assert "swordfish" not in repr(settings)
    assert settings.warnings == ()


def test_credentials_of_systemd_count_before_dotenv(tmp_path: Path) -> None:
    folder = tmp_path / "credentials"
    folder.mkdir()
    (folder / "ANTHROPIC_API_KEY").write_text("sk-ant-of-systemd\n")
    (folder / "certificate.pem").write_bytes(b"\xff")
    (tmp_path / ".env").write_text("ANTHROPIC_API_KEY=sk-ant-of-dotenv\n")
    settings = read_settings({"CREDENTIALS_DIRECTORY": str(folder)}, tmp_path)
    assert settings.anthropic.key == SecretStr("sk-ant-of-systemd")
    assert origin(settings, "ANTHROPIC_API_KEY")[1] == "credentials"


@pytest.mark.parametrize(
    ("environ", "why"),
    [
        ({"ANTHROPIC_API_KEY_FILE": "key"}, "should be a whole path"),
        ({"ANTHROPIC_API_KEY_FILE": "/no/such"}, "No such file"),
        ({"ANTHROPIC_API_KEY_FILE": "/"}, "is not a file"),
        ({"ANTHROPIC_API_KEY_FILE": "/dev/zero"}, "is not a file"),
        ({"ANTHROPIC_API_KEY_FILE": "{empty}"}, "is empty"),
        ({"ANTHROPIC_API_KEY_FILE": "{wrong}"}, "is not UTF-8"),
        ({"ANTHROPIC_API_KEY_FILE": "{large}"}, "more than 64 kB"),
        ({"ANTHROPIC_API_KEY_FILE": "{good}", "ANTHROPIC_API_KEY": "x"}, "are both set"),
        ({"CREDENTIALS_DIRECTORY": "/no/such"}, "No such file"),
        ({"ANTHROPIC_API_KEY_FILE": "{good}", "STEWARD_WORKSPACE": "{here}"}, "it holds good"),
    ],
)
def test_a_file_of_a_secret_that_cannot_be_used_is_told(
    tmp_path: Path, environ: dict[str, str], why: str
) -> None:
    contents = {"empty": b"\n", "wrong": b"hunter2\xff", "large": b"x" * 64_001, "good": b"hunter2"}
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    paths = {name: str(tmp_path / name) for name in contents} | {"here": str(tmp_path)}
    settings = {name: value.format(**paths) for name, value in environ.items()}
    home = {"STEWARD_HOME": str(tmp_path.parent / "elsewhere")}
    with pytest.raises(SettingError, match=re.escape(why)) as caught:
        read_settings(settings | home, tmp_path)
    assert "hunter2" not in f"{caught.value!r} {caught.value.__cause__!r}"
