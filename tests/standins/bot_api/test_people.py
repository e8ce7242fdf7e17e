"""What people do, and what bots read and may answer."""

import httpx
import pytest
import telegram
from telegram import InlineKeyboardButton, InlineKeyboardMarkup, MessageEntity
from telegram.error import BadRequest, ChatMigrated, Forbidden

from tests.standins.bot_api import BotApi, CallbackAnswer, Person
from tests.standins.bot_api.asking import refusal

OK_BUTTON = InlineKeyboardMarkup([[InlineKeyboardButton("OK", callback_data="ok:1")]])


class TestPeople:
    async def test_what_people_send_reads_as_real_updates(
        self, api: BotApi, ann: Person, bot: telegram.Bot
    ) -> None:
        first = api.say(ann, "/start now")
        api.say(ann, "see", reply_to=first, quote="now", forward_from="Eve")
        api.edit(ann, first, "/stop")
        api.send_document(ann, b"data", "a.txt", caption="read")
        command, reply, edited, document = await bot.get_updates()
        assert command.message is not None
        assert command.message.entities[0].type == MessageEntity.BOT_COMMAND
        assert reply.message is not None
        assert reply.message.reply_to_message is not None
        assert reply.message.quote is not None
        assert reply.message.quote.position == len("/start ")
        assert isinstance(reply.message.forward_origin, telegram.MessageOriginHiddenUser)
        assert edited.edited_message is not None
        assert edited.edited_message.text == "/stop"
        assert document.message is not None
        assert document.message.document is not None
        assert document.message.document.mime_type == "text/plain"

    async def test_a_sent_file_can_be_downloaded(
        self, api: BotApi, ann: Person, bot: telegram.Bot
    ) -> None:
        body = bytes(range(256)) + b"\r\n--"
        api.send_photo(ann, body)
        (update,) = await bot.get_updates()
        assert update.message is not None
        file = await bot.get_file(update.message.photo[-1].file_id)
        assert bytes(await file.download_as_bytearray()) == body

    async def test_an_unknown_file_is_refused(self, raw: httpx.AsyncClient) -> None:
        assert "wrong file_id" in await refusal(raw, "getFile", file_id="x")

    async def test_an_album_is_an_update_a_part_with_the_number_of_the_album(
        self, api: BotApi, ann: Person, bot: telegram.Bot
    ) -> None:
        api.send_album(ann, b"1", b"2", b"3", caption="Trip")
        api.send_photo(ann, b"4")
        updates = [update.message for update in await bot.get_updates()]
        parts = [message for message in updates if message is not None]
        assert [part.caption for part in parts] == ["Trip", None, None, None]
        one, *others, alone = [part.media_group_id for part in parts]
        assert set(others) == {one}
        assert one is not None
        assert alone is None
        with pytest.raises(ValueError, match="two to ten"):
            api.send_album(ann, b"1")

    async def test_what_has_no_words_has_the_shape_the_library_knows(
        self, api: BotApi, ann: Person, bot: telegram.Bot
    ) -> None:
        api.send_voice(ann)
        api.send_video_note(ann)
        api.send_video(ann)
        api.send_sticker(ann, "👍")
        api.send_location(ann, 48.2, 16.37)
        api.send_contact(ann, "Bob", "+43 1")
        api.send_poll(ann, "When?", "Now", "Never")
        updates = [update.message for update in await bot.get_updates()]
        voice, note, video, sticker, place, contact, poll = (m for m in updates if m is not None)
        assert voice.voice is not None
        assert note.video_note is not None
        assert video.video is not None
        assert sticker.sticker is not None
        assert sticker.sticker.emoji == "👍"
        assert place.location is not None
        assert contact.contact is not None
        assert poll.poll is not None
        assert [option.text for option in poll.poll.options] == ["Now", "Never"]
        assert all(message.text is None for message in (voice, sticker, place, contact, poll))

    async def test_a_long_paste_arrives_in_pieces(self, api: BotApi, ann: Person) -> None:
        assert len(api.paste(ann, "x" * 10_000)) == 3
        with pytest.raises(ValueError, match="paste"):
            api.say(ann, "x" * 4097)


class TestButtons:
    async def test_a_press_carries_the_data_and_records_its_one_answer(
        self, api: BotApi, ann: Person, bot: telegram.Bot
    ) -> None:
        await bot.send_message(42, "sure?", reply_markup=OK_BUTTON)
        press = api.press(ann, api.screen(42).messages[-1], "OK")
        (update,) = await bot.get_updates()
        assert update.callback_query is not None
        assert update.callback_query.data == "ok:1"
        assert press.answer is None
        await update.callback_query.answer("done", show_alert=True)
        assert press.answer == CallbackAnswer("done", show_alert=True)
        with pytest.raises(BadRequest, match=r"(?i)query is too old"):
            await update.callback_query.answer()
        assert press.refused_answers == 1

    async def test_a_late_or_unknown_answer_is_too_old(
        self, api: BotApi, ann: Person, bot: telegram.Bot, raw: httpx.AsyncClient
    ) -> None:
        await bot.send_message(42, "sure?", reply_markup=OK_BUTTON)
        press = api.press(ann, api.screen(42).messages[-1], "ok:1")
        api.advance(3600)
        for query in (press.id, "1"):
            description = await refusal(raw, "answerCallbackQuery", callback_query_id=query)
            assert description == (
                "query is too old and response timeout expired or query ID is invalid"
            )

    async def test_only_shown_buttons_can_be_pressed_unless_forged(
        self, api: BotApi, ann: Person, bot: telegram.Bot
    ) -> None:
        await bot.send_message(42, "sure?", reply_markup=OK_BUTTON)
        card = api.screen(42).messages[-1]
        with pytest.raises(LookupError):
            api.press(ann, card, "other")
        assert api.press(ann, card, "other", forged=True).data == "other"

    @pytest.mark.parametrize("data", ["", "x" * 65, "ü" * 33])
    async def test_button_data_is_1_to_64_bytes(
        self, ann: Person, raw: httpx.AsyncClient, data: str
    ) -> None:
        markup = {"inline_keyboard": [[{"text": "b", "callback_data": data}]]}
        assert (
            await refusal(raw, "sendMessage", chat_id=42, text="x", reply_markup=markup)
            == "BUTTON_DATA_INVALID"
        )

    async def test_a_button_without_an_action_is_refused(
        self, ann: Person, raw: httpx.AsyncClient
    ) -> None:
        markup = {"inline_keyboard": [[{"text": "b"}]]}
        description = await refusal(raw, "sendMessage", chat_id=42, text="x", reply_markup=markup)
        assert "Text buttons are unallowed" in description


