"""Computes the request view from the log; the view only grows, except at a stored cut."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Literal

from bot.domain.money.model import FinishReason, ModelProfile
from bot.domain.text.foreign_text import as_read, defused
from bot.domain.text.names import quoted_name
from bot.domain.tools.tool import ToolResult
from bot.domain.turn.transcript import (
    ArrivalBody,
    AskerBody,
    BackgroundBody,
    Body,
    CallPart,
    CutBody,
    Entry,
    ForeignPart,
    ImagePart,
    LateResultBody,
    NoteBody,
    RecallBody,
    ReplyBody,
    ResultBody,
    SkillBody,
    SummaryBody,
    TextPart,
    ThinkingPart,
    uncovered,
)
from bot.domain.turn.view import Diagnostics, Masked, RequestView, ResultPart, ViewMessage, ViewPart
from bot.flow.log.masking import legal_id, length, mask

BYTES_A_TOKEN = 4
"""The estimate until a provider has counted: within a fifth for English, low for other scripts."""

_IMAGE_TOKENS = 1_600

_RESUME = "[Steward] Your reply was interrupted here. Please go on."


def foreign_to(person: int, log: Sequence[Entry]) -> str | None:
    """Returns the source of content in a log that is foreign to turns of this person."""
    folded = any_view()
    folded.extend(log)
    return folded.untrusted_for(person)


def lent_by(person: int, log: Sequence[Entry]) -> str | None:
    """Returns the source of content in a log that is foreign to all but this person."""
    for entry in log:
        match entry.body:
            case ResultBody(result=ToolResult(trusted_by=owner, trusted=str(source))):
                if owner == person:
                    return source
            case RecallBody(writers=writers):
                if (source := dict(writers).get(person)) is not None:
                    return source
            case _:
                continue
    return None


def any_view() -> "ViewFold":
    """Returns an empty view for no model in particular, to look for foreign content."""
    return ViewFold(_ANY_MODEL)


_ANY_MODEL = ModelProfile("any", "any", window=1, max_output=1)


class ViewFold:
    """Builds a view entry by entry, so that only new entries cost time."""

    def __init__(self, profile: ModelProfile, images: int = 20, overhead: int = 0) -> None:
        """Takes `overhead`: the estimated tokens of the system text and the tools."""
        self.profile = profile
        self._images = images
        self._overhead = overhead
        self._log: list[Entry] = []
        self._reset()

    def _reset(self) -> None:
        self._messages: list[ViewMessage] = []
        self._masked: list[Masked] = []
        self._ids: dict[str, str] = {}
        self._shown = 0
        self._size = 0
        self._counted: tuple[int, int] = (self._overhead, 0)
        self._images_seen = 0
        self._tail = 0
        self._sealed_chars = 0
        self._covers: int | None = None
        self._untrusted: str | None = None
        self._others: dict[int | None, str] = {}
        self._origins: dict[str, None] = {}
        self._unnamed = False
        self.skill: tuple[str, str] | None = None
        """The name and the text of the newest skill in view; no name when it has ended."""

    @property
    def last_seq(self) -> int:
        return self._log[-1].seq if self._log else 0

    @property
    def untrusted(self) -> str | None:
        """Returns the source of the first untrusted content in view, or None."""
        return self._untrusted

    def untrusted_for(self, person: int) -> str | None:
        """Returns the source of content in view that is foreign to a turn of this person."""
        others = (source for writer, source in self._others.items() if writer != person)
        return self._untrusted or next(others, None)

    def origins_for(self, person: int) -> tuple[str, ...]:
        """Returns the origins of all content that is foreign to a turn of this person.

        There is none where any of it has no origin that an owner could trust.
        """
        others = any(writer != person for writer in self._others)
        return () if self._unnamed or others else tuple(self._origins)

    @property
    def estimate(self) -> int:
        """Returns the tokens of the view: the provider's newest count plus an estimated rest."""
        counted, at_size = self._counted
        return counted + (self._size - at_size) // BYTES_A_TOKEN

    @property
    def counted(self) -> bool:
        """Returns True when the estimate holds a count of the provider, so all that it was sent."""
        return self._counted[1] > 0

    def extend(self, entries: Iterable[Entry]) -> None:
        for entry in entries:
            self._log.append(entry)
            if isinstance(entry.body, SummaryBody | CutBody):
                self._rebuild()
            else:
                self._show(entry, sealed_before=0, shrunk={})

    def view(self) -> RequestView:
        told = Diagnostics(self._shown, self.estimate, tuple(self._masked), self._covers)
        return RequestView(tuple(self._messages), told)

    def _rebuild(self) -> None:
        """Builds the view again after a stored cut; entries before it lose their thinking."""
        log = self._log
        self._reset()
        sealed_before = max(e.seq for e in log if isinstance(e.body, SummaryBody | CutBody))
        shown = list(uncovered(reversed(log)))[::-1]
        summary = next((e.body for e in shown if isinstance(e.body, SummaryBody)), None)
        if summary is not None:
            self._covers = summary.covers
            self._put("user", (TextPart(_summary_text(summary)),))
            self._untrusted = summary.untrusted
            self._unnamed = summary.untrusted is not None
        shrunk = {
            seq: e.body.keep_chars
            for e in log
            if isinstance(e.body, CutBody)
            for seq in e.body.shrunk
        }
        for entry in shown:
            if not isinstance(entry.body, SummaryBody | CutBody):
                self._show(entry, sealed_before, shrunk)
        if self._sealed_chars:
            told = "thinking before the cut left out"
            self._masked.append(Masked(sealed_before, "assistant", self._sealed_chars, 0, told))

    def _show(self, entry: Entry, sealed_before: int, shrunk: dict[int, int]) -> None:
        self._shown += 1
        self._mark_foreign(entry.body)
        match entry.body:
            case AskerBody() as asker:
                self._put("user", self._asker_parts(entry.seq, asker))
            case ReplyBody() as reply:
                self._show_reply(entry.seq, reply, sealed=entry.seq < sealed_before)
            case ResultBody(result=result):
                self._show_result(entry.seq, result, shrunk.get(entry.seq))
            case LateResultBody() as late:
                self._put("user", (TextPart(late_text(late)),))
            case SkillBody(name=name, text=text):
                self.skill = (name, text)
                self._put("user", (TextPart(text),))
            case ArrivalBody(text=text, untrusted=source):
                self._put("user", (TextPart(as_read(text, source)),))
            case BackgroundBody(text=text) | RecallBody(text=text) | NoteBody(text=text):
                self._put("user", (TextPart(text),))
            case _:
                self._shown -= 1

    def _mark_foreign(self, body: Body) -> None:
        """Notes the first source of content that is foreign to everybody, or to all but one."""
        match body:
            case AskerBody() | BackgroundBody():
                everybody = body.untrusted if isinstance(body, AskerBody) else None
                source = body.untrusted_for(None)
                if source is not None:
                    self._others.setdefault(body.person, source)
            case RecallBody(untrusted=everybody):
                for writer, source in body.writers:
                    self._others.setdefault(writer, source)
            case ResultBody(result=result) | LateResultBody(result=ToolResult() as result):
                everybody = result.untrusted
                if everybody is None and (source := result.untrusted_for(None)) is not None:
                    self._others.setdefault(result.trusted_by, source)
            case LateResultBody(untrusted=everybody) | ArrivalBody(untrusted=everybody):
                pass
            case ReplyBody() as reply:
                everybody = reply.untrusted
            case _:
                everybody = None
        self._untrusted = self._untrusted or everybody
        if everybody is not None:
            named = _origins_of(body)
            self._origins.update(dict.fromkeys(named))
            self._unnamed = self._unnamed or not named

    def _asker_parts(self, seq: int, asker: AskerBody) -> tuple[ViewPart, ...]:
        text = f"{asker.text}\n\n<now>{asker.moment}</now>" if asker.moment else asker.text
        room = self._room_for_pictures()
        images, left_out = asker.images[:room], asker.images[room:]
        self._images_seen += len(images)
        if left_out:
            text = f"{text}\n\n{self._not_shown(seq, 'user', left_out)}"
        said: tuple[ViewPart, ...] = (*images, TextPart(text)) if text.strip() else images
        return (*_circumstances(asker), *said)

    def _room_for_pictures(self) -> int:
        return max(0, self._images - self._images_seen) if self.profile.sees else 0

    def _not_shown(
        self, seq: int, role: Literal["user", "tool"], left_out: Sequence[ImagePart]
    ) -> str:
        self._masked.append(Masked(seq, role, length(left_out), 0, "pictures not shown"))
        why = "" if self.profile.sees else "; this model does not see"
        return f"[pictures not shown: {len(left_out)}{why}]"

    def _show_reply(self, seq: int, reply: ReplyBody, *, sealed: bool) -> None:
        if _unsent(reply):
            told = "refused or empty"
            self._masked.append(Masked(seq, "assistant", length(reply.parts), 0, told))
            return
        own = is_own(reply, self.profile)
        told = not self.profile.calls or not (own or self.profile.adopts)
        if own and not (told and reply.calls):
            parts = tuple(p for p in reply.parts if not _hidden(p, sealed=sealed))
            self._ids.update({c.id: c.id for c in reply.calls})
            self._sealed_chars += length(reply.parts) - length(parts) if sealed else 0
        else:
            parts, masked = mask(reply, seq, told=told)
            self._ids.update({c.id: "" if told else legal_id(c.id, seq) for c in reply.calls})
            if masked is not None:
                self._masked.append(masked)
        self._put("assistant", parts)
        if parts and _resumable(reply) and (sealed or not own):
            self._put("user", (TextPart(_RESUME),))
        if own and not sealed and reply.usage.prompt:
            self._counted = (reply.usage.prompt + reply.usage.output, self._size)

    def _show_result(self, seq: int, result: ToolResult, keep: int | None) -> None:
        """Shows a result, unless its call is not in view."""
        call_id = self._ids.get(result.call_id)
        if call_id is None:
            gone = Masked(seq, "tool", len(result.text), 0, "its call is not in view")
            self._masked.append(gone)
            return
        text = self._maybe_shrunk(seq, result.text, keep)
        if result.skill is not None:
            self.skill = (result.skill, text)
        text = as_read(text, result.source)
        room = self._room_for_pictures()
        pictures, left_out = result.pictures[:room], result.pictures[room:]
        if left_out:
            text = f"{text}\n\n{self._not_shown(seq, 'tool', left_out)}"
        shown = ResultPart(call_id, text, result.is_error) if call_id else told_result(result, text)
        self._put_result(shown, [p for one in pictures for p in _quoted_picture(result, one)])
        self._images_seen += len(pictures)

    def _maybe_shrunk(self, seq: int, text: str, keep: int | None) -> str:
        if keep is None or len(text) <= keep:
            return text
        cut = (
            f"{text[:keep]}\n[… {len(text) - keep} of {len(text)} characters left out to make room]"
        )
        self._masked.append(
            Masked(seq, "tool", len(text), len(cut), "shrunk to make room", budget=keep)
        )
        return cut

    def _put_result(self, result: ViewPart, pictures: Sequence[ViewPart]) -> None:
        """Puts a result before the pictures of earlier ones: providers want all results first."""
        tail, self._tail = self._tail, 0
        behind: tuple[ViewPart, ...] = ()
        if tail:
            last = self._messages[-1]
            behind = last.parts[-tail:]
            self._messages[-1] = replace(last, parts=last.parts[:-tail])
            self._size -= sum(map(_size, behind))
        self._put("user", (result, *behind, *pictures))
        self._tail = len(behind) + len(pictures)

    def _put(self, role: Literal["user", "assistant"], parts: Sequence[ViewPart]) -> None:
        if not parts:
            return
        self._tail = 0
        self._size += sum(_size(p) for p in parts)
        last = self._messages[-1] if self._messages else None
        if last is not None and last.role == role:
            self._messages[-1] = replace(last, parts=(*last.parts, *parts))
        else:
            self._messages.append(ViewMessage(role, tuple(parts)))


