"""Counts and sentences, as answers to commands spell them."""

NO_ANSWER = "There is no answer here yet."


def counted(count: int, thing: str, things: str = "") -> str:
    """Returns a count with its noun: `no message`, `1 message`, `2 messages`."""
    named = (things or f"{thing}s") if count > 1 else thing
    return f"{f'{count:,}' if count else 'no'} {named}"


def sentence(words: str) -> str:
    """Returns words as a sentence: with a capital letter and one full stop."""
    return f"{words[:1].upper()}{words[1:].rstrip('.')}."
