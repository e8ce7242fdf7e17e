"""The first minutes: `steward setup` in a real terminal, between strict stand-ins."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import TypeVar

import pexpect
import pytest

from tests.e2e.fork_server import INTERPRETER
from tests.e2e.launching import Command, surroundings
from tests.e2e.steward import KEY
from tests.patience import PATIENCE
from tests.ports import free_port
from tests.standins.bot_api import TOKEN, BotApi
from tests.standins.chat_completions import ChatCompletions
from tests.standins.discord import TOKEN as DISCORD_TOKEN
from tests.standins.discord import Discord
from tests.standins.embeddings import KEY as EMBED_KEY
from tests.standins.embeddings import Embeddings
from tests.standins.interpreter import interpreter
from tests.standins.messages_api import MessagesApi
from tests.standins.serving import serving
from tests.words import (
    BAD_TOKEN,
    KEY_GOOD,
    KEY_REFUSED,
    LEFT_OUT,
    NO_TELEGRAM,
    NOTHING_CHANGED,
    OWNER_NOW,
    SAVED,
    SERVING,
    SETUP_HINT,
    TOKEN_GOOD,
)

T = TypeVar("T")
WRONG_TOKEN = "123456:AAwrong_wrong_wrong_wrong_wrong_wrong"
WRONG_KEY = "sk-ant-wrong-wrong-wrong"
OPENAI_KEY = "sk-proj-e2e-another-key-nobody-may-see"
TOKEN_ASKED, KEY_ASKED = "Token (hidden;", "API key (hidden;"
DISCORD_ASKED = "Discord token (hidden;"
KEY_ASKED_IF_ANY = "Its API key (hidden;"
SEARCH_OFFER = "Let Claude search the web? [Y/n]"
MEANING_OFFER = "Find answers by meaning, too? [y/N]"
SPEECH_ADDRESS = "Its address, up to and with /v1"
SERVICE_ASKED = "1, 2 or 3 (Enter takes 1):"


class Newcomer:
    """Somebody at a terminal in an empty folder, with both services within reach."""

    def __init__(self, folder: Path, command: Command) -> None:
        self.folder = folder
        self._command = command
        self.telegram, self.model = BotApi(), MessagesApi(api_key=KEY)
        self.environ = surroundings(folder) | {"TERM": "xterm", "NO_COLOR": "1"}
        self.seen = ""
        self._talk: pexpect.spawn[str] | None = None

    @property
    def env(self) -> Path:
        return self.folder / ".env"

    @property
    def half_written(self) -> bool:
        return any(path.name.startswith(".env.") for path in self.folder.iterdir())

    @property
    def talk(self) -> "pexpect.spawn[str]":
        assert self._talk is not None
        return self._talk

    def begin(self, *arguments: str, columns: int = 100) -> None:
        program, *words = self._command(*arguments)
        self._talk = pexpect.spawn(
            program,
            words,
            cwd=str(self.folder),
            env=self.environ,
            timeout=PATIENCE,
            encoding="utf-8",
            dimensions=(50, columns),
        )

    def shown(self, *words: str) -> None:
        """Waits until these are printed, in this order, wherever the lines break."""
        for word in words:
            self.talk.expect(re.escape(word).replace(r"\ ", r"\s+"))
            self.seen += f"{self.talk.before}{self.talk.after}"

    def answer(self, line: str, *, hidden: bool = False) -> None:
        """Types a line; a hidden one only once the terminal shows no typing."""
        if hidden:
            assert self.talk.waitnoecho(20)
        self.talk.sendline(line)

    def begins_without_telegram(self) -> None:
        self.begin("setup")
        self.shown(TOKEN_ASKED)
        self.answer("", hidden=True)

    def gives_the_token(self) -> None:
        """Answers with the token of Telegram, and with none of Discord."""
        self.answer(TOKEN, hidden=True)
        self.shown(TOKEN_GOOD)
        self.leaves_discord_out()

    def takes_claude(self) -> None:
        """Takes the first service, up to the question for its key."""
        self.shown(SERVICE_ASKED)
        self.answer("")
        self.shown(KEY_ASKED)

    def gives_the_key(self, *, search: str) -> None:
        """Answers with the key, and with `search` to the offer to search the web."""
        self.answer(KEY, hidden=True)
        self.shown(KEY_GOOD, SEARCH_OFFER)
        self.answer(search)

    def leaves_discord_out(self) -> None:
        self.shown(DISCORD_ASKED)
        self.answer("", hidden=True)

    def leaves_meaning_out(self) -> None:
        self.shown(MEANING_OFFER)
        self.answer("")

    def ended(self) -> int | None:
        self.talk.expect(pexpect.EOF)
        self.seen += str(self.talk.before)
        self.talk.close()
        return self.talk.exitstatus

    def gone(self) -> None:
        if self._talk is not None:
            self._talk.close(force=True)


@pytest.fixture
async def newcomer(tmp_path: Path, command: Command) -> AsyncIterator[Newcomer]:
    newcomer = Newcomer(tmp_path, command)
    async with serving(newcomer.telegram.app) as telegram, serving(newcomer.model.app) as model:
        newcomer.environ |= {"TELEGRAM_API_URL": telegram, "ANTHROPIC_BASE_URL": model}
        try:
            yield newcomer
        finally:
            newcomer.gone()
    assert [
        s
        for s in (TOKEN, DISCORD_TOKEN, KEY, OPENAI_KEY, WRONG_TOKEN, WRONG_KEY)
        if s in newcomer.seen
    ] == []
    assert not newcomer.half_written


async def held(newcomer: Newcomer, dialogue: Callable[[Newcomer], T]) -> T:
    """Holds a dialogue on a thread of its own, so that the services answer meanwhile."""
    return await asyncio.to_thread(dialogue, newcomer)


async def test_token_and_key_are_tried_and_saved_and_the_link_makes_the_owner(
    newcomer: Newcomer,
) -> None:
    telegram = newcomer.telegram
    ann = telegram.person(42, "Ann", username="ann")
    telegram.private_chat(ann)

    def set_up(at: Newcomer) -> str:
        at.begin("setup")
        at.shown("@BotFather", TOKEN_ASKED)
        at.gives_the_token()
        at.takes_claude()
        at.gives_the_key(search="")
        at.shown(SAVED)
        at.leaves_meaning_out()
        at.shown("Start now? [Y/n]")
        at.answer("")
        at.shown(SERVING, "Ctrl-C ends it.", "15 minutes", "https://t.me/steward_bot?start=")
        # The link, and below it the code in blocks.
        at.talk.expect(r"(\S+)\s+([\u2580-\u259f ]+\r\n){16}")
        found = at.talk.match
        assert isinstance(found, re.Match)
        return str(found[1])

    code = await held(newcomer, set_up)
    telegram.start(ann, code)
    await telegram.wait_for(lambda: OWNER_NOW in "".join(telegram.screen(ann.id).texts), PATIENCE)

    def leave(at: Newcomer) -> int | None:
        at.talk.sendintr()
        return at.ended()

    assert await held(newcomer, leave) == 130
    assert newcomer.env.read_text() == (
        f"TELEGRAM_BOT_TOKEN={TOKEN}\nANTHROPIC_API_KEY={KEY}\nSTEWARD_SEARCH=anthropic\n"
    )
    assert newcomer.env.stat().st_mode & 0o777 == 0o600


async def test_a_discord_token_is_tried_and_saved_and_the_invitation_is_shown(
    newcomer: Newcomer,
) -> None:
    discord = Discord()
    async with discord.serving() as url:
        newcomer.environ["DISCORD_API_URL"] = url

        def dialogue(at: Newcomer) -> int | None:
            at.begins_without_telegram()
            at.shown("Message Content Intent", DISCORD_ASKED)
            at.answer("123456:ABC", hidden=True)
            at.shown("✗ This is no discord token: it should be three words", DISCORD_ASKED)
            at.answer(f"{DISCORD_TOKEN}-of-another", hidden=True)
            at.shown("Discord does not accept the bot token", "Reset Token", DISCORD_ASKED)
            at.answer(DISCORD_TOKEN, hidden=True)
            at.shown("✓ This is Steward.", "https://discord.com/oauth2/authorize?client_id=")
            at.takes_claude()
            at.answer("", hidden=True)
            at.shown(SAVED, "Start now? [Y/n]")
            at.answer("")
            at.shown("Serving Steward on Discord", "15 minutes: /start ")
            at.talk.sendintr()
            return at.ended()

        assert await held(newcomer, dialogue) == 130
    assert newcomer.env.read_text() == f"DISCORD_BOT_TOKEN={DISCORD_TOKEN}\n"


async def test_an_intent_that_is_off_is_told_beside_a_good_discord_token(
    newcomer: Newcomer,
) -> None:
    discord = Discord()
    discord.portal(reads_words=False)
    async with discord.serving() as url:
        newcomer.environ["DISCORD_API_URL"] = url

        def dialogue(at: Newcomer) -> int | None:
            at.begins_without_telegram()
            at.shown(DISCORD_ASKED)
            at.answer(DISCORD_TOKEN, hidden=True)
            at.shown("✓ This is Steward.", "Switch on “Message Content Intent”", "client_id=")
            at.takes_claude()
            at.answer("", hidden=True)
            at.shown(SAVED)
            at.answer("n")
            return at.ended()

        assert await held(newcomer, dialogue) == 0


async def test_a_wrong_token_and_a_wrong_key_are_told_and_asked_again(newcomer: Newcomer) -> None:
    def dialogue(at: Newcomer) -> int | None:
        at.begin("setup", columns=40)
        at.shown(TOKEN_ASKED)
        at.answer("not a token", hidden=True)
        at.shown("✗ This is no token", TOKEN_ASKED)
        at.answer(WRONG_TOKEN, hidden=True)
        at.shown(BAD_TOKEN, "@BotFather", TOKEN_ASKED)
        at.gives_the_token()
        at.takes_claude()
        at.answer(WRONG_KEY, hidden=True)
        at.shown(KEY_REFUSED, KEY_ASKED)
        at.gives_the_key(search="n")
        at.shown(SAVED)
        at.leaves_meaning_out()
        at.shown("Start now?")
        at.answer("nope")
        at.shown("Type y or n.", "Start now?")
        at.answer("n")
        return at.ended()

    assert await held(newcomer, dialogue) == 0
    # A link or a path is one word, which is not broken.
    lines = [line for line in newcomer.seen.split("\r\n") if " " in line.strip()]
    assert max(len(line) for line in lines) <= 40
    assert newcomer.env.read_text() == f"TELEGRAM_BOT_TOKEN={TOKEN}\nANTHROPIC_API_KEY={KEY}\n"


async def test_both_left_out_changes_nothing(newcomer: Newcomer) -> None:
    def dialogue(at: Newcomer) -> int | None:
        at.begins_without_telegram()
        at.shown(LEFT_OUT)
        at.leaves_discord_out()
        at.takes_claude()
        at.answer("", hidden=True)
        at.shown(LEFT_OUT)
        at.shown(NOTHING_CHANGED)
        return at.ended()

    assert await held(newcomer, dialogue) == 0
    assert not newcomer.env.exists()


async def test_what_stands_in_the_file_is_kept(newcomer: Newcomer) -> None:
    newcomer.env.write_text(
        "# mine\nexport TELEGRAM_BOT_TOKEN='1:old' # the bot\n#ANTHROPIC_API_KEY=\nOTHER=\"x y\"\n"
    )
    newcomer.env.chmod(0o644)

    def dialogue(at: Newcomer) -> int | None:
        at.begin("setup")
        at.shown("There is one in .env already", TOKEN_ASKED)
        at.answer("", hidden=True)
        at.shown(BAD_TOKEN, TOKEN_ASKED)
        at.gives_the_token()
        at.takes_claude()
        at.gives_the_key(search="n")
        at.shown(SAVED)
        at.leaves_meaning_out()
        at.answer("n")
        return at.ended()

    assert await held(newcomer, dialogue) == 0
    assert newcomer.env.read_text() == (
        f"# mine\nexport TELEGRAM_BOT_TOKEN={TOKEN} # the bot\n#ANTHROPIC_API_KEY=\n"
        f'ANTHROPIC_API_KEY={KEY}\nOTHER="x y"\n'
    )
    assert newcomer.env.stat().st_mode & 0o777 == 0o600


async def test_without_a_network_it_tries_again_keeps_or_skips(newcomer: Newcomer) -> None:
    nobody = f"http://127.0.0.1:{free_port()}"
    newcomer.environ |= {"TELEGRAM_API_URL": nobody, "ANTHROPIC_BASE_URL": nobody}

    def dialogue(at: Newcomer) -> int | None:
        at.begin("setup")
        at.shown(TOKEN_ASKED)
        at.answer(TOKEN, hidden=True)
        at.shown(NO_TELEGRAM, "Enter tries again, k keeps it, s skips:")
        at.answer("")
        at.shown(NO_TELEGRAM, "Enter tries again, k keeps it, s skips:")
        at.answer("kepe")
        at.shown("Press Enter, or type k or s.", "Enter tries again, k keeps it, s skips:")
        at.answer("k")
        at.leaves_discord_out()
        at.takes_claude()
        at.answer(KEY, hidden=True)
        at.shown("cannot be reached", "nothing answers there", "s skips:")
        at.answer("s")
        at.shown(LEFT_OUT, SAVED)
        at.answer("n")
        return at.ended()

    assert await held(newcomer, dialogue) == 0
    assert newcomer.env.read_text() == f"TELEGRAM_BOT_TOKEN={TOKEN}\n"


@pytest.mark.parametrize("asked", [TOKEN_ASKED, KEY_ASKED])
async def test_ctrl_c_leaves_the_file_as_it_was(newcomer: Newcomer, asked: str) -> None:
    newcomer.env.write_text("OTHER=1\n")

    def dialogue(at: Newcomer) -> int | None:
        at.begin("setup")
        if asked == KEY_ASKED:
            at.shown(TOKEN_ASKED)
            at.answer(TOKEN, hidden=True)
            at.leaves_discord_out()
            at.shown(SERVICE_ASKED)
            at.answer("")
        at.shown(asked)
        assert at.talk.waitnoecho(20)
        at.talk.sendintr()
        at.shown(NOTHING_CHANGED)
        return at.ended()

    assert await held(newcomer, dialogue) == 130
    assert newcomer.env.read_text() == "OTHER=1\n"


async def test_a_file_that_cannot_be_written_is_one_sentence(newcomer: Newcomer) -> None:
    (newcomer.folder / ".env").symlink_to("/proc/nope/.env")

    def dialogue(at: Newcomer) -> int | None:
        at.begin("setup")
        at.shown(TOKEN_ASKED)
        at.answer(TOKEN, hidden=True)
        at.leaves_discord_out()
        at.takes_claude()
        at.answer("", hidden=True)
        at.shown("steward: ", "cannot be written", "Nothing was saved.")
        return at.ended()

    assert await held(newcomer, dialogue) == 2


async def test_what_the_environment_sets_is_tried_and_not_asked_for(newcomer: Newcomer) -> None:
    newcomer.environ["TELEGRAM_BOT_TOKEN"] = TOKEN

    def dialogue(at: Newcomer) -> int | None:
        at.begin("setup")
        at.shown("is set in the environment", TOKEN_GOOD)
        at.leaves_discord_out()
        at.takes_claude()
        at.answer("", hidden=True)
        at.shown(NOTHING_CHANGED, "Start now?")
        at.answer("n")
        return at.ended()

    assert await held(newcomer, dialogue) == 0
    assert not newcomer.env.exists()


async def test_a_run_with_nothing_set_asks_nothing_before_its_link_and_the_demo(
    newcomer: Newcomer,
) -> None:
    newcomer.environ["STEWARD_WEB_PORT"] = str(free_port())

    def talk(at: Newcomer) -> int | None:
        at.begin("run")
        at.shown(SETUP_HINT, "/enter#", ">")
        at.answer("what time is it?")
        at.shown("Demo model")
        at.answer("/quit")
        return at.ended()

    def set_up(at: Newcomer) -> int | None:
        at.begin("setup")
        at.shown(TOKEN_ASKED)
        at.gives_the_token()
        at.takes_claude()
        at.answer("", hidden=True)
        at.shown(SAVED, "Start now?")
        at.answer("")
        at.shown(SERVING)
        at.talk.sendintr()
        return at.ended()

    assert await held(newcomer, talk) == 0
    assert "[y/N]" not in newcomer.seen
    assert await held(newcomer, set_up) == 130


async def test_the_key_of_openai_is_tried_and_makes_its_model_answer(newcomer: Newcomer) -> None:
    server = ChatCompletions(api_key=OPENAI_KEY)
    async with serving(server.app) as url:
        newcomer.environ["OPENAI_BASE_URL"] = f"{url}/v1"

        def dialogue(at: Newcomer) -> int | None:
            at.begins_without_telegram()
            at.leaves_discord_out()
            at.shown(SERVICE_ASKED)
            at.answer("7")
            at.shown("Type 1, 2 or 3.")
            at.answer("2")
            at.shown("platform.openai.com", KEY_ASKED)
            at.answer(WRONG_KEY, hidden=True)
            at.shown(KEY_REFUSED, KEY_ASKED)
            at.answer(OPENAI_KEY, hidden=True)
            at.shown("✓ The key is good", "STEWARD_MODEL becomes openai/gpt-5.1.")
            at.shown("A search costs $0.01", "Let OpenAI search the web? [Y/n]")
            at.answer("")
            at.shown(SAVED)
            at.leaves_meaning_out()
            at.answer("n")
            return at.ended()

        assert await held(newcomer, dialogue) == 0
        assert newcomer.env.read_text() == (
            f"OPENAI_API_KEY={OPENAI_KEY}\nSTEWARD_MODEL=openai/gpt-5.1\nSTEWARD_SEARCH=openai\n"
        )

        def seen(at: Newcomer) -> int | None:
            at.begin("doctor")
            at.shown("openai/gpt-5.1 is there.", "OpenAI searches by itself while it answers")
            return at.ended()

        assert await held(newcomer, seen) == 0


async def test_a_table_of_the_same_address_that_cannot_be_used_is_told_and_not_doubled(
    newcomer: Newcomer,
) -> None:
    toml = newcomer.folder / "steward.toml"
    table = "[providers.mine]\nbase_url = 'http://127.0.0.1:9/v1'\nkey = 'NOT_SET'\n"
    toml.write_text(table)

    def dialogue(at: Newcomer) -> int | None:
        at.begins_without_telegram()
        at.leaves_discord_out()
        at.shown(SERVICE_ASKED)
        at.answer("3")
        at.shown("Its address")
        at.answer("http://127.0.0.1:9/v1/")
        at.shown("[providers.mine]: its key NOT_SET is neither in the environment", "Its address")
        at.answer("")
        at.shown("Skipped.", "Nothing was changed.")
        at.answer("n")
        return at.ended()

    await held(newcomer, dialogue)
    assert toml.read_text() == table


async def test_a_server_that_is_not_there_is_told_by_what_may_help(newcomer: Newcomer) -> None:
    async with serving(MessagesApi(api_key=KEY).app) as url:

        def dialogue(at: Newcomer) -> int | None:
            at.begins_without_telegram()
            at.leaves_discord_out()
            at.shown(SERVICE_ASKED)
            at.answer("3")
            at.shown("Its address")
            at.answer(f"{url}/nowhere")
            at.shown(KEY_ASKED_IF_ANY)
            at.answer("", hidden=True)
            at.shown("No models are served at", "(404)", "Its address")
            at.answer(f"http://127.0.0.1:{free_port()}/v1")
            at.shown(KEY_ASKED_IF_ANY)
            at.answer("", hidden=True)
            at.shown("nothing answers there", "Is that server running", "s skips:")
            at.answer("s")
            at.shown("Its address")
            at.answer("")
            return at.ended()

        assert await held(newcomer, dialogue) == 0


@pytest.mark.parametrize("key", ["", OPENAI_KEY], ids=["without a key", "with a key"])
async def test_another_server_gets_its_table_and_one_of_its_models(
    newcomer: Newcomer, key: str
) -> None:
    toml = newcomer.folder / "steward.toml"
    toml.write_text("# mine\n[providers.server]\nbase_url = 'http://127.0.0.1:9/v1'")
    listed: dict[str, dict[str, object]] = {"qwen3:8b": {}, "llama3.3": {}}
    if key:
        del listed["llama3.3"]
    lists = "1 model." if key else "2 models."
    server = ChatCompletions(api_key=key or None, listed=listed)
    async with serving(server.app) as url:

        def dialogue(at: Newcomer) -> int | None:
            at.begins_without_telegram()
            at.leaves_discord_out()
            at.shown(SERVICE_ASKED)
            at.answer("3")
            at.shown("Its address")
            at.answer("localhost")
            at.shown("This is no whole address", "Its address")
            # Its last step may be left out, where setup finds it.
            at.answer(url)
            at.shown(KEY_ASKED.replace("API", "Its API"))
            at.answer(key, hidden=True)
            at.shown(f"It answers at {url}/v1 and lists {lists}", "qwen3:8b", "Which model?")
            at.answer("" if key else "1")
            at.shown("STEWARD_MODEL becomes server-2/qwen3:8b.", SAVED, "steward.toml")
            at.shown("“server-2” has no model for that", "`ollama pull nomic-embed-text`")
            at.leaves_meaning_out()
            at.answer("n")
            return at.ended()

        assert await held(newcomer, dialogue) == 0
        model = "STEWARD_MODEL=server-2/qwen3:8b\n"
        named = f"SERVER_2_API_KEY={key}\n" if key else ""
        assert newcomer.env.read_text() == named + model
        assert toml.read_text() == (
            "# mine\n[providers.server]\nbase_url = 'http://127.0.0.1:9/v1'\n\n"
            f'[providers.server-2]\nbase_url = "{url}/v1"\n'
            + ('key = "SERVER_2_API_KEY"\n' if key else "")
        )

        def seen(at: Newcomer) -> int | None:
            at.begin("doctor")
            at.shown("server-2/qwen3:8b is there.")
            return at.ended()

        assert await held(newcomer, seen) == 0


async def test_services_of_speech_are_asked_for_tried_and_found_by_the_doctor(
    newcomer: Newcomer,
) -> None:
    newcomer.env.write_text("OTHER=1\n")
    server = ChatCompletions(api_key=OPENAI_KEY, listed={"whisper-1": {}, "my-voice": {}})
    async with serving(server.app) as url:

        def dialogue(at: Newcomer) -> int | None:
            at.begin("setup", "voice")
            at.shown("1 of 2 · Hearing", SPEECH_ADDRESS)
            at.answer("no address")
            at.shown("✗ This is no whole address", SPEECH_ADDRESS)
            at.answer(f"{url}/v1")
            at.shown(KEY_ASKED_IF_ANY)
            at.answer(WRONG_KEY, hidden=True)
            at.shown("✗", "s skips:")
            at.answer("s")
            at.shown(SPEECH_ADDRESS)
            at.answer(f"{url}/v1")
            at.shown(KEY_ASKED_IF_ANY)
            at.answer(OPENAI_KEY, hidden=True)
            at.shown(
                "✓ It answers and lists 2 models.", "Which model hears? (Enter takes whisper-1)"
            )
            at.answer("")
            at.shown("2 of 2 · Speaking", "Enter takes the same")
            at.answer("")
            at.shown("Which model speaks?")
            at.answer("nobody")
            at.shown("✗ It lists no model “nobody”.", "Which model speaks?")
            at.answer("my-voice")
            at.shown("Which voice? (Enter takes alloy)")
            at.answer("")
            at.shown(SAVED)
            return at.ended()

        assert await held(newcomer, dialogue) == 0
        assert newcomer.env.read_text() == (
            f"OTHER=1\nSTEWARD_HEAR_URL={url}/v1\nSTEWARD_HEAR_MODEL=whisper-1\n"
            f"STEWARD_HEAR_KEY={OPENAI_KEY}\nSTEWARD_SPEAK_URL={url}/v1\n"
            f"STEWARD_SPEAK_MODEL=my-voice\nSTEWARD_SPEAK_KEY={OPENAI_KEY}\n"
            "STEWARD_SPEAK_VOICE=alloy\n"
        )

        def seen(at: Newcomer) -> int | None:
            at.begin("doctor")
            at.shown("Voice messages are heard by whisper-1.", "Answers are spoken by my-voice")
            return at.ended()

        await held(newcomer, seen)


async def test_speech_may_be_left_out(newcomer: Newcomer) -> None:
    def dialogue(at: Newcomer) -> int | None:
        at.begin("setup", "voice")
        at.shown(SPEECH_ADDRESS)
        at.answer("")
        at.shown("Skipped.", SPEECH_ADDRESS)
        at.answer("")
        at.shown("Skipped.", NOTHING_CHANGED)
        return at.ended()

    assert await held(newcomer, dialogue) == 0
    assert not newcomer.env.exists()


async def offered_by_openai(
    newcomer: Newcomer, key: str, fate: str, *shown: str, columns: int = 100, skips: bool = False
) -> None:
    """Takes the offer of memory by meaning beside this key, and sees these words."""
    newcomer.env.write_text(f"OPENAI_API_KEY={key}\n")
    newcomer.folder.joinpath("python", "fate").write_text(fate)

    def dialogue(at: Newcomer) -> int | None:
        at.begin("setup", "memory", columns=columns)
        at.shown("text-embedding-3-small reads each answer once", "$0.02", "490 MB", MEANING_OFFER)
        at.answer("y")
        at.shown(*shown)
        if skips:
            at.shown("s skips:")
            at.answer("s")
        return at.ended()

    assert await held(newcomer, dialogue) == 0


async def test_memory_by_meaning_with_openai_is_tried_before_anything_is_installed(
    newcomer: Newcomer,
) -> None:
    server = Embeddings(model="text-embedding-3-small")
    python = interpreter(newcomer.folder / "python")
    newcomer.environ[INTERPRETER] = str(python)
    by_words = "Answers are found by their words."
    async with serving(server.app) as url:
        newcomer.environ["OPENAI_BASE_URL"] = f"{url}/v1"
        told = "so answers are found by their words: the embedder refuses: 401"
        await offered_by_openai(newcomer, "sk-wrong", "", told, by_words)
        server.fate = "down"
        told = "so answers are found by their words: the embedder refuses: 503"
        await offered_by_openai(newcomer, EMBED_KEY, "", told, skips=True)
        assert not (python.parent / "pip.txt").exists()
        server.fate = ""
        works, full = "256 numbers.", ("Packages: 2 of about", "✗ pip says:", "No space left on")
        hints = ("make meaning", by_words)
        await offered_by_openai(newcomer, EMBED_KEY, "full", works, *full, *hints, columns=40)
        assert newcomer.env.read_text() == f"OPENAI_API_KEY={EMBED_KEY}\n"
        good = ("✓ Chroma is installed.", "/status says how many", SAVED)
        await offered_by_openai(newcomer, EMBED_KEY, "", works, *good)
    assert newcomer.env.read_text() == (
        f"OPENAI_API_KEY={EMBED_KEY}\nSTEWARD_EMBED_MODEL=text-embedding-3-small\n"
    )
    told = (python.parent / "pip.txt").read_text()
    assert "--require-hashes" in told
    assert told.endswith("requirements/meaning.txt")
    assert EMBED_KEY not in newcomer.seen


async def test_memory_by_meaning_with_a_server_that_has_an_embedder_or_a_small_local_model(
    newcomer: Newcomer,
) -> None:
    python = interpreter(newcomer.folder / "python", installed=True)
    newcomer.environ[INTERPRETER] = str(python)
    embeds = Embeddings(model="nomic-embed-text:latest")
    chat = ChatCompletions(api_key=EMBED_KEY, listed={"qwen3:8b": {}, embeds.model: {}})
    chat.app.routes.extend(embeds.app.routes)
    async with serving(chat.app) as url:
        toml = f'[providers.ollama]\nbase_url = "{url}/v1"\nkey = "OLLAMA_KEY"\n'
        (newcomer.folder / "steward.toml").write_text(toml)
        before = f"STEWARD_MODEL=ollama/qwen3:8b\nOLLAMA_KEY={EMBED_KEY}\n"
        newcomer.env.write_text(before)

        def by_the_server(at: Newcomer) -> int | None:
            at.begin("setup", "memory")
            at.shown("nomic-embed-text:latest of ollama reads each answer once.", MEANING_OFFER)
            at.answer("y")
            at.shown("nomic-embed-text:latest answers with 256 numbers.", SAVED)
            return at.ended()

        assert await held(newcomer, by_the_server) == 0
        assert newcomer.env.read_text() == (
            f"{before}STEWARD_EMBED_MODEL=nomic-embed-text:latest\n"
            f"STEWARD_EMBED_URL={url}/v1\nSTEWARD_EMBED_KEY={EMBED_KEY}\n"
        )
    newcomer.env.write_text("OTHER=1\n")
    (python.parent / "fate").write_text("offline")

    def local(at: Newcomer) -> int | None:
        at.begin("setup", "memory")
        at.shown("A small English model on this machine", "83 MB", MEANING_OFFER)
        at.answer("y")
        at.shown(
            "41 of about 83 MB are here", "by meaning does not work now", "no network", "s skips:"
        )
        (python.parent / "fate").unlink()
        at.answer("")
        at.shown("✓ all-MiniLM-L6-v2 answers with 2 numbers.", SAVED)
        return at.ended()

    assert await held(newcomer, local) == 0
    assert newcomer.env.read_text() == "OTHER=1\nSTEWARD_EMBED_MODEL=local\n"
