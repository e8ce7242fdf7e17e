"""The person behind a request, as the page knows them."""

from bot.domain.talk.person import Person
from bot.domain.value import frozen


@frozen
class Visitor:
    """A person who is signed in; read afresh for every request."""

    person: Person
    session: str
    """The public id of the session, which opens nothing."""
    csrf: str
    """The token that proves that a form was made for this session."""
    account: str = ""
    """The account of the page under which the person writes, as in `web:5`."""

    @property
    def whose(self) -> str:
        """Returns the name under which this person holds places that all share."""
        return f"p{self.person.id}"
