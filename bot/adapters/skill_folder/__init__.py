"""Skills in folders: one folder a skill, with its SKILL.md."""
