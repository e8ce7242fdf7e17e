"""Skills in the real process: chosen, handed over, changed and removed, and killed in between.

The strict model judges at every request that what stood before stands there still.
"""

import re
import shutil

import pytest

from tests.e2e.skills import handed_over, pipeline, put, turns, use
from tests.e2e.steward import Steward, results_in, words_in
from tests.standins.bot_api import ShownMessage
from tests.standins.messages_api import Gate, Reply, calls, text, thinking, tool
from tests.words import APPROVE, DANGEROUS_STEP, MINUTES_GONE, PLAN_ENDED, RETRY, STOPPED

pytestmark = pytest.mark.flows_own("skills meet turns, and no platform")

SECRET = "tracker-s3cret-nobody-may-see"


def run(command: str) -> Reply:
    return thinking("Run it.") + calls(tool("run_command", {"command": command}))


def final(words: str) -> Reply:
    return thinking("That is it.") + text(words)


def system_of(steward: Steward, request: int) -> str:
    return str(steward.model.requests[request - 1].body["system"])


async def test_a_pipeline_sends_its_last_text_alone(steward: Steward) -> None:
    pipeline(steward)
    steward.script(
        use("facts"), final("Three facts."), final("A story."), final("You are welcome.")
    )
    await steward.start()
    steward.say("Tell me the story of the week")
    await steward.sees("A story.")
    assert [message.text for message in steward.shown] == ["A story."]
    assert turns(steward) == [("final_answer", "story", 1)]
    assert handed_over(steward) == ["facts"]
    (body,) = results_in(steward.model.requests[1]).values()
    assert "Do as facts does." in body
    assert "Do as story does." in words_in(steward.model.requests[2])
    assert "- facts: Does facts." in system_of(steward, 1)
    assert "meeting-minutes" in system_of(steward, 1)
    assert len({system_of(steward, n) for n in (1, 2, 3)}) == 1
    steward.say("Thanks")
    await steward.sees("You are welcome.")
    assert turns(steward)[1] == ("final_answer", None, 0)


async def test_killed_while_the_next_skill_thinks_it_thinks_again(steward: Steward) -> None:
    pipeline(steward)
    cut = Gate()
    steward.script(use("facts"), final("Three facts."), final("lost").held(cut), final("A story."))
    await steward.start()
    steward.say("Go")
    await cut.arrived()
    await steward.restart()
    await steward.sees("A story.")
    assert [message.text for message in steward.shown] == ["A story."]
    assert turns(steward) == [("final_answer", "story", 1)]
    assert handed_over(steward) == ["facts"]
    assert steward.model.requests[2].body == steward.model.requests[3].body


async def test_killed_before_a_hand_over_is_stored_it_happens_once(steward: Steward) -> None:
    pipeline(steward)
    saying = Gate()
    steward.script(use("facts"), final("lost").held(saying, after=1))
    steward.script(final("Three facts."), final("A story."))
    await steward.start(STEWARD_LOG_LEVEL="DEBUG")
    steward.say("Go")
    await saying.arrived()
    with steward.records.locked():
        saying.release()
        await steward.eventually(lambda: "step TransitionSkill" in steward.output)
        await steward.kill()
    assert handed_over(steward) == []
    await steward.start()
    await steward.sees("A story.")
    assert handed_over(steward) == ["facts"]
    said = [p["text"] for r in steward.records.bodies("reply") for p in r["parts"] if "text" in p]
    assert said == ["Three facts.", "A story."]
    assert turns(steward) == [("final_answer", "story", 1)]


async def test_killed_after_a_choice_the_skill_is_at_work_and_brought_once(
    steward: Steward,
) -> None:
    put(steward, "minutes")
    cut = Gate()
    steward.script(use("minutes"), final("lost").held(cut), final("Done."), final("Again."))
    await steward.start()
    steward.say("Minutes, please")
    await cut.arrived()
    await steward.restart()
    await steward.sees("Done.")
    steward.say("And these")
    await steward.sees("Again.")
    assert turns(steward) == [("final_answer", "minutes", 0), ("final_answer", "minutes", 0)]
    assert steward.records.bodies("skill") == []
    assert len(steward.records.results) == 1


async def test_killed_before_a_choice_is_stored_it_is_made_anew(steward: Steward) -> None:
    put(steward, "minutes")
    saying = Gate()
    steward.script(use("minutes").held(saying, after=1), use("minutes"), final("Done."))
    await steward.start()
    steward.say("Minutes, please")
    await saying.arrived()
    with steward.records.locked():
        saying.release()
        await steward.kill()
    await steward.start()
    await steward.sees("Done.")
    assert [status for _, status, _ in steward.records.results] == ["success"]
    assert turns(steward) == [("final_answer", "minutes", 0)]


