"""Judges a story by what must hold in every one, whatever crossed what."""

import re
from collections import Counter
from collections.abc import Iterator

from bot.domain.consent.own_search import SWITCH_ON
from bot.domain.money.budget import CallKind
from tests.crossings.story import KEY, NOT_NOW, OTHERS, PRICE, Pressed, Ran, Story
from tests.crossings.talked import PAGE

_NAMED = re.compile(r"(?:for|task) “(.*)”")
_OFFER = "Search the web with"
_APPROVE, _ALL = "✅ Approve", "✅ Approve all"


def faults(story: Story) -> list[str]:
    """Returns a sentence for each promise that the story broke."""
    judges = (
        _unseen,
        _unasked,
        _elsewhere,
        _placed,
        _unread,
        _named,
        _reading,
        _leaving,
        _naming,
        _answered,
        _shown,
        _counted,
        _crossing,
        _searching,
        _offering,
        _beside,
    )
    return [fault for judge in judges for fault in judge(story)]


def _owners(story: Story) -> list[Pressed]:
    """Returns the approvals of the one person who may give them."""
    return [one for one in _anns(story) if one.label == _APPROVE or one.label.startswith(_ALL)]


def _anns(story: Story) -> list[Pressed]:
    """Returns the presses of the one owner."""
    return [one for one in story.presses if one.by == "Ann"]


def _approved(story: Story, what: str) -> int:
    """Returns how often a card that shows this change was approved, each card once."""
    seen = {one.card: one for one in _owners(story)}.values()
    alone = [one.text for one in seen if one.label == _APPROVE]
    together = [text for one in seen if one.label != _APPROVE for text in one.shown]
    return sum(what in text for text in (*alone, *together))


def _ruled(story: Story) -> bool:
    """Returns whether a standing rule may count: an owner's, beside nothing foreign, no danger."""
    case = story.case
    return (
        (case.consent, case.who, case.sight) == ("rule", "owner", "clean")
        and case.act != "danger"
        and case.origin != "plan"
        # The rule is of another folder.
        and case.place != "project"
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


def _placed(story: Story) -> Iterator[str]:
    """Each card of a change says where it runs."""
    for card, text in story.cards.items():
        where = story.places.get(card, "")
        if "Do " in text and where not in text:
            yield f"a card does not say that it {where}: {text}"


def _unseen(story: Story) -> Iterator[str]:
    """A story in which the model read nothing of its orders would show nothing."""
    seen = "\n".join(str(request.messages) for request in story.model.requests)
    if "DO " not in seen and story.case.event not in ("stop", "budget") and not story.leaks:
        yield "the model never read what it was to be talked into"


def _named(story: Story) -> Iterator[str]:
    """A rule that a question names approves its own call alone, in its own folder."""
    for text in story.covered:
        case = story.case
        if case.place != "project" or case.act in ("danger", "secret") or "first" not in text:
            yield f"a rule that does not name it approved: {text}"


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
    """No address that nobody wrote is fetched beside foreign text before a card that shows it.

    Each card counts once. Members approve addresses for themselves: they could type them as well.
    """
    if story.case.sight == "clean":
        return
    given = [one for one in story.presses if one.label == _APPROVE and one.by == story.asker.name]
    given += _owners(story)
    times = Counter[str]()
    for before, address in enumerate(story.pages.fetched):
        times[address] += 1
        cards = {one.card for one in given if one.fetched <= before and address in _call(one.text)}
        if address != PAGE and len(cards) < times[address]:
            yield f"{address} was fetched unasked"


def _call(text: str) -> str:
    """Returns what a card shows of its call, without the words of the request."""
    return text.partition("\nfor ")[0]


def _naming(story: Story) -> Iterator[str]:
    """Each card names the message it is for, and shows the whole call."""
    begins = _names(story)
    for text in story.cards.values():
        later_of_a_round = " of 2\n" in text and "1 of 2\n" not in text
        named = _NAMED.search(text)
        if not later_of_a_round and (named is None or not named[1].startswith(begins)):
            yield f"a card does not name its message: {text}"
        shown = [PRICE] if _OFFER in text else story.wanted
        if "Schedule" not in text and not any(what in text for what in shown):
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
    if story.looking is not None or "restart" in story.case.event:
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
    if story.scene.desk is not None:
        shown += "\n".join(story.scene.desk.ever)
    if OTHERS in seen + shown:
        yield "the memory of somebody else was read"
    if KEY in seen + shown:
        yield "a secret was shown"


def _searching(story: Story) -> Iterator[str]:
    """No search is switched on or off, and none is made, without an owner's press that says so."""
    on = [one.asked for one in _anns(story) if one.label == SWITCH_ON]
    first = min(on, default=len(story.model.requests))
    for number, request in enumerate(story.model.requests):
        if number < first and any(spec.hosted for spec in request.tools):
            yield "the web was searched before an owner switched the search on"
    if story.kept.on and not on:
        yield "a search was switched on, and no owner pressed that"
    off = any(one.label == NOT_NOW for one in _anns(story))
    if story.kept.decided - story.kept.on and not off:
        yield "a search was switched off, and no owner pressed that"


def _offering(story: Story) -> Iterator[str]:
    """Once an owner has decided, no search is offered again; a run offers none to anybody."""
    decided = [one.asked for one in _anns(story) if one.label in (SWITCH_ON, NOT_NOW)]
    last = min(decided, default=len(story.model.requests))
    for request in story.model.requests[last:]:
        if any(spec.switches for spec in request.tools):
            yield "a search is offered again after an owner decided about it"
    asked = [text for text in story.cards.values() if _OFFER in text]
    if story.case.origin in ("task", "hook") and asked:
        yield f"a run offered a search: {asked}"
    if any("search_with_" in text for text in story.cards.values()):
        yield "a card promises that runs switch a search on"


def _beside(story: Story) -> Iterator[str]:
    """A terminal beside shows what its chat shows and nothing else, and the chat what came here."""
    yield from story.scene.page.faults(story.scene.channel)
    desk = story.scene.desk
    if desk is None:
        return
    yield from desk.faults(story.scene.channel)
    for text in story.strangers:
        yield f"the terminal shows “{text}”, which is no message of its chat"
    for answer in story.model.answers:
        if sum(answer in line.text for line in desk.told.values()) > 1:
            yield f"{answer} is in the terminal twice"
    for card, text in story.cards.items():
        if card[0] == desk.at and not any(text == shown for shown in desk.ever):
            yield f"the terminal never showed {text}"
