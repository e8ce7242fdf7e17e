"""Judges a story by what must hold in every one, whatever crossed what."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from bot.domain.consent.own_search import SWITCH_ON
from bot.domain.money.budget import CallKind
from bot.domain.money.model import FinishReason
from bot.domain.tools.tool import ToolCall
from bot.domain.turn.outcome import StopReason
from bot.domain.turn.turn import TurnState
from tests.crossings.case import AGAIN, TRUSTED
from tests.crossings.records import ANSWER
from tests.crossings.story import KEY, NOT_NOW, OTHERS, PRICE, Pressed, Ran, Story
from tests.crossings.talked import MEMORY, PAGES, TOOLS
from tests.scenarios.stage import ANN, HOME

_NAMED = re.compile(r"(?:for|task) “(.*)”")
_LISTS = ("get_conversation", "list_tasks")
_OFFER = "Search the web with"
_SCHEDULE = "Schedule: in 20m"
_LINK = "/enter#"
_BY_HOOK = re.compile("^hook (build|deploy): ")
_FORWARD = "a forward from Eve"
_ASKING = (StopReason.SET_ASIDE, StopReason.PLAN_READY)
"""The ends of turns whose card stands in place of an answer."""
_DYING = ("restart", "restart after the press", "taken over", "channel away", "lower walls")
"""Events in which the program dies, perhaps while the model is asked."""
_APPROVE, _ALL = "✅ Approve", "✅ Approve all"
_RULES = {"owner's rule": "owner", "member's rule": "member"}
"""The person whose rule it is, where it is not the asker's."""


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
        _marking,
        _ending,
        _naming,
        _answered,
        _shown,
        _counted,
        _crossing,
        _searching,
        _offering,
        _beside,
        _visiting,
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


def _ruled(story: Story, what: str) -> int:
    """Returns how often a standing rule may count: beside nothing foreign, and for its owner.

    It is about the first wish, in its own chat, and covers no danger; a member has to have the
    right to approve.
    """
    case, allowed = story.case, 0
    owns = _RULES.get(case.consent, case.who)
    if case.consent not in ("rule", "rule, then all", *_RULES):
        return 0
    # The rule is of another folder.
    if case.act == "danger" or case.place == "project" or what not in story.wishes[0].wanted:
        return 0
    if owns == "owner" or case.consent == "member's rule":
        for wish in story.wishes:
            own = what in wish.wanted and wish.by == owns
            allowed += own and not wish.foreign and wish.way != "plan"
    again = case.later in AGAIN and case.then_by == "same"
    return allowed * 2 if again else allowed


def _unasked(story: Story) -> Iterator[str]:
    """Nothing changes without a press or a rule that names it, and nothing runs twice."""
    for what, times in Counter(one.what for one in story.ran).items():
        allowed = max(_approved(story, what), _ruled(story, what))
        if times > allowed:
            yield f"“{what}” ran {times} times and was approved {allowed} times"


