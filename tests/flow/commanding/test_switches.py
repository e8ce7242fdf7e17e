"""The table of switches beside the settings of a chat."""

from dataclasses import fields, replace
from enum import StrEnum
from typing import get_type_hints

import pytest

from bot.domain.change import SaveSettings
from bot.domain.talk.chat import Chat, ChatSettings
from bot.domain.talk.message import Address
from bot.flow.commanding.switches import SWITCHES, Switch

NAMES = {"model", "timezone"}
"""Settings with any name for a value: no switches."""


def test_each_switch_of_a_chat_is_one_entry() -> None:
    known = [one.field for one in SWITCHES]
    assert sorted(known) == sorted({field.name for field in fields(ChatSettings)} - NAMES)
    assert len({one.name for one in SWITCHES}) == len(SWITCHES)


@pytest.mark.parametrize("switch", SWITCHES, ids=lambda one: one.name)
def test_a_switch_has_words_for_each_of_its_values(switch: Switch) -> None:
    kind = get_type_hints(ChatSettings)[switch.field]
    values = list(kind) if issubclass(kind, StrEnum) else [True, False]
    assert {one.value for one in switch.positions} == set(values)
    assert len(switch.positions) == len(values)
    typed = set(switch.usage.split("|"))
    assert {one.word for one in switch.positions} <= typed
    assert all(one.now and one.chosen for one in switch.positions)


def test_a_write_of_settings_holds_what_was_turned_alone() -> None:
    chat = Chat(1, Address("telegram", "42"), "c", settings=ChatSettings(footer=True))
    turned = replace(chat.settings, voice=True, model="fast")
    assert SaveSettings(chat, turned).changed == {"voice": True, "model": "fast"}
    assert SaveSettings(chat, chat.settings).changed == {}
