"""What stands in the chat before the first wish: words that are not obeyed until then."""

from tests.crossings import talked
from tests.crossings.case import ABOVE
from tests.crossings.story import Story
from tests.crossings.ways import save, say, tasks_of

_FORWARD = "a forward from Eve"


async def come_before(story: Story) -> None:
    """Lets the orders come to where the case has them: by the other person of a group."""
    sight, group = story.case.sight, story.case.place == "group"
    story.speaker = story.other if group else story.asker
    match sight:
        case "earlier talk":
            forward = None if group else "Eve"
            await say(story, _put_off(story), by_hand=True, forwarded_from=forward)
            await story.rested()
            story.speaker = story.asker
            await say(story, "/new", by_hand=True)
        case "task list":
            await say(story, f"/schedule in 30d | {story.wishes[0].foreign_words}")
            await story.rested()
            for task in await tasks_of(story):
                if not group:
                    await save(story, task, untrusted=_FORWARD)
        case _ if sight in ABOVE:
            await say(story, _put_off(story))
        case _:
            pass
    await story.rested()


def _put_off(story: Story) -> str:
    """Returns the orders, or that the page with them is to be read."""
    wish = story.wishes[0]
    if wish.sight == "read above":
        return talked.looking(talked.not_now(""), wish.page)
    return talked.not_now(wish.foreign_words)
