"""Thumbs on answers: they become rows, and nothing of the talk does."""

from bot.domain.talk.feedback import Feedback, Opinion
from bot.domain.talk.message import Address, Reaction
from bot.domain.talk.person import Role, Sender
from tests.fakes.model import Gate, says
from tests.scenarios.stage import ANN, BOB, HOME, Stage, stage
from tests.words import NO_ANSWER_YET, NOBODY_THINKS, NOTED_LAST

EVE = Sender("fake", "3", "Eve")
PEOPLE = ((ANN, Role.OWNER), (BOB, Role.MEMBER))


async def react(
    scene: Stage,
    message: str,
    opinion: Opinion,
    sender: Sender = ANN,
    *,
    gone: bool = False,
    at: Address = HOME,
) -> None:
    update = scene.channel.update(Reaction(at, sender, message, opinion, gone))
    await scene.application.parts.intake.accept(at.channel, [update])
    await scene.routed()


def rows(scene: Stage) -> list[Feedback]:
    return list(scene.store.rows.feedback.values())


def answer(scene: Stage, text: str) -> str:
    return next(id for id, shown in scene.channel.screen.items() if shown.text == text)


async def test_a_thumb_is_kept_changed_and_taken_back() -> None:
    async with stage(says("Four.")) as scene:
        await scene.say("Two and two?")
        turn = await scene.settled()
        message = answer(scene, "Four.")
        await react(scene, message, Opinion.GOOD)
        (row,) = rows(scene)
        assert (row.turn, row.verdict, row.person) == (turn.id, Opinion.GOOD, turn.asker)
        assert (row.chat, row.models) == (turn.chat, (turn.model,))
        await react(scene, message, Opinion.BAD)
        assert [one.verdict for one in rows(scene)] == [Opinion.BAD]
        await react(scene, message, Opinion.GOOD, gone=True)
        assert [one.verdict for one in rows(scene)] == [Opinion.BAD]
        await react(scene, message, Opinion.BAD, gone=True)
        assert rows(scene) == []


async def test_thumbs_of_strangers_and_on_other_messages_leave_nothing() -> None:
    async with stage(says("Four."), people=PEOPLE) as scene:
        await scene.say("Two and two?")
        await scene.settled()
        asked = await scene.say("/help")
        await scene.shows("/new")
        chats = len(scene.store.rows.chats)
        await react(scene, answer(scene, "Four."), Opinion.GOOD, EVE)
        await react(scene, asked, Opinion.GOOD)
        for message in scene.channel.screen:
            if scene.channel.screen[message].text != "Four.":
                await react(scene, message, Opinion.GOOD)
        await react(scene, "99999", Opinion.GOOD)
        await react(scene, answer(scene, "Four."), Opinion.GOOD, at=Address("fake", "-77"))
        assert rows(scene) == []
        assert len(scene.store.rows.chats) == chats
        assert not any(r.body for r in scene.store.rows.inbox.values() if "Reaction" in r.body)


async def test_each_person_has_an_opinion_of_their_own_also_below_a_topic() -> None:
    async with stage(says("Four."), people=PEOPLE) as scene:
        await scene.say("Two and two?")
        await scene.settled()
        message = answer(scene, "Four.")
        await react(scene, message, Opinion.GOOD)
        await react(scene, message, Opinion.BAD, BOB)
        await react(scene, message, Opinion.BAD, BOB)
        told = {(one.person, one.verdict) for one in rows(scene)}
        assert [verdict for _, verdict in sorted(told)] == [Opinion.GOOD, Opinion.BAD]


async def test_the_command_is_about_the_last_answer_and_shows_owners_the_counts() -> None:
    gate = Gate()
    async with stage(says("Four."), gate, says("Six."), people=PEOPLE) as scene:
        await scene.say("/feedback good")
        await scene.shows(NO_ANSWER_YET)
        await scene.say("/feedback")
        await scene.shows(NOBODY_THINKS)
        await scene.say("Two and two?")
        first = await scene.settled()
        await scene.say("Three and three?")
        await gate.reached()
        await scene.say("/feedback BAD")
        await scene.shows(f"👎 {NOTED_LAST}")
        (row,) = rows(scene)
        assert (row.turn, row.verdict) == (first.id, Opinion.BAD)
        gate.open()
        second = await scene.settled(2)
        await scene.say("/feedback good")
        await scene.shows(f"👍 {NOTED_LAST}")
        assert {one.turn for one in rows(scene)} == {first.id, second.id}
        await scene.say("/feedback")
        counts = await scene.shows("**By model**")
        assert f"- `{first.model}`: 👍 1 · 👎 1" in counts
        assert "steward feedback --json" in counts
        before = len(scene.texts)
        await scene.say("/feedback", BOB)
        await scene.until(lambda: len(scene.texts) > before)
        assert "By model" not in scene.texts[-1]
        await scene.say("/feedback perhaps")
        await scene.shows("is no choice here")


async def test_opinions_are_exported_and_forgotten() -> None:
    async with stage(says("Four.")) as scene:
        await scene.say("Two and two?")
        turn = await scene.settled()
        await react(scene, answer(scene, "Four."), Opinion.GOOD)
        await scene.say("/export")
        await scene.shows("Here is everything")
        lines = "".join(page.lines for one in scene.packing.packed.values() for page in one)
        assert f'"kind": "feedback", "turn": "{turn.id}"' in lines
        assert '"verdict": "good"' in lines
        await scene.say("/forget all")
        await scene.press("🗑 Erase")
        await scene.shows("Erased.")
        assert rows(scene) == []
