"""Decides whether the draft in a chat is a rich one, and keeps to that until the answer is sent."""

import asyncio
from collections.abc import Collection

from bot.adapters.telegram.rich.document import rich_draft
from bot.adapters.telegram.rich.sending import RichSending
from bot.domain.talk.message import Address

_SHORT = 2_000
"""Characters of a draft that is formatted at once; a longer one in a thread."""


class RichDrafts:
    """The form of each draft: rich from the first part that needs it, older once it was refused."""

    def __init__(self, sending: RichSending) -> None:
        self._sending = sending
        self._rich: dict[str, bool] = {}

    async def html(self, to: Address, text: str, links: Collection[str] | None = ()) -> str | None:
        """Returns the rich draft of a text; None for one in the older form."""
        form = self._rich.get(to.key)
        if not self._sending.usable or form is False:
            return None
        if len(text) <= _SHORT:
            html = rich_draft(text, links, wanted=form is True)
        else:
            html = await asyncio.to_thread(rich_draft, text, links, wanted=form is True)
        if html is not None:
            self._rich[to.key] = True
        return html

    def refused(self, to: Address) -> None:
        """Keeps the draft of this chat in the older form."""
        self._rich[to.key] = False

    def over(self, to: Address) -> None:
        """Forgets the form: the next draft is one of another answer."""
        self._rich.pop(to.key, None)
