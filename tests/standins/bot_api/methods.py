"""The methods of the stand-in by name; names are matched without case."""

from collections.abc import Callable

from tests.standins.bot_api import account, editing, looking, sending
from tests.standins.bot_api.parameters import Parameters
from tests.standins.bot_api.service import Service

Method = Callable[[Service, Parameters], object]

METHODS: dict[str, Method] = {
    "getMe": account.get_me,
    "getUpdates": account.get_updates,
    "setWebhook": account.set_webhook,
    "deleteWebhook": account.delete_webhook,
    "getWebhookInfo": account.get_webhook_info,
    "setMyCommands": account.set_my_commands,
    "getMyCommands": account.get_my_commands,
    "deleteMyCommands": account.delete_my_commands,
    "setMyName": account.set_my_text("name"),
    "getMyName": account.get_my_text("name"),
    "setMyDescription": account.set_my_text("description"),
    "getMyDescription": account.get_my_text("description"),
    "setMyShortDescription": account.set_my_text("short_description"),
    "getMyShortDescription": account.get_my_text("short_description"),
    "setChatMenuButton": account.accept,
    "logOut": account.accept,
    "close": account.accept,
    "sendMessage": sending.send_message,
    "sendMessageDraft": sending.send_message_draft,
    "sendRichMessage": sending.send_rich_message,
    "sendRichMessageDraft": sending.send_rich_message_draft,
    "sendDocument": sending.send_document,
    "sendPhoto": sending.send_photo,
    "sendVoice": sending.send_voice,
    "sendChatAction": sending.send_chat_action,
    "editMessageText": editing.edit_message_text,
    "editMessageCaption": editing.edit_message_caption,
    "editMessageReplyMarkup": editing.edit_message_reply_markup,
    "stopMessageLiveLocation": editing.stop_message_live_location,
    "deleteMessage": editing.delete_message,
    "deleteMessages": editing.delete_messages,
    "setMessageReaction": editing.set_message_reaction,
    "answerCallbackQuery": editing.answer_callback_query,
    "getChat": looking.get_chat,
    "getChatMember": looking.get_chat_member,
    "getChatAdministrators": looking.get_chat_administrators,
    "getChatMemberCount": looking.get_chat_member_count,
    "leaveChat": looking.leave_chat,
    "getFile": looking.get_file,
}
RICH = ("sendRichMessage", "sendRichMessageDraft")
"""The methods that came with Bot API 10.1."""

_NAMES = {name.lower(): name for name in METHODS}


def method_name(name: str) -> str | None:
    """The method's name as documented, or None if there is none."""
    return _NAMES.get(name.lower())