def _circumstances(asker: AskerBody) -> tuple[TextPart, ...]:
    """Returns the blocks before a group's message: the overheard talk, and its sender.

    The name of the group is left out: whoever may change it would speak to the model unmarked.
    """
    if not asker.account:
        return ()
    who = TextPart(f"[From {quoted_name(asker.speaker)}, {asker.account}]")
    return (TextPart(asker.heard), who) if asker.heard else (who,)


def _quoted_picture(result: ToolResult, picture: ImagePart) -> tuple[ViewPart, ...]:
    """Returns a picture behind a line that says where it comes from."""
    line = as_read("[The picture follows this block.]", result.source)
    return TextPart(line), picture


def late_text(late: LateResultBody) -> str:
    """Returns the text that tells a model a late result, with the output quoted as data."""
    head = f"[Late result] {late.tool} ({late.subject}): {late.decision}."
    if not late.text:
        return head
    source = late.untrusted or (late.result.trusted if late.result is not None else None)
    return f"{head}\n<output>\n{as_read(late.text, source)}\n</output>"


def told_result(result: ToolResult, text: str) -> TextPart:
    """Returns a result as text, for a model that was told its call as text."""
    how = "failed" if result.is_error else "gave"
    return TextPart(f"[{result.tool} {how}]\n{text}")


