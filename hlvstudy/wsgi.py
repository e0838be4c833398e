"""The WSGI entry point for gunicorn."""

import os
from importlib import import_module

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver

from hlvstudy.backups.holding import hold
from hlvstudy.bounds import within_bounds, without_needless_bodies

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "hlvstudy.settings")

application = without_needless_bodies(within_bounds(get_wsgi_application()))
# Loads every view now: otherwise whoever sends a process's first request waits more than a second for it.
len(get_resolver().url_patterns)
import_module(
    "annotations.people.sign_in.passkey_checks"
)  # what views load when they need it, as other processes never do

# As long as this process lives, nobody replaces its database (hlvstudy/program/databases.py).
hold(settings.STATE_DIR)
