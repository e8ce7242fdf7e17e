"""Builds the tools that touch the world as the settings want them."""

from collections.abc import Sequence

from bot.adapters.sql.store import Store
from bot.adapters.tools.catalog import world_tools
from bot.adapters.tools.command import RunCommand
from bot.adapters.tools.other_chats import OtherChats
from bot.adapters.tools.reading_files import reading_tools
from bot.adapters.tools.sandbox import Sandbox
from bot.adapters.tools.sent_files import SentFiles
from bot.adapters.tools.writing_files import writing_tools
from bot.bootstrap.web import tools_for_the_web
from bot.ports.clock import Clock
from bot.ports.tool import Tool
from bot.ports.web import PageReader
from bot.settings import Settings


def tools_of(
    settings: Settings, store: Store, clock: Clock, sandbox: Sandbox, reader: PageReader
) -> Sequence[Tool]:
    others = OtherChats(folder for _, folder in settings.shared_folders)
    sent = SentFiles(store.received, store.journal, clock)
    policy = settings.policy
    kept = policy.undo.bytes if policy.undo.days else 0
    return world_tools(
        clock,
        settings.home / "spool",
        reading=reading_tools(store.ledger, others, sent),
        writing=writing_tools(policy.documents, kept),
        run_command=RunCommand(sandbox, round(policy.limits.tool_seconds), others, sent),
        web=tools_for_the_web(settings, reader),
    )
