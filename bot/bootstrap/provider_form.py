"""The one form of a provider of models whose wire is its own."""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

from bot.domain.money.provider import ProviderSpec
from bot.domain.money.traits import Traits
from bot.domain.talk.limits import ModelTimes
from bot.domain.value import frozen
from bot.ports.model import Model
from bot.settings import Settings


class ServedModel(Model, AbstractAsyncContextManager[Any], Protocol):
    """The models of one provider; enter it before the first call, leave it to close it."""

    def warm(self) -> Awaitable[None]:
        """Loads what the first call would wait for."""
        ...

    def learn(self) -> Awaitable[None]:
        """Asks the provider what it tells of its models; without an answer nothing changes."""
        ...


class Wire(Protocol):
    """Makes the models of one provider, which are not entered yet; usually a class.

    `window` (tokens) replaces the window of every profile. `traits` are what is known of models,
    by their whole name.
    """

    def __call__(
        self,
        spec: ProviderSpec,
        *,
        times: ModelTimes | None = None,
        window: int | None = None,
        traits: Mapping[str, Traits] | None = None,
    ) -> ServedModel: ...


@frozen
class OwnSettings:
    """The settings of a provider that is set up without a table in `steward.toml`."""

    spec: Callable[[Settings], ProviderSpec | None]
    """Returns the way to the provider; None without its key."""
    first: str
    """The model that answers where nobody chose one, as `provider/name`."""
    keys_page: str
    """The address at which a person makes a key."""
    url: str
    """The provider's own address."""
    url_setting: str
    """The setting that replaces this address."""


@frozen
class ProviderForm:
    name: str
    """The part before the slash in the names of its models."""
    wire: Wire

    own: OwnSettings | None = None
    """Its settings; None for one that stands as `[providers.<name>]` in `steward.toml`."""
