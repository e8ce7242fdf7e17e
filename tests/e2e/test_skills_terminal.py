"""Skills in the terminal, with the demo model: a list, a choice, and a pipeline's last text."""

from pathlib import Path

from tests.e2e.test_plans_terminal import chat, left, shown


def test_a_pipeline_shows_its_last_text_alone(tmp_path: Path) -> None:
    talk = chat(tmp_path)
    talk.sendline("show me a skill")
    shown(talk, "✓ use_skill", "This is the second skill of a pipeline.")
    shown(talk, "minutes-review is at work now, in place of meeting-minutes")
    assert "gave back" not in str(talk.before)
    left(talk)


def test_a_skill_of_ones_own_is_listed_chosen_and_switched_off(tmp_path: Path) -> None:
    folder = tmp_path / "data" / "skills" / "tea"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text("---\nname: tea\ndescription: Makes tea.\n---\nBoil water.\n")
    broken = tmp_path / "data" / "skills" / "broken"
    broken.mkdir()
    (broken / "SKILL.md").write_text("---\nname: [\n---\n")
    talk = chat(tmp_path)
    talk.sendline("/skills")
    shown(talk, "Skills:", "`meeting-minutes`", "`tea`: Makes tea.", "broken/SKILL.md:3: no YAML")
    talk.sendline("/skill tea")
    shown(talk, "`tea` is at work here from the next message on")
    talk.sendline("what time is it?")
    shown(talk, "current_time", "UTC")
    talk.sendline("/skill off")
    shown(talk, "`tea` rests.")
    left(talk)
