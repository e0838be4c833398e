"""The server does not start on a setting that would expose anybody."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from hlvstudy.security import insecure_settings, refuse_insecure_metrics, secret_key_of

GOOD = {"debug": False, "secret_key": "k" * 50, "public_url": "https://study.example.org"}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"secret_key": ""}, "SECRET_KEY is not set"),
        ({"secret_key": "short"}, "SECRET_KEY is shorter"),
        ({"public_url": "http://study.example.org"}, "unencrypted"),
        ({"public_url": "study.example.org"}, "not an address"),
        ({"debug": True}, "DEBUG is on"),
        ({"demo": True}, "HLV_DEMO is on"),
        ({"demo": True, "public_url": "https://127.0.0.1"}, "HLV_DEMO is on"),
    ],
)
def test_an_insecure_setting_is_named_with_its_remedy(change: dict[str, object], says: str) -> None:
    problems = insecure_settings(**{**GOOD, **change})
    assert len(problems) == 1
    assert says in problems[0]
    assert "et " in problems[0], "it says what to set"


def test_a_demo_is_for_this_machine_alone_whatever_else_is_set() -> None:
    for debug in (True, False):
        for url in ("http://study.example.org", "http://127.0.0.1.example.org", "http://10.0.0.7:8000"):
            problems = insecure_settings(debug=debug, secret_key="k" * 50, public_url=url, demo=True)
            assert any("HLV_DEMO is on" in problem for problem in problems), url
    for url in ("http://127.0.0.1:8000", "http://localhost:8000", "http://[::1]:8000"):
        assert insecure_settings(debug=False, secret_key="k" * 50, public_url=url, demo=True) == []


def test_good_settings_are_not_complained_about() -> None:
    assert insecure_settings(**GOOD) == []
    assert insecure_settings(debug=False, secret_key="k" * 50, public_url="http://127.0.0.1:8000") == []
    assert insecure_settings(debug=True, secret_key="", public_url="http://localhost:8000") == []


def test_a_server_for_this_machine_alone_keeps_a_random_key_of_its_own(tmp_path: Path) -> None:
    keys = {secret_key_of(tmp_path / name, public_url="http://127.0.0.1:8000") for name in ("one", "two", "one")}
    assert len(keys) == 2, "sessions survive a restart, and no two servers share a key"
    for key in keys:
        assert insecure_settings(debug=False, secret_key=key, public_url="http://127.0.0.1:8000") == []
    (kept,) = (tmp_path / "one").iterdir()
    assert kept.stat().st_mode & 0o077 == 0


def test_processes_that_start_at_once_have_one_key(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        keys = set(pool.map(lambda _: secret_key_of(tmp_path, public_url="http://localhost"), range(32)))
    assert len(keys) == 1
    assert len(list(tmp_path.iterdir())) == 1


def test_a_server_for_others_is_given_its_key(tmp_path: Path) -> None:
    assert secret_key_of(tmp_path, public_url="https://study.example.org") == ""
    assert list(tmp_path.iterdir()) == []


def test_the_server_says_it_in_plain_words_and_not_as_a_traceback(tmp_path: Path) -> None:
    env = {key: value for key, value in os.environ.items() if key not in {"SECRET_KEY", "DEBUG"}}
    env |= {"DJANGO_SETTINGS_MODULE": "hlvstudy.settings", "HLV_STATE": str(tmp_path)}
    env |= {"PUBLIC_URL": "http://study.example.org"}
    done = subprocess.run([sys.executable, "manage.py", "check"], env=env, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "SECRET_KEY is not set" in done.stderr
    assert "unencrypted" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("token", "networks", "says"),
    [("short", [], "shorter than 16"), ("", ["here"], "not a network"), ("", ["0.0.0.0/0"], "is everybody")],
)
def test_figures_that_strangers_could_read_are_refused(token: str, networks: list[str], says: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=says):
        refuse_insecure_metrics(token=token, networks=networks)
