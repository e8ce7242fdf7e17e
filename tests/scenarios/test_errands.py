"""Errands: a turn gives tasks to turns of their own, parks, and takes their results."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest

from bot.domain.assignments.errand import DELEGATE, ErrandState
from bot.domain.change import AddRule, Change, Erase
from bot.domain.change.erasing import Target
from bot.domain.consent.approval import Rule
from bot.domain.skills.skill import SKILL_TOOLS, Skill
from bot.domain.talk.errors import ModelUnreachable
from bot.domain.talk.limits import Limits
from bot.domain.tools.tool import AskPerson, Code, ExactRule, ToolCall, ToolOutput
from bot.domain.turn.outcome import StopReason
from bot.domain.turn.transcript import LateResultBody
from bot.domain.turn.turn import Turn, TurnState
from bot.domain.turn.view import ModelReply, ModelRequest, ResultPart
from bot.ports.tool import Place, Tool
from tests.fakes.model import RuledModel, call, calls, says
from tests.fakes.skills import FakeSkills
from tests.scenarios.stage import ANN, BOB, HOME, Stage, running
from tests.scenarios.team import PEOPLE, TEAM, Group
from tests.scenarios.tools import ScenarioTool, foreign, looking, tool, writing
from tests.words import FOR_ERRAND, RULE_PAUSED


def errand(id: str, task: str, **wishes: object) -> ToolCall:
    return call(id, DELEGATE, {"task": task, **wishes})


def words_of(request: ModelRequest) -> str:
    return "\n".join(str(message.parts) for message in request.messages)


def results_in(request: ModelRequest) -> list[ResultPart]:
    newest = request.messages[-1].parts
    return [part for part in newest if isinstance(part, ResultPart)]


Answer = Callable[[ModelRequest], ModelReply]


class Family:
    """Answers for a parent and for each errand by its task."""

    def __init__(self, parent: Answer, **errands: Answer) -> None:
        self._parent = parent
        self._errands = errands

    def __call__(self, request: ModelRequest, _: int) -> ModelReply:
        said = words_of(request)
        if "[Errand]" not in said:
            return self._parent(request)
        for task, answer in self._errands.items():
            if f"task {task}" in said:
                return answer(request)
        raise AssertionError(f"no errand has such words: {said}")


@asynccontextmanager
async def family(
    parent: Answer,
    tools: Sequence[Tool] = (),
    limits: Limits | None = None,
    skills: FakeSkills | None = None,
    **errands: Answer,
) -> AsyncGenerator[Stage]:
    model = RuledModel(Family(parent, **errands))
    scene = Stage(model, tools, limits or Limits(), skills=skills)
    async with running(scene):
        yield scene


def sends(*tasks: str) -> Answer:
    """Sends an errand out for each task, and then says what they brought."""

    def answer(request: ModelRequest) -> ModelReply:
        found = results_in(request)
        if found:
            return says("; ".join(sorted(part.text for part in found)))
        return calls(*(errand(f"d{n}", f"task {task}") for n, task in enumerate(tasks)))

    return answer


def then(text: str) -> Answer:
    return lambda _: says(text)


def writes(what: str, end: str) -> Answer:
    def answer(request: ModelRequest) -> ModelReply:
        if results_in(request):
            return says(f"{end}: {results_in(request)[0].text}")
        return calls(call(f"w-{what}", "write", {"what": what}))

    return answer


def uses(tool: str, end: str) -> Answer:
    """Calls a tool once, and then says what it brought."""

    def answer(request: ModelRequest) -> ModelReply:
        found = results_in(request)
        return says(end) if found else calls(call(f"u-{tool}", tool))

    return answer


def looks(end: str) -> Answer:
    return uses("look", end)


def looked(gate: asyncio.Event) -> ScenarioTool:
    return tool("look", gate=gate)


def asked_person() -> ScenarioTool:
    def act(arguments: Mapping[str, Any], place: Place) -> ToolOutput:
        return ToolOutput("asked", after=AskPerson(str(arguments["what"])))

    return tool("send_message", act=act)


def answers(parent: Answer) -> Answer:
    """Says hello to a hello, and something to a late result, beside what the parent does."""

    def answer(request: ModelRequest) -> ModelReply:
        newest = str(request.messages[-1].parts[-1])
        if "[Late result]" in newest:
            return says("So late.")
        return says("Hello.") if "and hello" in newest else parent(request)

    return answer


def parent(scene: Stage) -> Turn:
    return next(t for t in scene.turns if t.parent is None)


async def test_three_errands_bring_their_results_to_one_answer() -> None:
    tool = writing()
    async with family(
        sends("one", "two", "three"),
        [tool],
        one=then("First."),
        two=writes("x", "Second"),
        three=then("Third."),
    ) as scene:
        await scene.say("go")
        await scene.shows(FOR_ERRAND)
        await scene.shows("⏳ Helpers: 2 of 3 done")
        assert parent(scene).state is TurnState.PARKED
        await scene.press("Approve")
        await scene.shows("First.; Second: wrote x; Third.")
        await scene.settled(4)
        assert len(tool.ran) == 1
        assert "✓ Helpers: 3 of 3 done\n✓ task one\n✓ task three\n✓ task two" in scene.texts
        scene.assert_whole()


async def test_a_denied_card_of_an_errand_is_its_own_affair() -> None:
    tool = writing()
    async with family(sends("one"), [tool], one=writes("x", "I could not")) as scene:
        await scene.say("go")
        await scene.press("Deny")
        await scene.shows('I could not: "Ann" denied this call.')
        await scene.settled(2)
        assert tool.ran == []


async def test_stop_on_a_card_ends_that_errand_alone() -> None:
    tool = writing()
    both = sends("one", "two")
    async with family(both, [tool], one=writes("x", "One"), two=writes("y", "Two")) as scene:
        await scene.say("go")
        await scene.until(lambda: len(scene.cards) == 2 or None)
        await scene.press("Stop", card=0)
        await scene.press("Approve")
        await scene.shows("The errand ended early: a person stopped it.")
        await scene.settled(3)
        assert len(tool.ran) == 1
        assert parent(scene).stop_reason is StopReason.FINAL_ANSWER


async def test_stop_ends_a_turn_and_its_errands() -> None:
    slow, tool = looked(asyncio.Event()), writing()
    async with family(
        sends("one", "two"), [slow, tool], one=looks("One"), two=writes("y", "Two")
    ) as scene:
        await scene.say("go")
        await slow.started.wait()
        await scene.until(lambda: scene.cards or None)
        await scene.say("/stop")
        await scene.settled(3)
        assert {t.stop_reason for t in scene.turns} == {StopReason.USER_CANCELLED}
        assert scene.cards == []
        assert any(t.startswith("⏹ Helpers: 0 of 2 done") for t in scene.texts)
        assert all(e.taken for e in scene.store.rows.errands.values())
        assert tool.ran == []
        called = [r.text for r in scene.results if r.tool == DELEGATE]
        assert all("called back while it was under way" in text for text in called)


async def test_a_message_waits_while_an_errand_works() -> None:
    gate = asyncio.Event()
    slow = looked(gate)
    async with family(answers(sends("one")), [slow], one=looks("One")) as scene:
        await scene.say("go")
        await slow.started.wait()
        await scene.parked()
        await scene.say("and hello")
        await scene.routed()
        assert "Hello." not in scene.texts
        gate.set()
        await scene.settled(3)
        assert scene.texts[-2:] == ["One", "Hello."]


async def test_a_message_goes_first_once_only_cards_hold_an_errand_up() -> None:
    tool = writing()
    late = answers(sends("one"))
    async with family(late, [tool], one=writes("x", "One")) as scene:
        await scene.say("go")
        await scene.until(lambda: scene.cards or None)
        await scene.say("and hello")
        await scene.shows("Hello.")
        assert [r.code for r in scene.results] == [Code.AWAITING_DECISION]
        assert scene.cards, "its card still counts"
        await scene.press("Approve")
        await scene.shows("So late.")
        await scene.settled(4)
        brought = [b for b in scene.bodies if isinstance(b, LateResultBody)]
        assert [(b.tool, b.text, b.decision) for b in brought] == [
            (DELEGATE, "One: wrote x", "it is done")
        ]
        assert len(tool.ran) == 1
        assert all(e.taken for e in scene.store.rows.errands.values())


@pytest.mark.parametrize("anew", [False, True], ids=["undo", "retry"])
async def test_what_is_taken_back_calls_its_errands_back(*, anew: bool) -> None:
    tool = writing()
    late = answers(sends("one"))
    async with family(late, [tool], one=writes("x", "One")) as scene:
        await scene.say("go")
        await scene.until(lambda: scene.cards or None)
        (card,) = scene.cards
        await scene.say("and hello")
        await scene.shows("Hello.")
        await scene.say("/undo")
        await scene.shows("Taken back: “and hello”")
        await scene.say("/retry" if anew else "/undo")
        await scene.until(lambda: card.id not in [one.id for one in scene.cards])
        (first, *others) = scene.store.rows.errands.values()
        assert (first.state, first.recalled, len(others)) == (ErrandState.DONE, True, int(anew))
        assert tool.ran == []


async def test_stop_calls_an_errand_back_that_was_left_behind() -> None:
    tool = writing()
    async with family(answers(sends("one")), [tool], one=writes("x", "One")) as scene:
        await scene.say("go")
        await scene.until(lambda: scene.cards or None)
        await scene.say("and hello")
        await scene.shows("Hello.")
        await scene.say("/stop")
        await scene.settled(3)
        assert scene.cards == []
        (errand,) = scene.store.rows.errands.values()
        assert (errand.recalled, errand.taken, errand.state) == (True, True, ErrandState.DONE)
        assert len(scene.turns) == 3, "no turn brings a result that nobody wants"


async def test_what_an_errand_read_outside_is_foreign_to_its_parent() -> None:
    async with family(sends("one"), [foreign()], one=uses("fetch", "Read it")) as scene:
        await scene.say("go")
        await scene.settled(2)
        (result,) = [r for r in scene.results if r.tool == DELEGATE]
        assert result.untrusted == "a web page"


async def test_a_task_from_a_foreign_view_pauses_the_rules_of_an_errand() -> None:
    tool = writing()

    def answer(request: ModelRequest) -> ModelReply:
        said = words_of(request)
        if "buy now!" not in said:
            return calls(call("f", "fetch"))
        return sends("one")(request) if "wrote x" not in said else says("Done.")

    def fetched(request: ModelRequest) -> ModelReply:
        if "brought" in str(results_in(request)):
            return says("Done.")
        return (
            answer(request)
            if "buy now!" not in words_of(request)
            else calls(errand("d", "task one"))
        )

    async with family(fetched, [foreign(), tool], one=writes("x", "brought")) as scene:
        home = await scene.store.chats.at(HOME, private=True)
        rule = Rule(0, 1, home.id, "write", ExactRule('{"what":"x"}'), "x", scene.clock.now())
        await scene.store.journal.commit(Change((AddRule(rule),)))
        await scene.say("go")
        await scene.shows(RULE_PAUSED)
        assert tool.ran == []
        await scene.press("Approve")
        await scene.shows("Done.")


async def test_a_rule_of_the_chat_counts_in_an_errand_too() -> None:
    tool = writing()
    async with family(sends("one"), [tool], one=writes("x", "One")) as scene:
        home = await scene.store.chats.at(HOME, private=True)
        rule = Rule(0, 1, home.id, "write", ExactRule('{"what":"x"}'), "x", scene.clock.now())
        await scene.store.journal.commit(Change((AddRule(rule),)))
        await scene.say("go")
        await scene.shows("One: wrote x")
        assert scene.approvals == []


async def test_an_errand_has_the_named_tools_alone_and_no_errands() -> None:
    seen: list[frozenset[str]] = []

    def looks_around(request: ModelRequest) -> ModelReply:
        seen.append(frozenset(spec.name for spec in request.tools))
        return says("Seen.") if results_in(request) else calls(errand("dd", "task deeper"))

    def answer(request: ModelRequest) -> ModelReply:
        if results_in(request):
            return says("Done.")
        return calls(errand("d", "task one", tools=["look"]))

    async with family(answer, [looking(), writing()], one=looks_around) as scene:
        await scene.say("go")
        await scene.settled(2)
        assert seen == [frozenset({"look", *SKILL_TOOLS})] * 2
        assert Code.POLICY in [r.code for r in scene.results]
        assert len(scene.store.rows.errands) == 1


@pytest.mark.parametrize(
    ("wishes", "why"),
    [
        ({"tools": ["burn"]}, "these tools: burn"),
        ({"tools": [DELEGATE]}, "these tools: delegate"),
        ({"skill": "cooking"}, "cooking"),
        ({"model": "fake/none"}, "no model fake/none"),
        ({"budget": "much"}, "budget"),
    ],
)
async def test_an_errand_that_asks_for_what_is_not_here_is_not_sent_out(
    wishes: dict[str, object], why: str
) -> None:
    def answer(request: ModelRequest) -> ModelReply:
        found = results_in(request)
        return says("Done.") if found else calls(errand("d", "task one", **wishes))

    async with family(answer) as scene:
        await scene.say("go")
        await scene.settled()
        assert scene.results[0].code is Code.ARGUMENTS
        assert why in scene.results[0].text
        assert scene.store.rows.errands == {}


async def test_a_turn_sends_out_so_many_errands_and_no_more() -> None:
    three = sends("one", "one", "one")
    async with family(three, limits=Limits(errands=2), one=then("One.")) as scene:
        await scene.say("go")
        await scene.settled(3)
        assert sorted(r.code or "" for r in scene.results) == ["", "", Code.LIMIT]
        assert len(scene.store.rows.errands) == 2


async def test_errands_for_a_plan_read_and_change_nothing() -> None:
    def answer(request: ModelRequest) -> ModelReply:
        if not results_in(request):
            return calls(errand("d", "task one"), errand("e", "task two", tools=["write"]))
        if len(results_in(request)) == 2:
            return calls(call("w", "write", {"what": "a"}), text="I looked.")
        return says("The plan.")

    tools = [writing(), looked(_open())]
    async with family(answer, tools=tools, one=looks("Three files.")) as scene:
        await scene.say("/plan tidy up")
        await scene.settled(2)
        (sent,) = scene.store.rows.errands.values()
        lent = scene.store.rows.turns[sent.id].mandate.lends
        assert (lent("look"), lent("write"), sent.done) == (True, False, True)
        assert any(one.text == "Three files." for one in scene.results)
        (plan,) = scene.store.rows.plans.values()
        assert [step.tool for step in plan.steps] == ["write"]
        assert scene.approvals == []


async def test_a_plan_that_is_carried_out_sends_no_errand_out() -> None:
    approved = False

    def answer(request: ModelRequest) -> ModelReply:
        if not results_in(request):
            return calls(call("w", "write", {"what": "a"}))
        if not approved:
            return says("The plan.")
        found = [part for part in results_in(request) if "plan is carried out" in part.text]
        return says("Done.") if found else calls(errand("d", "task one"))

    async with family(answer, tools=[writing()], one=then("One.")) as scene:
        await scene.say("/plan tidy up")
        await scene.settled()
        approved = True
        await scene.press("Approve")
        await scene.settled(2)
        refused = [one for one in scene.results if "Not sent out" in one.text]
        assert [one.code for one in refused] == [Code.POLICY]
        assert scene.store.rows.errands == {}


def _open() -> asyncio.Event:
    event = asyncio.Event()
    event.set()
    return event


async def test_a_question_ends_an_errand_and_is_its_result() -> None:
    tool = asked_person()

    def asks(_: ModelRequest) -> ModelReply:
        return calls(call("q", "send_message", {"what": "Which one?", "is_question": True}))

    async with family(sends("one"), [tool], one=asks) as scene:
        await scene.say("go")
        await scene.shows("The errand ended with a question:\nWhich one?")
        await scene.settled(2)
        assert scene.texts.count("Which one?") == 0


async def test_an_errand_cannot_talk_to_the_person() -> None:
    tool = asked_person()

    def chats(request: ModelRequest) -> ModelReply:
        found = results_in(request)
        return says(found[0].text) if found else calls(call("q", "send_message", {"what": "Hi"}))

    async with family(sends("one"), [tool], one=chats) as scene:
        await scene.say("go")
        await scene.shows("nobody reads along in an errand")
        assert tool.ran == []


async def test_an_errand_at_its_bound_of_rounds_hands_in_what_it_has() -> None:
    def on_and_on(request: ModelRequest) -> ModelReply:
        if "has used its rounds" in words_of(request):
            return says("So far.")
        return calls(call(f"l{len(request.messages)}", "look", {"n": len(request.messages)}))

    limits = Limits(errand_rounds=2)
    async with family(sends("one"), [looking()], limits, one=on_and_on) as scene:
        await scene.say("go")
        await scene.shows("So far.\n\n(The errand ended early: it reached its limit of rounds.)")


async def test_the_budget_of_an_errand_ends_it() -> None:
    def answer(request: ModelRequest) -> ModelReply:
        found = results_in(request)
        if found:
            return says(found[0].text)
        return calls(errand("d", "task one", budget=0.000001))

    async with family(answer, [looking()], one=uses("look", "Never said")) as scene:
        await scene.say("go")
        await scene.shows("its budget was used up")


async def test_money_of_errands_counts_for_the_task_of_their_parent() -> None:
    async with family(sends("one"), one=then("One.")) as scene:
        await scene.say("go")
        await scene.settled(2)
        assert {u.cause.turn for u in scene.store.rows.usage.values()} == {parent(scene).id}
        assert len(scene.store.rows.usage) == 3
        (home,) = {u.cause.chat for u in scene.store.rows.usage.values()}
        assert home == parent(scene).chat


async def test_answers_of_errands_are_not_remembered() -> None:
    async with family(sends("one"), one=then("One.")) as scene:
        await scene.say("go")
        await scene.settled(2)
        assert list(scene.store.rows.passages) == [parent(scene).id]


async def test_an_expired_card_ends_its_errand() -> None:
    async with family(sends("one"), [writing()], one=writes("x", "One")) as scene:
        await scene.say("go")
        await scene.until(lambda: scene.cards or None)
        await scene.clock.advance(Limits().approval_hours * 3600 + 60)
        await scene.shows("nobody decided about its card in time")


async def test_the_status_lists_the_tree() -> None:
    async with family(sends("one"), [writing()], one=writes("x", "One")) as scene:
        await scene.say("go")
        await scene.until(lambda: scene.cards or None)
        await scene.say("/status")
        await scene.shows("↳ Helper “task one”: waiting for your decision, 1 round, 1 call")


async def test_a_long_result_is_an_artifact_that_the_parent_can_read() -> None:
    async with family(sends("one"), one=then("x" * 40_000)) as scene:
        await scene.say("go")
        await scene.settled(2)
        (result,) = scene.results
        assert result.truncated
        kept = await scene.store.ledger.artifact(parent(scene).chat, result.artifact or "")
        assert kept == "x" * 40_000


async def test_rows_of_an_erased_chat_hold_no_words_of_its_errands() -> None:
    async with family(sends("one"), one=then("A secret.")) as scene:
        await scene.say("go")
        await scene.settled(2)
        done = parent(scene)
        await scene.store.journal.commit(Change((Erase(Target("p1", turn=done.id)),)))
        rows = scene.store.rows
        assert "A secret." not in f"{rows.errands} {rows.entries}"
        assert "task one" not in f"{rows.errands} {rows.entries}"


async def test_a_message_goes_first_while_an_errand_rests_and_its_card_tries_again() -> None:
    served = [False]

    def away(request: ModelRequest) -> ModelReply:
        if not served[0]:
            raise ModelUnreachable("nobody there")
        return says("Back.")

    async with family(answers(sends("one")), one=away) as scene:
        await scene.say("go")
        await scene.until(lambda: len(scene.model.requests) == 2 or None)
        await scene.clock.advance(10)  # the back-off of its model calls
        await scene.shows("I try again in 1 minute")
        await scene.say("and hello")
        await scene.shows("Hello.")
        await scene.say("/status")
        await scene.shows("↳ Helper “task one”: paused")
        served[0] = True
        await scene.press("Try now")
        await scene.shows("So late.")
        await scene.settled(4)


async def test_an_errand_begins_with_its_skill_and_has_no_tool_that_its_parents_skill_forbids() -> (
    None
):
    seen: list[tuple[frozenset[str], str]] = []

    def looks_around(request: ModelRequest) -> ModelReply:
        seen.append((frozenset(spec.name for spec in request.tools), words_of(request)))
        return says("Seen.")

    def answer(request: ModelRequest) -> ModelReply:
        if "Do as strict does." not in words_of(request):
            return calls(call("u", "use_skill", {"name": "strict"}))
        if "Seen." in words_of(request):
            return says("Done.")
        return calls(errand("d", "task one", skill="cooking"))

    skills = FakeSkills(
        Skill("strict", "Is strict.", "Do as strict does.", "/s", tools=("look", DELEGATE)),
        Skill("cooking", "Cooks.", "Do as cooks do.", "/c"),
    )
    async with family(answer, [looking(), writing()], skills=skills, one=looks_around) as scene:
        await scene.say("go")
        await scene.settled(2)
        (tools, words) = seen[0]
        assert tools - SKILL_TOOLS == {"look"}
        assert "Do as cooks do." in words
        home = await scene.store.chats.at(HOME, private=True)
        assert home.skill == "strict", "the skill of an errand is not that of the chat"


async def test_in_a_group_an_owner_decides_about_the_card_of_a_members_errand() -> None:
    tool = writing()
    scene = Stage(RuledModel(Family(sends("one"), one=writes("x", "One"))), [tool], Limits())
    async with running(scene, PEOPLE):
        team = Group(scene)
        await team.ask("go", BOB)
        await scene.shows_in(TEAM, "asked by Bob for the helper's task “task one”")
        data = scene.cards[0].piece.body["buttons"][0][0]["data"]
        await scene.press_data(data, ANN, scene.cards[0].id, TEAM)
        await scene.shows_in(TEAM, "One: wrote x")
        assert len(tool.ran) == 1
