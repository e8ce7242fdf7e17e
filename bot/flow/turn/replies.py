"""The next reply of a turn: its preparation, the request, and the fallback when a model fails."""

import logging
from collections.abc import Sequence
from dataclasses import replace

from bot.domain.change import AddUsage, AddVerdict, Write
from bot.domain.errors import (
    ModelDenied,
    ModelError,
    ModelOverloaded,
    ModelUnreachable,
    PromptTooLong,
    RequestInvalid,
    SpoiltThinking,
)
from bot.domain.outcome import StopReason
from bot.domain.step import CallModel, Finish, Step, WrapUp
from bot.domain.transcript import Body, CutBody, NoteBody, Provenance, ReplyBody
from bot.domain.view import ModelReply, ModelRequest, RequestView
from bot.flow.log.work import Work
from bot.flow.models.model_calls import ModelCalls
from bot.flow.signs.live import Live
from bot.flow.turn.companion import Companions
from bot.flow.turn.reply_mending import admit
from bot.flow.turn.scene import Outlook, Scene
from bot.flow.turn.steering import Steering

_LOG = logging.getLogger(__name__)

_WRAP_UP = (
    "[Steward] This turn has used its rounds. Answer now with what you have; tools are not "
    "available any more. Say plainly what is done and what is still open."
)
_NUDGE = "[Steward] Your last reply was empty. Please answer the person, or make a call."

_MARGIN = 1_000
_LEAST_OUTPUT = 1_024


class Replies:
    """Asks the model of a turn, or its fallback; a view holds at most `images` pictures."""

    def __init__(
        self,
        models: ModelCalls,
        steering: Steering,
        companions: Companions,
        fallbacks: Sequence[str],
        images: int,
    ) -> None:
        self._models = models
        self._steering = steering
        self._companions = companions
        self._fallbacks = fallbacks
        self._images = images

    async def next(
        self, work: Work, outlook: Outlook, step: CallModel | WrapUp, live: Live
    ) -> tuple[Outlook, Finish | None]:
        """Stores a reply; returns the next outlook, and the ending if no model replies."""
        scene = outlook.scene
        hidden = await self._prepare(work, scene, step)
        view = scene.fold(work.log, self._images).view()
        request = _request(scene, view, calls_allowed=isinstance(step, CallModel))
        try:
            reply = await self._models.reply(request, _unseen if hidden else live.write)
        except PromptTooLong:
            return replace(outlook, overflow=True), None
        except (SpoiltThinking, RequestInvalid) as fault:
            return await self._mend(work, outlook, fault)
        except (ModelOverloaded, ModelUnreachable, ModelDenied) as fault:
            return await self._fall_back(work, outlook, fault)
        await self._store(work, scene, reply, view, step)
        return replace(outlook, overflow=False), None

    async def _prepare(self, work: Work, scene: Scene, step: CallModel | WrapUp) -> bool:
        """Stores the entries that the next request needs: a cut at a new epoch, notes, briefings.

        Returns True when the person must not see what the model writes now.
        """
        bodies: list[Body] = []
        if _epoch_changed(work, scene):
            bodies.append(CutBody((), 0))
        view = scene.fold(work.log, self._images)
        briefings = [await one.briefing(work, view) for one in self._companions]
        bodies.extend(body for briefing in briefings for body in briefing.bodies)
        if isinstance(step, WrapUp) and not work.progress.wrap_up_asked:
            bodies.append(NoteBody("wrap_up", _WRAP_UP))
        if isinstance(step, CallModel) and step.nudge:
            bodies.append(NoteBody("nudge", _NUDGE))
        if bodies:
            await work.write(*bodies)
        if work.progress.reply is not None:
            await self._steering.join(work)
        return any(briefing.hidden for briefing in briefings)

    async def _store(
        self, work: Work, scene: Scene, reply: ModelReply, view: RequestView, step: Step
    ) -> None:
        profile = scene.profile
        body = ReplyBody(
            admit(reply.parts, work.log.call_ids),
            reply.finish,
            Provenance(
                profile.provider,
                profile.name,
                reply.answered_model,
                epoch=scene.surroundings.epoch,
            ),
            reply.usage,
            wrap_up=isinstance(step, WrapUp),
        )
        turn = work.counted(rounds=work.turn.rounds + 1, calls=work.turn.calls + len(body.calls))
        also = _accounts(work, scene, body, view, step)
        if body.calls:
            await work.write(body, turn=turn, also=also)
        else:
            # This is probably the turn's last word: it is written with the settlement.
            work.hold(body, turn, also)

    async def _mend(
        self, work: Work, outlook: Outlook, fault: ModelError
    ) -> tuple[Outlook, Finish | None]:
        """Retries a request refused for its form once, without any thinking; then ends the turn."""
        if outlook.mended:
            told = f"the provider refuses this conversation ({fault}); /new starts afresh"
            return outlook, Finish(StopReason.MODEL_FAILURE, told)
        _LOG.warning("request refused (%s): once more without thinking", fault, extra=work.tags)
        await work.write(CutBody((), 0))
        return replace(outlook, mended=True), None

    async def _fall_back(
        self, work: Work, outlook: Outlook, fault: ModelError
    ) -> tuple[Outlook, Finish | None]:
        """Switches this turn to the next model of the list, if there is one."""
        scene = outlook.scene
        following = _following(scene.profile.key, self._fallbacks)
        if following is None:
            return outlook, Finish(StopReason.MODEL_FAILURE, str(fault))
        said = "%s failed (%s), %s takes over"
        _LOG.warning(said, scene.profile.key, fault, following, extra=work.tags)
        await work.write(turn=work.counted(model=following))
        profile = self._models.profile(following)
        return replace(outlook, scene=replace(scene, profile=profile)), None


def _unseen(text: str) -> None:
    """Drops text that the person must not see."""


def _request(scene: Scene, view: RequestView, *, calls_allowed: bool) -> ModelRequest:
    profile = scene.profile
    room = profile.window - view.diagnostics.estimate - _MARGIN
    return ModelRequest(
        profile,
        scene.surroundings.system,
        scene.surroundings.specs,
        view.messages,
        calls_allowed=calls_allowed,
        max_output=max(_LEAST_OUTPUT, min(profile.max_output, room)),
    )


def _following(model: str, fallbacks: Sequence[str]) -> str | None:
    """Returns the fallback after this model; the first one when this model is not a fallback."""
    place = fallbacks.index(model) + 1 if model in fallbacks else 0
    return fallbacks[place] if place < len(fallbacks) else None


def _epoch_changed(work: Work, scene: Scene) -> bool:
    """Returns True when the newest reply was made in another epoch and no cut follows it."""
    for entry in reversed(work.log.entries()):
        match entry.body:
            case CutBody():
                return False
            case ReplyBody(provenance=told):
                return told.epoch != scene.surroundings.epoch
            case _:
                pass
    return False


def _accounts(
    work: Work, scene: Scene, body: ReplyBody, view: RequestView, step: Step
) -> tuple[Write, ...]:
    now, turn, profile = work.clock.now(), work.turn, scene.profile
    cost = profile.cost(body.usage)
    usage = AddUsage(turn.id, turn.chat, turn.asker, profile.key, now, body.usage, cost)
    details = {"step": type(step).__name__, "why": step.why, **view.diagnostics.as_json()}
    return usage, AddVerdict(turn.id, turn.rounds + 1, now, details)
