"""What the makers of HLV Study run, and its users do not: the reference and the evidence in docs/reference."""

import os
from pathlib import Path

import django
from django.apps import apps

PAGES_FOLDER = Path(__file__).resolve().parents[2] / "docs" / "reference"

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
if not apps.ready:
    django.setup()
