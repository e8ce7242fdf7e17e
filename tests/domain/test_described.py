"""Things are found by words and by meaning, as the memory joins both."""

from hypothesis import given
from hypothesis import strategies as st

from bot.domain.memory.described import fused, key_of, nearest
from bot.domain.memory.fit import ENOUGH
from bot.domain.memory.meaning import STRANGE_TEXTS, noise
from bot.domain.memory.passage import Hit
from bot.domain.memory.rounded import question, read_bytes, rounded
from bot.domain.tools.shelf import MOST_BYTES, Shelf, described
from tests.contracts.store_samples import NOW
from tests.fakes.embedder import embedded

NAMES = st.lists(st.text("abcdefgh", min_size=1, max_size=3), unique=True, max_size=12)
NUMBERS = st.lists(st.floats(-1, 1), min_size=2, max_size=40)


def hits(names: list[str]) -> list[Hit]:
    return [Hit(name, 9.0 - n / 10, ENOUGH, NOW) for n, name in enumerate(names)]


@given(NAMES, NAMES)
def test_whatever_either_search_finds_is_found_once(words: list[str], meant: list[str]) -> None:
    found = fused(words, hits(meant))
    assert sorted(found) == sorted({*words, *meant})
    assert [name for name in found if name not in meant] == [n for n in words if n not in meant]
    if words and words[:1] == meant[:1]:
        assert found[0] == words[0]


@given(NAMES)
def test_the_order_of_the_only_search_that_finds_something_stays(names: list[str]) -> None:
    assert fused(names, []) == fused([], hits(names)) == names


@given(NAMES, NAMES)
def test_the_first_of_both_are_among_the_first(words: list[str], names: list[str]) -> None:
    meant = [name.upper() for name in names]
    found = fused(words, hits(meant))
    for n in range(1, min(len(words), len(meant)) + 1):
        assert {*words[:n], *meant[:n]} <= set(found[: 2 * n])


@given(NUMBERS, NUMBERS)
def test_a_vector_in_bytes_is_as_near_as_the_whole_one(one: list[float], two: list[float]) -> None:
    size = min(len(one), len(two))
    one, two = one[:size], two[:size]
    lengths = [sum(n * n for n in vector) ** 0.5 for vector in (one, two)]
    if min(lengths) < 0.01:
        return
    whole = sum(a * b for a, b in zip(one, two, strict=True)) / lengths[0] / lengths[1]
    held = rounded(two)
    near = question([n / lengths[0] for n in one]).nearness(read_bytes(held.held))
    assert abs(near - whole) < 0.03
    assert abs(sum(n * n for n in held.numbers) - 1) < 1e-6


def test_the_text_of_a_thing_is_its_name_in_words_and_its_description() -> None:
    assert described("a-b", "shop_createNew-card", "", "Makes\n one.").text == (
        "shop create New card: Makes one."
    )
    assert len(described("a", "a", "é" * 9_000).text.encode()) <= MOST_BYTES


def test_each_model_has_its_own_key_for_a_text() -> None:
    keys = {key_of(model, text) for model in ("m", "n") for text in ("a", "b", "\ud800")}
    assert len(keys) == 6


def test_what_means_the_same_is_found_and_what_has_nothing_to_do_with_it_is_not() -> None:
    strange = noise([embedded(text) for text in STRANGE_TEXTS])
    shelf = Shelf(
        (
            described("garage", "garage", "Repairs an automobile."),
            described("vet", "vet", "Looks after a hound."),
            described("bare", "bare", "Repairs an automobile, and nobody embedded it."),
        )
    )
    vectors = {one.text: rounded(embedded(one.text)) for one in shelf.things[:2]}
    found = nearest(embedded("coche"), strange, shelf, vectors, 5)
    assert [hit.id for hit in found] == ["garage"]
    assert nearest(embedded("coche"), strange, shelf, vectors, 0) == []
    assert nearest(embedded("quartz"), strange, shelf, vectors, 5) == []
