"""Providers and models of steward.toml: what is read, what is refused, and what stays secret."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from bot.adapters.provider_model import ProviderModel
from bot.bootstrap import providers
from bot.bootstrap.parts import skill_folders
from bot.bootstrap.provider_form import ProviderForm
from bot.bootstrap.providers import model_key, provider_fault, provider_models, with_demo
from bot.checkup.model_probes import try_model, try_provider
from bot.doctor import Complaint
from bot.domain.money.model import ModelProfile
from bot.domain.talk.errors import ModelUnreachable, NoSuchModel
from bot.domain.turn.view import ModelEvent, ModelRequest
from bot.settings import Settings, read_settings
from tests.fakes.clock import FakeClock
from tests.fakes.model import price

KEY = "sk-or-canary-0123456789abcdef"
TOML = """
[providers.openrouter]
base_url = "https://openrouter.ai/api/v1/"
key = "OPENROUTER_API_KEY"
headers = { X-Title = "Steward", X-Pass = "${PASS}" }

[providers.ollama]
base_url = "http://127.0.0.1:11434/v1"
output_field = "max_tokens"
stream_usage = false
trusted = true

[models."ollama/qwen3:8b"]
window = 16_384
vision = true
price = { input = 0, output = 0, date = "2026-11-22" }

[models."anthropic/claude-opus-5-5"]
window = 400_000
"""


def read(folder: Path, text: str = TOML, **environ: str) -> Settings:
    (folder / "steward.toml").write_text(text)
    return read_settings({"OPENROUTER_API_KEY": KEY, "PASS": "a-pass-word", **environ}, folder)


def test_a_provider_is_an_address_a_key_by_name_and_headers(tmp_path: Path) -> None:
    settings = read(tmp_path)
    router, ollama = settings.providers
    assert (router.name, router.base_url) == ("openrouter", "https://openrouter.ai/api/v1")
    assert router.key == KEY
    assert dict(router.headers) == {"X-Title": "Steward", "X-Pass": "a-pass-word"}
    assert (ollama.key, ollama.streams_usage, ollama.trusted) == ("", False, True)
    assert settings.warnings == ()
    assert set(provider_models(settings)) == {"openrouter", "ollama"}


def test_keys_and_headers_are_secrets_that_no_text_shows(tmp_path: Path) -> None:
    settings = read(tmp_path)
    hidden = {secret.get_secret_value() for secret in settings.secrets}
    assert {KEY, "a-pass-word"} <= hidden
    assert KEY not in repr(settings)
    assert "a-pass-word" not in repr(settings)


def test_a_key_may_stand_in_the_env_file(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text(f"OTHER_KEY={KEY}\n")
    text = '[providers.x]\nbase_url = "https://x.example/v1"\nkey = "OTHER_KEY"\n'
    assert read(tmp_path, text).providers[0].key == KEY


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ("[providers.x]\n", "base_url: it is missing"),
        ('[providers.x]\nbase_url = "x"\n', "base_url: "),
        ('[providers.x]\nbase_url = "http://x"\nkey = "NOWHERE"\n', "its key NOWHERE is neither"),
        ('[providers.x]\nbase_url = "http://x"\nkey = "sk-or-a.b"\n', "the name of a variable"),
        ('[providers.x]\nbase_url = "http://x"\nheaders = { A = "${NO}" }\n', "names ${NO}"),
        ('[providers.x]\nbase_url = "http://x"\nheaders = { "A b" = "c" }\n', "no header has"),
        (
            '[providers.x]\nbase_url = "http://x"\noutput_field = "tokens"\n',
            "max_completion_tokens",
        ),
        ('[providers.x]\nbase_url = "http://x"\ntrusted = "very"\n', "true or false"),
        ('[providers.anthropic]\nbase_url = "http://x"\n', "settings of its own"),
        ('[providers."A B"]\nbase_url = "http://x"\n', "its name should be small letters"),
        ("[providers]\nx = 1\n", "it should be a table"),
    ],
)
def test_an_entry_nobody_can_use_is_told_and_concerns_no_other(
    tmp_path: Path, table: str, words: str
) -> None:
    settings = read(tmp_path, table)
    (told,) = settings.warnings
    assert words in told
    assert "sk-or" not in told
    assert set(provider_models(settings)) == set()


def test_a_key_of_an_entry_that_nobody_knows_is_told(tmp_path: Path) -> None:
    text = '[providers.x]\nbase_url = "http://x"\nmodel = "y"\n'
    assert "model, which is no key of a provider" in read(tmp_path, text).warnings[0]


def test_models_of_the_file_go_on_top_of_what_the_program_knows(tmp_path: Path) -> None:
    models = provider_models(read(tmp_path, ANTHROPIC_API_KEY="sk-ant-x"))
    opus = models["anthropic"].profile("claude-opus-5-5")
    assert (opus.window, opus.max_output, opus.price) == (
        400_000,
        32_000,
        replace(price("4", "20", "0.2", "5"), dated="2026-11-20", search=Decimal(10)),
    )
    local = models["ollama"].profile("qwen3:8b")
    assert (local.window, local.sees, local.trusted) == (16_384, True, True)
    assert local.price == replace(price(*"0000"), dated="2026-11-22")


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ("window = 12", "window: it should be a whole number of tokens, at least 1000"),
        ('vision = "yes"', "vision: it should be true or false"),
        ("price = 3", "price: it should be a table"),
        ("price = { input = 3 }", "at least input and output"),
        ("price = { input = 3, output = -1 }", "output should be dollars"),
        ("price = { input = 3, output = 4, reads = 1 }", "reads is none of"),
        ('price = { input = 3, output = 4, date = "soon" }', "date should be a day"),
        ("colour = 1", "colour, which is no key of a model"),
    ],
)
def test_a_model_nobody_can_use_is_told(tmp_path: Path, table: str, words: str) -> None:
    (told,) = read(tmp_path, f'[models."x/y"]\n{table}\n').warnings
    assert words in told


def test_a_model_without_its_provider_is_told(tmp_path: Path) -> None:
    (told,) = read(tmp_path, '[models."claude"]\nwindow = 9000\n').warnings
    assert "a provider and a name" in told


def test_what_nobody_chose_is_answered_by_whoever_has_a_key(tmp_path: Path) -> None:
    def answering(settings: Settings) -> str:
        return model_key(settings, with_demo(provider_models(settings)))

    assert answering(read(tmp_path, "")) == "demo/demo"
    assert answering(read(tmp_path, "", OPENAI_API_KEY=KEY)) == "openai/gpt-5.1"
    both = {"OPENAI_API_KEY": KEY, "ANTHROPIC_API_KEY": "sk-ant-x"}
    assert answering(read(tmp_path, "", **both)) == "anthropic/claude-sonnet-5-5"
    chosen = read(tmp_path, STEWARD_MODEL="ollama/qwen3:8b")
    assert answering(chosen) == "ollama/qwen3:8b"


def test_a_model_of_a_provider_that_cannot_be_used_says_why(tmp_path: Path) -> None:
    broken = read(tmp_path, '[providers.x]\nbase_url = "http://x"\nkey = "NOWHERE"\n')
    assert "its key NOWHERE" in provider_fault(broken, "x/y", "STEWARD_MODEL")
    assert "only anthropic, openai and demo" in provider_fault(broken, "z/y", "STEWARD_MODEL")


def test_the_address_of_openai_may_be_another(tmp_path: Path) -> None:
    given = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": "http://user:pass@127.0.0.1:9/v1/"}
    settings = read(tmp_path, "", **given)
    assert settings.openai.base_url == "http://user:pass@127.0.0.1:9/v1"
    shown = {line.name: line.value for line in settings.lines}
    assert "pass@" not in shown["OPENAI_BASE_URL"]
    assert KEY not in shown["OPENAI_API_KEY"]


async def test_no_skill_can_read_a_providers_key_whatever_it_is_allowed_to_see(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENROUTER_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.setenv(name, KEY)
    monkeypatch.setenv("TRACKER", "a-tracker")
    settings = read(tmp_path, STEWARD_HOME=str(tmp_path / "home"))
    folder = settings.home / "skills" / "spy"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(
        "---\nname: spy\ndescription: Looks.\nvars:\n  OPENROUTER_API_KEY:\n"
        "  OPENAI_API_KEY:\n  TRACKER:\n---\nLook.\n"
    )
    (settings.home / "skills.toml").write_text(
        '[allow]\nspy = ["OPENROUTER_API_KEY", "OPENAI_API_KEY", "TRACKER"]\n'
    )
    skills = skill_folders(settings, FakeClock(), lambda *_: None)
    await asyncio.to_thread(skills.load)
    seen = {each.name: each.value for each in skills.known.skills["spy"].variables}
    # A name of the program's own settings is no variable of a skill at all.
    assert seen == {"OPENROUTER_API_KEY": None, "TRACKER": "a-tracker"}


class ToyLine:
    """The connection of a provider that speaks no protocol of the program."""

    async def close(self) -> None:
        """Hangs up."""


class ToyModel(ProviderModel[ToyLine]):
    """Models with a wire of their own, which begin with the key."""

    async def learn(self) -> None:
        raise AssertionError("nobody asks")

    def profile(self, name: str) -> ModelProfile:
        return self._seen(ModelProfile(self._spec.name, name, 1_000, 100))

    async def check(self, name: str) -> None:
        if name not in await self.models():
            raise NoSuchModel("404: the toy has no such model")

    async def models(self) -> Sequence[str]:
        await self._opened()
        if "broken" in self._spec.base_url:
            raise ModelUnreachable("the line is cut")
        return ("one", "two")

    def reply(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        raise AssertionError("nobody talks")

    def _connect(self) -> ToyLine:
        return ToyLine()


@pytest.fixture
def toys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """Two providers in steward.toml, of which one has a form."""
    line = ProviderForm("toy", ToyModel)
    monkeypatch.setattr(providers, "PROVIDERS", (*providers.PROVIDERS, line))
    table = '[providers.{0}]\nbase_url = "http://{0}.example"\n'
    return read(tmp_path, table.format("toy") + table.format("other"))


async def test_a_provider_with_a_form_is_reached_by_its_own_wire(toys: Settings) -> None:
    found = provider_models(toys)
    assert isinstance(found["toy"], ToyModel)
    assert not isinstance(found["other"], ToyModel)
    assert found["toy"].profile("one").window == 1_000
    assert provider_fault(toys, "toy/one", "STEWARD_MODEL") == ""


async def test_the_doctor_tries_a_provider_with_a_form_as_any_other(toys: Settings) -> None:
    (spec,) = (one for one in toys.providers if one.name == "toy")
    assert await try_provider(toys, spec) == "It answers and lists 2 models."
    assert await try_model(toys, "toy/two") == "The key is good, and toy/two is there."
    with pytest.raises(Complaint, match="no model “twoo”") as caught:
        await try_model(toys, "toy/twoo")
    assert "Did you mean two?" in caught.value.mend
    cut = replace(toys, providers=(replace(spec, base_url="http://broken.example"),))
    with pytest.raises(Complaint, match="cannot be reached at http://broken"):
        await try_model(cut, "toy/one")
