"""A web process is ready before it takes its first request, and answers HEAD as HTTP asks, whatever serves it."""

import os
import subprocess
import sys

import pytest

CODE = """
import sys, hlvstudy.wsgi
from wsgiref.util import setup_testing_defaults
print(*(name in sys.modules for name in ('annotations.api.urls', 'metaeval.api')))
for method in ("HEAD", "GET"):
    environ = {"REQUEST_METHOD": method, "PATH_INFO": "/health/live"}
    setup_testing_defaults(environ)
    started = []
    body = hlvstudy.wsgi.application(environ, lambda *given: started.extend(given))
    print(started[0][:3], dict(started[1])["Content-Length"], len(b"".join(body)))
"""


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> list[list[str]]:
    """What a process of its own finds, line by line."""
    folder = tmp_path_factory.mktemp("state")
    ours = {"DEBUG": "1", "HLV_STATE": str(folder), "DJANGO_SETTINGS_MODULE": "hlvstudy.settings"}
    ours["PUBLIC_URL"] = "http://127.0.0.1"
    done = subprocess.run(
        [sys.executable, "-c", CODE], env={**os.environ, **ours}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return [line.split() for line in done.stdout.splitlines()]


def test_all_views_are_loaded_before_the_first_request(lines: list[list[str]]) -> None:
    assert lines[0] == ["True", "True"]


def test_head_has_the_status_and_length_of_get_and_no_body(lines: list[list[str]]) -> None:
    (status, length, sent), get = lines[1:]
    assert (sent, get) == ("0", ["200", length, length])
    assert status == "200"