def _elsewhere(story: Story) -> Iterator[str]:
    """Nothing runs behind lower walls than those that stood when its card came."""
    agreed = [card for one in _owners(story) for card in zip(one.shown, one.around, strict=True)]
    for one in story.ran:
        if not _ruled(story, one.what) and not any(
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
    stopped = story.case.event == "stop" or story.case.money == "ends"
    for wish in () if stopped or story.leaks else story.wishes:
        if wish.orders not in seen:
            yield f"the model never read what it was to be talked into: {wish.orders}"


def _named(story: Story) -> Iterator[str]:
    """A rule that a question names approves its own call alone, in its own folder."""
    for text in story.covered:
        case = story.case
        if case.place != "project" or case.act in ("danger", "secret") or "first" not in text:
            yield f"a rule that does not name it approved: {text}"


def _unread(story: Story) -> Iterator[str]:
    """No secret is lent to a call whose card did not tell of it."""
    for one in story.ran:
        if one.key and not _ruled(story, one.what) and not _told_of_secret(story, one):
            yield f"“{one.what}” ran with a secret that no approved card names"


def _told_of_secret(story: Story, ran: Ran) -> bool:
    texts = [text for one in _owners(story) for text in (one.text, *one.shown)]
    return any(ran.what in text and "secrets of keys" in text for text in texts)


def _reading(story: Story) -> Iterator[str]:
    """A run that may only read changes nothing, and asks nobody."""
    if story.case.allowed != "readonly":
        return
    for wish in story.wishes:
        if wish.way in ("task", "hook"):
            ran = [one for one in story.ran if one.what in wish.wanted]
            if ran:
                yield f"a run that may only read changed {ran}"
            cards = [text for text in story.cards.values() if _shows(text, wish.wanted)]
            asked = [text for text in cards if _SCHEDULE not in text]
            if asked:
                yield f"a run that may only read showed {asked}"


def _leaving(story: Story) -> Iterator[str]:
    """No address that nobody wrote is fetched beside foreign text before a card that shows it.

    Each card counts once. Members approve addresses for themselves: they could type them as well.
    """
    if not any(wish.foreign for wish in story.wishes):
        return
    askers = {story.person(wish.by).name for wish in story.wishes} - {ANN.name}
    given = [one for one in story.presses if one.label == _APPROVE and one.by in askers]
    given += _owners(story)
    # A wish of which nothing is foreign needs no card.
    free = sum(not wish.foreign for wish in story.wishes)
    times = Counter[str]()
    for before, address in enumerate(story.pages.fetched):
        times[address] += 1
        cards = {one.card for one in given if one.fetched <= before and address in _call(one.text)}
        if address not in PAGES and len(cards) + free < times[address]:
            yield f"{address} was fetched unasked"


def _call(text: str) -> str:
    """Returns what a card shows of its call, without the words of the request."""
    return text.partition("\nfor ")[0]


def _marking(story: Story) -> Iterator[str]:
    """The words of others bring their mark along, whatever hands them on to whom."""
    orders = {wish.orders for wish in story.wishes}
    for person, _, result in story.ends.records.read:
        # An owner's words are foreign to nobody, and what an owner trusts is not to that owner.
        own = person == story.ends.owner
        lent = own and story.case.sight in TRUSTED and result.trusted is not None
        governs = not own and story.case.place == "group" and result.tool in _LISTS
        told = any(order in result.text for order in orders)
        if told and not (lent or governs) and result.untrusted_for(person) is None:
            yield f"{result.tool} handed on the words of others without a mark: {result.text}"


def _ending(story: Story) -> Iterator[str]:
    """A run that may only read ends no conversation."""
    for _, readonly, result in story.ends.records.read:
        if readonly and result.closes is not None:
            yield "a run that may only read ended a conversation"


def _naming(story: Story) -> Iterator[str]:
    """Each card names the message it is for, and shows the whole call."""
    for text in story.cards.values():
        shown = [call for call in story.model.made if _shows(text, _whole(call[0]))]
        if not shown:
            yield f"a card does not show its call: {text}"
        elif not _later_of_a_round(text) and not any(_names(text, said) for _, said in shown):
            yield f"a card does not name its message: {text}"


def _whole(call: ToolCall) -> Sequence[str]:
    """Returns all that a card of this call shows."""
    if call.name == TOOLS["search"]:
        return [PRICE]
    given = call.arguments or {}
    told = [given["what"]] if call.name == "schedule_task" else given.values()
    return [str(one) for one in told]


def _shows(text: str, wanted: Sequence[str]) -> bool:
    """Returns whether a card shows all of this below its title, beside the words of the request."""
    below = _call(text).partition("\n")[2]
    return all(what in below for what in wanted)


def _later_of_a_round(text: str) -> bool:
    """Returns whether a card stands below another one, which names the message for both."""
    return " of 2\n" in text and "1 of 2\n" not in text


def _names(text: str, said: Sequence[str]) -> bool:
    """Returns whether a card names the message with these parts; a long name ends early."""
    found = _NAMED.search(text)
    named = "" if found is None else _BY_HOOK.sub("", found[1]).removesuffix("…").strip()
    told = [" ".join(part.split()) for part in said if not part.startswith(MEMORY)]
    return bool(named) and (named == _FORWARD or any(named in part for part in told))


def _answered(story: Story) -> Iterator[str]:
    """Each message is answered once, and each last word of the model is on the screens once."""
    told = [shown.text for shown in story.scene.screens]
    for answer in (*story.model.answers, *story.halves):
        if sum(answer in text for text in told) > 1:
            yield f"{answer} is on the screens twice"
    for half, stays in story.halves.items():
        if stays is not any(half in text for text in told):
            yield f"{half} should {'stay' if stays else 'go'}, and does not"
    kept = story.ends.records
    answered = kept.taken + kept.refused
    if answered < len(story.said):
        yield f"{len(story.said)} messages were said, and {answered} taken"
    # The runs of a goal speak to its diary; those of a task do so to people.
    speaking = ("message", "hook") if "goal" in story.case.ways else ("message", "hook", "task")
    for id, turn in kept.turns.items():
        asks = turn.state is not TurnState.SETTLED or turn.why in _ASKING
        asked = asks and (story.cards or story.plans)
        if turn.origin in speaking and not asked and f"{ANSWER}{id}" not in kept.shown:
            yield f"a {turn.origin} was never answered ({turn.why or turn.state}): {story.said}"


def _shown(story: Story) -> Iterator[str]:
    """No message is left behind, whatever was away or died meanwhile."""
    if story.ends.owed:
        yield f"{story.ends.owed} messages are owed and on no screen"


def _counted(story: Story) -> Iterator[str]:
    """Each call of the model is paid for once, and each sound that was heard."""
    kept = story.ends.records
    paid = [line for line in kept.paid if line.kind in (CallKind.ANSWER, CallKind.SUMMARY)]
    whole = sum(not line.estimated for line in paid if line.kind is CallKind.ANSWER)
    replies = sum(reply.finish is not FinishReason.UNKNOWN for reply in kept.replies)
    if whole != replies:
        yield f"{replies} replies of the model were paid {whole} times"
    asked, lives = len(story.model.requests), story.case.event in _DYING
    # A budget sets the least cost aside before the call, and a death between both leaves it there.
    sets_aside = lives and story.case.money == "ends"
    if (len(paid) > asked and not sets_aside) or (len(paid) < asked and not lives):
        yield f"{asked} calls of the model were paid {len(paid)} times"
    heard = len(story.scene.hearing.heard) if story.scene.hearing else 0
    listened = sum(line.kind is CallKind.HEARING for line in kept.paid)
    if heard != listened:
        yield f"{heard} sounds were heard and {listened} paid"


def _crossing(story: Story) -> Iterator[str]:
    """Nothing of one person reaches another one's talk, and no secret reaches a screen."""
    seen = "\n".join(str(request.messages) for request in story.model.requests)
    shown = "\n".join(shown.text for shown in story.scene.screens)
    if story.scene.desk is not None:
        shown += "\n".join(story.scene.desk.ever)
    if OTHERS in seen + shown:
        yield "the memory of somebody else was read"
    for message in story.scene.screens:
        if _LINK in message.text and message.address != HOME:
            yield f"a link that signs a newcomer in was shown at {message.address.key}"
    if KEY in seen + shown:
        yield "a secret was shown"


def _searching(story: Story) -> Iterator[str]:
    """No search is switched on or off, and none is made, without an owner's press that says so."""
    on = [one.asked for one in _anns(story) if one.label == SWITCH_ON]
    first = min(on, default=len(story.model.requests))
    for number, request in enumerate(story.model.requests):
        if number < first and any(spec.hosted for spec in request.tools):
            yield "the web was searched before an owner switched the search on"
    if story.ends.searches.on and not on:
        yield "a search was switched on, and no owner pressed that"
    off = any(one.label == NOT_NOW for one in _anns(story))
    if story.ends.searches.decided - story.ends.searches.on and not off:
        yield "a search was switched off, and no owner pressed that"


def _offering(story: Story) -> Iterator[str]:
    """Once an owner has decided, no search is offered again; a run offers none to anybody."""
    decided = [one.asked for one in _anns(story) if one.label in (SWITCH_ON, NOT_NOW)]
    last = min(decided, default=len(story.model.requests))
    for request in story.model.requests[last:]:
        if any(spec.switches for spec in request.tools):
            yield "a search is offered again after an owner decided about it"
    asked = [text for text in story.cards.values() if _OFFER in text]
    # Whoever has a run answered anew is there, and may be asked.
    alone = story.case.later not in AGAIN and not set(story.case.ways) - {"task", "hook"}
    if alone and asked:
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
    for text in story.ends.strangers:
        yield f"the terminal shows “{text}”, which is no message of its chat"
    for answer in story.model.answers:
        if sum(answer in line.text for line in desk.told.values()) > 1:
            yield f"{answer} is in the terminal twice"
    for card, text in story.cards.items():
        if card[0] == desk.at and not any(text == shown for shown in desk.ever):
            yield f"the terminal never showed {text}"


def _visiting(story: Story) -> Iterator[str]:
    """Pages take answers to a card from owners and its asker alone; nobody else gives rights."""
    yield from story.visits.faults(story.asker, story.at)
