"""The migrations of a version after today's, which takes a table away."""

from pathlib import Path
from shutil import copytree

from bot.adapters.sql.migrating import MIGRATIONS, REVISIONS

NEXT = "9901"


def one_more_step(folder: Path, lives_with: str) -> None:
    """Writes all migrations into a folder, and the next one; older programs know `lives_with`."""
    copytree(MIGRATIONS, folder)
    (folder / "versions" / f"{NEXT}_next.py").write_text(
        f'"""Measures are not kept any more."""\n\nfrom alembic import op\n\n'
        f'revision = "{NEXT}"\ndown_revision = "{REVISIONS[-1]}"\n'
        f'branch_labels = None\ndepends_on = None\nlives_with = "{lives_with}"\n\n\n'
        f'def upgrade() -> None:\n    op.drop_table("measure")\n'
    )
