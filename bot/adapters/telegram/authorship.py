"""Tells if a message holds anything but the words that its sender typed."""

from bot.adapters.telegram.fields import Fields
from bot.adapters.telegram.rich.words import has_only_words
from bot.adapters.telegram.senders import LONGEST_NAME
from bot.domain.text.storable import storable

_WORDS = frozenset({"text", "caption", "entities", "caption_entities"})

_ENVELOPE = frozenset(
    {
        *("message_id", "from", "chat", "date", "edit_date", "message_thread_id"),
        *("is_topic_message", "media_group_id", "author_signature", "sender_boost_count"),
        *("sender_tag", "effect_id", "has_media_spoiler", "has_protected_content"),
        *("show_caption_above_media", "link_preview_options", "is_from_offline", "is_paid_post"),
        *("paid_star_count", "reply_markup", "direct_messages_topic"),
        # Their words are read apart, each with an origin of its own.
        *("forward_origin", "sender_chat", "reply_to_message", "external_reply", "quote"),
    }
)

_NAMED = {
    "photo": "a picture",
    "animation": "an animation",
    "document": "a document",
    "video": "a video",
    "video_note": "a video",
    "audio": "a recording",
    "sticker": "a sticker",
    "poll": "a poll",
    "contact": "a contact card",
    "venue": "a place",
    "location": "a place",
    "game": "a game",
    "dice": "a dice",
    "story": "a story",
    "checklist": "a checklist",
    "rich_message": "a message with pictures or files in its text",
}
"""Names of known content, the one that says most first."""


def foreign_content(message: Fields) -> str | None:
    """Returns the name of content that the sender did not type; None when all is their own.

    Only the fields listed here are known to hold nothing else: any other field of the platform,
    today's or a later one, makes the message foreign.
    """
    if "via_bot" in message:
        bot = (message.inner("via_bot") or Fields(None)).text("username") or ""
        name = " ".join(bot.split())[:LONGEST_NAME]
        return f"a message composed by the bot @{name}" if name else "a message of another bot"
    # The app records a voice message itself, so it is the sender's own; a forward is told apart.
    unknown = message.names() - _WORDS - _ENVELOPE - {"voice"}
    if has_only_words(message.value("rich_message")):
        unknown -= {"rich_message"}
    if not unknown:
        return None
    known = next((told for name, told in _NAMED.items() if name in unknown), None)
    return known or f"content of the kind “{storable(min(unknown))[:LONGEST_NAME]}”"


def is_composed(message: Fields) -> bool:
    """Tells if another bot wrote the words, which the sender only chose."""
    return "via_bot" in message
