"""A second judge of what is sent to Discord: simcord, a Discord in memory that others wrote.

It stands in place of the library's HTTP, so it sees the calls of the adapter but none of its bytes:
files, which the adapter sends as parts of a form, it does not see at all.
"""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import discord
import pytest
import simcord

from bot.adapters.discord.api import DiscordApi
from bot.adapters.discord.channel import DiscordChannel
from bot.adapters.discord.fields import Fields
from bot.adapters.discord.groups import DiscordGroups
from bot.adapters.discord.interactions import Interactions
from bot.adapters.discord.menu import Menu, listed
from bot.domain.talk.errors import RecipientGone
from bot.domain.talk.message import (
    Address,
    Button,
    CodeBlock,
    Outbound,
    OutboundKind,
    Piece,
    Plain,
    Press,
    Sign,
)
from bot.domain.talk.person import Sender
from tests.standins.discord import TOKEN


@dataclass
class Court:
    """A server with one channel and Ann in it; the adapter acts, and simcord judges."""

    env: simcord.Env
    api: DiscordApi
    guild: simcord.GuildHandle
    place: simcord.ChannelHandle
    ann: simcord.MemberActor
    handles: list[str] = field(default_factory=list[str])
    """Of interactions that came, as the adapter names them."""

    @property
    def channel(self) -> DiscordChannel:
        return DiscordChannel(self.api, gated=False)

    @property
    def address(self) -> Address:
        return Address("discord", f"-{self.place.id}")

    @property
    def shown(self) -> list[str]:
        return [message.content for message in self.place.history()]

    async def sent(self, content: Outbound) -> list[str]:
        channel = self.channel
        pieces = channel.split(content)
        return [await channel.send(self.address, piece) for piece in pieces]


@asynccontextmanager
async def court() -> AsyncGenerator[Court]:
    # No fixture: simcord has to end in the context in which it began.
    async with DiscordApi(TOKEN) as api, simcord.run(api.client) as env:
        guild = env.create_guild("Home")
        place = guild.create_text_channel("general")
        ann = guild.add_member(env.create_user("ann"))
        assert env.bot.user is not None
        api.own_id = str(env.bot.user.id)
        # READY would tell it.
        api.belongs_to(str(api.client.application_id))
        found = Court(env, api, guild, place, ann)

        interactions = Interactions(api)

        @api.client.event
        async def on_interaction(told: discord.Interaction[Any]) -> None:
            found.handles.append(f"{told.id}:{told.token}")
            rows = told.message.components if told.message is not None else []
            shown = {"components": [row.to_dict() for row in rows]}
            about = {"id": str(told.id), "token": told.token, "type": told.type.value}
            event = Fields(about | {"data": told.data, "message": shown})
            if not interactions.helped(event):
                interactions.answer(event)

        yield found
        await interactions.close()


async def test_it_takes_what_is_sent_changed_and_deleted() -> None:
    async with court() as at:
        channel, here = at.channel, at.address
        first = await channel.send(here, Piece({"text": "One", "silent": True}), once="1")
        second = await channel.send(here, Piece({"text": "Two", "reply_to": first}), once="2")
        await channel.edit(here, second, Piece({"text": "Two, better"}))
        await channel.edit(here, first, None)
        assert at.shown == ["Two, better"]


async def test_it_takes_the_answer_to_a_press_and_the_refusal_behind_it() -> None:
    async with court() as at:
        rows = ((Button("✅ Approve", "a:1"), Button("❌ Deny", "d:1")),)
        card = Outbound(OutboundKind.CARD, (Plain("🔐 Create"), CodeBlock("line")), rows)
        await at.sent(card)
        pressed = await at.ann.click(at.place.history()[0], label="✅ Approve")
        assert pressed.deferred
        ann = Sender("discord", str(at.ann.id), "Ann")
        press = Press(at.address, ann, "a:1", at.handles[0], "1")
        await at.channel.acknowledge(press, "Only an owner can decide this.", refused=True)
        [told] = pressed.followups
        assert (told.content, told.ephemeral) == ("Only an owner can decide this.", True)
        await at.channel.acknowledge(press, "Approved.")
        assert len(pressed.followups) == 1, "the card says so"
        await at.channel.acknowledge(press, "This is decided already.", alone=True)
        assert pressed.followups[-1].content == "This is decided already."


async def test_it_opens_the_dialogue_of_a_button_and_takes_the_words() -> None:
    async with court() as at:
        rows = ((Button("✏️ Change…", "c:1", asks="What should be different?"),),)
        await at.sent(Outbound(OutboundKind.CARD, (Plain("🔐 Create"),), rows))
        pressed = await at.ann.click(at.place.history()[0], label="✏️ Change…")
        assert pressed.modal is not None
        words = await at.ann.submit_modal(pressed, {"w": "Use butter"})
        assert words.deferred


async def test_it_takes_a_menu_in_place_of_many_buttons() -> None:
    async with court() as at:
        rows = tuple((Button(f"Choice {n}", f"d:{n}"),) for n in range(40))
        await at.sent(Outbound(OutboundKind.MENU, (Plain("Which?"),), rows))
        [menu] = at.place.history()
        assert len(menu.components) == 2


async def test_it_takes_typing_and_one_reaction_after_another() -> None:
    async with court() as at:
        sent = await at.sent(Outbound(OutboundKind.ANSWER, (Plain("Here."),)))
        await at.channel.sign(at.address, Sign.TYPING)
        await at.channel.sign(at.address, Sign.WORKING, sent[0])
        await at.channel.sign(at.address, Sign.DONE, sent[0])
        assert [str(one.emoji) for one in at.place.history()[0].reactions] == ["👌"]


async def test_a_thread_of_a_message_has_its_number() -> None:
    async with court() as at:
        asked = await at.ann.send(at.place, "A task of ours")
        assert isinstance(asked, discord.Message)
        thread = at.channel.thread_at(at.address, str(asked.id))
        assert thread is not None
        await at.channel.send(thread, Piece({"text": "In here."}))
        [opened] = at.place.threads
        assert (opened.id, opened.name) == (asked.id, "A task of ours")


async def test_it_knows_the_owner_the_members_and_the_commands() -> None:
    async with court() as at:
        groups, ann = DiscordGroups(at.api), Sender("discord", str(at.ann.id), "Ann")
        assert not await groups.owned_by(at.address, ann)
        assert not await groups.run_by(at.address, ann)
        assert await groups.includes(at.address, ann)
        at.guild.remove_member(at.ann)
        assert not await groups.includes(at.address, ann)
        assert not await groups.run_by(at.address, ann)
        await Menu(at.api).set(listed([("stop", "stop the work")], {"stop": "all"}))
        path, names = (
            "/applications/{application_id}/commands",
            {"application_id": await at.api.application()},
        )
        told = await at.api.call("GET", path, names=names)
        assert sorted(one["name"] for one in told) == ["Ask Steward", "stop"]


async def test_a_channel_that_is_gone_is_told_as_gone() -> None:
    async with court() as at:
        with pytest.raises(RecipientGone):
            await at.channel.send(Address("discord", "-1200000000000000000"), Piece({"text": "?"}))
