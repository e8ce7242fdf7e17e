"""The next reply of a turn: its preparation, the request, and the fallback when a model fails."""

import asyncio
import logging
from collections.abc import Sequence

from bot.domain.assignments.unwatched import is_unwatched
from bot.domain.change import AddVerdict
from bot.domain.money.model import FinishReason
from bot.domain.talk.errors import (
    ModelDenied,
    ModelError,
    ModelOverloaded,
    ModelUnreachable,
    OverBudget,
    PromptTooLong,
    RequestInvalid,
    SpoiltThinking,
)
from bot.domain.turn.outcome import StopReason
from bot.domain.turn.reply_mending import admit
from bot.domain.turn.step import CallModel, Finish, Step, WrapUp
from bot.domain.turn.transcript import (
    Body,
    CallPart,
    CutBody,
    NoteBody,
    Provenance,
    ReplyBody,
    TextPart,
)
from bot.domain.turn.view import ModelRequest, RequestView
from bot.domain.value import frozen, replace
from bot.flow.log.companions import Companions
from bot.flow.log.request_view import ViewFold
from bot.flow.log.work import Work
from bot.flow.models.choosing import Choosing
from bot.flow.models.model_calls import ModelCalls
from bot.flow.models.own_searches import OwnSearches
from bot.flow.models.tool_finding import as_meant
from bot.flow.money.companion import cause_of
from bot.flow.money.receipt import PaidReply
from bot.flow.signs.newest_state import Live
from bot.flow.turn.model_failure import after, failed
from bot.flow.turn.retry_notice import RetryNotice
from bot.flow.turn.scene import Outlook, Scene
from bot.flow.turn.steering import Steering

_LOG = logging.getLogger(__name__)

_WRAP_UP = (
    "[Steward] This turn has used its rounds. Answer now with what you have; tools are not "
    "available any more. Say plainly what is done and what is still open."
)
_NUDGE = "[Steward] Your last reply was empty. Please answer the person, or make a call."

_WRITTEN = (
    "[Steward] Your last reply was a call of {tool}, written as text. A text runs nothing, so "
    "nothing has happened. Make the call through your tools, or answer the person in words."
)

_MARGIN = 1_000
_LEAST_OUTPUT = 1_024


