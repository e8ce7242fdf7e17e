"""A companion of turns that tells, below an answer, what the answer took."""

from bot.domain.clock.span import took
from bot.domain.loop.contribution import Ended
from bot.domain.money.model import Usage
from bot.domain.money.money import told_sum
from bot.domain.turn.step import Finish
from bot.domain.turn.transcript import ReplyBody
from bot.flow.log.companion import Companion, Results, with_footer
from bot.flow.log.work import Work
from bot.flow.models.choosing import Choosing


class Footer:
    """Speaks where `/footer on` was said; the log and the turn's row alone tell what it took.

    Where the chat is on a tier, it names the model and why a turn went on with the deep one.
    """

    def __init__(self, choosing: Choosing) -> None:
        self._choosing = choosing

    @property
    def answers(self) -> Companion:
        return Companion(with_footer, ended=self.ended)

    async def ended(self, work: Work, finish: Finish, closed: Results) -> Ended:
        if not work.log.chat.settings.footer:
            return Ended()
        replies = [e.body for e in work.log.entries(work.turn.id) if isinstance(e.body, ReplyBody)]
        ran = sum(not done.result.synthetic for done in work.progress.done)
        used = sum((reply.usage for reply in replies), Usage())
        tokens = used.prompt + used.output
        parts = (
            _counted(ran, "tool call") if ran else "",
            took(work.worked_seconds),
            _counted(tokens, "token") if tokens else "",
            told_sum([self._choosing.cost(reply) for reply in replies]),
            self._by_tier(work),
        )
        return Ended(below=" · ".join(part for part in parts if part))

    def _by_tier(self, work: Work) -> str:
        """Returns the model that a tier gave to the newest reply, and why; else nothing."""
        model, why = self._choosing.tiered(work)
        reply = work.progress.reply
        if not model or reply is None:
            return ""
        answered = f"{reply.provenance.provider}/{reply.provenance.requested_model}"
        return f"{reply.provenance.requested_model}, {why}" if answered == model else ""


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
