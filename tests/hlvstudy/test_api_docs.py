"""The API's description as pages: for researchers, from this server alone, within the policy of all pages."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.test import Client

from annotations.models import User

pytestmark = pytest.mark.django_db
PAGE = "/api/v1/docs/"
ROOT = Path(__file__).resolve().parents[2]


def test_it_loads_nothing_from_another_host_and_has_no_script_inside(client: Client) -> None:
    client.force_login(User.objects.create_superuser("root@example.org"))
    page = client.get(PAGE)
    assert page["Content-Type"].startswith("text/html")
    loaded = re.findall(r'(?:src|href)="([^"]+)"', page.content.decode())
    assert len(loaded) == 3
    assert all(address.startswith(("/static/", "?")) for address in loaded)
    assert all(finders.find(address.removeprefix("/static/")) for address in loaded if address.startswith("/static/"))
    assert "<script>" not in page.content.decode()
    script = client.get(f"{PAGE}?script=1")
    assert script["Content-Type"].startswith("text/javascript")
    assert "https:" not in script.content.decode()


def test_it_is_for_who_may_see_the_schema(client: Client, make_user) -> None:
    assert client.get(PAGE).status_code == 401
    client.force_login(make_user())
    assert client.get(PAGE).status_code == client.get("/api/v1/schema/").status_code == 404


ASKING_AT_ONCE = """
import sys, threading
import django
django.setup()
from django.urls import resolve
from rest_framework.test import APIRequestFactory

view = resolve("/api/v1/schema/").func.cls.as_view(permission_classes=[], authentication_classes=[])
sys.setswitchinterval(1e-5)
starting, found = threading.Barrier(4), []

def ask():
    starting.wait()
    found.append(view(APIRequestFactory().get("/api/v1/schema/")).content)

threads = [threading.Thread(target=ask) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert [len(one) for one in found] == [len(found[0])] * 4
"""


@pytest.mark.long
def test_the_first_who_ask_for_the_schema_at_once_all_get_it() -> None:
    """In a process that has not made it: the library keeps what it knows of its classes in the process."""
    asking = subprocess.run(
        [sys.executable, "-c", ASKING_AT_ONCE], cwd=ROOT, capture_output=True, text=True, timeout=300, check=False
    )
    assert asking.returncode == 0, asking.stderr
