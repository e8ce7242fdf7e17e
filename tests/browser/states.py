"""Every page in every state that it can have, by a name for each."""

from typing import Any

from bot.adapters.web.frame import Frame
from bot.adapters.web.shown import ShownChat, ShownMessage
from bot.domain.talk.message import CodeBlock, Markdown, Outbound, OutboundKind, Plain
from bot.ports.listed import Ways
from bot.ports.view_page import OpenLine, SeenNow
from tests.browser import samples
from tests.browser.reading_states import reading_states
from tests.browser.samples import CARD, answer, chat_values, own, steward

DEMO = ShownChat("web:5/k1", "New conversation", "", "demo/demo", "")
MORE = Frame("More", "more", 0, "Ann", "token", owner=False)
_HOSTILE = "<img src=x onerror=alert(1)>\"'&{{7*7}}\u202e" + "x" * 200


def _hostile() -> dict[str, Any]:
    """Returns a chat in which every text of a stranger is meant to be more than a text."""
    content = Outbound(
        OutboundKind.CARD,
        (Plain(f"🔐 {_HOSTILE}", style="title"), CodeBlock(_HOSTILE, _HOSTILE), Plain(_HOSTILE)),
        CARD.buttons,
    )
    said = Outbound(OutboundKind.ANSWER, (Markdown(f"# {_HOSTILE}\n\n{_HOSTILE}"),))
    messages: tuple[ShownMessage, ...] = (
        own(1, _HOSTILE, 3, name=_HOSTILE, where=_HOSTILE),
        steward(2, content, 2, press=True),
        steward(3, said, 1, turn=_HOSTILE, figures=_HOSTILE),
    )
    chats = tuple(replace_title(one) for one in samples.CHATS)
    frame = Frame(_HOSTILE, "chat", 3, _HOSTILE, "token", owner=True)
    chat = ShownChat("web:5/k2", _HOSTILE, _HOSTILE, _HOSTILE, _HOSTILE)
    lines = (_HOSTILE,)
    seen = SeenNow(3, 2, lines, lines, lines, True, (OpenLine(_HOSTILE, _HOSTILE, _HOSTILE),))
    return chat_values(frame=frame, chat=chat, chats=chats, messages=messages, seen=seen)


def replace_title(chat: Any) -> Any:
    """Returns a chat with a hostile title and place."""
    return type(chat)(chat.key, _HOSTILE, _HOSTILE, chat.at, chat.waiting)


_LONG = answer(1, "A long answer.\n\n" + "\n\n".join(f"Paragraph {n}." for n in range(60)), 5)

STATES: dict[str, tuple[str, dict[str, Any]]] = {
    "chat": ("chat.html", chat_values()),
    "long": ("chat.html", chat_values(messages=(_LONG, own(1, "Thank you.", 0)))),
    "older": ("chat.html", chat_values(messages=(_LONG,), older="/chat/x/older?before=1")),
    "first": ("chat.html", chat_values(chat=DEMO, messages=(), chats=samples.CHATS[:1])),
    "hostile": ("chat.html", _hostile()),
    "past": (
        "past.html",
        chat_values(turn="t1", earlier="/chat/x/at/t1?before=1.2"),
    ),
    "chats": ("chats.html", {"frame": MORE, "chats": samples.CHATS, "ways": Ways("a", "b")}),
    "sessions": ("sessions.html", {"frame": MORE, "sessions": samples.SESSIONS}),
    "more": ("more.html", {"frame": MORE}),
    "enter": ("enter.html", {"fault": ""}),
    "refused": ("enter.html", {"fault": "This link was used or is too old. Nothing was done."}),
    "fault": ("fault.html", {"status": 404, "sentence": "There is no such page here."}),
}
STATES |= reading_states(_HOSTILE)
