"""What a chat's number tells about it."""

from bot.domain.message import Address


def is_group(address: Address) -> bool:
    """Whether it is a group, supergroup or channel: people have positive numbers, these not."""
    return address.chat.startswith("-")
