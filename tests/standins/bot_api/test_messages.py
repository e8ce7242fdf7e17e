"""Addressing, editing, drafts and files."""

import httpx
import pytest
import telegram
from telegram import InlineKeyboardButton, InlineKeyboardMarkup
from telegram.error import BadRequest, Forbidden

from tests.adapters.media.files import picture
from tests.standins.bot_api import BotApi, Person
from tests.standins.bot_api.asking import refusal, result
from tests.standins.bot_api.reaction import REACTION_EMOJI
from tests.standins.opus import opus

PNG = picture(4, 3)
OK_BUTTON = InlineKeyboardMarkup([[InlineKeyboardButton("OK", callback_data="ok:1")]])


class TestLiveLocations:
    async def test_ending_one_tells_what_stands_there_and_changes_nothing(
        self, api: BotApi, ann: Person, raw: httpx.AsyncClient
    ) -> None:
        own = await result(raw, "sendMessage", chat_id=42, text="x")
        said = api.say(ann, "y")
        before = api.screen(42)
        for number, told in (
            (own["message_id"], "there is no live location in the message to edit"),
            (said.id, "message can't be edited"),
            (said.id + 1, "message to edit not found"),
        ):
            assert (
                await refusal(raw, "stopMessageLiveLocation", chat_id=42, message_id=number) == told
            )
        assert api.screen(42) == before


class TestAddressing:
    async def test_an_unknown_chat_is_not_found(self, raw: httpx.AsyncClient) -> None:
        assert await refusal(raw, "sendMessage", chat_id=7, text="x") == "chat not found"
        assert await refusal(raw, "sendMessage", text="x") == "chat_id is empty"

    async def test_a_person_who_blocked_the_bot_hears_nothing(
        self, api: BotApi, ann: Person, bot: telegram.Bot
    ) -> None:
        api.block(ann)
        with pytest.raises(Forbidden, match="bot was blocked by the user"):
            await bot.send_message(42, "x")
        (update,) = await bot.get_updates()
        assert update.my_chat_member is not None
        assert update.my_chat_member.new_chat_member.status == "kicked"
        api.unblock(ann)
        await bot.send_message(42, "x")

    async def test_the_bot_never_writes_first(self, api: BotApi, bot: telegram.Bot) -> None:
        met = api.person(first_name="Met")
        api.group("Team", met)
        known = api.person(first_name="Known")
        api.private_chat(known, started=False)
        for person in (met, known):
            with pytest.raises(Forbidden, match="can't initiate conversation"):
                await bot.send_message(person.id, "x")
        api.start(met)
        await bot.send_message(met.id, "x")

    async def test_a_reply_needs_its_message(
        self, api: BotApi, ann: Person, bot: telegram.Bot
    ) -> None:
        with pytest.raises(BadRequest, match=r"(?i)message to be replied not found"):
            await bot.send_message(42, "x", reply_to_message_id=99)
        await bot.send_message(42, "x", reply_to_message_id=99, allow_sending_without_reply=True)
        asked = api.say(ann, "?")
        await bot.send_message(42, "y", reply_to_message_id=asked.id)
        assert [message.reply_to for message in api.screen(42).from_bot] == [None, asked.id]


class TestEditing:
    async def test_an_edit_changes_text_and_buttons(
        self, api: BotApi, ann: Person, bot: telegram.Bot
    ) -> None:
        sent = await bot.send_message(42, "one", reply_markup=OK_BUTTON)
        await bot.edit_message_text("two", 42, sent.message_id)
        (shown,) = api.screen(42).messages
        assert (shown.text, shown.labels, shown.edited) == ("two", [], True)
        await bot.edit_message_reply_markup(42, sent.message_id, reply_markup=OK_BUTTON)
        assert api.screen(42).messages[0].labels == ["OK"]

    async def test_an_edit_that_changes_nothing_is_refused(
        self, ann: Person, raw: httpx.AsyncClient
    ) -> None:
        sent = await result(raw, "sendMessage", chat_id=42, text="one")
        edit = {"chat_id": 42, "message_id": sent["message_id"], "text": "one "}
        assert await refusal(raw, "editMessageText", **edit) == (
            "message is not modified: specified new message content and reply markup are exactly "
            "the same as a current content and reply markup of the message"
        )

    async def test_only_the_bots_own_texts_can_be_edited(
        self, api: BotApi, ann: Person, raw: httpx.AsyncClient, bot: telegram.Bot
    ) -> None:
        theirs = api.say(ann, "mine").id
        file = (await bot.send_document(42, b"x")).message_id

        async def edit(number: int) -> str:
            return await refusal(raw, "editMessageText", chat_id=42, message_id=number, text="x")

        assert await edit(99) == "message to edit not found"
        assert await edit(theirs) == "message can't be edited"
        assert await edit(file) == "there is no text in the message to edit"
        assert (await bot.edit_message_caption(42, file, caption="now")) is not True

    async def test_a_deleted_message_leaves_the_screen_and_cannot_be_deleted_again(
        self, api: BotApi, ann: Person, bot: telegram.Bot
    ) -> None:
        sent = await bot.send_message(42, "x")
        old = await bot.send_message(42, "y")
        await sent.delete()
        with pytest.raises(BadRequest, match=r"(?i)message to delete not found"):
            await sent.delete()
        api.advance(48 * 3600 + 1)
        with pytest.raises(BadRequest, match=r"(?i)message can't be deleted"):
            await old.delete()
        assert api.screen(42).texts == ["y"]

    def test_the_listed_reactions_are_the_sdks(self) -> None:
        assert set(telegram.constants.ReactionEmoji) == REACTION_EMOJI

    async def test_a_reaction_must_be_one_the_service_lists(
        self, api: BotApi, ann: Person, bot: telegram.Bot
    ) -> None:
        message = api.say(ann, "x")
        await bot.set_message_reaction(42, message.id, "👀")
        assert api.screen(42).messages[0].reactions == ("👀",)
        with pytest.raises(BadRequest, match=r"(?i)reaction_invalid"):
            await bot.set_message_reaction(42, message.id, "⏳")
        with pytest.raises(BadRequest, match=r"(?i)message to react not found"):
            await bot.set_message_reaction(42, 99, "👀")


