"""A web process is ready before it takes its first request."""

import os
import subprocess
import sys
from pathlib import Path

CODE = "import sys, hlvstudy.wsgi; print(*(name in sys.modules for name in ('annotations.api.urls', 'metaeval.api')))"


def test_all_views_are_loaded_before_the_first_request(tmp_path: Path) -> None:
    ours = {"DEBUG": "1", "HLV_STATE": str(tmp_path), "DJANGO_SETTINGS_MODULE": "hlvstudy.settings"}
    said = subprocess.run(
        [sys.executable, "-c", CODE], env={**os.environ, **ours}, capture_output=True, text=True, check=True
    )
    assert said.stdout.split() == ["True", "True"]
