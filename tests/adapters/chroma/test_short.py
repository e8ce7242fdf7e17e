"""Short vectors: of their length, nearly as near to each other, and the same in every version."""

from itertools import combinations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.adapters.chroma.short import LENGTH, Shortener, hadamard
from bot.domain.memory.meaning import nearness, unit
from bot.domain.memory.rounded import product

_numbers = st.integers(-127, 127)


@given(st.data())
def test_a_product_is_a_scalar_product(data: st.DataObject) -> None:
    size = data.draw(st.integers(1, 50))
    row = st.lists(_numbers, min_size=size, max_size=size).map(tuple)
    question, other = data.draw(row.filter(any).map(unit)), data.draw(row)
    square = sum(each * each for each in other)
    found = product(tuple(question), other, square)
    assert found == pytest.approx(nearness(question, other), abs=0.001)


@given(st.integers(0, 7), st.data())
def test_sums_of_pairs_are_the_products_with_the_rows(bits: int, data: st.DataObject) -> None:
    size = 2**bits
    numbers = data.draw(st.lists(_numbers, min_size=size, max_size=size))
    rows = [[(-1) ** (row & column).bit_count() for column in range(size)] for row in range(size)]
    assert hadamard(numbers) == [nearness(row, numbers) for row in rows]


@pytest.mark.parametrize("size", [2, LENGTH, LENGTH + 1, 384])
@given(st.integers(0, 1_000))
@settings(max_examples=10)
def test_a_short_vector_has_its_length_and_does_not_turn_when_the_vector_grows(
    size: int, seed: int
) -> None:
    random = Random(seed)
    vector = unit([random.gauss(0, 1) for _ in range(size)])
    short = Shortener(size).short(vector)
    assert len(short) == min(size, LENGTH)
    assert nearness(short, short) == pytest.approx(1)
    assert nearness(short, Shortener(size).short([3 * each for each in vector])) == pytest.approx(
        3 if size <= LENGTH else 1
    )


@pytest.mark.parametrize("size", [65, 256, 1_000, 3_072])
def test_short_vectors_are_nearly_as_near_to_each_other(size: int) -> None:
    random = Random(size)
    one = unit([random.gauss(0, 1) for _ in range(size)])
    shortener = Shortener(size)
    wrong: list[float] = []
    for n in range(50):
        part = n / 50
        other = unit([part * each + (1 - part) * random.gauss(0, 1) / size**0.5 for each in one])
        near = nearness(shortener.short(one), shortener.short(other))
        wrong.append(near - nearness(one, other))
    assert (sum(each * each for each in wrong) / len(wrong)) ** 0.5 < 0.13
    assert abs(sum(wrong) / len(wrong)) < 0.06


@pytest.mark.parametrize("size", [200, 256])
def test_each_number_says_something_else(size: int) -> None:
    one = [Shortener(size).short([float(n == place) for n in range(size)]) for place in range(size)]
    columns = [list(each) for each in zip(*one, strict=True)]
    for a, b in combinations(columns, 2):
        assert abs(nearness(a, b)) < 0.35 * nearness(a, a)


def test_the_short_vector_of_a_vector_is_the_same_in_every_version() -> None:
    short = Shortener(384).short(unit([float(n % 7 - 3) for n in range(384)]))
    assert [round(each, 4) for each in short[:4]] == [-0.1675, -0.0036, -0.2958, -0.1176]
