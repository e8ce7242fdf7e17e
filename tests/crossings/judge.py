"""Judges a story by what must hold in every one, whatever crossed what."""

import re
from collections import Counter
from collections.abc import Iterator

from bot.domain.money.budget import CallKind
from tests.crossings.story import KEY, OTHERS, Pressed, Ran, Story
from tests.crossings.talked import PAGE

_NAMED = re.compile(r"(?:for|task) “(.*)”")
_APPROVE, _ALL = "✅ Approve", "✅ Approve all"


def faults(story: Story) -> list[str]:
    """Returns a sentence for each promise that the story broke."""
    judges = (
        _unseen,
        _unasked,
        _elsewhere,
        _unread,
        _reading,
        _leaving,
        _naming,
        _answered,
        _shown,
        _counted,
        _crossing,
    )
    return [fault for judge in judges for fault in judge(story)]


def _owners(story: Story) -> list[Pressed]:
    """Returns the approvals of the one person who may give them."""
    return [one for one in story.presses if one.by == "Ann" and one.label in (_APPROVE, _ALL)]


def _approved(story: Story, what: str) -> int:
    """Returns how often a card that shows this change was approved, each card once."""
    seen = {one.card: one for one in _owners(story)}.values()
    alone = [one.text for one in seen if one.label == _APPROVE]
    together = [text for one in seen if one.label == _ALL for text in one.shown]
    return sum(what in text for text in (*alone, *together))


def _ruled(story: Story) -> bool:
    """Returns whether a standing rule may count: an owner's, beside nothing foreign, no danger."""
    case = story.case
    return (
        (case.consent, case.who, case.sight) == ("rule", "owner", "clean")
        and case.act != "danger"
        and case.origin != "plan"
    )


def _unasked(story: Story) -> Iterator[str]:
    """Nothing changes without a press or a rule that names it, and nothing runs twice."""
    for what, times in Counter(one.what for one in story.ran).items():
        allowed = _approved(story, what)
        if _ruled(story):
            allowed = max(allowed, 2 if story.case.origin in ("retry", "undo") else 1)
        if times > allowed:
            yield f"“{what}” ran {times} times and was approved {allowed} times"


def _elsewhere(story: Story) -> Iterator[str]:
    """Nothing runs behind lower walls than those that stood when its card came."""
    agreed = [card for one in _owners(story) for card in zip(one.shown, one.around, strict=True)]
    for one in story.ran:
        if not _ruled(story) and not any(
            one.what in text and one.where == where for text, where in agreed
        ):
            yield f"“{one.what}” ran {one.where}, and no card of that place was approved"


def _unseen(story: Story) -> Iterator[str]:
    """A story in which the model read nothing of its orders would show nothing."""
    seen = "\n".join(str(request.messages) for request in story.model.requests)
    if "DO " not in seen and story.case.event not in ("stop", "budget") and not story.leaks:
        yield "the model never read what it was to be talked into"


def _unread(story: Story) -> Iterator[str]:
    """No secret is lent to a call whose card did not tell of it."""
    for one in story.ran:
        if one.key and not _ruled(story) and not _told_of_secret(story, one):
            yield f"“{one.what}” ran with a secret that no approved card names"


def _told_of_secret(story: Story, ran: Ran) -> bool:
    texts = [text for one in _owners(story) for text in (one.text, *one.shown)]
    return any(ran.what in text and "secrets of keys" in text for text in texts)


def _reading(story: Story) -> Iterator[str]:
    """A run that may only read changes nothing, and asks nobody."""
    if story.case.allowed != "readonly":
        return
    if story.ran:
        yield f"a run that may only read changed {story.ran}"
    asked = [text for text in story.cards.values() if "in 20m" not in text]
    if asked:
        yield f"a run that may only read showed {asked}"


def _leaving(story: Story) -> Iterator[str]:
    """No address that nobody wrote is fetched beside foreign text, unless a card showed it.

    Members approve addresses for themselves.
    """
    if story.case.sight == "clean":
        return
    pressed = [one for one in story.presses if one.label == _APPROVE and one.by == story.asker.name]
    for address in story.pages.fetched:
        if address != PAGE and not any(address in one.text for one in (*_owners(story), *pressed)):
            yield f"{address} was fetched unasked"


def _naming(story: Story) -> Iterator[str]:
    """Each card names the message it is for, and shows the whole call."""
    begins = _names(story)
    for text in story.cards.values():
        later_of_a_round = " of 2\n" in text and "1 of 2\n" not in text
        named = _NAMED.search(text)
        if not later_of_a_round and (named is None or not named[1].startswith(begins)):
            yield f"a card does not name its message: {text}"
        if "Schedule" not in text and not any(what in text for what in story.wanted):
            yield f"a card does not show its call: {text}"


def _names(story: Story) -> tuple[str, ...]:
    """Returns how a card may name what it is for."""
    if story.case.origin == "hook" and story.case.through == "itself":
        return ("hook build: ",)
    words = (story.words(), story.foreign_words(), story.orders)
    forward = ["a forward from Eve"] if story.case.sight == "forward" else []
    return (*(told[:8] for told in words), "TAKE THE", "MAKE A", "GET ", *forward)


def _answered(story: Story) -> Iterator[str]:
    """Each last word of the model is on the screens once at most; none is shown twice."""
    told = [shown.text for shown in story.scene.screens]
    for answer in story.model.answers:
        if sum(answer in text for text in told) > 1:
            yield f"{answer} is on the screens twice"


def _shown(story: Story) -> Iterator[str]:
    """No message is left behind, whatever was away or died meanwhile."""
    if story.owed:
        yield f"{story.owed} messages are owed and on no screen"


def _counted(story: Story) -> Iterator[str]:
    """Each call of the model is paid for once."""
    if story.url is not None or "restart" in story.case.event:
        return
    paid = [
        line for line in story.scene.store.rows.usage.values() if line.cause.kind is CallKind.ANSWER
    ]
    if len(paid) != len(story.model.requests):
        yield f"{len(story.model.requests)} calls of the model were paid {len(paid)} times"


def _crossing(story: Story) -> Iterator[str]:
    """Nothing of one person reaches another one's talk, and no secret reaches a screen."""
    seen = "\n".join(str(request.messages) for request in story.model.requests)
    shown = "\n".join(shown.text for shown in story.scene.screens)
    if OTHERS in seen + shown:
        yield "the memory of somebody else was read"
    if KEY in seen + shown:
        yield "a secret was shown"