@frozen
class Replies:
    """Asks the model of a turn, or its fallback; a view holds at most `images` pictures.

    A tier may give each round another model. While a fallback answers, the tier waits.
    """

    _models: ModelCalls
    _steering: Steering
    _companions: Companions
    _choosing: Choosing
    _fallbacks: Sequence[str]
    _images: int
    _searches: OwnSearches
    _life: str

    async def next(
        self, work: Work, outlook: Outlook, step: CallModel | WrapUp, live: Live
    ) -> tuple[Outlook, Finish | None]:
        """Stores a reply; returns the next outlook, and the ending if no model replies."""
        outlook, why = await self._chosen(work, outlook)
        scene = await self.offered(work, outlook.scene)
        fold, hidden = await self._prepare(work, scene, step)
        view = fold.view()
        foreign = fold.untrusted_for(work.turn.asker) is not None
        request = _request(work, scene, view, calls_allowed=isinstance(step, CallModel))
        # What a provider looks up comes into view in the middle of the very reply.
        foreign = foreign or any(spec.hosted for spec in request.tools)
        live.guard(work.log.addresses.links if foreign else None)
        pause = RetryNotice(work)
        try:
            shown = _unseen if hidden else live.write
            paid = await self._models.reply(request, cause_of(work), shown, pause.tell)
        except asyncio.CancelledError:
            # What a provider looked up for these words is not known, so they would pass as clean.
            if not any(spec.hosted for spec in request.tools):
                work.cut_off = _cut_off(scene, live.words)
            raise
        except OverBudget as fault:
            return outlook, Finish(StopReason.BUDGET, str(fault))
        except PromptTooLong:
            await pause.over()
            return replace(outlook, overflow=True), None
        except (SpoiltThinking, RequestInvalid) as fault:
            await pause.over()
            return await self._mend(work, outlook, fault)
        except (ModelOverloaded, ModelUnreachable, ModelDenied) as fault:
            await pause.over()
            return await self._fall_back(work, outlook, fault, hidden=hidden)
        if pause.shown:
            await pause.over()
        await self._store(work, scene, paid, view, replace(step, why=f"{step.why}{why}"))
        live.spoken()
        return replace(outlook, overflow=False, fleeting=False), None

    async def offered(self, work: Work, scene: Scene) -> Scene:
        """Returns the scene with the tools that the model is offered now."""
        if not scene.profile.calls:
            return scene
        watched = not is_unwatched(work.turn.parent or work.turn.id)
        specs, profile = scene.preamble.specs, scene.profile
        offered = await self._searches.offered(specs, profile, work.asker, watched=watched)
        return replace(scene, offered=offered)

    async def _chosen(self, work: Work, outlook: Outlook) -> tuple[Outlook, str]:
        """Returns the outlook with the model for this round, and the reason for the record.

        A model that stays away is passed over if another one may answer.
        """
        key = outlook.scene.profile.key
        model, why = ("", "") if outlook.fallen else self._choosing.tiered(work)
        if model and model != key:
            outlook, key = await self._moved(work, outlook, model), model
        told = f"; {why}" if why else ""
        away = self._models.breakers.away
        following = next((m for m in _after(key, self._fallbacks) if not away(m)), None)
        if not away(key) or following is None:
            return outlook, told
        _LOG.info("%s stays away, %s takes over", key, following, extra=work.tags)
        moved = await self._moved(work, outlook, following)
        return replace(moved, fallen=True, fleeting=True), f"; {key} stays away"

    async def _moved(self, work: Work, outlook: Outlook, model: str) -> Outlook:
        """Returns the outlook with another model, and writes it into the row."""
        await work.write(turn=replace(work.turn, model=model))
        profile = self._models.profile(model)
        return replace(outlook, scene=replace(outlook.scene, profile=profile))

    async def _prepare(
        self, work: Work, scene: Scene, step: CallModel | WrapUp
    ) -> tuple[ViewFold, bool]:
        """Stores the entries that the next request needs: a cut at a new epoch, notes, briefings.

        Returns the view, and True when the person must not see what the model writes now.
        """
        bodies: list[Body] = []
        if _epoch_changed(work, scene):
            bodies.append(CutBody((), 0))
        view = scene.fold(work.log, self._images)
        briefing = await self._companions.briefing(work, view)
        bodies.extend(briefing.bodies)
        if isinstance(step, WrapUp) and not work.progress.wrap_up_asked:
            bodies.append(NoteBody("wrap_up", _WRAP_UP))
        if isinstance(step, CallModel) and step.nudge:
            bodies.append(NoteBody("nudge", _NUDGE))
        if isinstance(step, CallModel) and step.written:
            bodies.append(NoteBody("nudge", _WRITTEN.format(tool=step.written)))
        seen = work.log.end
        if bodies:
            await work.write(*bodies)
        if work.progress.reply is not None:
            await self._steering.join(work)
        if work.log.end != seen:
            view = scene.fold(work.log, self._images)
        return view, briefing.hidden

    async def _store(
        self, work: Work, scene: Scene, paid: PaidReply, view: RequestView, step: Step
    ) -> None:
        profile, reply = scene.profile, paid.reply
        parts = admit(reply.parts, work.log.call_ids)
        if any(isinstance(part, CallPart) for part in parts):
            parts = as_meant(parts, scene.preamble.tools)
        body = ReplyBody(
            parts,
            reply.finish,
            Provenance(profile.provider, profile.name, reply.answered_model, epoch=scene.epoch),
            reply.usage,
            wrap_up=isinstance(step, WrapUp),
        )
        turn = work.counted(rounds=work.turn.rounds + 1, calls=work.turn.calls + len(body.calls))
        also = (*paid.records, _verdict(work, scene, view, step, self._life))
        work.called.update(call.name for call in body.calls)
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
            _LOG.warning("request refused (%s): the turn ends", fault, extra=work.tags)
            return outlook, failed(fault, outlook.scene.profile.key)
        _LOG.warning("request refused (%s): once more without thinking", fault, extra=work.tags)
        await work.write(CutBody((), 0))
        return replace(outlook, mended=True), None

    async def _fall_back(
        self, work: Work, outlook: Outlook, fault: ModelError, *, hidden: bool
    ) -> tuple[Outlook, Finish | None]:
        """Switches this turn to the next model of the list, if there is one.

        A model that stays away is asked only when no other is left. When all have failed, the
        person reads about the model that was wanted.
        """
        key = outlook.scene.profile.key
        fleeting = outlook.fleeting or not isinstance(fault, ModelDenied)
        left = _after(key, self._fallbacks)
        away = self._models.breakers.away
        following = next((m for m in left if not away(m)), next(iter(left), None))
        ending = after(outlook.trouble, failed(fault, key, hidden=hidden))
        if following is None:
            _LOG.warning("%s failed (%s): none is left", key, fault, extra=work.tags)
            return outlook, replace(ending, fleeting=fleeting)
        said = "%s failed (%s), %s takes over"
        _LOG.warning(said, key, fault, following, extra=work.tags)
        moved = await self._moved(work, outlook, following)
        return replace(moved, fallen=True, fleeting=fleeting, trouble=ending.trouble), None


def _cut_off(scene: Scene, words: str) -> ReplyBody | None:
    """Returns the part of a reply that had come; None when nobody has read any of it."""
    if not words.strip():
        return None
    profile = scene.profile
    origin = Provenance(profile.provider, profile.name, profile.name, epoch=scene.epoch)
    return ReplyBody(admit((TextPart(words),), set()), FinishReason.UNKNOWN, origin)


def _unseen(text: object) -> None:
    """Drops text that the person must not see."""


def _request(work: Work, scene: Scene, view: RequestView, *, calls_allowed: bool) -> ModelRequest:
    profile = scene.profile
    room = profile.window - view.diagnostics.estimate - _MARGIN
    return ModelRequest(
        profile,
        scene.preamble.system,
        scene.offered,
        view.messages,
        calls_allowed=calls_allowed,
        max_output=max(_LEAST_OUTPUT, min(profile.max_output, room)),
        estimate=view.diagnostics.estimate,
    )


def _after(model: str, fallbacks: Sequence[str]) -> Sequence[str]:
    """Returns the fallbacks after this model; all of them when this model is no fallback."""
    return fallbacks[fallbacks.index(model) + 1 :] if model in fallbacks else fallbacks


def _epoch_changed(work: Work, scene: Scene) -> bool:
    """Returns True when this model's newest reply was made in another epoch and no cut follows it.

    No model reads the thinking of another one, so their replies may be of any epoch.
    """
    model = (scene.profile.provider, scene.profile.name)
    for entry in reversed(work.log.entries()):
        match entry.body:
            case CutBody():
                return False
            case ReplyBody(provenance=told) if (told.provider, told.requested_model) == model:
                return told.epoch != scene.epoch
            case _:
                pass
    return False


def _verdict(work: Work, scene: Scene, view: RequestView, step: Step, life: str) -> AddVerdict:
    turn = work.turn
    details = {
        "step": type(step).__name__,
        "why": step.why,
        "model": scene.profile.key,
        "life": life,
        **view.diagnostics.as_json(),
    }
    return AddVerdict(turn.id, turn.rounds + 1, work.clock.now(), details)
