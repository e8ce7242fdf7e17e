"""A store as the tests see it: its ports and nothing else."""

from typing import Protocol

from bot.ports.approvals import Approvals, Rules
from bot.ports.chats import Chats
from bot.ports.consents import Consents
from bot.ports.inbox import Inbox
from bot.ports.journal import Journal
from bot.ports.ledger import Ledger
from bot.ports.members import Members
from bot.ports.outbox import Outbox
from bot.ports.people import Door, People
from bot.ports.plans import Plans


class StorePorts(Protocol):
    @property
    def inbox(self) -> Inbox: ...
    @property
    def journal(self) -> Journal: ...
    @property
    def chats(self) -> Chats: ...
    @property
    def people(self) -> People: ...
    @property
    def door(self) -> Door: ...
    @property
    def members(self) -> Members: ...
    @property
    def approvals(self) -> Approvals: ...
    @property
    def rules(self) -> Rules: ...
    @property
    def plans(self) -> Plans: ...
    @property
    def outbox(self) -> Outbox: ...
    @property
    def ledger(self) -> Ledger: ...
    @property
    def consents(self) -> Consents: ...
