"""Opens the store of a run, and admits the people that the settings name."""

from contextlib import AsyncExitStack

from bot.adapters.sql.patience import Patience
from bot.adapters.sql.store import Store, open_store
from bot.bootstrap.database import told
from bot.domain.talk.errors import StoreUnavailable
from bot.domain.talk.person import Role, Sender
from bot.settings import Settings


async def opened_store(
    settings: Settings, stack: AsyncExitStack, patience: Patience | None
) -> Store:
    """Opens the store and asks for the right to write, which no message should have to find out.

    A server that is not up yet is waited for. A file that cannot be written now is told at once.
    """
    try:
        store = await stack.enter_async_context(
            open_store(settings.database_url, patience=patience, alone=True)
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
