"""Making room: old turns whole, the running turn never, and always some gain."""

from hypothesis import given
from hypothesis import strategies as st

from bot.domain.money.model import ModelProfile
from bot.domain.turn.transcript import AskerBody, CutBody, Entry, ResultBody, SummaryBody
from bot.flow.log.request_view import ViewFold
from bot.flow.models.compaction import Headroom, choose, digest_of, transcript_of
from tests.domain.logs import Scribe, call, log, logs, reply, result
from tests.flow.log.views import build_view

PROFILE = ModelProfile("anthropic", "one", 200_000, 8_000)
shares = st.floats(0, 1)


def size(entries: list[Entry]) -> int:
    """Bytes of the view, roughly, as the estimate counts them."""
    return sum(len(str(m.parts)) for m in build_view(entries, PROFILE).messages)


def covered(entries: list[Entry]) -> int:
    return max((e.body.covers for e in entries if isinstance(e.body, SummaryBody)), default=0)


@given(logs(turns=5), shares)
def test_a_summary_covers_whole_turns_before_the_running_one(
    entries: list[Entry], keep: float
) -> None:
    running = entries[-1].turn
    covers = choose(entries, running, keep).covers
    if covers is not None:
        assert entries[covers - 1].turn != running
        assert entries[covers].turn != entries[covers - 1].turn
        assert covers > covered(entries)


@given(logs(turns=5), shares)
def test_old_turns_go_before_the_running_one_is_touched(entries: list[Entry], keep: float) -> None:
    running = entries[-1].turn
    room = choose(entries, running, keep)
    left = [e for e in entries if e.seq > covered(entries) and e.turn != running]
    old = [e for e in left if not isinstance(e.body, SummaryBody)]
    assert (room.covers is not None) == bool(old)
    assert room.covers is None or room.shrink == ()


@given(logs(turns=1), shares)
def test_only_long_results_that_may_shrink_do_and_each_once(
    entries: list[Entry], keep: float
) -> None:
    scribe = Scribe(entries)
    seen: set[int] = set()
    while shrink := choose(scribe.entries, "t1", keep).shrink:
        assert not seen & set(shrink)
        seen |= set(shrink)
        for seq in shrink:
            body = scribe.entries[seq - 1].body
            assert isinstance(body, ResultBody)
            assert not body.result.keep
            assert len(body.result.text) > 2_000
        before = size(scribe.entries)
        scribe.write(CutBody(shrink, 2_000))
        told = build_view(scribe.entries, PROFILE).diagnostics.masked
        shortened = {m.seq for m in told if m.budget is not None}
        assert size(scribe.entries) < before or not shortened & set(shrink)


@given(logs(turns=5))
def test_making_room_again_and_again_comes_to_an_end(entries: list[Entry]) -> None:
    scribe = Scribe(entries, entries[-1].turn)
    for _ in range(len(entries) + 1):
        room = choose(scribe.entries, scribe.turn, 0.5)
        if room == Headroom():
            return
        cut = room.covers and SummaryBody(room.covers, "They talked.")
        scribe.write(cut or CutBody(room.shrink, 2_000))
    raise AssertionError("still something to cut")


def test_a_summary_alone_is_not_summarised_again() -> None:
    scribe = Scribe().write(AskerBody("Hi", "Ann"), reply("Hello"))
    scribe.open(SummaryBody(2, "They greeted."))
    scribe.open(AskerBody("And now?", "Ann"))
    assert choose(scribe.entries, scribe.turn, 0.5) == Headroom()


def test_as_much_is_kept_as_the_share_allows() -> None:
    scribe = Scribe()
    for _ in range(4):
        scribe.open(AskerBody("x" * 4_000, "Ann"), reply("Yes"))
    assert choose(scribe.entries, scribe.turn, 0.5).covers == 4
    assert choose(scribe.entries, scribe.turn, 0.3).covers == 6
    assert choose(scribe.entries, scribe.turn, 0.9).covers == 2


def test_the_newest_long_result_shrinks_last() -> None:
    long = "x" * 9_000
    calls = [call(id=f"call_{n}") for n in range(3)]
    results = [ResultBody(result(c, text=long)) for c in calls]
    entries = log(AskerBody("Hi", "Ann"), reply(*calls), *results)
    assert choose(entries, "t1", 0.5).shrink == (3, 4)
    cut = Scribe(entries).write(CutBody((3, 4), 2_000)).entries
    assert choose(cut, "t1", 0.5).shrink == (5,)


def test_a_shrunk_result_takes_less_room() -> None:
    entries = log(
        AskerBody("Hi", "Ann"), reply(call()), ResultBody(result(call(), text="x" * 9_000))
    )
    folded = ViewFold(PROFILE)
    folded.extend(entries)
    before = folded.estimate
    folded.extend(Scribe(entries).write(CutBody((3,), 2_000)).entries[3:])
    assert folded.estimate < before - 1_500


def test_a_transcript_too_long_loses_its_oldest_lines() -> None:
    entries = log(AskerBody("first", "Ann"), reply("second"), AskerBody("third", "Ann"))
    assert transcript_of(entries, 20) == "<transcript>\nPerson: third\n</transcript>"
    assert transcript_of(entries, 1) == "<transcript>\nPerson: third\n</transcript>"
    assert "first" in transcript_of(entries, 1_000)


def test_a_digest_tells_what_was_asked() -> None:
    entries = log(AskerBody("the\nfirst", "Ann"), reply("no"), AskerBody("x" * 500, "Ann"))
    told = digest_of(entries).splitlines()
    assert told[1] == "- the first"
    assert len(told[2]) == 122


def test_a_huge_line_loses_its_middle_and_leaves_room_for_others() -> None:
    entries = log(
        AskerBody("first", "Ann"), reply("a" + "é" * 50_000 + "z"), AskerBody("last", "Ann")
    )
    told = transcript_of(entries, 16_000)
    assert told.startswith("<transcript>\nPerson: first\nAssistant: aé")
    assert "bytes left out" in told
    assert told.endswith("éz\nPerson: last\n</transcript>")
    assert len(told.encode()) < 3_000
