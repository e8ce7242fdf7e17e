"""Every call gets its one result, and closing what is closed adds nothing."""

from hypothesis import given
from hypothesis import strategies as st

from bot.domain.tools.tool import Code, Status
from bot.domain.turn.step import OUTCOME_UNKNOWN
from bot.domain.turn.transcript import AskerBody, Entry, IntentBody, ResultBody
from bot.flow.log.closing import close
from tests.domain.logs import call, closed, log, logs, progress_of, reply


@given(logs(), st.sampled_from(Code), st.data())
def test_a_turn_closed_anywhere_has_one_result_for_each_call(
    entries: list[Entry], reason: Code, data: st.DataObject
) -> None:
    cut = entries[: data.draw(st.integers(1, len(entries)))]
    done = progress_of(closed(cut, reason))
    results = [e.body.result.call_id for e in closed(cut, reason) if isinstance(e.body, ResultBody)]
    assert done.open_calls == ()
    assert len(results) == len(set(results))
    assert closed(closed(cut, reason), reason) == closed(cut, reason)


@given(st.lists(st.sampled_from(["a", "b", "c"])), st.sets(st.sampled_from(["a", "b", "z"])))
def test_each_open_call_is_answered_once_in_call_order(ids: list[str], begun: set[str]) -> None:
    results = close((call(id=i) for i in ids), Code.CANCELLED, sorted(begun))
    assert [r.call_id for r in results] == list(dict.fromkeys(ids))
    for result in results:
        unknown = result.call_id in begun
        assert result.code is (Code.OUTCOME_UNKNOWN if unknown else Code.CANCELLED)
        assert result.status is (Status.FAILED if unknown else Status.SKIPPED)
        assert result.synthetic
        assert result.text


def test_a_call_that_had_begun_is_never_said_not_to_have_run() -> None:
    entries = log(AskerBody("Go", "Ann"), reply(call(), call(id="call_2")), IntentBody("call_1"))
    begun, waiting = [e.body.result for e in closed(entries)[-2:] if isinstance(e.body, ResultBody)]
    assert begun.code is Code.OUTCOME_UNKNOWN
    assert begun.text == OUTCOME_UNKNOWN.text
    assert "may have happened" in begun.text
    assert waiting.code is Code.CANCELLED
    assert "Not run" in waiting.text
