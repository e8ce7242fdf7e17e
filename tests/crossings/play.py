"""Plays a story: wishes come on their ways, people press or do not, and all comes to rest."""

from functools import partial

from bot.domain.change import Change, KeepPassage
from bot.domain.memory.passage import Passage
from tests.crossings.before import come_before
from tests.crossings.case import AGAIN, RUNS
from tests.crossings.consents import agree, decide
from tests.crossings.story import OTHERS, Ends, Story
from tests.crossings.ways import comes, look_back, say, stop_half_way
from tests.crossings.wish import Wish
from tests.scenarios.stage import ANN, BOB


async def play(story: Story) -> None:
    """Plays the story to its end."""
    case = story.case
    await _remember(story)
    await agree(story)
    await come_before(story)
    if case.event == "taken over":
        await story.scene.begin_beside()
        await story.rested()
    for wish in story.wishes:
        story.speaker = story.person(wish.by)
        await comes(story, wish)
        await _meanwhile(story, wish)
        if case.said == "half" and not wish.later:
            await stop_half_way(story)
            await story.rested()
    if case.later in AGAIN:
        story.speaker = story.other if case.then_by == "other" else story.asker
        await look_back(story)
        await _meanwhile(story, None)
    await _look(story)


async def _meanwhile(story: Story, wish: Wish | None) -> None:
    """Lets the event of the case happen to a wish, and people decide about it."""
    await story.rested()
    match story.case.event:
        case "nobody there":
            await story.come_back()
        case "stop":
            await say(story, "/stop")
        case "restart":
            await story.scene.crash()
        case "taken over" if story.scene.beside is not None:
            await story.scene.hand_over()
        case "channel away":
            await story.be_away()
        case "lower walls" if wish is None or wish.way not in RUNS:
            await story.go_outside()
        case _:
            pass
    if story.case.event != "none":
        await story.rested()
    last = wish is None or (wish.later or story.case.later == "nothing")
    if last or story.case.event != "pressed late":
        await decide(story)


async def _look(story: Story) -> None:
    """Keeps what there is in the end, for the judge."""
    owed, records = await story.count_owed(), story.recorded()
    story.visits.after = await story.scene.store.people.by_sender(BOB)
    await story.shown_beside()
    strangers = await story.strangers_at_desk()
    owner = await story.scene.store.people.by_sender(ANN)
    assert owner is not None
    story.ends = Ends(owed, await story.switched(), strangers, records, owner.id)


async def _remember(story: Story) -> None:
    """Gives both people a past; what was foreign then is foreign now."""
    scene, wish = story.scene, story.wishes[0]
    by_meaning = wish.sight == "recalled by meaning"
    told = OTHERS if by_meaning else f"The gerbil mail says: {OTHERS}"
    for sender, answer in ((story.asker, wish.answer_before), (story.other, told)):
        person = await scene.store.people.by_sender(sender)
        assert person is not None
        whose = await scene.store.people.by_sender(story.asker if story.leaks else sender)
        passage = Passage(
            id=f"past-{person.id}",
            whose=f"p{whose.id if whose else 0}",
            at=scene.clock.now(),
            question=wish.question_before,
            answer=answer,
            person=person.id,
            speaker=sender.name,
            untrusted="a forward from Eve",
        )
        own = wish.sight in ("recalled", "recalled by meaning") and not story.leaks
        if own or sender is not story.asker:
            await scene.application.parts.way_out.journal.commit(Change((KeepPassage(passage),)))
            await story.until(partial(scene.store.words.search, passage.question, passage.whose, 1))
            if by_meaning:
                await story.meant()
    await story.rested()
