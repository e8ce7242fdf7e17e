"""The view of a whole log at once, as tests look at it."""

from collections.abc import Sequence

from bot.domain.money.model import ModelProfile
from bot.domain.turn.transcript import Entry
from bot.domain.turn.view import RequestView
from bot.flow.log.request_view import ViewFold


def build_view(log: Sequence[Entry], profile: ModelProfile, images: int = 20) -> RequestView:
    """Returns the view of a log for the model of this profile; the log is not changed."""
    folded = ViewFold(profile, images)
    folded.extend(log)
    return folded.view()
