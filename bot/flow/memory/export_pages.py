"""The pages of an export: the same words as lines of JSON and as Markdown."""

import json
from collections.abc import Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from bot.domain.assignments.goal import DiaryEntry, Goal
from bot.domain.memory.note import Note
from bot.domain.memory.passage import Passage
from bot.domain.talk.feedback import Feedback
from bot.domain.text.names import named
from bot.domain.turn.transcript import AskerBody, Entry, ReplyBody
from bot.ports.belongings import Page, Talk


def of_notes(notes: Sequence[Note], zone: str) -> Page:
    lines = (line(kind="note", id=note.id, at=note.at, text=note.text) for note in notes)
    listed = "\n".join(f"- {_in(zone, note.at):%Y-%m-%d}: {note.text}" for note in notes)
    return Page("".join(lines), f"# Notes\n\n{listed}\n\n")


def of_goal(goal: Goal, diary: Sequence[DiaryEntry], zone: str) -> Page:
    head = line(kind="goal", id=goal.id, at=goal.created_at, state=goal.state, text=goal.text)
    lines = [
        line(kind="diary", goal=goal.id, at=one.at, entry=one.kind, text=one.text) for one in diary
    ]
    told = "\n".join(
        f"- {_in(zone, one.at):%Y-%m-%d %H:%M}, {one.kind}: {one.text}" for one in diary
    )
    return Page(head + "".join(lines), f"# Goal: {goal.text}\n\n{told}\n\n")


def of_feedback(rows: Sequence[Feedback], zone: str) -> Page:
    lines = (
        line(kind="feedback", turn=r.turn, at=r.at, verdict=r.verdict, models=", ".join(r.models))
        for r in rows
    )
    listed = "\n".join(f"- {_in(zone, r.at):%Y-%m-%d}: {r.verdict}, {r.turn}" for r in rows)
    return Page("".join(lines), f"# What you think of answers\n\n{listed}\n\n")


def of_talk(talk: Talk, entries: Sequence[Entry], zone: str) -> Page:
    lines: list[str] = []
    said: list[str] = []
    for entry in entries:
        match entry.body:
            case AskerBody(text=text) if talk.of_errand:
                kind, by = "errand", "Steward"
            case AskerBody(text=text, speaker=speaker):
                kind, by = "message", speaker
            case ReplyBody(text=text) if text and not entry.body.calls:
                kind, by = "answer", "Steward"
            case _:
                continue
        place, conversation, turn = talk.place, talk.conversation, entry.turn
        lines.append(
            line(
                kind=kind,
                at=entry.at,
                by=by,
                chat=place,
                conversation=conversation,
                turn=turn,
                text=text,
            )
        )
        said.append(f"**{named(by)}**, {_in(zone, entry.at):%Y-%m-%d %H:%M} {zone}\n\n{text}\n")
    if not lines:
        return Page("", "")
    head = f"# {_in(zone, entries[0].at):%Y-%m-%d}, {talk.place}\n\n"
    return Page("".join(lines), head + "\n".join(said) + "\n")


def of_imported(passages: Sequence[Passage]) -> Page:
    """Returns the page of answers that other programs gave, with their times in UTC."""
    lines = (
        line(kind="imported", id=one.id, at=one.at, question=one.question, text=one.answer)
        for one in passages
    )
    told = "\n".join(
        f"**{one.at:%Y-%m-%d %H:%M} UTC**\n\n{one.question}\n\n{one.answer}\n" for one in passages
    )
    return Page("".join(lines), f"# Imported\n\n{told}\n")


def _in(zone: str, at: datetime) -> datetime:
    return at.astimezone(ZoneInfo(zone))


def line(**told: str | datetime) -> str:
    plain = {name: v if isinstance(v, str) else v.isoformat() for name, v in told.items()}
    return f"{json.dumps(plain, ensure_ascii=False)}\n"
