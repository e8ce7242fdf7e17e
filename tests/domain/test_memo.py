"""The memo encodes once what stays in use, and forgets the rest."""

from bot.domain.memory.memo import Memo


class Encoding:
    """Counts how often each value was encoded."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def __call__(self, value: list[str]) -> bytes:
        self.seen += value
        return value[0].encode()


def test_a_value_in_use_is_encoded_once_however_many_others_pass() -> None:
    encoding = Encoding()
    memo = Memo(encoding, size=30)
    kept = ["kept"]
    for number in range(100):
        assert memo([f"{number:04}"]) == f"{number:04}".encode()
        assert memo(kept) == b"kept"
    assert encoding.seen.count("kept") == 1


def test_a_value_out_of_use_is_forgotten() -> None:
    encoding = Encoding()
    memo = Memo(encoding, size=30)
    once = ["once"]
    memo(once)
    others = [[f"{number:04}"] for number in range(20)]
    for other in others:
        memo(other)
    assert memo(once) == b"once"
    assert encoding.seen.count("once") == 2


def test_equal_values_are_told_apart() -> None:
    encoding = Encoding()
    memo = Memo(encoding, size=30)
    first, second = ["same"], ["same"]
    memo(first)
    memo(second)
    assert encoding.seen == ["same", "same"]
