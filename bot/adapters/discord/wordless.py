"""Tells what a message holds beside the words that its sender typed."""

from bot.adapters.discord.fields import Fields

_LONGEST = 300
_MOST_OPTIONS = 12

_KNOWN = frozenset(
    {
        *("id", "channel_id", "guild_id", "channel_type", "author", "member", "content", "type"),
        *("timestamp", "edited_timestamp", "tts", "mention_everyone", "mentions", "flags"),
        *("mention_roles", "mention_channels", "nonce", "pinned", "reactions", "position"),
        *("message_reference", "referenced_message", "message_snapshots", "thread"),
        # Their words reach nobody: embeds are what Discord makes of a link.
        *("embeds", "attachments", "role_subscription_data", "resolved"),
    }
)

_NAMED = {
    "poll": "a poll",
    "sticker_items": "a sticker",
    "stickers": "a sticker",
    "activity": "an invitation",
    "application": "an invitation",
    "call": "a call",
}


def foreign_content(message: Fields) -> str | None:
    """Returns the name of content that the sender did not type; None when all is their own.

    Only the fields listed here are known to hold nothing else: any other field of the platform,
    today's or a later one, makes the message foreign.
    """
    for name, words in _NAMED.items():
        if message.filled(name):
            return words
    others = [name for name in message.names() if name not in _KNOWN and message.filled(name)]
    return "content of another kind" if others else None


def in_words(message: Fields) -> str:
    """Returns one line in brackets for a sticker or a poll; empty for any other message."""
    stickers = [one.line("name", _LONGEST) for one in message.items("sticker_items")]
    if stickers:
        return f"[sticker: {' · '.join(filter(None, stickers))}]"
    if "poll" not in message:
        return ""
    poll = message.inner("poll")
    options = [one.inner("poll_media").line("text", _LONGEST) for one in poll.items("answers")]
    told = (poll.inner("question").line("text", _LONGEST), *options[:_MOST_OPTIONS])
    return f"[poll: {' · '.join(filter(None, told))}]"
