"""Puts the folders that come with the program into its package; pyproject.toml says all the rest.

They stand at the top of a checkout. In an installed program they stand in bot/shipped.
"""

from setuptools import find_packages, setup

SHIPPED = {
    "bot.shipped.alembic": "alembic",
    "bot.shipped.alembic.versions": "alembic/versions",
    "bot.shipped.hooks": "hooks",
    "bot.shipped.plans": "plans",
    "bot.shipped.skills": "skills",
}

setup(packages=[*find_packages(include=["bot", "bot.*"]), *SHIPPED], package_dir=SHIPPED)
