"""Where things are: in a checkout, beside manage.py; in an installed package, inside it, except for data.

Imports only the standard library, because the program needs it before Django is available.
"""

import os
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
BUILT = PACKAGE / "built"
"""What the wheel contains ready-made (hlvstudy/tooling/building.py); checkouts do not have it."""

IS_INSTALLED = BUILT.is_dir()

BASE = Path.cwd() if IS_INSTALLED else PACKAGE.parent
"""Where `.env` is read, and where a server's folder is: for an installed program, where its commands are run."""

STATE = BASE / ("hlv-study" if IS_INSTALLED else ".state")
STATIC = None if IS_INSTALLED else BASE / "static"
"""Where pages are collected by default; None: beside the databases."""

PAGES = BUILT / "pages" if IS_INSTALLED else BASE / "frontend" / "dist"
LOCALE = BUILT / "locale" if IS_INSTALLED else BASE / "locale"

THREADS = 4
MOST_PROCESSES = 8
"""With four threads each, web processes leave room in PostgreSQL's usual hundred connections."""
PROCESSES = min(max(os.cpu_count() or 1, 2), MOST_PROCESSES)
