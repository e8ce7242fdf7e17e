"""Methods that put something new on a chat's screen."""

import io
from collections.abc import Mapping
from typing import Any

from PIL import Image

from tests.standins.bot_api.entity import parse_entities
from tests.standins.bot_api.formatting import FormattedText, formatted, parse_markup
from tests.standins.bot_api.keyboard import parse_forced_reply, parse_keyboard
from tests.standins.bot_api.parameters import Parameters, Upload
from tests.standins.bot_api.refusal import Refusal, bad_request
from tests.standins.bot_api.rich_shown import RichContent, parse_rich
from tests.standins.bot_api.service import Service
from tests.standins.bot_api.world import Chat, Draft, Message, StoredFile

MAX_TEXT = 4096
_GENERAL = 1
MAX_CAPTION = 1024
MAX_DOCUMENT_BYTES = 50 * 1024 * 1024
MAX_PHOTO_BYTES = 10 * 1024 * 1024
MAX_PHOTO_SIDES = 10_000
DRAFT_SECONDS = 30.0
ACTION_SECONDS = 5.0
_ACTIONS = frozenset(
    {
        "typing",
        "upload_photo",
        "record_video",
        "upload_video",
        "record_voice",
        "upload_voice",
        "upload_document",
        "choose_sticker",
        "find_location",
        "record_video_note",
        "upload_video_note",
    }
)


def send_message(service: Service, parameters: Parameters) -> object:
    text = read_text(parameters)
    chat = service.open_chat(parameters)
    return _post(service, parameters, chat, text).to_json()


def send_rich_message(service: Service, parameters: Parameters) -> object:
    rich = parse_rich(parameters.json("rich_message"))
    chat = service.open_chat(parameters)
    message = _post(service, parameters, chat, FormattedText(rich.text))
    message.rich, message.preview = rich, False
    return message.to_json()


def send_rich_message_draft(service: Service, parameters: Parameters) -> object:
    """Show a preview for 30 s, as `sendMessageDraft` does; both have one row of numbers."""
    draft_id = parameters.integer("draft_id")
    if draft_id == 0:
        raise bad_request("RANDOM_ID_INVALID")
    rich = parse_rich(parameters.json("rich_message"))
    return _draft(service, parameters, draft_id, FormattedText(rich.text), rich)


def send_document(service: Service, parameters: Parameters) -> object:
    return _send_file(service, parameters, "document")


def send_photo(service: Service, parameters: Parameters) -> object:
    return _send_file(service, parameters, "photo")


def send_voice(service: Service, parameters: Parameters) -> object:
    """Send a recording; what is no Ogg with Opus becomes a document, as it does on the platform."""
    caption = read_caption(parameters)
    duration = parameters.integer("duration")
    if duration < 0:
        raise bad_request("wrong duration specified")
    chat = service.open_chat(parameters)
    upload = _upload(service, parameters, "voice")
    if chat.voiceless:
        raise bad_request(
            "VOICE_MESSAGES_FORBIDDEN"
            if chat.is_private
            else "not enough rights to send voice notes to the chat"
        )
    message = _post(service, parameters, chat, caption)
    if isinstance(upload, StoredFile):
        message.file = upload
        return message.to_json()
    spoken = upload.data.startswith(b"OggS") and b"OpusHead" in upload.data[:64]
    kind, traits = ("voice", {"duration": duration}) if spoken else ("document", {})
    message.file = service.world.add_file(
        kind, upload.name, upload.mime_type, upload.data, **traits
    )
    return message.to_json()


def send_message_draft(service: Service, parameters: Parameters) -> object:
    """Show a preview for 30 s; an empty text is the placeholder of a thinking bot."""
    draft_id = parameters.integer("draft_id")
    if draft_id == 0:
        raise bad_request("RANDOM_ID_INVALID")
    content = read_content(parameters, "text", "entities")
    if len(content.text) > MAX_TEXT:
        raise bad_request("message is too long")
    return _draft(service, parameters, draft_id, content)


def _draft(
    service: Service,
    parameters: Parameters,
    draft_id: int,
    content: FormattedText,
    rich: RichContent | None = None,
) -> object:
    chat = service.open_chat(parameters)
    if not chat.is_private:
        raise bad_request("TEXTDRAFT_PEER_INVALID")
    thread_id = _thread(service, parameters, chat)
    service.flood.pass_through(chat)
    chat.drafts.pop(draft_id, None)
    until = service.clock.now() + DRAFT_SECONDS
    chat.drafts[draft_id] = Draft(draft_id, content, thread_id, until, rich)
    return True


def send_chat_action(service: Service, parameters: Parameters) -> object:
    action = parameters.text("action")
    if action not in _ACTIONS:
        raise bad_request("wrong parameter action in request")
    chat = service.open_chat(parameters)
    _thread(service, parameters, chat)
    chat.action = (action, service.clock.now() + ACTION_SECONDS)
    return True


def read_content(parameters: Parameters, text_name: str, entities_name: str) -> FormattedText:
    """The text of a call, by parse mode or list of entities; the parse mode wins."""
    mode = parameters.text("parse_mode")
    text, entities = parse_markup(_text(parameters, text_name), mode)
    if not mode and (listed := parameters.json(entities_name)) is not None:
        entities = parse_entities(listed)
    return formatted(text, entities)