class TestDraftsAndActions:
    async def test_a_draft_is_replaced_by_its_id_and_gone_when_the_message_is_sent(
        self, api: BotApi, ann: Person, bot: telegram.Bot
    ) -> None:
        await bot.send_message_draft(42, 7, "Thin")
        await bot.send_message_draft(42, 7, "Thinking")
        screen = api.screen(42)
        assert (screen.draft, len(screen.drafts), screen.messages) == ("Thinking", 1, ())
        await bot.send_message(42, "Done")
        assert api.screen(42).draft is None

    async def test_a_draft_is_shown_for_30_seconds(
        self, api: BotApi, ann: Person, bot: telegram.Bot
    ) -> None:
        await bot.send_message_draft(42, 7, "")
        assert api.screen(42).draft == ""
        api.advance(31)
        assert api.screen(42).draft is None

    async def test_drafts_need_an_id_a_private_chat_and_4096_code_points(
        self, api: BotApi, ann: Person, raw: httpx.AsyncClient
    ) -> None:
        group = api.group("Team", ann)
        draft = {"chat_id": 42, "draft_id": 7, "text": "x"}
        assert await refusal(raw, "sendMessageDraft", **draft | {"draft_id": 0}) == (
            "RANDOM_ID_INVALID"
        )
        assert await refusal(raw, "sendMessageDraft", **draft | {"chat_id": group.id}) == (
            "TEXTDRAFT_PEER_INVALID"
        )
        assert await refusal(raw, "sendMessageDraft", **draft | {"text": "x" * 4097}) == (
            "message is too long"
        )

    async def test_typing_is_shown_for_5_seconds_or_until_a_message(
        self, api: BotApi, ann: Person, bot: telegram.Bot
    ) -> None:
        await bot.send_chat_action(42, "typing")
        assert api.screen(42).typing
        api.advance(6)
        assert not api.screen(42).typing
        await bot.send_chat_action(42, "typing")
        await bot.send_message(42, "x")
        assert not api.screen(42).typing
        with pytest.raises(BadRequest, match=r"(?i)wrong parameter action"):
            await bot.send_chat_action(42, "pondering")


class TestFiles:
    async def test_documents_and_photos_keep_their_bytes(
        self, api: BotApi, ann: Person, bot: telegram.Bot
    ) -> None:
        sent = await bot.send_document(42, b"a\r\nb\n", filename="ä.md", caption="c")
        await bot.send_photo(42, PNG)
        assert sent.document is not None
        await bot.send_document(42, sent.document.file_id)
        document, photo, again = (shown.file for shown in api.screen(42).messages)
        assert document is not None
        assert photo is not None
        assert (document.name, document.data, document.kind) == ("ä.md", b"a\r\nb\n", "document")
        assert (photo.data, photo.kind) == (PNG, "photo")
        assert again == document

    async def test_a_recording_is_a_voice_note_unless_it_is_something_else(
        self, api: BotApi, ann: Person, bot: telegram.Bot
    ) -> None:
        sent = await bot.send_voice(42, opus(3), duration=3, caption="c")
        await bot.send_voice(42, b"ID3 a song")
        assert sent.voice is not None
        files = [shown.file for shown in api.screen(42).messages if shown.file is not None]
        assert [file.kind for file in files] == ["voice", "document"]
        assert files[0].traits == {"duration": 3}
        with pytest.raises(BadRequest, match=r"(?i)file must be non-empty"):
            await bot.send_voice(42, b"")

    async def test_a_chat_without_voice_messages_refuses_them_and_nothing_else(
        self, api: BotApi, ann: Person, bot: telegram.Bot
    ) -> None:
        api.private_chat(ann).voiceless = True
        team = api.group("Team", ann)
        team.voiceless = True
        with pytest.raises(BadRequest, match=r"(?i)voice_messages_forbidden"):
            await bot.send_voice(42, opus())
        with pytest.raises(BadRequest, match=r"(?i)not enough rights to send voice notes"):
            await bot.send_voice(team.id, opus())
        await bot.send_message(42, "x")
        await bot.send_document(team.id, b"x")

    async def test_a_picture_too_long_or_too_flat_is_no_photo(
        self, ann: Person, bot: telegram.Bot
    ) -> None:
        for width, height in ((9000, 1001), (2001, 100)):
            with pytest.raises(BadRequest, match=r"(?i)photo_invalid_dimensions"):
                await bot.send_photo(42, picture(width, height))

    async def test_empty_missing_and_unreadable_files_are_refused(
        self, ann: Person, bot: telegram.Bot, raw: httpx.AsyncClient
    ) -> None:
        with pytest.raises(BadRequest, match=r"(?i)file must be non-empty"):
            await bot.send_document(42, b"")
        with pytest.raises(BadRequest, match=r"(?i)image_process_failed"):
            await bot.send_photo(42, b"not a picture")
        assert await refusal(raw, "sendDocument", chat_id=42) == (
            "there is no document in the request"
        )
