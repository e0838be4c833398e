"""Nothing that comes over the line names a source: pages, scripts, styles, answers, and what goes wrong."""

import json

from playwright.sync_api import Response, expect

from tests.browser.answering import begin, expect_done, label
from tests.browser.conftest import OpenPage, settled
from tests.browser.study import TITLE, BrowserStudy


def test_no_file_page_answer_or_error_names_a_source(open_page: OpenPage, study: BrowserStudy) -> None:
    page = open_page(study.expert.user)
    received: dict[str, str] = {}

    def keep(response: Response) -> None:
        name = f"{response.request.method} {response.url} {response.status}"
        has_none = response.request.resource_type == "font" or 300 <= response.status < 400
        body = b"" if has_none else response.body()
        received[name] = f"{json.dumps(response.headers)}\n{body.decode(errors='replace')}"

    page.on("requestfinished", lambda request: keep(answer) if (answer := request.response()) else None)
    page.goto("/")
    page.get_by_role("link", name=TITLE, exact=True).click()
    expect(page.get_by_role("heading", name="My studies", exact=True)).to_be_visible()
    begin(page)
    label(page, "Privacy")
    page.keyboard.type("b3")
    page.get_by_role("button", name="Submit", exact=True).click()
    expect_done(page, 1)
    for address in ("/studies/areas", "/studies/areas/results", "/nowhere", "/runs/1", "/imports"):
        page.goto(address)
        settled(page)
        received[f"the page at {address}"] = page.content()
    # What a curious person types in by hand, and what they break on purpose.
    for method, address in (
        ("GET", "/api/studies/areas/"),
        ("GET", "/api/studies/areas/plan/"),
        ("GET", "/api/nothing/"),
        ("GET", "/static/nothing.js"),
        ("GET", "/admin/"),
        ("POST", "/api/assignments/00000000-0000-0000-0000-000000000001/labels/"),
        ("POST", "/api/studies/areas/next/"),
        ("DELETE", "/api/studies/areas/next/"),
    ):
        answer = page.request.fetch(address, method=method, fail_on_status_code=False)
        received[f"{method} {address} {answer.status}"] = f"{json.dumps(answer.headers)}\n{answer.text()}"

    kinds = [name for name in received if ".js" in name or ".css" in name]
    assert len(kinds) >= 4
    assert any('"comparison":{' in body for body in received.values())  # step 2 was among what was looked at
    # What the server answers is in its own words only: they must not even say that a side is people's.
    answers = {name: body for name, body in received.items() if "/api/" in name}
    telling = {name: [word for word in study.sources if word.lower() in body.lower()] for name, body in answers.items()}
    assert {name: words for name, words in telling.items() if words} == {}
    # Words of the pages themselves are the same for every study, and so tell nothing about this one.
    secret = {word.lower() for word in study.sources - {"human", "predicted"}}
    assert len(secret) > 10
    found = {name: [word for word in secret if word in body.lower()] for name, body in received.items()}
    assert {name: words for name, words in found.items() if words} == {}