@pytest.mark.shared
@pytest.mark.on_each_platform
async def test_a_skill_chosen_by_hand_comes_with_the_next_message(steward: Steward) -> None:
    put(steward, "minutes", "tools: read_file\n")
    steward.script(run("echo hi"), final("I may not."), final("Fine."))
    await steward.start()
    steward.say("/skill minutes")
    await steward.sees("is on from your next message")
    steward.say("Run echo")
    await steward.sees("I may not.")
    assert "Do as minutes does." in words_in(steward.model.requests[0])
    assert [r[1:] for r in steward.records.results] == [("blocked", "policy")]
    await steward.restart()
    steward.say("/skill off")
    await steward.sees("is off.")
    steward.say("Hello")
    await steward.sees("Fine.")
    assert MINUTES_GONE in words_in(steward.model.requests[2])


async def test_a_skill_put_in_or_changed_is_there_at_the_next_turn(steward: Steward) -> None:
    folder = put(steward, "minutes")
    steward.script(use("minutes"), final("One."), final("Two."), final("Three."))
    await steward.start()
    steward.say("first")
    await steward.sees("One.")
    put(steward, "letters")
    put(steward, "minutes", body="Do it otherwise.")
    await steward.eventually(lambda: "skills changed" in steward.output)
    steward.say("second")
    await steward.sees("Two.")
    assert "- letters:" not in system_of(steward, 2)
    assert "- letters:" in system_of(steward, 3)
    assert "Do it otherwise." in words_in(steward.model.requests[2])
    shutil.rmtree(folder)
    await steward.eventually(lambda: steward.output.count("skills changed") > 1)
    steward.say("third")
    await steward.sees("Three.")
    assert "minutes is not at work any more: there is no skill" in words_in(
        steward.model.requests[3]
    )
    assert turns(steward)[2] == ("final_answer", None, 0)


async def test_a_persons_choice_outlives_a_typo_in_its_file_and_a_restart(
    steward: Steward,
) -> None:
    put(steward, "minutes")
    steward.script(final("One."), final("Two."), final("Three."))
    await steward.start()
    steward.say("/skill minutes")
    await steward.sees("is on from your next message")
    put(steward, "minutes", "tools: [\n")
    await steward.eventually(lambda: "skills changed" in steward.output)
    steward.say("first")
    told = await steward.sees("minutes is paused until it works again")
    assert "SKILL.md, line 5: no YAML" in told.text
    await steward.sees("One.")
    await steward.kill()
    await steward.start()
    steward.say("second")
    await steward.sees("Two.")
    put(steward, "minutes", body="Do it well.")
    await steward.eventually(lambda: steward.output.count("skills changed") > 1)
    steward.say("third")
    await steward.sees("Three.")
    assert "Do it well." in words_in(steward.model.requests[2])
    assert [skill for _, skill, _ in turns(steward)] == [None, None, "minutes"]
    assert len(steward.showing("is paused until")) == 1


@pytest.mark.commands
async def test_a_next_skill_removed_meanwhile_ends_with_the_text_and_a_note(
    steward: Steward,
) -> None:
    pipeline(steward)
    steward.script(use("facts"), run("echo hi"), final("Three facts."))
    await steward.start()
    steward.say("Go")
    card = await steward.card()
    shutil.rmtree(steward.home / "skills" / "story")
    await steward.eventually(lambda: "skills changed" in steward.output)
    steward.press(card, APPROVE)
    await steward.sees("This is as far as it went: there is no skill “story”")
    assert turns(steward) == [("final_answer", "facts", 0)]


async def test_a_stop_in_a_stage_starts_no_further_one(steward: Steward) -> None:
    put(steward, "facts", "next_skill: story\n")
    put(steward, "story", "next_skill: song\n")
    put(steward, "song")
    never = Gate()
    steward.script(use("facts"), final("Three facts."), final("never").held(never))
    await steward.start()
    steward.say("Go")
    await never.arrived()
    steward.say("/stop")
    await steward.sees(STOPPED)
    assert turns(steward) == [("user_cancelled", "story", 1)]
    assert len(steward.model.requests) == 3


