"""Settings of a server process of its own, as the fault tests kill: it serves the built pages itself."""

from tests.settings import *  # noqa: F403 - settings are names

WHITENOISE_USE_FINDERS = True