def _origins_of(body: Body) -> tuple[str, ...]:
    """Returns the sites and servers that foreign content comes from; none where it has no such."""
    match body:
        case RecallBody(origins=origins):
            return origins
        case ResultBody(result=result) if result.origin is not None:
            return (result.origin,)
        case _:
            return ()


def _summary_text(summary: SummaryBody) -> str:
    text = summary.text if summary.untrusted is None else defused(summary.text)
    return f"[Summary of the conversation so far]\n{text}"


def _unsent(reply: ReplyBody) -> bool:
    """Returns True for a reply that is left out of the view.

    Providers refuse an empty reply, and a reply that ended in a refusal must not be continued.
    """
    if reply.finish is FinishReason.REFUSAL:
        return True
    return not (reply.text or reply.calls or reply.finish is FinishReason.PAUSE)


def _resumable(reply: ReplyBody) -> bool:
    """Returns True for a paused reply without calls.

    The model that wrote it continues by itself if the reply is sent unchanged. Otherwise the model
    must be asked to continue.
    """
    return reply.finish is FinishReason.PAUSE and not reply.calls


def _hidden(part: ViewPart, *, sealed: bool) -> bool:
    """Returns True for thinking before a cut, and for blank text, which providers refuse."""
    match part:
        case ThinkingPart():
            return sealed
        case TextPart(text=text):
            return not text.strip()
        case _:
            return False


def _size(part: ViewPart) -> int:
    """Returns about the number of bytes that a part takes in a request."""
    match part:
        case TextPart(text=text):
            return len(text.encode()) + 30
        case ResultPart(text=text):
            return len(text.encode()) + 90
        case CallPart(call=call):
            return len(call.arguments_text) + len(call.written_name) + 80
        case ImagePart():
            return _IMAGE_TOKENS * BYTES_A_TOKEN
        case ThinkingPart(raw=raw) | ForeignPart(raw=raw):
            return sum(len(str(value)) for value in raw.values()) + 40


def is_own(body: ReplyBody, profile: ModelProfile) -> bool:
    """Returns True when the model of this profile wrote the reply."""
    told = body.provenance
    return (told.provider, told.requested_model) == (profile.provider, profile.name)