@pytest.mark.on_each_platform
@pytest.mark.commands
async def test_secrets_reach_commands_and_nobody_else(steward: Steward) -> None:
    head = "vars: {TRACKER: {secret: true, required: true}, LANGUAGE: German}\n"
    folder = put(steward, "tracker", head, "Write {{LANGUAGE}}, log in with {{TRACKER}}.")
    (folder / "data.txt").write_text("from the skill\n")
    (steward.home / "skills.toml").write_text(f'[skills.tracker]\nTRACKER = "{SECRET}"\n')
    command = 'echo "got $TRACKER"; cat "$SKILL_DIR/data.txt"; cat "$SKILL_DIR/SKILL.md"'
    steward.script(use("tracker"), run(command), final("Done."))
    await steward.start(STEWARD_LOG_LEVEL="DEBUG")
    steward.say("Log in")
    steward.press(await steward.card(), APPROVE)
    await steward.sees("Done.")
    (body,) = results_in(steward.model.requests[1]).values()
    assert "Write German, log in with {{TRACKER}}." in body
    (output,) = results_in(steward.model.requests[2]).values()
    assert "got [secret]" in output
    assert "from the skill" in output
    assert SECRET not in str([request.body for request in steward.model.requests])
    await steward.recorded()
    files = [path for path in steward.home.rglob("*") if path.is_file()]
    holding = [path.name for path in files if SECRET.encode() in path.read_bytes()]
    assert holding == ["skills.toml"]
    assert SECRET not in steward.output


async def approved_until(steward: Steward, text: str) -> None:
    """Approve what asks again until a message holds the text: without a sandbox, every command."""
    pressed: set[int] = set()

    def asking() -> list[ShownMessage]:
        asking = DANGEROUS_STEP
        return [c for c in steward.cards if asking in c.text and c.id not in pressed]

    while not steward.showing(text):
        await steward.until(lambda: steward.showing(text) or asking())
        for card in asking():
            pressed.add(card.id)
            steward.press(card, APPROVE)


@pytest.mark.commands
async def test_each_command_of_a_plan_runs_in_the_environment_of_the_skill_it_was_planned_under(
    steward: Steward,
) -> None:
    head = "vars: {TRACKER: {secret: true, required: true}, TEAM: tea}\n"
    put(steward, "facts", "next_skill: story\n")
    (put(steward, "story", head) / "data.txt").write_text("from the story\n")
    (steward.home / "skills.toml").write_text(f'[skills.story]\nTRACKER = "{SECRET}"\n')
    first = 'echo "facts: $TRACKER of ${TEAM:-nobody} in ${SKILL_DIR##*/}"'
    second = 'echo "story: $TRACKER of ${TEAM:-nobody}"; cat "$SKILL_DIR/data.txt"'
    steward.script(run(first), final("Three facts."), run(second), final("A story."))
    steward.script(run(first), run(second), final("Both ran."))
    await steward.start()
    steward.say("/skill facts")
    await steward.sees("is on from your next message")
    steward.say("/plan a story")
    card = await steward.card()
    assert card.text.count("with variables of the skill") == 1
    named = "with variables of the skill story: TEAM, TRACKER (secret)"
    before_the_variables = card.text.partition(named)[0]
    assert re.search(r"^2\. (⚠️ )?Run ", before_the_variables, re.MULTILINE)
    steward.say("/skill off")
    await steward.sees("is off.")
    await steward.recorded()
    await steward.restart()
    steward.press(card, APPROVE)
    await approved_until(steward, PLAN_ENDED)
    (one,) = results_in(steward.model.requests[5]).values()
    (other,) = results_in(steward.model.requests[6]).values()
    assert "facts:  of nobody in facts" in one
    assert "story: [secret] of tea\nfrom the story" in other
    assert steward.records.rows("SELECT skill FROM plan_step") == [("facts",), ("story",)]
    assert turns(steward)[-1] == ("final_answer", "story", 0)
    assert SECRET not in str([request.body for request in steward.model.requests])


@pytest.mark.commands
async def test_a_step_whose_skill_was_removed_waits_for_it(steward: Steward) -> None:
    folder = put(steward, "story", "vars: {TEAM: tea}\n")
    command = 'echo "told by $TEAM"'
    steward.script(run(command), final("The plan."), run(command), run(command), final("It ran."))
    await steward.start()
    steward.say("/skill story")
    await steward.sees("is on from your next message")
    steward.say("/plan a story")
    card = await steward.card()
    await steward.recorded()
    await steward.kill()
    shutil.rmtree(folder)
    await steward.start()
    steward.press(card, APPROVE)
    await steward.sees("there is no skill “story”")
    put(steward, "story", "vars: {TEAM: tea}\n")
    await steward.recorded()
    await steward.restart()
    steward.press(await steward.until(lambda: _offering(steward, RETRY)), RETRY)
    await approved_until(steward, PLAN_ENDED)
    (told,) = results_in(steward.model.requests[4]).values()
    assert "told by tea" in told