def read_text(parameters: Parameters) -> FormattedText:
    """The text of a message: neither empty nor over 4096 code points."""
    if not _text(parameters, "text"):
        raise bad_request("message text is empty")
    content = read_content(parameters, "text", "entities")
    if not content.text:
        raise bad_request("text must be non-empty")
    if len(content.text) > MAX_TEXT:
        raise bad_request("message is too long")
    return content


def read_caption(parameters: Parameters) -> FormattedText:
    caption = read_content(parameters, "caption", "caption_entities")
    if len(caption.text) > MAX_CAPTION:
        raise bad_request("message caption is too long")
    return caption


def read_preview(parameters: Parameters, content: FormattedText) -> bool:
    """Whether the first link of a text shows what is behind it: it does unless that is disabled."""
    options = parameters.json("link_preview_options") or {}
    if not isinstance(options, Mapping):
        raise bad_request("object expected as link preview options")
    links = any(entity.type in ("url", "text_link") for entity in content.entities)
    return not options.get("is_disabled") and (links or "http" in content.text)


def _text(parameters: Parameters, name: str) -> str:
    try:
        return parameters.text(name)
    except Refusal:
        raise bad_request("text must be encoded in UTF-8") from None


def _send_file(service: Service, parameters: Parameters, kind: str) -> object:
    caption = read_caption(parameters)
    chat = service.open_chat(parameters)
    upload = _upload(service, parameters, kind)
    message = _post(service, parameters, chat, caption)
    message.file = (
        upload
        if isinstance(upload, StoredFile)
        else service.world.add_file(kind, upload.name, upload.mime_type, upload.data)
    )
    return message.to_json()


def _upload(service: Service, parameters: Parameters, kind: str) -> Upload | StoredFile:
    value = parameters.text(kind)
    name = value.removeprefix("attach://") if value.startswith("attach://") else kind
    if (upload := parameters.uploads.get(name)) is not None:
        _check_upload(upload, kind)
        return upload
    if (stored := service.world.files.get(value)) is not None:
        return stored
    if not value:
        raise bad_request(f"there is no {kind} in the request")
    raise bad_request("wrong remote file identifier specified: Wrong string length")


def _check_upload(upload: Upload, kind: str) -> None:
    if not upload.data:
        raise bad_request("file must be non-empty")
    if len(upload.data) > MAX_DOCUMENT_BYTES:
        raise Refusal(413, "Request Entity Too Large")
    if kind == "photo":
        if len(upload.data) > MAX_PHOTO_BYTES:
            size = len(upload.data)
            raise bad_request(f"file of size {size} bytes is too big for a photo")
        _check_picture(upload.data)


def _check_picture(data: bytes) -> None:
    try:
        with Image.open(io.BytesIO(data)) as picture:
            width, height = picture.size
    except (OSError, Image.DecompressionBombError):
        raise bad_request("IMAGE_PROCESS_FAILED") from None
    if width + height > MAX_PHOTO_SIDES or max(width, height) > 20 * min(width, height):
        raise bad_request("PHOTO_INVALID_DIMENSIONS")


def _post(
    service: Service,
    parameters: Parameters,
    chat: Chat,
    content: FormattedText,
) -> Message:
    keyboard = parse_keyboard(parameters.json("reply_markup"))
    reply_to, quote = _reply(parameters, chat)
    thread_id = _thread(service, parameters, chat)
    if thread_id is None and reply_to is not None and reply_to.thread_id != _GENERAL:
        # A reply that names no topic stands in that of the message.
        thread_id = reply_to.thread_id
    service.flood.pass_through(chat)
    message = Message(
        id=next(chat.ids),
        chat=chat,
        sender=service.bot,
        date=service.date,
        content=content,
        keyboard=keyboard,
        asks=parse_forced_reply(parameters.json("reply_markup")),
        reply_to=reply_to,
        quote=quote,
        thread_id=thread_id,
        silent=parameters.flag("disable_notification"),
        preview=read_preview(parameters, content),
    )
    chat.messages[message.id] = message
    chat.drafts.clear()
    chat.action = None
    return message


def _reply(parameters: Parameters, chat: Chat) -> tuple[Message | None, str | None]:
    wish: Mapping[str, Any] | object = parameters.json("reply_parameters") or {}
    if not isinstance(wish, Mapping):
        raise bad_request("object expected as reply parameters")
    number = wish.get("message_id") or parameters.integer("reply_to_message_id")
    if not isinstance(number, int):
        raise bad_request("message identifier must be of type Number")
    if not number:
        return None, None
    if (replied := chat.messages.get(number)) is not None:
        return replied, wish.get("quote")
    if wish.get("allow_sending_without_reply") or parameters.flag("allow_sending_without_reply"):
        return None, None
    raise bad_request("message to be replied not found")


def _thread(service: Service, parameters: Parameters, chat: Chat) -> int | None:
    thread_id = parameters.integer("message_thread_id")
    if thread_id and thread_id not in chat.topics:
        raise bad_request("message thread not found")
    if thread_id in chat.closed_topics and service.bot.id not in chat.admins:
        raise bad_request("TOPIC_CLOSED")
    return thread_id or None
