"""Opens an application with its store, its models and its servers for one run."""

import gc
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import fields, replace
from functools import partial
from typing import TypeAlias

from bot.adapters.lanes.folder_lock import FolderLock
from bot.adapters.sql.patience import Patience
from bot.adapters.sql.store import ServingProcess, Store, open_store
from bot.bootstrap.below import Ground, opened_below
from bot.bootstrap.database import told
from bot.bootstrap.meaning import till_of
from bot.bootstrap.provider_form import ServedModel
from bot.bootstrap.providers import fallback_keys, model_key, provider_models
from bot.bootstrap.upgrading import copied_first
from bot.bootstrap.world import Channels, world_of
from bot.domain.talk.errors import StoreUnavailable
from bot.domain.talk.hold import Holds, never_held
from bot.domain.talk.person import Role, Sender
from bot.domain.talk.unusable_folder import unusable
from bot.domain.value import frozen
from bot.flow.application import Application
from bot.flow.composition import Composition
from bot.flow.policy import Policy
from bot.flow.world import StorePorts, never
from bot.logs import Secrets
from bot.ports.model import Model
from bot.settings import Settings

Counted: TypeAlias = Callable[[Mapping[str, Model]], Mapping[str, Model]]
"""Returns models whose calls are counted."""


def uncounted(models: Mapping[str, Model]) -> Mapping[str, Model]:
    return models


@frozen
class Running:
    """An application that is open, with the store below it."""

    application: Application
    store: Store
    model: str
    """The model that chats begin with, as `provider/name`."""
    warm_up: Callable[[], Awaitable[None]]


@asynccontextmanager
async def opened(
    settings: Settings,
    channels: Channels,
    secrets: Secrets,
    holds: Callable[[], Holds] = never_held,
    *,
    patient: bool = False,
    counted: Counted = uncounted,
) -> AsyncGenerator[Running]:
    """Opens the store, the models, the servers and the skills; closes them in reverse order.

    A `patient` run waits for a database that is away; any other one has a person who waits.
    """
    async with AsyncExitStack() as stack:
        stack.enter_context(FolderLock(settings.home))
        _make_workspace(settings)
        patience = Patience() if patient else None
        store = await opened_store(settings, stack, patience)
        await admit(settings, store)
        real = provider_models(settings)
        till = till_of(settings, store)
        returned = never if patience is None else patience.returned
        below = await opened_below(settings, stack, secrets, Ground(store, returned, real, till))
        below = replace(below, models=counted(below.models))
        policy = _policy(settings, below.models)
        parts = Composition(
            StorePorts(**{f.name: getattr(store, f.name) for f in fields(StorePorts)}),
            world_of(settings, channels, below, holds),
            policy,
            till=till,
        )
        first = real.get(policy.model.partition("/")[0])
        warm_up = partial(_warm, [*([first] if first is not None else []), *real.values()])
        collect_from_now_on()
        yield Running(Application(parts), store, policy.model, warm_up)


def _make_workspace(settings: Settings) -> None:
    try:
        settings.workspace.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise unusable("STEWARD_WORKSPACE", settings.workspace, error) from error


async def _warm(models: Sequence[ServedModel]) -> None:
    """Loads the libraries of models, a second each, before the first message needs them.

    The model that answers comes first, so that no other provider's list delays it.
    """
    for model in dict.fromkeys(models):
        with uncollected():
            await model.warm()
        await model.learn()


def _policy(settings: Settings, models: Mapping[str, Model]) -> Policy:
    """Returns what the flow obeys, with the models that can answer."""
    model, others = model_key(settings, models), fallback_keys(settings, models)
    return replace(settings.policy, model=model, fallback_models=others)


@contextmanager
def uncollected() -> Generator[None]:
    """Collects nothing while the block loads a part of the program, and leaves it out for good."""
    paused = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if paused:
            gc.freeze()
            gc.enable()


def collect_from_now_on() -> None:
    """Begins to collect, if the start of the process has paused it: what is loaded by now stays."""
    if not gc.isenabled():
        gc.freeze()
        gc.enable()


async def opened_store(
    settings: Settings, stack: AsyncExitStack, patience: Patience | None
) -> Store:
    """Opens the store and asks for the right to write, which no message should have to find out.

    A server that is not up yet is waited for. A file that cannot be written now is told at once.
    """
    try:
        store = await stack.enter_async_context(
            open_store(
                settings.database_url,
                serving=ServingProcess(patience, partial(copied_first, settings), settings.duties),
            )
        )
        await store.check_writable()
    except StoreUnavailable as fault:
        raise told(settings, fault) from fault
    if patience is not None:
        patience.begin()
    return store


async def admit(settings: Settings, store: Store) -> None:
    """Admits the owners and members that the settings name."""
    for role, accounts in ((Role.OWNER, settings.owners), (Role.MEMBER, settings.allowed)):
        for account in accounts:
            channel, _, user = account.partition(":")
            await store.people.admit(Sender(channel, user, account), role)