def _offering(steward: Steward, label: str) -> ShownMessage | None:
    """The card that has this button."""
    labels = ((c, [b.text for row in c.buttons for b in row]) for c in steward.cards)
    return next((card for card, offered in labels if label in offered), None)


async def test_a_broken_skill_is_told_with_file_and_line_and_harms_nothing(
    steward: Steward,
) -> None:
    put(steward, "fit", "tools: read_file Bash\n")
    put(steward, "yaml", "tools: [\n")
    put(steward, "needy", "requires: {bin: [no-such-program]}\n")
    huge = steward.home / "skills" / "huge"
    huge.mkdir()
    (huge / "SKILL.md").write_bytes(b"---\n" + b"x" * 10_000_000)
    (steward.home / "skills" / "link").symlink_to(steward.folder)
    steward.script(use("fit"), final("Done."))
    await steward.start()
    steward.say("/skills")
    listed = (await steward.sees("Skills:")).text
    for told in ("fit: Does fit.", "yaml/SKILL.md:5: no YAML", "huge/SKILL.md: it is larger"):
        assert told in listed
    assert "it needs the program no-such-program" in listed
    assert "no tools are called Bash" in listed
    assert "link/SKILL.md: it is a link" in listed
    steward.say("Go")
    await steward.sees("Done.")
    await steward.kill()
    await steward.exit_code("doctor")
    assert "yaml/SKILL.md:5: no YAML" in steward.output
    assert "needy: it needs the program no-such-program." in steward.output
    assert "fit: no tools are called Bash." in steward.output
    await steward.start()


async def test_what_a_clone_hides_is_told_with_the_way_to_have_it_and_no_longer_once_it_is_there(
    steward: Steward,
) -> None:
    put(steward, "clone")
    for name in ("clone/skills/inner", "clone/.more/dotted"):
        put(steward, name)
    root = steward.home / "skills"
    await steward.start()
    steward.say("/skills")
    listed = (await steward.sees("Skills:")).text
    assert "skills/clone: 2 skills are left out: 1 in clone/" in listed
    assert "To have them, put a link to each of these folders into skills." in listed
    _, told = await steward.printed_by("doctor")
    assert "→ To have them, put a link to each of these folders into skills." in told
    for name in ("skills", ".more"):
        (root / f"more-{name.strip('.')}").symlink_to(root / "clone" / name)
    await steward.eventually(lambda: "skills changed" in steward.output)
    steward.say("/skills")
    listed = (await steward.sees("Skills:", times=2)).text
    assert "Does clone/skills/inner." in listed
    assert "Does clone/.more/dotted." in listed
    assert "left out" not in listed
    _, told = await steward.printed_by("doctor")
    assert "left out" not in told


async def test_a_stage_goes_on_with_the_skills_its_turn_began_with(steward: Steward) -> None:
    pipeline(steward)
    thinks = Gate()
    steward.script(use("facts"), final("Three facts.").held(thinks), final("A story."))
    steward.script(final("You are welcome."))
    await steward.start()
    steward.say("Go")
    await thinks.arrived()
    (steward.home / "skills" / "facts" / "SKILL.md").write_text("---\nname: [\n")
    shutil.rmtree(steward.home / "skills" / "story")
    await steward.eventually(lambda: "skills changed" in steward.output)
    thinks.release()
    await steward.sees("A story.")
    assert turns(steward) == [("final_answer", "story", 1)]
    assert "Do as story does." in words_in(steward.model.requests[2])
    assert len({system_of(steward, n) for n in (1, 2, 3)}) == 1
    steward.say("Thanks")
    await steward.sees("You are welcome.")
    assert "- facts:" not in system_of(steward, 4)
    assert turns(steward)[1] == ("final_answer", None, 0)


async def test_killed_in_a_stage_whose_skill_is_broken_since_it_goes_on_without_it(
    steward: Steward,
) -> None:
    pipeline(steward)
    cut = Gate()
    steward.script(use("facts"), final("Three facts."), final("lost").held(cut), final("Three."))
    await steward.start()
    steward.say("Go")
    await cut.arrived()
    await steward.kill()
    (steward.home / "skills" / "story" / "SKILL.md").write_text("---\nname: [\n")
    await steward.start()
    await steward.sees("Three.")
    assert "story is not at work any more" in words_in(steward.model.requests[3])
    assert handed_over(steward) == ["facts"]
    assert [message.text for message in steward.shown] == ["Three."]
    steward.say("/skills")
    assert "story/SKILL.md:1: the front matter" in (await steward.sees("Skills:")).text
