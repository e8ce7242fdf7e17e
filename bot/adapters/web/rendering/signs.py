"""The signs that our own words begin with in chats, as icons of the page."""

from bot.adapters.web.rendering.views import Meaning

_ICONS: dict[str, tuple[str, Meaning, str]] = {
    "✅": ("check", "good", "Done"),
    "✓": ("check", "good", "Done"),
    "❌": ("cross", "dim", "No"),
    "✗": ("cross", "bad", "Failed"),
    "✏️": ("pencil", "dim", "Change"),
    "⏹": ("stop", "dim", "Not run"),
    "⏹️": ("stop", "dim", "Not run"),
    "⏸": ("pause", "wait", "Paused"),
    "⏭": ("skip", "dim", "Skipped"),
    "⏳": ("clock", "wait", "Waits"),
    "○": ("ring", "dim", "To come"),
    "▶️": ("right", "dim", "Goes on"),
    "🔁": ("repeat", "dim", "Again"),
    "🔐": ("lock", "wait", "Asks"),
    "🗑": ("bin", "dim", "Cancelled"),
    "📋": ("plan", "dim", "Plan"),
    "⚠️": ("fault", "wait", "Attention"),
    "⏰": ("clock", "dim", "Time"),
    "↩️": ("again", "dim", "Back"),
    "🧩": ("tool", "dim", "Skill"),
}


def sign_of(text: str) -> tuple[str, Meaning, str, str]:
    """Returns the icon, meaning and word of the sign at the beginning, and the text behind it.

    A text without such a sign has no icon and is returned whole.
    """
    for sign, (icon, meaning, word) in _ICONS.items():
        if text.startswith(sign):
            return icon, meaning, word, text[len(sign) :].removeprefix("\ufe0f").lstrip(" ")
    return "", "", "", text
