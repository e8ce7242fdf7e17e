"""The next reply of a turn: what it needs first, the call, and what follows when a model fails."""

import logging
from collections.abc import Callable, Sequence
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
from bot.domain.skill import Skill
from bot.domain.skill_words import arguments_in, due
from bot.domain.step import CallModel, Finish, Step, WrapUp
from bot.domain.transcript import AskerBody, Body, CutBody, NoteBody, Provenance, ReplyBody
from bot.domain.view import ModelReply, ModelRequest, RequestView
from bot.flow.log.work import Work
from bot.flow.models.model_calls import ModelCalls
from bot.flow.signs.live import Live
from bot.flow.turn.reply_mending import admit
from bot.flow.turn.scene import Scene
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
    """Asks the model of a turn, or a fallback of it; `images` is how many pictures a view holds."""

    def __init__(
        self, models: ModelCalls, steering: Steering, fallbacks: Sequence[str], images: int
    ) -> None:
        self._models = models
        self._steering = steering
        self._fallbacks = fallbacks
        self._images = images

    async def next(
        self, work: Work, scene: Scene, step: CallModel | WrapUp, live: Live
    ) -> tuple[Scene, Finish | None]:
        """Stores a reply; returns the scene to go on with, and the ending if no model replies."""
        await self._prepare(work, scene, step)
        view = scene.fold(work.log, self._images).view()
        request = _request(scene, view, calls_allowed=isinstance(step, CallModel))
        try:
            reply = await self._models.reply(request, _shown(work, scene, live))
        except PromptTooLong:
            work.overflow = True
            return scene, None
        except (SpoiltThinking, RequestInvalid) as fault:
            return scene, await self._mend(work, fault)
        except (ModelOverloaded, ModelUnreachable, ModelDenied) as fault:
            return await self._fall_back(work, scene, fault)
        work.overflow = False
        await self._store(work, scene, reply, view, step)
        return scene, None

    async def _prepare(self, work: Work, scene: Scene, step: CallModel | WrapUp) -> None:
        """Stores what the coming request needs in the log: a cut at a new epoch, a word of ours."""
        bodies: list[Body] = []
        if _epoch_changed(work, scene):
            bodies.append(CutBody((), 0))
        at_work = scene.skills.usable(work.turn.skill)
        shown = scene.fold(work.log, self._images).skill
        if (words := due(at_work, shown, _said_with(work, scene, at_work))) is not None:
            bodies.append(words)
        if isinstance(step, WrapUp) and not work.progress.wrap_up_asked:
            bodies.append(NoteBody("wrap_up", _WRAP_UP))
        if isinstance(step, CallModel) and step.nudge:
            bodies.append(NoteBody("nudge", _NUDGE))
        if bodies:
            await work.write(*bodies)
        if work.progress.reply is not None:
            await self._steering.join(work)

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
            # Most likely the turn's last word: it is written with its settlement.
            work.hold(body, turn, also)

    async def _mend(self, work: Work, fault: ModelError) -> Finish | None:
        """A request refused for its form gets one try with all thinking left out, then the end."""
        if work.mended:
            told = f"the provider refuses this conversation ({fault}); /new starts afresh"
            return Finish(StopReason.MODEL_FAILURE, told)
        work.mended = True
        _LOG.warning("request refused (%s): once more without thinking", fault, extra=work.tags)
        await work.write(CutBody((), 0))
        return None

    async def _fall_back(
        self, work: Work, scene: Scene, fault: ModelError
    ) -> tuple[Scene, Finish | None]:
        """The next model of the list takes over for this turn, if there is one."""
        following = _following(scene.profile.key, self._fallbacks)
        if following is None:
            return scene, Finish(StopReason.MODEL_FAILURE, str(fault))
        said = "%s failed (%s), %s takes over"
        _LOG.warning(said, scene.profile.key, fault, following, extra=work.tags)
        await work.write(turn=work.counted(model=following))
        return replace(scene, profile=self._models.profile(following)), None


def _said_with(work: Work, scene: Scene, skill: Skill | None) -> str:
    """The words of the `/skill <name> <words>` that began this turn, if it is about this skill."""
    entries = reversed(work.log.entries())
    asked = next((e.body for e in entries if isinstance(e.body, AskerBody)), None)
    name, words = arguments_in(asked.text) if asked is not None else ("", "")
    return words if skill is not None and scene.skills.meant(name) == skill.name else ""


def _shown(work: Work, scene: Scene, live: Live) -> Callable[[str], None]:
    """Who is told of a text as it grows: nobody, when another skill is to go on with it."""
    following = scene.skills.following(work.turn.skill)
    return live.write if following is None or following.fault else _unseen


def _unseen(text: str) -> None:
    """What is not for the person's eyes."""


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
    """The fallback after this model; the first one when this is none of them."""
    place = fallbacks.index(model) + 1 if model in fallbacks else 0
    return fallbacks[place] if place < len(fallbacks) else None


def _epoch_changed(work: Work, scene: Scene) -> bool:
    """Whether the newest own thinking in the log was made under other surroundings."""
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
