"""The API's description as pages: for researchers, from this server alone, within the policy of all pages."""

import re

import pytest
from django.contrib.staticfiles import finders
from django.test import Client

from annotations.models import User

pytestmark = pytest.mark.django_db
PAGE = "/api/v1/docs/"


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
