"""What every response says about itself."""

import pytest
from django.test import Client

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("address", ["/api/v1/session/", "/api/v1/account/", "/api/v1/nowhere/"])
def test_data_may_load_and_run_nothing_where_a_browser_shows_it_as_a_page(address: str) -> None:
    response = Client().get(address)
    assert response.headers["Content-Type"] == "application/json"
    assert response.headers["Content-Security-Policy"] == "default-src 'none'; frame-ancestors 'none'"


def test_a_page_gets_what_it_needs_and_nothing_from_elsewhere() -> None:
    policy = Client().get("/").headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "http" not in policy
