"""The facts that the benchmark of recall tells and asks for: kinds, people, places and talk."""

from collections.abc import Mapping
from typing import NamedTuple

NAMES = (
    *("Ada", "Boris", "Cleo", "Dario", "Elif", "Fynn", "Greta", "Hugo", "Iris", "Jonas", "Kira"),
    *("Levin", "Mira", "Nils", "Olga", "Pavel", "Quinn", "Rosa", "Sven", "Tara", "Umut", "Vera"),
    *("Wanda", "Xaver", "Yann", "Zoe"),
)
OTHER_NAMES = (
    *("Anton", "Berta", "Carlo", "Doris", "Egon", "Flora", "Gustav", "Hilde", "Ivan", "Julia"),
    *("Karl", "Lena", "Marco", "Nora", "Otto", "Paula", "Ruben", "Selma", "Timo", "Ulla"),
    *("Viktor", "Wilma", "Yusuf", "Zita", "Emil", "Frida"),
)
CITIES = (
    *("Lisbon", "Oslo", "Kraków", "Porto", "Ghent", "Turin", "Lyon", "Graz", "Malmö", "Split"),
    *("Basel", "Cork", "Riga", "Brno", "Leeds", "Bergen", "Lucerne", "Seville", "Utrecht", "Bonn"),
)


class Kind(NamedTuple):
    """One kind of fact: how it is told and asked for, in three languages."""

    told: tuple[str, str, str]
    asked: tuple[str, str, str]


TUNED: Mapping[str, Kind] = {
    "car": Kind(
        (
            "{name} bought an automobile in {city} today.",
            "{name} hat heute in {city} einen Wagen gekauft.",
            "{name}今天在{city}购买了汽车。",
        ),
        (
            "Where did {name} purchase the car?",
            "Wo hat {name} das Auto her?",
            "{name}的汽车是在哪里买的?",
        ),
    ),
    "job": Kind(
        (
            "{name} got new employment with a firm in {city}.",
            "{name} hat eine neue Arbeit bei einer Firma in {city}.",
            "{name}在{city}的公司找到了新工作。",
        ),
        (
            "In which town is the job of {name}?",
            "In welcher Stadt ist die Stelle von {name}?",
            "{name}在哪个城市工作?",
        ),
    ),
    "trip": Kind(
        (
            "{name} goes on vacation to {city} with the kids.",
            "{name} macht mit den Kindern Urlaub in {city}.",
            "{name}带孩子去{city}旅行。",
        ),
        (
            "Where does {name} spend the holiday?",
            "Wohin geht die Reise von {name}?",
            "{name}去哪里旅行?",
        ),
    ),
    "home": Kind(
        (
            "{name} rents a flat in {city} now.",
            "{name} hat jetzt eine Wohnung in {city}.",
            "{name}现在在{city}租了房子。",
        ),
        (
            "In which town is the home of {name}?",
            "In welcher Stadt ist das Haus von {name}?",
            "{name}的房子在哪里?",
        ),
    ),
}
HELD_OUT: Mapping[str, Kind] = {
    "dog": Kind(
        (
            "{name} took a puppy home from a farm near {city}.",
            "{name} hat von einem Hof bei {city} einen Hund mitgebracht.",
            "{name}从{city}领养了小狗。",
        ),
        (
            "Where does the dog of {name} come from?",
            "Woher stammt das Hündchen von {name}, der Hund?",
            "{name}的小狗是从哪里来的?",
        ),
    ),
    "doctor": Kind(
        (
            "{name} sees a physician in {city} every month.",
            "{name} geht jeden Monat zum Arzt in {city}.",
            "{name}每个月去{city}看医生。",
        ),
        (
            "In which town is the doctor of {name}?",
            "In welcher Stadt ist der Mediziner, also der Arzt, von {name}?",
            "{name}的医生在哪个城市?",
        ),
    ),
    "child": Kind(
        (
            "The daughter of {name} studies in {city} since autumn.",
            "Die Tochter von {name} studiert seit Herbst in {city}.",
            "{name}的孩子在{city}上大学。",
        ),
        (
            "Where did the kid of {name} go?",
            "Wohin ist das Kind von {name} gezogen?",
            "{name}的孩子去了哪里?",
        ),
    ),
    "food": Kind(
        (
            "{name} cannot forget a dish eaten in {city}.",
            "{name} schwärmt von einem Gericht aus {city}.",
            "{name}最喜欢{city}的食物。",
        ),
        (
            "From which town is the food that {name} loves?",
            "Aus welcher Stadt kommt das Essen, das {name} mag?",
            "{name}喜欢哪个城市的食物?",
        ),
    ),
}


class Half(NamedTuple):
    """A half of the questions: what makes it, and the words in which its figures are told."""

    told: str
    seed: int
    kinds: Mapping[str, Kind]
    names: tuple[str, ...]


HALVES = (
    Half("held out", 12, HELD_OUT, OTHER_NAMES),
    Half("tuned on", 11, TUNED, NAMES),
)
"""The figures that count come first."""

TALK = (
    ("How is the weather? {name} wants to know.", "It rains until noon, then the sun comes out."),
    ("Write a greeting for {name}.", "Dear {name}, all the best to you and yours!"),
    ("Wie geht es {name}?", "Gut, sagt man. Ein wenig müde nach der langen Woche."),
    ("Explain a loop to {name}.", "A loop repeats its body until its condition is false."),
    ("{name}喜欢吃什么?", "我不知道,你可以问一问。"),
    ("Plan the week of {name}.", "Monday sport, Tuesday shopping, Wednesday reading, then rest."),
    ("What is on TV?", "A film about whales, and the news after it."),
    ("Übersetze: good night", "Gute Nacht."),
)
