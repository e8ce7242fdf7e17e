"""Skills in whole turns: chosen, narrowed, handed over, ended, and none of it twice."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from bot.domain.consent.pre_approval import pre_approved
from bot.domain.money.model import FinishReason
from bot.domain.skills.skill import Requirements, Skill, SkillFault
from bot.domain.talk.errors import ModelDenied
from bot.domain.talk.limits import Limits
from bot.domain.tools.tool import Code, Status, ToolOutput
from bot.domain.tools.variable import Variable
from bot.domain.turn.outcome import StopReason
from bot.domain.turn.transcript import ReplyBody, SkillBody, TextPart
from bot.domain.turn.turn import TurnState
from bot.domain.turn.view import ModelReply, ModelRequest, ResultPart
from bot.ports.tool import Place
from tests.fakes.model import Gate, RuledModel, ScriptedModel, call, calls, says
from tests.fakes.skills import FakeSkills
from tests.scenarios.dying import Fate, deaths
from tests.scenarios.lives import Life
from tests.scenarios.stage import Stage, running, stage
from tests.scenarios.tools import looking, tool, writing
from tests.words import MINUTES_GONE, MINUTES_OFF, MORE_UNREADABLE, SUMMARISED


def skill(name: str, **fields: Any) -> Skill:
    plain = Skill(name, f"Does {name}.", f"Do as {name} does.", f"/skills/{name}")
    return replace(plain, **fields)


def use(name: str, id: str = "u") -> ModelReply:
    return calls(call(id, "use_skill", {"name": name}))


def newest(request: ModelRequest) -> str:
    """All words of the newest message."""
    parts = request.messages[-1].parts
    return "\n".join(p.text for p in parts if isinstance(p, TextPart | ResultPart))


PIPELINE = (skill("notes", next_skill="report"), skill("report"))


async def test_ready_skills_stand_in_the_system_text_and_others_do_not() -> None:
    skills = FakeSkills(skill("a"), skill("b", requires=Requirements(skills=("gone",))))
    async with stage(says("Hi."), skills=skills) as scene:
        await scene.say("Hello")
        await scene.settled()
        assert "- a: Does a." in scene.model.requests[0].system
        assert "- b:" not in scene.model.requests[0].system


async def test_a_skill_that_is_not_listed_is_found_by_words() -> None:
    many = [skill(f"a-sorter-{n}", description="Sorts things. " * 20) for n in range(900)]
    skills = FakeSkills(*many, skill("tea-times", description="How long tea has to stand."))
    looked = calls(call("f", "find_skills", {"query": "tea stand"}))
    async with stage(looked, use("tea-times"), says("Four minutes."), skills=skills) as scene:
        await scene.say("Please look")
        await scene.settled()
        assert "tea-times" not in scene.model.requests[0].system
        assert "tea-times: How long tea has to stand." in newest(scene.model.requests[1])
        assert "Do as tea-times does." in newest(scene.model.requests[2])


async def test_a_skill_the_model_chose_comes_as_a_result_and_stays() -> None:
    skills = FakeSkills(skill("minutes"))
    script = (use("minutes"), says("Done."), says("Again."))
    async with stage(*script, skills=skills) as scene:
        await scene.say("Minutes, please")
        await scene.settled()
        assert "Do as minutes does." in newest(scene.model.requests[1])
        await scene.say("And these")
        turn = await scene.settled(2)
        assert turn.skill == "minutes"
        assert "Do as minutes does." not in newest(scene.model.requests[2])
        assert scene.model.requests[2].system == scene.model.requests[0].system
        scene.assert_whole()


async def test_a_skill_a_person_chose_comes_with_their_next_message_once() -> None:
    skills = FakeSkills(skill("minutes"))
    async with stage(says("One."), says("Two."), says("Three."), skills=skills) as scene:
        await scene.say("/skill minutes")
        await scene.shows("is on from your next message")
        for n, text in enumerate(("first", "second"), start=1):
            await scene.say(text)
            await scene.settled(n)
        assert newest(scene.model.requests[0]).startswith("first")
        assert "Do as minutes does." in newest(scene.model.requests[0])
        assert "Do as minutes does." not in newest(scene.model.requests[1])
        await scene.say("/skill Off")
        await scene.shows("is off.")
        await scene.say("third")
        turn = await scene.settled(3)
        assert turn.skill is None
        assert MINUTES_GONE in newest(scene.model.requests[2])


async def test_a_persons_choice_stays_whatever_the_model_chooses_for_a_turn() -> None:
    skills = FakeSkills(skill("minutes"), skill("other"))
    async with stage(use("other"), says("One."), says("Two."), skills=skills) as scene:
        await scene.say("/skill minutes")
        await scene.say("first")
        assert (await scene.settled()).skill == "other"
        await scene.say("second")
        assert (await scene.settled(2)).skill == "minutes"
        assert "Do as minutes does." in newest(scene.model.requests[2])


async def test_a_choice_of_the_model_ends_with_the_conversation_and_a_persons_does_not() -> None:
    skills = FakeSkills(skill("minutes"), skill("other"))
    script = (use("minutes"), says("One."), says("Two."), says("Three."))
    async with stage(*script, skills=skills) as scene:
        await scene.say("first")
        await scene.settled()
        await scene.say("/new")
        await scene.say("second")
        assert (await scene.settled(2)).skill is None
        await scene.say("/skill other")
        await scene.say("/new")
        await scene.say("third")
        assert (await scene.settled(3)).skill == "other"
        assert "Do as other does." in newest(scene.model.requests[-1])


async def test_a_skill_that_went_away_is_told_and_is_at_work_no_more() -> None:
    skills = FakeSkills(skill("minutes"))
    async with stage(says("One."), says("Two."), skills=skills) as scene:
        await scene.say("/skill minutes")
        await scene.shows("is on from your next message")
        skills.take("minutes")
        await scene.say("first")
        assert (await scene.settled()).skill is None
        assert "minutes is not at work any more: there is no skill “minutes”" in newest(
            scene.model.requests[0]
        )
        assert await scene.shows(MINUTES_OFF)
        skills.put(skill("minutes"))
        await scene.say("second")
        assert (await scene.settled(2)).skill is None


TYPO = SkillFault("/skills/minutes/SKILL.md", 3, "no YAML")


async def test_a_persons_choice_rests_while_it_is_broken_and_is_told_so_once() -> None:
    skills = FakeSkills(skill("minutes"))
    async with stage(*(says(f"{n}.") for n in range(1, 7)), skills=skills) as scene:
        await scene.say("/skill minutes")
        await scene.shows("is on from your next message")
        for n, broken in enumerate((False, True, True, False, True, False), start=1):
            if broken:
                skills.spoil(TYPO)
            else:
                skills.put(skill("minutes"))
            await scene.say(f"message {n}")
            assert (await scene.settled(n)).skill == (None if broken else "minutes")
        words = [newest(request) for request in scene.model.requests]
        rests = "minutes is not at work any more: the skill minutes cannot be read"
        assert [rests in text for text in words] == [False, True, False, False, True, False]
        assert ["Do as minutes does." in text for text in words] == [
            *(True, False, False, True, False, True)
        ]
        told = [text for text in scene.texts if "is paused until it works again" in text]
        assert len(told) == 2
        assert "SKILL.md, line 3: no YAML" in told[0]


async def test_a_persons_choice_that_lacks_something_rests_and_one_of_the_model_ends() -> None:
    lacking = skill("minutes", requires=Requirements(skills=("gone",)))
    skills = FakeSkills(skill("minutes"))
    script = (says("One."), use("minutes"), says("Two."), says("Three."), says("Four."))
    async with stage(*script, skills=skills) as scene:
        await scene.say("/skill minutes")
        await scene.shows("is on from your next message")
        skills.put(lacking)
        await scene.say("first")
        assert (await scene.settled()).skill is None
        await scene.shows("minutes is paused until it works again")
        await scene.say("/skill")
        await scene.shows("`minutes` is paused: the skill minutes cannot be used here")
        await scene.say("/skill off")
        await scene.shows("`minutes` is off")
        skills.put(skill("minutes"))
        await scene.say("second")
        assert (await scene.settled(2)).skill == "minutes"
        skills.put(lacking)
        await scene.say("third")
        assert (await scene.settled(3)).skill is None
        await scene.shows("minutes is off now")
        skills.put(skill("minutes"))
        await scene.say("fourth")
        assert (await scene.settled(4)).skill is None


async def test_a_changed_body_is_brought_again_at_the_next_turn() -> None:
    skills = FakeSkills(skill("minutes"))
    async with stage(use("minutes"), says("One."), says("Two."), skills=skills) as scene:
        await scene.say("first")
        await scene.settled()
        skills.put(skill("minutes", body="Do it otherwise."))
        await scene.say("second")
        await scene.settled(2)
        assert "Do it otherwise." in newest(scene.model.requests[2])


async def test_a_list_that_changes_waits_for_the_turn_to_end() -> None:
    skills = FakeSkills(skill("minutes"))
    script = (calls(call("w", "write", {"what": "x"})), says("One."), says("Two."))
    async with stage(*script, tools=[writing()], skills=skills) as scene:
        await scene.say("first")
        await scene.parked()
        skills.put(skill("letters"))
        await scene.press("Approve")
        await scene.settled()
        await scene.say("second")
        await scene.settled(2)
        systems = [request.system for request in scene.model.requests]
        assert systems[0] == systems[1]
        assert "- letters:" in systems[2]


async def test_what_a_skill_does_not_allow_is_refused_when_it_is_called() -> None:
    narrow = skill("minutes", tools=("look",))
    script = (
        use("minutes"),
        calls(call("w", "write", {"what": "x"}), call("l", "look"), call("u2", "use_skill", {})),
        says("Refused."),
    )
    write = writing()
    async with stage(*script, tools=[looking(), write], skills=FakeSkills(narrow)) as scene:
        await scene.say("Go")
        await scene.settled()
        results = {r.call_id: r for r in scene.results}
        assert (results["w"].status, results["w"].code) == (Status.BLOCKED, Code.POLICY)
        assert "does not allow write" in results["w"].text
        assert results["l"].status is Status.SUCCESS
        assert results["u2"].code is not Code.POLICY
        assert write.ran == []
        assert scene.approvals == []


async def test_what_a_skill_wants_unasked_neither_restricts_nor_runs_unasked() -> None:
    wide = skill("minutes", pre_approved=pre_approved(["Write", "Bash(git:*)"]))
    script = (
        use("minutes"),
        calls(call("w", "write", {"what": "x"}), call("l", "look")),
        says("Done."),
    )
    async with stage(*script, tools=[looking(), writing()], skills=FakeSkills(wide)) as scene:
        await scene.say("Go")
        await scene.press("Approve")
        await scene.settled()
        assert len(scene.approvals) == 1
        assert {r.status for r in scene.results} == {Status.SUCCESS}


async def test_a_model_lays_down_what_it_chose() -> None:
    narrow = skill("minutes", tools=("look",))
    script = (
        use("minutes"),
        use("none", "n"),
        calls(call("w", "write", {"what": "x"})),
        says("Done."),
        says("Again."),
    )
    async with stage(*script, tools=[writing()], skills=FakeSkills(narrow)) as scene:
        await scene.say("Go")
        await scene.press("Approve")
        assert (await scene.settled()).skill is None
        await scene.say("And now")
        assert (await scene.settled(2)).skill is None
        assert "at work" not in newest(scene.model.requests[3])
        assert [b for b in scene.bodies if isinstance(b, SkillBody)] == []


async def test_a_model_lays_down_what_a_person_chose_for_one_turn() -> None:
    script = (use("none"), says("One."), says("Two."))
    async with stage(*script, skills=FakeSkills(skill("minutes"))) as scene:
        await scene.say("/skill minutes")
        await scene.say("first")
        assert (await scene.settled()).skill is None
        await scene.say("second")
        assert (await scene.settled(2)).skill == "minutes"
        assert "Do as minutes does." in newest(scene.model.requests[2])


async def test_words_behind_a_choice_are_a_message_that_the_skill_reads() -> None:
    skills = FakeSkills(skill("mend", body="Mend $ARGUMENTS, $1 first."), skill("plain"))
    async with stage(says("One."), says("Two."), says("Three."), skills=skills) as scene:
        await scene.say("/skill mend doors and windows")
        assert (await scene.settled()).skill == "mend"
        assert "Mend doors and windows, doors first." in newest(scene.model.requests[0])
        await scene.say("Go on")
        await scene.settled(2)
        assert "Mend" not in newest(scene.model.requests[1])
        await scene.say("/skill plain some words")
        assert (await scene.settled(3)).skill == "plain"
        assert "ARGUMENTS: some words" in newest(scene.model.requests[2])


async def test_long_instructions_are_in_a_request_once() -> None:
    body = "\n".join(f"Line {n} of the instructions." for n in range(2_000))
    script = (use("long"), says("Done."), says("Again."))
    async with stage(*script, skills=FakeSkills(skill("long", body=body))) as scene:
        await scene.say("Go")
        await scene.settled()
        await scene.say("And now")
        await scene.settled(2)
        for request in scene.model.requests[1:]:
            assert str(request.messages).count("Line 7 of the instructions.") == 1
        assert [b for b in scene.bodies if isinstance(b, SkillBody)] == []


async def test_a_skill_for_people_alone_is_not_listed_and_works_by_hand() -> None:
    skills = FakeSkills(skill("deploy", manual=True), skill("tea"))
    async with stage(says("Deployed."), skills=skills) as scene:
        await scene.say("/skill dep")
        await scene.shows("`deploy` is on")
        await scene.say("Go")
        assert (await scene.settled()).skill == "deploy"
        assert "- tea:" in scene.model.requests[0].system
        assert "- deploy" not in scene.model.requests[0].system


async def test_of_many_faults_some_are_told_and_how_many_more() -> None:
    skills = FakeSkills()
    faults = tuple(SkillFault(f"/skills/bad-{n}/SKILL.md", 1, "no YAML") for n in range(70))
    odd = [skill(f"odd-{n:02}", warnings=("its name is odd",)) for n in range(30)]
    skills.put(*odd, faults=faults)
    async with stage(skills=skills) as scene:
        await scene.say("/skills")
        text = await scene.shows("Skills:")
        assert text.count("its name is odd") == 20
        assert "⚠️ and 10 more" in text
        assert text.count("✗") == 21
        assert MORE_UNREADABLE in text
        await scene.say("/skills bad-66")
        await scene.shows("bad-66/SKILL.md:1: no YAML")
        await scene.say("/skill bad-66")
        await scene.shows("cannot be read: SKILL.md, line 1: no YAML")


async def test_what_a_skill_allows_still_asks() -> None:
    wide = skill("minutes", tools=("write",))
    script = (use("minutes"), calls(call("w", "write", {"what": "x"})), says("Done."))
    async with stage(*script, tools=[writing()], skills=FakeSkills(wide)) as scene:
        await scene.say("Go")
        await scene.press("Approve")
        await scene.settled()
        assert len(scene.approvals) == 1


async def test_secrets_reach_no_prompt_and_commands_alone() -> None:
    variables = (Variable("TOKEN", "s3cret-value", secret=True), Variable("LANGUAGE", "German"))
    one = skill("minutes", body="Use {{TOKEN}} in {{LANGUAGE}}.", variables=variables)
    found: list[str] = []

    def spy(_: Mapping[str, Any], place: Place) -> ToolOutput:
        assert place.skill is not None
        found.append(place.skill.environment["TOKEN"])
        return ToolOutput("it printed s3cret-value")

    script = (use("minutes"), calls(call("l", "look")), says("Done."))
    async with stage(*script, tools=[tool("look", act=spy)], skills=FakeSkills(one)) as scene:
        await scene.say("Go")
        await scene.settled()
        assert found == ["s3cret-value"]
        assert "Use {{TOKEN}} in German." in newest(scene.model.requests[1])
        assert "it printed [secret]" in newest(scene.model.requests[2])
        assert "s3cret-value" not in str(scene.model.requests)
        assert "s3cret-value" not in str(scene.store.rows)


async def test_instructions_are_brought_again_when_a_summary_took_their_place() -> None:
    skills = FakeSkills(skill("minutes"))
    script = (
        use("minutes"),
        says("One."),
        says("They made minutes."),
        says("Two."),
        says("Three."),
    )
    async with stage(*script, skills=skills) as scene:
        await scene.say("first")
        await scene.settled()
        await scene.say("/compact")
        await scene.shows(SUMMARISED)
        await scene.say("second")
        assert (await scene.settled(3)).skill == "minutes"
        assert "Do as minutes does." in newest(scene.model.requests[3])
        await scene.say("third")
        await scene.settled(4)
        assert "Do as minutes does." not in newest(scene.model.requests[4])


async def test_within_a_skill_every_request_begins_with_the_one_before() -> None:
    script = (use("notes"), calls(call("l", "look")), says("Raw."), says("Report."), says("Bye."))
    async with stage(*script, tools=[looking()], skills=FakeSkills(*PIPELINE)) as scene:
        await scene.say("Go")
        await scene.settled()
        await scene.say("Thanks")
        await scene.settled(2)
        requests = scene.model.requests
        for earlier, later in pairwise(requests):
            assert (later.system, later.tools) == (earlier.system, earlier.tools)
            blocks = [part for message in earlier.messages for part in message.parts]
            assert [p for m in later.messages for p in m.parts][: len(blocks)] == blocks


# Pipelines


async def test_a_settled_text_goes_to_the_next_skill_and_only_the_last_is_shown() -> None:
    script = (use("notes"), says("Raw notes."), says("The report."), says("Later."))
    async with stage(*script, skills=FakeSkills(*PIPELINE)) as scene:
        await scene.say("Write me a report")
        turn = await scene.settled()
        assert (turn.stop_reason, turn.skill, turn.stages) == (
            StopReason.FINAL_ANSWER,
            "report",
            1,
        )
        assert scene.texts == ["The report."]
        assert "Do as report does." in newest(scene.model.requests[2])
        assert "Raw notes." in str(scene.model.requests[2].messages[-2])
        kept = [b for b in scene.bodies if isinstance(b, SkillBody)]
        assert [(b.name, b.after) for b in kept] == [("report", "notes")]
        await scene.say("Thanks")
        assert (await scene.settled(2)).skill is None


async def test_a_pipeline_a_person_chose_begins_anew_with_each_message() -> None:
    script = (says("Notes 1."), says("Report 1."), says("Notes 2."), says("Report 2."))
    async with stage(*script, skills=FakeSkills(*PIPELINE)) as scene:
        await scene.say("/skill notes")
        await scene.say("one")
        await scene.settled()
        await scene.say("two")
        await scene.settled(2)
        assert scene.texts[1:] == ["Report 1.", "Report 2."]
        brought = [b.name for b in scene.bodies if isinstance(b, SkillBody)]
        assert brought == ["notes", "report", "notes", "report"]


async def test_a_text_beside_calls_is_no_settled_one() -> None:
    script = (
        use("notes"),
        calls(call("l", "look"), text="Let me look."),
        says("Raw notes."),
        says("The report."),
    )
    async with stage(*script, tools=[looking()], skills=FakeSkills(*PIPELINE)) as scene:
        await scene.say("Go")
        turn = await scene.settled()
        assert (turn.stages, turn.rounds) == (1, 4)
        assert scene.texts == ["The report."]


@pytest.mark.parametrize(
    ("following", "why"),
    [(None, "there is no skill “report”"), (skill("report", unmet="it needs pandoc"), "pandoc")],
)
async def test_a_next_skill_that_is_not_to_be_had_ends_with_the_text_and_a_note(
    following: Skill | None, why: str
) -> None:
    known = [PIPELINE[0], *([following] if following else [])]
    async with stage(use("notes"), says("Raw notes."), skills=FakeSkills(*known)) as scene:
        await scene.say("Go")
        turn = await scene.settled()
        assert turn.stop_reason is StopReason.FINAL_ANSWER
        (text,) = scene.texts
        assert text.startswith("Raw notes.\n\n(This is as far as it went: ")
        assert why in text


async def test_of_a_pipeline_that_plans_the_last_skill_hands_the_plan_in() -> None:
    tool = writing()
    script = (
        says("Raw notes."),
        calls(call("w", "write", {"what": "1"})),
        says("One file."),
    )
    skills = FakeSkills(*PIPELINE)
    async with stage(*script, tools=[tool], skills=skills) as scene:
        await scene.say("/skill notes")
        await scene.say("/plan a report")
        turn = await scene.settled()
        assert (turn.stop_reason, turn.skill) == (StopReason.PLAN_READY, "report")
        (plan,) = scene.store.rows.plans.values()
        assert [s.tool for s in plan.steps] == ["write"]
        assert (tool.ran, "Raw notes." in scene.texts) == ([], False)
        assert await scene.shows("One file.")


async def test_a_pipeline_in_a_circle_hands_its_plan_in_and_says_why_it_ended() -> None:
    circle = (skill("a", next_skill="b"), skill("b", next_skill="a"))
    script = (calls(call("w", "write", {"what": "1"})), says("One."), says("Two."))
    async with stage(*script, tools=[writing()], skills=FakeSkills(*circle)) as scene:
        await scene.say("/skill a")
        await scene.say("/plan write a file")
        assert (await scene.settled()).stop_reason is StopReason.PLAN_READY
        assert "Two.\n\n(It ended here: the skills lead in a circle" in await scene.shows("Two.")


async def test_a_circle_ends_with_the_best_text_so_far() -> None:
    circle = (skill("a", next_skill="b"), skill("b", next_skill="a"))
    async with stage(use("a"), says("One."), says("Two."), skills=FakeSkills(*circle)) as scene:
        await scene.say("Go")
        turn = await scene.settled()
        assert (turn.stop_reason, turn.stages) == (StopReason.PIPELINE_DEPTH, 1)
        (text,) = scene.texts
        assert text.startswith("Two.\n\n(It ended here: the skills lead in a circle, back to a")


async def test_a_pipeline_is_no_deeper_than_it_may_be() -> None:
    chain = [skill(f"s{n}", next_skill=f"s{n + 1}") for n in range(9)]
    script = (use("s0"), *(says(f"Text {n}.") for n in range(3)))
    limits = Limits(pipeline_depth=2)
    async with stage(*script, skills=FakeSkills(*chain), limits=limits) as scene:
        await scene.say("Go")
        turn = await scene.settled()
        assert (turn.stop_reason, turn.stages) == (StopReason.PIPELINE_DEPTH, 2)
        assert scene.texts[0].startswith("Text 2.")
        assert "handed over 2 times" in scene.texts[0]


BRANCHES = (
    skill("triage", conditional_next={"it is a bug": "fix", "it is a question": "explain"}),
    skill("fix"),
    skill("explain"),
    skill("other"),
)


async def test_of_conditional_skills_the_model_picks_and_a_wrong_pick_is_told_so() -> None:
    script = (use("triage"), use("other", "u2"), use("fix", "u3"), says("Fixed."))
    async with stage(*script, skills=FakeSkills(*BRANCHES)) as scene:
        await scene.say("Go")
        turn = await scene.settled()
        assert (turn.skill, turn.stages) == ("fix", 1)
        results = {r.call_id: r for r in scene.results}
        assert results["u2"].status is Status.FAILED
        assert "other does not follow triage" in results["u2"].text
        assert "fix when it is a bug" in results["u2"].text
        assert scene.texts == ["Fixed."]


async def test_without_a_pick_the_text_is_the_answer() -> None:
    script = (use("triage"), says("Nothing to do."), says("Hi."))
    async with stage(*script, skills=FakeSkills(*BRANCHES)) as scene:
        await scene.say("Go")
        await scene.settled()
        assert scene.texts == ["Nothing to do."]
        await scene.say("Hello")
        assert (await scene.settled(2)).skill is None


async def test_picks_count_as_stages_and_end_at_the_depth() -> None:
    loop = (
        skill("review", conditional_next={"it is not good": "revise"}),
        skill("revise", conditional_next={"it is revised": "review"}),
    )
    script = (
        use("review"),
        use("revise", "u2"),
        use("review", "u3"),
        use("revise", "u4"),
        says("Good enough."),
    )
    limits = Limits(pipeline_depth=2)
    async with stage(*script, skills=FakeSkills(*loop), limits=limits) as scene:
        await scene.say("Go")
        turn = await scene.settled()
        assert (turn.skill, turn.stages) == ("review", 2)
        assert "no more is allowed" in {r.call_id: r.text for r in scene.results}["u4"]


async def test_a_failed_stage_does_not_start_the_next_and_gives_what_there_was() -> None:
    script = (use("notes"), says("Raw notes."), ModelDenied("no such key"))
    skills = FakeSkills(skill("notes", next_skill="report"), skill("report", next_skill="last"))
    async with stage(*script, skills=skills) as scene:
        await scene.say("Go")
        turn = await scene.settled()
        assert (turn.stop_reason, turn.skill) == (StopReason.MODEL_FAILURE, "report")
        (text,) = scene.texts
        assert "Until then notes had written:\n\nRaw notes." in text


async def test_a_stop_between_stages_starts_no_further_one() -> None:
    gate = Gate()
    script = (use("notes"), says("Raw notes."), gate, says("Never."))
    async with stage(*script, skills=FakeSkills(*PIPELINE)) as scene:
        await scene.say("Go")
        await gate.reached()
        await scene.say("/stop")
        turn = await scene.settled()
        assert turn.stop_reason is StopReason.USER_CANCELLED
        assert (turn.skill, turn.stages) == ("report", 1)
        gate.open()
        assert isinstance(scene.model, ScriptedModel)
        scene.model.drop_rest()


async def test_a_text_cut_at_its_length_is_handed_to_nobody() -> None:
    script = (use("notes"), says("Half of the no", FinishReason.LENGTH))
    async with stage(*script, skills=FakeSkills(*PIPELINE)) as scene:
        await scene.say("Go")
        turn = await scene.settled()
        assert (turn.stop_reason, turn.stages) == (StopReason.FINAL_ANSWER, 0)


async def test_rounds_are_bounded_over_all_stages() -> None:
    script = (use("notes"), says("Raw."), *(calls(call(f"l{n}", "look")) for n in range(3)))
    limits = Limits(soft_rounds=5, max_rounds=5, calls_per_turn=80, repeat_calls=9)
    async with stage(
        *script, tools=[looking()], skills=FakeSkills(*PIPELINE), limits=limits
    ) as scene:
        await scene.say("Go")
        turn = await scene.settled()
        assert (turn.stop_reason, turn.rounds) == (StopReason.MAX_ROUNDS, 5)
        assert "Until then notes had written:\n\nRaw." in scene.texts[0]


async def test_what_a_stage_writes_is_not_shown_while_it_grows() -> None:
    gate = Gate()
    script = (use("notes"), says("Raw notes."), gate, says("The report."))
    async with stage(*script, skills=FakeSkills(*PIPELINE)) as scene:
        await scene.say("Go")
        await gate.reached()
        await scene.clock.advance(3)
        assert "Raw notes." not in str(scene.channel.drafts)
        gate.open()
        await scene.settled()


# Commands


async def test_the_list_tells_each_state_and_reason() -> None:
    skills = FakeSkills()
    fault = SkillFault("/home/skills/bad/SKILL.md", 3, "no YAML: a tab")
    skills.put(
        skill("fit", next_skill="gone", tools=("look", "Bash(git:*)")),
        skill("unfit", unmet="it needs the program pandoc"),
        faults=(fault,),
    )
    async with stage(tools=[looking()], skills=skills) as scene:
        await scene.say("/skill unfit")
        await scene.shows("needs the program pandoc")
        await scene.say("/skill fit")
        await scene.shows("`fit` is on")
        await scene.say("/skills")
        text = await scene.shows("Skills:")
        assert "▶️ `fit` (on): Does fit." in text
        assert "there is no skill “gone”" in text
        assert "no tools are called Bash(git:\\*)" in text
        assert "⏸ `unfit`" in text
        assert "bad/SKILL.md:3: no YAML: a tab" in text
        await scene.say("/skills nothing such")
        await scene.shows("I found no skill for “nothing such”.")
        await scene.say("/skill gone")
        await scene.shows("There is no skill “gone”")
        await scene.say("/skill")
        await scene.shows("`fit` is on.")


# Death at every write


def _piped(request: ModelRequest, _: int) -> ModelReply:
    """Chooses the pipeline and settles both stages."""
    last = newest(request)
    if "in place of notes" in last:
        return says("The report.")
    if "The skill notes is at work" in last:
        return says("Raw notes.")
    return use("notes", f"u{len(request.messages)}")


async def _handed_over(fate: Fate) -> int:
    """Plays both stages, a death between or not; returns how many writes were made."""
    made = Stage(RuledModel(_piped), [looking()], Limits(), fate, skills=FakeSkills(*PIPELINE))
    async with running(made) as scene:
        life = Life(scene, fate)
        await life.accept(scene.message("Go"))
        await life.until_shown("The report.")
    scene.assert_whole()
    (turn,) = scene.turns
    assert (turn.state, turn.stages, turn.skill) == (TurnState.SETTLED, 1, "report")
    assert [b.after for b in scene.bodies if isinstance(b, SkillBody)] == ["notes"]
    said = [b.text for b in scene.bodies if isinstance(b, ReplyBody) and b.text]
    assert said == ["Raw notes.", "The report."]
    assert set(scene.texts) == {"The report."}
    return fate.writes


@pytest.mark.parametrize(("at", "after"), deaths(_handed_over(Fate(None, after=False))))
async def test_a_death_at_any_write_hands_over_once(at: int, after: bool) -> None:
    fate = Fate(at, after)
    await _handed_over(fate)
    assert fate.died.is_set()


async def test_a_life_without_a_death_hands_over_once() -> None:
    await _handed_over(Fate(None, after=False))


async def test_a_rule_given_without_a_skill_lends_no_call_the_variables_of_one() -> None:
    writer, tracker = writing(), skill("tracker", variables=(Variable("T", "s3cret", secret=True),))
    again = calls(call("b", "write", {"what": "x"}))
    script = (calls(call("a", "write", {"what": "x"})), says("one"), use("tracker"), again)
    async with stage(*script, says("two"), tools=[writer], skills=FakeSkills(tracker)) as scene:
        await scene.say("write x")
        await scene.press("Always")
        await scene.settled(1)
        await scene.say("again, with the tracker")
        await scene.parked()
        assert len(writer.ran) == 1
        await scene.press("Always")
        await scene.settled(2)
        (bare, lent) = scene.store.rows.rules.values()
        assert (bare.surroundings.variables, lent.surroundings.variables) == ((), ("T",))


async def test_a_rule_given_with_a_skill_lends_its_variables_and_runs_without_them() -> None:
    writer, tracker = writing(), skill("tracker", variables=(Variable("T", "s3cret", secret=True),))
    write = [calls(call(id, "write", {"what": "x"})) for id in "abc"]
    script = (use("tracker"), write[0], says("one"), write[1], says("two"), write[2], says("three"))
    async with stage(*script, tools=[writer], skills=FakeSkills(tracker)) as scene:
        await scene.say("write x with the tracker")
        await scene.press("Always")
        await scene.settled(1)
        await scene.say("again")
        await scene.settled(2)
        await scene.say("/skill off")
        await scene.say("and without it")
        await scene.settled(3)
        assert len(writer.ran) == 3


async def test_a_list_without_room_for_all_begins_with_what_fits_and_what_was_used() -> None:
    many = [skill(f"skill-{n:04}", description=f"Does chore {n}.") for n in range(900)]
    wanted = skill("zither", description="Tunes a zither.")
    used = skill("yodel", description="Yodels.")
    script = (
        says("Tuned."),
        says("Again."),
        calls(call("a", "use_skill", {"name": "yodel"})),
        says("Yo."),
        says("Morning."),
    )
    async with stage(*script, skills=FakeSkills(*many, wanted, used)) as scene:
        await scene.say("please tune my zither")
        await scene.settled()
        await scene.say("and yodel")
        await scene.settled(2)
        await scene.say("with the skill")
        await scene.settled(3)
        await scene.say("/new")
        await scene.say("good morning")
        await scene.until(lambda: "Morning." in scene.texts)
        lists = [r.system.split("Known skills\n")[1] for r in scene.model.requests]
        assert lists[0].startswith("- zither: Tunes a zither.\n")
        assert [text == lists[0] for text in lists[:4]] == [True] * 4
        assert lists[-1].startswith("- yodel: Yodels.\n")
        assert max(len(text.encode()) for text in lists) <= 6_000
