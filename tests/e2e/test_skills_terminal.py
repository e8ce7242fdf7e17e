"""Skills in the terminal, with the demo model: a list, a choice, and a pipeline's last text."""

from pathlib import Path

from tests.e2e.launching import Command
from tests.e2e.test_plans_terminal import chat, left, shown
from tests.words import DEMO_CLOCK


def test_a_pipeline_shows_its_last_text_alone(tmp_path: Path, command: Command) -> None:
    talk = chat(tmp_path, command)
    talk.sendline("show me a skill")
    shown(talk, "team call tue 14 oct")
    shown(talk, "Who asks the landlord about parking for visitors?")
    # The first skill's text is kept: it gave this question to somebody.
    assert "From the notes" not in str(talk.before)
    shown(talk, "so it is open.")
    talk.sendline("run a command")
    shown(talk, "🔐 Run ")
    talk.sendline("n")
    shown(talk, "That was not approved")
    left(talk)


def test_a_skill_of_ones_own_is_listed_chosen_and_switched_off(
    tmp_path: Path, command: Command
) -> None:
    folder = tmp_path / "data" / "skills" / "tea"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text("---\nname: tea\ndescription: Makes tea.\n---\nBoil water.\n")
    broken = tmp_path / "data" / "skills" / "broken"
    broken.mkdir()
    (broken / "SKILL.md").write_text("---\nname: [\n---\n")
    talk = chat(tmp_path, command)
    talk.sendline("/skills")
    shown(talk, "Skills:", "meeting-minutes", "tea: Makes tea.", "broken/SKILL.md:3: no YAML")
    talk.sendline("/skill tea")
    shown(talk, "tea is on from your next message")
    talk.sendline("what time is it?")
    shown(talk, DEMO_CLOCK, "UTC")
    talk.sendline("/skill off")
    shown(talk, "tea is off.")
    left(talk)
