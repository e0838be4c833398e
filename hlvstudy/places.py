"""Where things are: in a checkout beside manage.py; in an installed package inside it, and what it keeps, not.

Imports the standard library only, for the program asks before Django is there.
"""

from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
BUILT = PACKAGE / "built"
"""What the wheel brings ready-made (hlvstudy/tooling/building.py); no checkout has it."""

IS_INSTALLED = BUILT.is_dir()

BASE = Path.cwd() if IS_INSTALLED else PACKAGE.parent
"""Where `.env` is read, and where the folder of a server is: of an installed program, where its commands are run."""

STATE = BASE / ("hlv-study" if IS_INSTALLED else ".state")
STATIC = None if IS_INSTALLED else BASE / "static"
"""Where pages are collected, unless it is said; None: beside the databases."""

PAGES = BUILT / "pages" if IS_INSTALLED else BASE / "frontend" / "dist"
LOCALE = BUILT / "locale" if IS_INSTALLED else BASE / "locale"
