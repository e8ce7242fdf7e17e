"""Puts the folders that come with the program into its package; pyproject.toml says all the rest.

They stand at the top of a checkout. In an installed program they stand in bot/shipped, and so does
the changelog, by which an update says what is new.
"""

import shutil
from pathlib import Path

from setuptools import find_packages, setup
from setuptools.command.build_py import build_py

SHIPPED = {
    "bot.shipped.alembic": "alembic",
    "bot.shipped.alembic.versions": "alembic/versions",
    "bot.shipped.hooks": "hooks",
    "bot.shipped.plans": "plans",
    "bot.shipped.skills": "skills",
}


class WithChangelog(build_py):
    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            place = Path(self.build_lib) / "bot" / "shipped"
            place.mkdir(parents=True, exist_ok=True)
            shutil.copyfile("CHANGELOG.md", place / "CHANGELOG.md")


setup(
    packages=[*find_packages(include=["bot", "bot.*"]), *SHIPPED],
    package_dir=SHIPPED,
    cmdclass={"build_py": WithChangelog},
)
