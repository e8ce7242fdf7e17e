"""The stem of a word: Snowball's, behind a list of irregular forms.

A text does not say its language, so a Latin word loses its English ending and then what is left of
a German one, whatever its language: two words rarely meet by that, and the forms of one do.
"""

import unicodedata
from functools import lru_cache
from threading import local

import Stemmer

from bot.domain.text.stems import LONGEST, unaccented

STEMS = f"3/{Stemmer.version()}"
"""Names the stems; an index with other ones is made anew."""

_SHORTEST = 3
"""Characters of a word that has an ending."""

_SCRIPTS = {
    "CYRILLIC": ("russian",),
    "GREEK": ("greek",),
    "ARABIC": ("arabic",),
    "ARMENIAN": ("armenian",),
    "LATIN": ("english", "german"),
}
"""The algorithms for a word, by the script of its first letter."""

_FORMS = """
be am is are was were been being
begin began begun
bite bit bitten
blow blew blown
break broke broken
bring brought
build built
burn burnt
buy bought
catch caught
child children
choose chose chosen
come came
deal dealt
do does did done
draw drew drawn
dream dreamt
drink drank drunk
drive drove driven
eat ate eaten
fall fell fallen
feed fed
feel felt
fight fought
find found
fly flew flown
foot feet
forget forgot forgotten
freeze froze frozen
give gave given
go goes went gone
goose geese
grow grew grown
half halves
have has had
hear heard
hide hid hidden
hold held
keep kept
knife knives
know knew known
lead led
learn learnt
leave left
lend lent
life lives
lose lost
make made
man men
mean meant
meet met
mouse mice
pay paid
person people
ride rode ridden
ring rang rung
rise rose risen
run ran
say said
see saw seen
seek sought
sell sold
send sent
shake shook shaken
shelf shelves
shoot shot
show shown
sing sang sung
sink sank sunk
sit sat
sleep slept
speak spoke spoken
spend spent
stand stood
steal stole stolen
stick stuck
strike struck
swear swore sworn
sweep swept
swim swam swum
take took taken
teach taught
tear tore torn
tell told
think thought
throw threw thrown
tooth teeth
understand understood
wake woke woken
wear wore worn
wife wives
win won
wolf wolves
woman women
write wrote written
"""
_USUAL = {
    form: usual
    for usual, *forms in (line.split() for line in _FORMS.split("\n") if line)
    for form in forms
}


class _Stemmers(local):
    """The stemmers of a thread: one is not to be used by two threads at a time."""

    def __init__(self) -> None:
        self.by_name: dict[str, Stemmer.Stemmer] = {}

    def stem(self, name: str, word: str) -> str:
        one = self.by_name.get(name)
        if one is None:
            # The cache of the function beside serves all of them.
            one = self.by_name[name] = Stemmer.Stemmer(name, 0)
        return one.stemWord(word)


_STEMMERS = _Stemmers()


@lru_cache(maxsize=100_000)
def stem(word: str) -> str:
    """Returns a word, which is in small letters, without accents and without its endings."""
    plain = unaccented(word)
    if len(plain) < _SHORTEST or not plain.isalpha():
        return plain[:LONGEST]
    plain = _USUAL.get(plain, plain)
    for name in _SCRIPTS.get(unicodedata.name(plain[0], "").partition(" ")[0], ()):
        plain = _STEMMERS.stem(name, plain)
    # Spanish and Italian end in these, with the same stem before them.
    ended = len(plain) > _SHORTEST and plain[-1] in "ao"
    return (plain[:-1] if ended else plain)[:LONGEST]
