"""Replies that are no reason: assent in several languages, and questions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.consent.assent import is_assent, is_question, is_refusal

ASSENT = [
    "yes",
    "OK",
    "ok!!",
    "👍",
    "👍🏽",
    "✅",
    "Yes, go ahead!",
    "That's fine.",
    "it’s ok",
    "I agree",
    "works for me",
    "yes you can",
    "thanks a lot",
    "do it",
    "Sure, do it please.",
    "ja, mach das bitte",
    "in Ordnung",
    "d’accord",
    "oui, vas-y",
    "Sí, por favor",
    "¡Claro que sí!",
    "va bene, grazie",
    "pode fazer",
    "doe maar",
    "да, давай",
    "Так, будь ласка",
    "tamam, devam et",
    "好的，请继续",
    "可以",
    "はい、お願いします。",
]
REASONS = [
    "no",
    "No thanks",
    "not ok",
    "use another name",
    "yes but shorter",
    "ok, and call it todo.md",
    "do not do it",
    "👎",
    "stop",
    "nein, lieber morgen",
    "non",
    "не надо",
    "不好",
    "いいえ",
    "",
    "…",
    "yes " * 60,
]


@pytest.mark.parametrize("text", ASSENT)
def test_assent_is_known_in_several_languages(text: str) -> None:
    assert is_assent(text)
    assert is_assent(f"  {text.upper()} ")
    assert not is_question(text)


@pytest.mark.parametrize("text", REASONS)
def test_whatever_says_more_is_no_assent(text: str) -> None:
    assert not is_assent(text)


@pytest.mark.parametrize("text", ["why?", "真的吗？", "why?!", "what will it write?)", "ok? 🤔"])
def test_a_text_that_ends_with_a_question_mark_is_a_question(text: str) -> None:
    assert is_question(text)


@pytest.mark.parametrize("text", ["why", "Why…", "what for", "Warum", "почему", "为什么", "huh"])
def test_question_words_alone_are_a_question_without_a_mark(text: str) -> None:
    assert is_question(text)
    assert not is_assent(text)


@pytest.mark.parametrize("text", ["why not", "why so long, make it short", "what Ben said"])
def test_question_words_with_more_behind_them_are_no_question(text: str) -> None:
    assert not is_question(text)


@pytest.mark.parametrize("text", ["why? because", "make it shorter", "", "!", "no. (why? so)."])
def test_a_question_mark_elsewhere_makes_no_question(text: str) -> None:
    assert not is_question(text)


@given(st.text(max_size=300))
def test_any_text_is_looked_at_without_a_fault(text: str) -> None:
    is_assent(text)
    is_question(text)


@given(st.lists(st.sampled_from(["yes", "ok", "do it", "please", "ja"]), min_size=1, max_size=5))
def test_assent_in_a_row_stays_assent_until_something_is_added(words: list[str]) -> None:
    said = ", ".join(words)
    assert is_assent(said)
    assert not is_assent(f"{said}, but not today")


@pytest.mark.parametrize("words", ["no", "Nope!", "No, thanks.", "нет", "no gracias", "不要", "👎"])
def test_refusal_is_known_in_several_languages(words: str) -> None:
    assert is_refusal(words)
    assert not is_assent(words)


@pytest.mark.parametrize("words", ["no, call it b.md", "not bad", "no?", "nothing", "", "👎👍 why"])
def test_whatever_says_more_is_no_refusal(words: str) -> None:
    assert not is_refusal(words)
