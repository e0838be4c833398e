"""The server's settings, where `annotations` has one migration more."""

from hlvstudy.settings import *  # noqa: F403 - settings are names
from hlvstudy.settings import MIGRATION_MODULES

MIGRATION_MODULES = {**MIGRATION_MODULES, "annotations": "tests.hlvstudy.backups.later.migrations"}
