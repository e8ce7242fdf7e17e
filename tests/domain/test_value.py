"""Frozen values: what all their classes share."""

from bot.domain.value import field, frozen, replace


@frozen
class Parcel:
    to: str
    kilos: int = 1
    label: str = field(default="", compare=False)
    code: str = field(default="", repr=False)


@frozen
class Letter:
    to: str


@frozen
class Nothing:
    """A value without fields."""


@frozen
class Scale:
    kilos: int

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Scale)

    def __hash__(self) -> int:
        return 7

    def __repr__(self) -> str:
        return "a scale"


def test_values_of_a_class_are_equal_by_their_fields() -> None:
    assert Parcel("Ann", 2) == Parcel("Ann", 2)
    assert Parcel("Ann", 2) != Parcel("Ann", 3)
    assert Nothing() == Nothing()


def test_values_of_two_classes_are_never_equal() -> None:
    assert Parcel("Ann") != Letter("Ann")
    assert Letter("Ann") != "Ann"


def test_a_field_may_be_left_out_of_the_comparison() -> None:
    one, other = Parcel("Ann", label="glass"), Parcel("Ann", label="books")
    assert one == other
    assert hash(one) == hash(other)


def test_equal_values_are_one_key() -> None:
    assert {Parcel("Ann"), Parcel("Ann"), Letter("Ann"), Letter("Bo")} == {
        Parcel("Ann"),
        Letter("Bo"),
        Letter("Ann"),
    }
    assert len({Nothing(), Nothing()}) == 1


def test_a_value_tells_its_fields_but_the_hidden_ones() -> None:
    assert repr(Parcel("Ann", code="s3cret")) == "Parcel(to='Ann', kilos=1, label='')"


def test_a_changed_copy_is_a_value_of_its_own() -> None:
    parcel = Parcel("Ann")
    assert replace(parcel, kilos=5) == Parcel("Ann", 5)
    assert parcel == Parcel("Ann", 1)


def test_a_class_keeps_the_methods_that_it_writes_itself() -> None:
    assert Scale(1) == Scale(2)
    assert hash(Scale(1)) == 7
    assert repr(Scale(1)) == "a scale"


def test_a_value_matches_by_the_order_of_its_fields() -> None:
    match Parcel("Ann", 4):
        case Parcel(to, kilos):
            assert (to, kilos) == ("Ann", 4)
