"""A provider of models, as the operator set it up."""

import re

from bot.domain.value import field, frozen

ANTHROPIC = "anthropic"
ANTHROPIC_URL = "https://api.anthropic.com"
OPENAI = "openai"
OPENAI_URL = "https://api.openai.com/v1"
OWN_SEARCHES = {ANTHROPIC: "Claude", OPENAI: "OpenAI"}
"""The providers that search the web by themselves, with the names that people know."""

LONGEST_NAME = 32
_MODEL = re.compile(r"[a-z0-9_-]+/\S+")


def read_model_name(text: str) -> str:
    """Reads the whole name of a model; raises ValueError with half a sentence."""
    if not _MODEL.fullmatch(text):
        raise ValueError("it should be a provider and a name, as in anthropic/claude-sonnet-5-5")
    return text


def read_model_names(text: str) -> tuple[str, ...]:
    """Reads `anthropic/claude-opus-5-5,anthropic/claude-haiku-5-5`."""
    names = (name.strip() for name in text.split(","))
    return tuple(dict.fromkeys(read_model_name(name) for name in names if name))


@frozen
class ProviderSpec:
    """The way to one server, and what differs from one server to another."""

    name: str
    """The part before the slash in the names of its models."""
    base_url: str = ""
    """The address below which its calls lie, such as `/models`."""
    key: str = field(default="", repr=False)
    """The key; empty for a server that wants none."""
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    """Headers that go along with each request."""
    output_field: str = "max_tokens"
    """The name that the server has for the longest answer."""
    streams_usage: bool = True
    """True when the server may be asked for the usage at the end of a stream."""
    trusted: bool = False
    """True when the reason that the server gives for the end of a reply can be relied on."""
    secrets: tuple[str, ...] = field(default=(), repr=False)
    """The key and the values of headers, which no log may show."""
    key_name: str = ""
    """The variable that holds the key, for sentences to the operator."""
    fault: str = ""
    """The reason why this entry cannot be used; empty for a good one."""
