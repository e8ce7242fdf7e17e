"""The skill at work in a chat: chosen by a person, or lent by the model."""

from dataclasses import replace

from bot.domain.change import ChooseSkill, SaveSettings, SaveTurn
from bot.domain.talk.chat import Chat
from tests.contracts.store_ports import StorePorts
from tests.contracts.store_samples import a_turn, commit


async def at_work(store: StorePorts, chat: Chat) -> tuple[str | None, bool]:
    now = await store.chats.get(chat.id)
    return now.skill, now.skill_lent


async def test_a_new_chat_has_no_skill_at_work(store: StorePorts, chat: Chat) -> None:
    assert await at_work(store, chat) == (None, False)


async def test_a_choice_of_the_model_gives_way_to_the_next_one(
    store: StorePorts, chat: Chat
) -> None:
    await commit(store, ChooseSkill(chat.id, "minutes", lent=True))
    assert await at_work(store, chat) == ("minutes", True)
    await commit(store, ChooseSkill(chat.id, "report", lent=True))
    assert await at_work(store, chat) == ("report", True)
    await commit(store, ChooseSkill(chat.id, None, lent=True))
    assert await at_work(store, chat) == (None, False)


async def test_a_choice_of_a_person_stays_until_a_person_changes_it(
    store: StorePorts, chat: Chat
) -> None:
    await commit(store, ChooseSkill(chat.id, "lent", lent=True), ChooseSkill(chat.id, "minutes"))
    await commit(store, ChooseSkill(chat.id, "report", lent=True))
    await commit(store, ChooseSkill(chat.id, None, lent=True))
    assert await at_work(store, chat) == ("minutes", False)
    await commit(store, ChooseSkill(chat.id, None))
    assert await at_work(store, chat) == (None, False)


async def test_settings_of_a_chat_leave_its_skill_alone(store: StorePorts, chat: Chat) -> None:
    await commit(store, ChooseSkill(chat.id, "minutes", lent=True))
    await commit(store, SaveSettings(chat, replace(chat.settings, previews=True)))
    assert await at_work(store, chat) == ("minutes", True)
    other = await store.chats.get(chat.id)
    assert other.settings.previews


async def test_a_turn_keeps_its_skill_and_its_depth(store: StorePorts, chat: Chat) -> None:
    await commit(store, SaveTurn(a_turn(chat)))
    await commit(store, SaveTurn(a_turn(chat, skill="report", stages=2)))
    (turn,) = (await store.journal.agenda(chat.id)).unfinished
    assert (turn.skill, turn.stages) == ("report", 2)
