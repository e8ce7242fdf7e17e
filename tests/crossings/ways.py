"""The ways on which a wish comes, and what people say on them."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from bot.domain.assignments.hook import OWNER, Hook
from bot.domain.assignments.task import Allowed, ApprovedCall, TimedTask
from bot.domain.change import Change, SaveTask
from bot.domain.talk.message import Attachment
from bot.domain.tools.tool import canonical
from tests.crossings import talked
from tests.crossings.consents import decide
from tests.crossings.story import Story
from tests.crossings.wish import ACTS, Wish

_SECONDS_OF_HALF = 5


async def say(story: Story, words: str, *, by_hand: bool = False, **how: Any) -> str:
    """Hands in what a person says, and returns its number on the platform.

    What is said in a chat that is shown beside is typed there, unless it has to come `by_hand` on
    the platform itself.
    """
    if not how.get("edited") and (words.startswith("/plan") or not words.startswith("/")):
        story.said.append(words)
    plain = story.case.shown_beside and not by_hand and not any(how.values())
    if story.case.beside == "page" and plain:
        await story.scene.written(words)
        return ""
    if story.has_desk and plain:
        await story.scene.typed(words)
        return ""
    if story.case.place == "own page":
        return await story.scene.written_at_home(words, story.speaker, story.at, **how)
    return await story.scene.told(
        story.at, story.speaker, words, reply_to=how.pop("reply_to", None), **how
    )


async def comes(story: Story, wish: Wish) -> None:
    """Lets a wish come on its way."""
    await _WAYS[wish.way](story, wish)


async def look_back(story: Story) -> None:
    """Lets the asker take back what came last, where the case has it, and ask for it anew."""
    if story.case.later == "undo":
        await say(story, "what is there?")
        await story.rested()
        await say(story, "/undo")
        await story.rested()
    await say(story, "/retry")


async def stop_half_way(story: Story) -> None:
    """Asks something else and stops the answer when half of it has come."""
    model, before = story.model, len(story.model.requests)
    model.begins = f"Half of an answer, {len(story.halves)}"
    model.go_on.clear()
    await say(story, "and what else?")
    await story.until(partial(story.asked, before))
    if len(model.requests) > before:
        searched = any(spec.hosted for spec in model.requests[-1].tools)
        story.halves[model.begins] = not searched
        # Time passes, until what has come is on the screen.
        await story.scene.clock.advance(_SECONDS_OF_HALF)
        await story.settle()
        await say(story, "/stop")
        await story.rested()
    model.begins = ""
    model.go_on.set()


async def _message(story: Story, wish: Wish) -> None:
    forward = "Eve" if wish.sight == "forward" else None
    if story.case.event not in ("taken over", "nobody there"):
        await say(story, wish.words, forwarded_from=forward)
        return
    # The process dies, or the terminal is closed, while the model is being asked.
    before = len(story.model.requests)
    story.model.go_on.clear()
    await say(story, wish.words, forwarded_from=forward)
    await story.until(partial(story.asked, before))
    await story.leave()
    if story.scene.beside is not None:
        await story.scene.hand_over()
    story.model.go_on.set()


async def _voice(story: Story, wish: Wish) -> None:
    voice = Attachment("voice", "voice.ogg", 4, wish.hook, seconds=30, recorded=True)
    await say(story, "", attachments=[voice])


async def _edit(story: Story, wish: Wish) -> None:
    """Edits a message that waits while another one is answered."""
    before = len(story.model.requests)
    story.model.go_on.clear()
    await say(story, "one moment", by_hand=True)
    await story.until(partial(story.asked, before))
    sent = await say(story, "something else", by_hand=True)
    await story.until(story.routed)
    await say(story, wish.words, by_hand=True, edited=True, message_id=sent)
    await story.until(story.routed)
    story.model.go_on.set()


async def _reply(story: Story, wish: Wish) -> None:
    await _greet(story, wish)
    # A quote of the orders would be one more order, and a reply to a card is an answer to it.
    asking = [one.id for one in story.open_cards()]
    screens = [shown for shown in story.scene.screens if shown.id not in asking]
    told = (shown for shown in screens if shown.address == story.at)
    here = [shown for shown in told if "DO " not in shown.text and "NEWS" not in shown.text]
    forward = "Eve" if wish.sight == "forward" else None
    answer = here[-1] if here else None
    await say(story, wish.words, by_hand=True, reply_to=answer, forwarded_from=forward)


async def _branch(story: Story, wish: Wish) -> None:
    await _greet(story, wish)
    await say(story, f"/branch Another {wish.hook}")
    await story.rested()
    await _message(story, wish)


async def _greet(story: Story, wish: Wish) -> None:
    """Lets something be said before the first wish; before the later one there is something."""
    if not wish.later:
        await say(story, "hello")
        await story.rested()


async def _task(story: Story, wish: Wish) -> None:
    if story.case.consent == "kept call":
        await say(story, talked.kept(wish.words))
        await story.rested()
        await decide(story)
    else:
        await say(story, f"/schedule in 20m | {wish.words}")
        await story.rested()
    if story.case.consent == "right taken back":
        await _keep_call(story, wish)
    if story.case.allowed == "readonly":
        await _bind(story)
    await _later(story, 1_200, len(story.model.requests))


async def _later(story: Story, seconds: float, before: int) -> None:
    """Lets time pass until the model is asked: a real store may not be looked at in time."""
    await story.leave()
    if story.case.event == "lower walls":
        await story.go_outside()
    await story.scene.clock.advance(seconds)
    for _ in range(20):
        await story.rested()
        if await story.asked(before):
            return
        await story.scene.clock.advance(60)


async def _keep_call(story: Story, wish: Wish) -> None:
    """Lets the task have calls that its member approved, while an owner let them."""
    act = ACTS[story.case.act]
    kept = [
        ApprovedCall(talked.TOOLS.get(act, act), canonical(talked.arguments(act, what)))
        for what in wish.wanted
    ]
    for task in await tasks_of(story):
        if task.what == wish.words:
            await save(story, task, calls=(*kept,))


async def _bind(story: Story) -> None:
    """Lets the runs of the task only read; they may end the very talk of the chat."""
    own = {"fresh": False} if story.case.act == "end" else {}
    for task in await tasks_of(story):
        await save(story, task, allowed=Allowed.READONLY, **own)


async def tasks_of(story: Story) -> Sequence[TimedTask]:
    """Returns the tasks of the chat of the story."""
    return await story.scene.store.scheduled.of_chat((await _chat(story)), 10)


async def save(story: Story, task: TimedTask, **fields: Any) -> None:
    """Changes a task behind the back of everybody."""
    changed = SaveTask(replace(task, **fields).changed(), task.version)
    await story.scene.store.journal.commit(Change((changed,)))


async def _chat(story: Story) -> int:
    private = story.case.place != "group"
    return (await story.scene.store.chats.at(story.at, private=private)).id


async def _goal(story: Story, wish: Wish) -> None:
    before = len(story.model.requests)
    await say(story, f"/goal {wish.words}")
    await story.rested()
    for shown in list(story.scene.screens):
        await story.press(shown, "▶️ Start", story.speaker)
    await story.rested()
    await _later(story, 1, before)


async def _hook(story: Story, wish: Wish) -> None:
    hook = Hook(wish.hook, OWNER, OWNER, wish.words, "HOOK_SECRET", "a-secret-of-some-length")
    story.scene.hooks.known[wish.hook] = replace(hook, allowed=Allowed(story.case.allowed))
    await _greet(story, wish)
    await story.scene.call_hook(wish.hook, {"log": "dry"}, key=f"key-{wish.hook}")


async def _plan(story: Story, wish: Wish) -> None:
    await say(story, f"/plan {wish.words}")
    await story.leave()
    if wish.later:
        await story.rested()
        for shown in list(story.scene.screens):
            await story.press(shown, "🔁 Replace", story.speaker)


_WAYS: dict[str, Callable[[Story, Wish], Awaitable[None]]] = {
    "message": _message,
    "voice": _voice,
    "edit": _edit,
    "reply": _reply,
    "branch": _branch,
    "task": _task,
    "goal": _goal,
    "hook": _hook,
    "plan": _plan,
}
