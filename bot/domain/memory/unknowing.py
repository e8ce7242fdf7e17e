"""Answers that say only that something is not known: they are no evidence for anything."""

import re

from bot.domain.memory.passage import Passage

_LONGEST = 300
"""Characters of an answer that may say only that; a longer one says something besides."""

_WAYS = (
    r"i (?:really |still |also )?(?:do not|don't|cannot|can't) (?:know|recall|remember|tell)\b",
    r"i (?:do not|don't) (?:yet |actually )?have (?:any|that|this|your|enough|access|an?)"
    r" ?(?:information|details?|records?|memory|notes?|idea|answer|mention)?\b",
    r"i (?:have no|am not|'m not) (?:idea|sure|aware|certain|record|memory|information|notes?)\b",
    r"i'm not (?:sure|aware|certain)\b",
    r"i (?:have not|haven't) been told\b",
    r"you (?:have not|haven't|did not|didn't|never) (?:yet )?"
    r"(?:told|tell|mention|mentioned|said|say|shared?)\b",
    r"(?:that|it|this) (?:is|was) not (?:mentioned|known)\b|there is no (?:mention|record)\b",
    r"(?:ich weiß|weiß ich) (?:es |das |leider |darüber )*nicht\b",
    r"(?:dazu|darüber) (?:habe|weiß) ich (?:leider )?(?:keine|nichts)\b",
    r"ich habe (?:dazu |darüber |leider )*keine (?:informationen?|angaben)\b",
    r"no (?:lo )?sé\b|no tengo información\b|no recuerdo\b",
    r"je ne (?:le )?sais pas\b|je n'ai pas d'informations?\b",
    r"我不知道|我不清楚|わかりません|知りません|я не знаю",
)
_UNKNOWING = re.compile("|".join(_WAYS))
_BESIDES = re.compile(r"\b(?:but|however|though|although|aber|jedoch|pero|mais)\b")
_SENTENCE = re.compile(r"[^.!?。!?]*")


def tells(passage: Passage) -> bool:
    """Returns True for a passage that may be evidence; a note always is, whatever its words."""
    return not passage.question or not says_unknown(passage.answer)


def says_unknown(answer: str) -> bool:
    """Returns True for a short answer whose first sentence says that it knows none.

    An answer that goes on with “but” says something, and counts.
    """
    plain = answer.strip().replace("’", "'").lower()
    if len(plain) > _LONGEST or _BESIDES.search(plain):
        return False
    first = _SENTENCE.match(plain)
    return first is not None and _UNKNOWING.search(first[0]) is not None
