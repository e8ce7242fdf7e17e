"""Meaning as numbers: the text of a passage that is embedded, and when two texts mean the same."""

from collections.abc import Sequence
from math import hypot, inf, sqrt
from typing import TypeAlias

from bot.domain.memory.passage import Passage
from bot.domain.text.names import plain_name
from bot.domain.value import frozen

Vector: TypeAlias = Sequence[float]
"""The meaning of a text, as an embedder tells it; its length is 1."""

MOST_BYTES = 8_000
"""Bytes of a text that is embedded: no embedder cuts more tokens from a text than it has bytes."""

_LEAST_SPREAD = 0.02
"""The spread that is assumed at least, where an embedder finds all strange texts equally near."""

STRANGE_TEXTS = (
    "How long do eggs have to boil? About eight minutes, then rinse them with cold water.",
    "The train to the coast leaves from platform four and takes two hours.",
    "Please move the meeting with the accountant to Thursday afternoon.",
    "A loop over a list in Python is written with for and in.",
    "The roof is leaking above the kitchen; call the landlord about it.",
    "Whales are mammals and breathe air at the surface.",
    "My knee hurts after running. Rest it, and cool it for a while.",
    "What does the word serendipity mean? A happy find that nobody looked for.",
    "The river froze over in the winter of 1963.",
    "Pay the electricity bill before the end of the month.",
    "The second act of the opera is longer than the first one.",
    "Add two spoons of sugar and stir until the sauce gets thick.",
    "Wie wird das Wetter am Wochenende? Es bleibt trocken, aber windig.",
    "Der Drucker im Büro hat kein Papier mehr.",
    "Die Katze schläft den ganzen Tag auf dem Sofa.",
    "Bitte übersetze diesen Brief an die Versicherung.",
    "Was kostet eine Fahrkarte nach Wien? Etwa vierzig Euro.",
    "Das Fahrrad braucht einen neuen Schlauch am Hinterrad.",
    "¿A qué hora abre la farmacia del barrio? A las nueve.",
    "La biblioteca cierra temprano los viernes.",
    "Le magasin au coin de la rue vend du pain frais.",
    "Quel est le plus haut sommet d'Europe ?",
    "明天下午三点开会,请准备好报告。",
    "这道菜要先用盐腌一个小时。",
    "上海的地铁有多少条线路?",
    "駅までは歩いて十分ほどかかります。",
    "この本はとても面白かったです。",
    "Сколько стоит билет в театр на субботу?",
)
"""Texts about nothing in particular: what is as far from a question as these does not answer it."""


@frozen
class Noise:
    """The nearness of texts that have nothing to do with each other."""

    middle: Sequence[float]
    """The middle of the strange texts; its nearness to a question is what chance gives."""
    spread: float
    """The usual distance of their nearness from that, of the quarter that is told apart best.

    A model finds all texts alike in languages that it does not know, and says nothing by it.
    """

    def chance(self, question: Vector) -> float:
        """Returns how near a text is to the question by chance."""
        return nearness(question, self.middle)

    def beyond(self, near: float, chance: float) -> float:
        """Returns by how many spreads a text is nearer to a question than by chance."""
        return (near - chance) / max(self.spread, _LEAST_SPREAD)


def embedded_text(passage: Passage) -> str:
    """Returns what is embedded of a passage: its date, its speaker, the question and the answer."""
    by = f"{plain_name(passage.speaker)}: " if passage.speaker else ""
    whole = f"{passage.at:%d %B %Y}\n{by}{passage.question}\n{passage.answer}"
    return first_bytes(whole, MOST_BYTES)


def first_bytes(text: str, most: int) -> str:
    """Returns the beginning of a text within so many bytes of UTF-8."""
    sound = text.encode("utf-8", "replace")
    return sound[:most].decode("utf-8", "ignore")


def unit(numbers: Sequence[float]) -> Vector:
    """Returns a vector of the length 1; raises ValueError for one without a direction, or NaN."""
    length = hypot(*numbers)
    if not 0 < length < inf:
        raise ValueError("a vector without a direction")
    return [each / length for each in numbers]


def meaningless(size: int) -> Vector:
    """Returns the vector of a text in which the embedder finds no meaning; no text is near it."""
    return unit([1.0 if n % 4 < 2 else -1.0 for n in range(size)])


def nearness(one: Vector, other: Vector) -> float:
    """Returns the cosine of two vectors: 1 for the same meaning, 0 for nothing in common."""
    return sum(a * b for a, b in zip(one, other, strict=True))


def noise(strange: Sequence[Vector]) -> Noise:
    """Measures how near strange texts are to each other; it takes some 0.1 s."""
    count = len(strange)
    middle = [sum(column) / count for column in zip(*strange, strict=True)]
    chances = [(nearness(one, middle) * count - 1) / (count - 1) for one in strange]
    squares = [0.0] * count
    for n, one in enumerate(strange):
        for m, other in enumerate(strange[:n]):
            near = nearness(one, other)
            squares[n] += (near - chances[n]) ** 2
            squares[m] += (near - chances[m]) ** 2
    spreads = sorted(sqrt(each / (count - 1)) for each in squares)
    return Noise(middle, spreads[count // 4])
