"""Methods that look at chats, members and files, and the one that leaves."""

from typing import Any

from tests.standins.bot_api.parameters import Parameters
from tests.standins.bot_api.refusal import bad_request
from tests.standins.bot_api.service import Service
from tests.standins.bot_api.world import Chat, Person

MAX_DOWNLOAD_BYTES = 20 * 1024 * 1024
_RIGHTS = (
    "can_be_edited",
    "is_anonymous",
    "can_manage_chat",
    "can_delete_messages",
    "can_manage_video_chats",
    "can_restrict_members",
    "can_promote_members",
    "can_change_info",
    "can_invite_users",
    "can_post_stories",
    "can_edit_stories",
    "can_delete_stories",
    "can_pin_messages",
    "can_manage_topics",
)

_PERMISSIONS = (
    "can_send_messages",
    "can_send_audios",
    "can_send_documents",
    "can_send_photos",
    "can_send_videos",
    "can_send_video_notes",
    "can_send_voice_notes",
    "can_send_polls",
    "can_send_other_messages",
    "can_add_web_page_previews",
    "can_change_info",
    "can_invite_users",
    "can_pin_messages",
    "can_manage_topics",
    "can_edit_tag",
    "can_react_to_messages",
)


def get_chat(service: Service, parameters: Parameters) -> object:
    chat = service.chat(parameters)
    gifts = ("unlimited_gifts", "limited_gifts", "unique_gifts", "premium_subscription")
    return chat.to_json() | {
        "accent_color_id": 0,
        "max_reaction_count": 11,
        "accepted_gift_types": dict.fromkeys((*gifts, "gifts_from_channels"), False),
    }


def get_chat_member(service: Service, parameters: Parameters) -> object:
    chat = service.chat(parameters)
    person = service.world.people.get(parameters.integer("user_id"))
    if person is None:
        raise bad_request("user not found")
    return member_json(chat, person)


def get_chat_administrators(service: Service, parameters: Parameters) -> object:
    chat = service.chat(parameters)
    if chat.is_private:
        raise bad_request("there are no administrators in the private chat")
    named = chat.admins | ({chat.creator} if chat.creator is not None else set())
    return [member_json(chat, chat.members[number]) for number in sorted(named)]


def get_chat_member_count(service: Service, parameters: Parameters) -> object:
    return len(service.chat(parameters).members)


def leave_chat(service: Service, parameters: Parameters) -> object:
    chat = service.chat(parameters)
    if chat.is_private:
        raise bad_request("chat member status can't be changed in private chats")
    del chat.members[service.bot.id]
    chat.admins.discard(service.bot.id)
    return True


def get_file(service: Service, parameters: Parameters) -> object:
    file_id = parameters.text("file_id")
    if not file_id:
        raise bad_request("file_id not specified")
    if (stored := service.world.files.get(file_id)) is None:
        raise bad_request("wrong file_id or the file is temporarily unavailable")
    if len(stored.data) > MAX_DOWNLOAD_BYTES:
        raise bad_request("file is too big")
    shown = stored.to_json()
    kept = ("file_id", "file_unique_id", "file_size")
    return {name: shown[name] for name in kept} | {"file_path": stored.path}


def member_json(chat: Chat, person: Person) -> dict[str, Any]:
    answer: dict[str, Any] = {"user": person.to_json(), "status": "member"}
    if person.id in chat.banned or (chat.blocked and person.is_bot):
        answer |= {"status": "kicked", "until_date": 0}
    elif person.id not in chat.members:
        answer["status"] = "left"
    elif person.id == chat.creator:
        answer |= {"status": "creator", "is_anonymous": False}
    elif person.id in chat.muted:
        answer |= {"status": "restricted", "is_member": True, "until_date": 0}
        answer |= dict.fromkeys(_PERMISSIONS, False)
    elif person.id in chat.admins:
        answer["status"] = "administrator"
        answer |= dict.fromkeys(_RIGHTS, True)
    return answer
