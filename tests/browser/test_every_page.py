"""Every page of the application: nothing that axe calls serious, none too wide, whatever its width and colours."""

import re

import pytest
from playwright.sync_api import Route, expect

from annotations.models import User
from tests.browser.conftest import DARK_PHONE, IN_EVERY_LOOK, Axe, Look, OpenPage, flaws, settled, step
from tests.browser.study import BrowserStudy
from tests.conftest import ROOT

APP = ROOT / "frontend" / "src" / "app.tsx"
SIGNS = {
    "": "My studies",
    "/account": "Your account",
    "/studies/:slug/preview/:part?": "Welcome to the study",
    "/studies/new": "Start a study",
    "/studies/:slug": "Progress",
    "/studies/:slug/design/:step?": "Plan",
    "/studies/:slug/people": "People",
    "/studies/:slug/assignments": "Assignments",
    "/studies/:slug/problems": "Reported problems",
    "/studies/:slug/results": "All runs",
    "/studies/:slug/export": "Exports",
    "/studies/:slug/history": "History",
    "/datasets": "Datasets",
    "/datasets/:slug": "Problems",
    "/datasets/:slug/texts/:position": "Every annotation",
    "/datasets/:slug/labels": "Labels",
    "/datasets/:slug/systems": "Systems",
    "/datasets/:slug/import": "Import predictions",
    "/datasets/:slug/trainings": "Train systems",
    "/datasets/:slug/trainings/new": "New training",
    "/datasets/:slug/uses": "Used by",
    "/datasets/:slug/analyses": "Analyses of Problems",
    "/analyses": "Analyses",
    "/imports": "Import",
    "/tokens": "API tokens",
    "/system/people": "People with accounts",
    "/system/health": "Settings and versions",
    "*": "Page not found",
}
"""The heading that says that a page is there, by its route."""

ELSEWHERE = {
    "/login": "test_accessibility.py",
    "/invitation": "test_accessibility.py",
    "/login/provider": "test_provider.py",
    "/demo": "test_demo.py",
    "/studies/:slug/annotate": "test_accessibility.py",
    "/studies/:slug/answers": "test_looking_back.py",
    "/studies/:slug/answers/:token": "test_looking_back.py",
    "/studies/:slug/practice": "test_accessibility.py",
    "/runs/:id": "test_results.py",
    "/runs/:id/compare/:other": "test_results.py",
    "/studies/:slug/results/:analysis/:number": "test_results.py",
    "/studies/:slug/results/:analysis/:number/compare/:earlier": "test_results.py",
    "/imports/:id": "test_story.py",
    "/trainings/:id": "test_training.py",
}
"""What needs somebody else, or work that was done before, and which file looks at it."""


def test_every_page_is_looked_at() -> None:
    assert sorted(routes()) == sorted({*SIGNS, *ELSEWHERE})


@IN_EVERY_LOOK
def test_no_page_has_a_serious_barrier_or_scrolls_sideways(
    open_page: OpenPage, study: BrowserStudy, axe: Axe, looks: list[Look]
) -> None:
    page = open_page(superuser(study), look=looks[-1])
    page.goto("/")
    found: dict[str, list[str]] = {}
    for route, sign in SIGNS.items():
        page.evaluate(GO_ON, address(route, study))
        expect(page.get_by_role("heading", name=sign, exact=True).first).to_be_visible()
        settled(page)
        found[route] = flaws(page, axe, *looks)
        for name in ("Pause", "Close permanently") if route in STOPS_A_STUDY else ():
            with step(f"buttons that stop a study stand on its overview and design only: {route}"):
                stopping = page.get_by_role("button", name=name, exact=True)
                expect(stopping).to_have_count(int(STOPS_A_STUDY[route]))
    assert {route: here for route, here in found.items() if here} == {}
    with step("the skip link leads past the header"):
        page.goto("/studies/areas")
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        page.keyboard.press("Tab")
        expect(page.get_by_role("link", name="Skip to the main content", exact=True)).to_be_focused()
        page.keyboard.press("Enter")
        assert page.evaluate("() => document.activeElement.id") == "main"


GO_ON = "to => { history.pushState(null, '', to); dispatchEvent(new PopStateEvent('popstate')); }"
"""To another page as its link leads there, without loading the application again."""
STOPS_A_STUDY = {
    "/studies/:slug": True,
    "/studies/:slug/design/:step?": True,
    "/studies/:slug/people": False,
    "/studies/:slug/export": False,
}


def superuser(study: BrowserStudy) -> User:
    """Somebody who may see every page."""
    study.admin.is_superuser = True
    study.admin.save()
    return study.admin


WITHOUT_DATA = {"*", "/datasets/:slug/import"}
"""Pages that show something of their own when nothing can be had."""


@pytest.mark.long
def test_what_cannot_be_had_is_said_and_can_be_asked_for_again(
    open_page: OpenPage, study: BrowserStudy, axe: Axe
) -> None:
    page = open_page(superuser(study), look=DARK_PHONE)
    found: dict[str, list[str]] = {}
    for route in sorted(SIGNS.keys() - WITHOUT_DATA):
        with step(route):
            page.route(ALL_BUT_WHO_ASKS, out_of_order)
            page.goto(address(route, study))
            expect(page.get_by_role("alert").first).to_be_visible()
            found[route] = flaws(page, axe)
            page.unroute(ALL_BUT_WHO_ASKS, out_of_order)
            page.wait_for_function(TRY_AGAIN, polling=100)
    assert {route: here for route, here in found.items() if here} == {}


TRY_AGAIN = """() => {
    document.querySelectorAll("[role=alert] button:not([data-asked])").forEach((button) => {
        button.dataset.asked = "once";  // a second click would cancel what the first asked for
        button.click();
    });
    return document.querySelector("[role=alert]") === null;
}"""
"""Ask again until nothing is missing: one answer can bring what another question follows from."""

ALL_BUT_WHO_ASKS = re.compile(r"/api/v1/(?!session/)")


def out_of_order(route: Route) -> None:
    route.fulfill(status=500, json={"code": "error", "detail": "Something went wrong.", "data": {}, "fields": {}})


def routes() -> list[str]:
    """The addresses in app.tsx that show a page of their own, put together from what encloses them.

    A route without children closes itself; one that only sends elsewhere shows nothing.
    """
    found, enclosing = [], [""]
    for opened, inside in re.findall(r"<(/?)Route\b((?:[^<>]|<[A-Z][^>]*?/>|<[A-Z][^>]*?>(?=\}))*)>", APP.read_text()):
        if opened:
            enclosing.pop()
            continue
        path = re.search(r'path="([^"]*)"', inside)
        own = (path[1] if path[1].startswith(("/", "*")) else f"{enclosing[-1]}/{path[1]}") if path else enclosing[-1]
        if not inside.rstrip().endswith("/"):
            enclosing.append(own)
        elif "<Navigate" not in inside:
            found.append(own)
    return found


def address(route: str, study: BrowserStudy) -> str:
    """Where a route leads to, of this study or its dataset."""
    slug = study.study.dataset.slug if route.startswith("/datasets") else study.study.slug
    named = route.replace(":slug", slug).replace(":position", "0").replace("*", "/nowhere")
    return re.sub(r"/:\w+\?", "", named) or "/"