class TestGroups:
    async def test_with_privacy_the_bot_sees_only_what_is_addressed_to_it(
        self, api: BotApi, ann: Person, bot: telegram.Bot
    ) -> None:
        group = api.group("Team", ann)
        api.say(ann, "lunch?", chat=group)
        api.say(ann, "@steward_bot lunch?", chat=group)
        sent = await bot.send_message(group.id, "yes")
        api.say(ann, "fine", chat=group, reply_to=api.screen(group.id).messages[-1])
        joined, mention, reply = await bot.get_updates()
        assert joined.my_chat_member is not None
        assert mention.message is not None
        assert mention.message.text == "@steward_bot lunch?"
        assert reply.message is not None
        assert reply.message.reply_to_message is not None
        assert reply.message.reply_to_message.message_id == sent.message_id

    async def test_topics_are_threads_and_must_exist(
        self, api: BotApi, ann: Person, bot: telegram.Bot
    ) -> None:
        group = api.group("Team", ann)
        topic = api.topic(group, "Releases")
        api.say(ann, "/status", chat=group, topic=topic)
        await bot.send_message(group.id, "fine", message_thread_id=topic)
        assert [shown.thread_id for shown in api.screen(group.id).messages] == [topic, topic]
        with pytest.raises(BadRequest, match=r"(?i)message thread not found"):
            await bot.send_message(group.id, "x", message_thread_id=topic + 50)

    async def test_members_and_leaving(self, api: BotApi, ann: Person, bot: telegram.Bot) -> None:
        boss = api.person(first_name="Boss")
        stranger = api.person(first_name="Stranger")
        group = api.group("Team", ann, admins=(boss,))
        people = (ann, boss, stranger)
        statuses = [(await bot.get_chat_member(group.id, one.id)).status for one in people]
        assert statuses == ["member", "administrator", "left"]
        assert [a.user.id for a in await bot.get_chat_administrators(group.id)] == [boss.id]
        await bot.leave_chat(group.id)
        with pytest.raises(Forbidden, match="bot is not a member of the supergroup chat"):
            await bot.send_message(group.id, "x")

    async def test_what_happens_to_the_bot_is_told_with_its_standing_before_and_after(
        self, api: BotApi, ann: Person, bot: telegram.Bot
    ) -> None:
        group = api.group("Team", ann, creator=ann)
        for change in (api.promote_bot, api.demote_bot, api.mute_bot, api.remove_bot):
            change(group, ann)
        api.add_bot(group, ann)
        api.block(ann)
        changes = [update.my_chat_member for update in await bot.get_updates()]
        assert [(c.old_chat_member.status, c.new_chat_member.status) for c in changes if c] == [
            ("left", "member"),
            ("member", "administrator"),
            ("administrator", "member"),
            ("member", "restricted"),
            ("restricted", "kicked"),
            ("kicked", "member"),
            ("member", "kicked"),
        ]
        assert (await bot.get_chat_member(group.id, ann.id)).status == "creator"

    async def test_a_bot_that_may_not_write_is_refused(
        self, api: BotApi, ann: Person, bot: telegram.Bot
    ) -> None:
        group = api.group("Team", ann)
        api.mute_bot(group, ann)
        with pytest.raises(BadRequest, match=r"(?i)not enough rights to send text messages"):
            await bot.send_message(group.id, "x")
        api.remove_bot(group, ann)
        with pytest.raises(Forbidden, match="bot was kicked from the supergroup chat"):
            await bot.send_message(group.id, "x")

    async def test_a_group_that_was_upgraded_takes_nothing_and_tells_where_it_is(
        self, api: BotApi, ann: Person, bot: telegram.Bot
    ) -> None:
        group = api.group("Team", ann, kind="group")
        new = api.upgrade(group, ann)
        _, joined, left_old, came_from = await bot.get_updates()
        assert joined.my_chat_member is not None
        assert joined.my_chat_member.chat.id == new.id
        assert left_old.message is not None
        assert left_old.message.migrate_to_chat_id == new.id
        assert came_from.message is not None
        assert came_from.message.migrate_from_chat_id == group.id
        with pytest.raises(ChatMigrated) as moved:
            await bot.send_message(group.id, "x")
        assert moved.value.new_chat_id == new.id
        await bot.send_message(new.id, "x")
        with pytest.raises(ValueError, match="became a supergroup"):
            api.say(ann, "hello?", chat=group)
