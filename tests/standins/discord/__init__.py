"""A strict stand-in for Discord: its HTTP API, its gateway and the people on it."""

from tests.standins.discord.discord import TOKEN, Discord
from tests.standins.discord.faults import Fault
from tests.standins.discord.world import Channel, Guild, Interaction, Message, User

__all__ = ["TOKEN", "Channel", "Discord", "Fault", "Guild", "Interaction", "Message", "User"]
