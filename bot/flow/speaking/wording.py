"""The lines about voice notes, for people."""

from bot.domain.speakable import Speakable

OFF = "`/voice off` ends this."


def caption(said: Speakable) -> str:
    """Returns the line below a voice note about the parts of the answer that are not in it."""
    if said.cut:
        return "The beginning of the answer; the text has all of it."
    return "Without code and tables; the text has them." if said.bare else ""


def failed(why: str) -> str:
    """Returns the line about an answer that could not be spoken."""
    return f"🔇 I could not speak my answer: {why}. Its text is complete. {OFF}"


def refused(why: str) -> str:
    """Returns the line about a voice note that the chat did not take."""
    return (
        f"🔇 My voice note did not arrive: {why}. I turned spoken answers off here; "
        "the text is complete. `/voice on` tries again."
    )
