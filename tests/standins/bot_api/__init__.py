"""A strict stand-in for the Telegram Bot API, over real HTTP."""

from tests.standins.bot_api.bot_api import TOKEN, BotApi
from tests.standins.bot_api.entity import Entity
from tests.standins.bot_api.keyboard import Button
from tests.standins.bot_api.rates import Rates
from tests.standins.bot_api.screen import Screen, ShownMessage
from tests.standins.bot_api.service import Call, CallbackAnswer, Press
from tests.standins.bot_api.webhook import Delivery, Webhook
from tests.standins.bot_api.world import Chat, Draft, Message, Person, StoredFile
from tests.standins.gate import Gate

__all__ = [
    "TOKEN",
    "BotApi",
    "Button",
    "Call",
    "CallbackAnswer",
    "Chat",
    "Delivery",
    "Draft",
    "Entity",
    "Gate",
    "Message",
    "Person",
    "Press",
    "Rates",
    "Screen",
    "ShownMessage",
    "StoredFile",
    "Webhook",
]
