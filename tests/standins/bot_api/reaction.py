"""Emoji a message may be reacted to with, as the service lists them."""

from collections.abc import Mapping

from tests.standins.bot_api.refusal import bad_request

_LISTED = """
👍 👎 ❤ 🔥 🥰 👏 😁 🤔 🤯 😱 🤬 😢 🎉 🤩 🤮 💩 🙏 👌 🕊 🤡
🥱 🥴 😍 🐳 ❤️‍🔥 🌚 🌭 💯 🤣 ⚡ 🍌 🏆 💔 🤨 😐 🍓 🍾 💋 🖕 😈
😴 😭 🤓 👻 👨‍💻 👀 🎃 🙈 😇 😨 🤝 ✍ 🤗 🫡 🎅 🎄 ☃ 💅 🤪 🗿
🆒 💘 🙉 🦄 😘 💊 🙊 😎 👾 🤷‍♂️ 🤷 🤷‍♀️ 😡
"""
REACTION_EMOJI = frozenset(_LISTED.split())


def parse_reactions(items: object) -> list[str]:
    """The emoji of a list of ReactionType objects; a bot may leave one."""
    if not isinstance(items, list):
        raise bad_request("can't parse reaction types: expected an Array of ReactionType")
    emoji = [_parse_reaction(item) for item in items]
    if len(emoji) > 1:
        raise bad_request("REACTIONS_TOO_MANY")
    return emoji


def _parse_reaction(item: object) -> str:
    if not isinstance(item, Mapping) or item.get("type") != "emoji":
        raise bad_request("REACTION_INVALID")
    emoji = item.get("emoji")
    if emoji not in REACTION_EMOJI:
        raise bad_request("REACTION_INVALID")
    return str(emoji)
