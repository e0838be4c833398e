"""A real Chromium against the real server (and worker) on a test database."""

import os
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

import pytest
from django.conf import settings
from django.core.signals import request_finished, request_started
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, expect

from annotations.background.jobs import job_models, run_job
from annotations.models import User
from annotations.models.jobs import BackgroundJob, JobState
from tests.browser.study import BrowserStudy, make_browser_study
from tests.conftest import ROOT, missing, wait_until

# Playwright's synchronous interface runs an event loop in this thread, where Django would refuse the database.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"

HERE = Path(__file__).parent
# A page answers at once, but a machine that runs other tests beside these may be slow to let it.
expect.set_options(timeout=20_000)
WORKER_TIME = 120_000
Axe = Callable[[Page], list[str]]
Scheme = Literal["light", "dark"]


@dataclass(frozen=True)
class Look:
    """What a page is looked at with."""

    width: int
    height: int
    scheme: Scheme = "light"


LAPTOP, PHONE = Look(1280, 900), Look(390, 844)
DARK_LAPTOP, DARK_PHONE = Look(1280, 900, "dark"), Look(390, 844, "dark")
IN_EVERY_LOOK = pytest.mark.parametrize(
    "looks",
    [
        pytest.param([LAPTOP], id="laptop"),
        pytest.param([LAPTOP, DARK_LAPTOP, PHONE, DARK_PHONE], id="every-look", marks=pytest.mark.long),
    ],
)
"""What `flaws` looks at a page in; the page is opened in the last of them."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.django_db(transaction=True))


def chromium() -> str | None:
    """HLV_CHROMIUM, or the machine's own; the one that has no window, if it is there, takes a third less to run."""
    wanted = os.environ.get("HLV_CHROMIUM")
    if wanted:
        return wanted if Path(wanted).exists() else None
    names = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    return next((path for name in names if (path := shutil.which(name))), None)


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    path = chromium()
    if path is None:
        missing("Chromium (install it, or point HLV_CHROMIUM to it)")
    if not (ROOT / "frontend" / "dist" / "index.html").is_file():
        missing("the built pages (`make frontend`)")
    # Chromium's sandbox needs a user that is not root. Without a screen it would imitate a graphics card in software,
    # which takes longer than to draw.
    arguments = ["--disable-gpu", *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    return {**browser_type_launch_args, "executable_path": path, "args": arguments}


@pytest.fixture
def study(transactional_db: None) -> BrowserStudy:
    """A small open study with simulated systems, an expert, a researcher and an admin."""
    return make_browser_study()


class OpenPage(Protocol):
    def __call__(
        self, user: User | None = None, *, look: Look = LAPTOP, language: str = "en-GB", url: str = ""
    ) -> Page: ...


@pytest.fixture
def open_page(browser: Browser, live_server: Any) -> Iterator[OpenPage]:
    """Open pages as somebody who is signed in. After the test no page may have broken a rule of its policy."""
    contexts: list[BrowserContext] = []
    complaints: list[str] = []

    def hear(message: ConsoleMessage) -> None:
        if message.type == "error" and "Content Security Policy" in message.text:
            complaints.append(message.text)

    def make(user: User | None = None, *, look: Look = LAPTOP, language: str = "en-GB", url: str = "") -> Page:
        context = browser.new_context(
            base_url=url or live_server.url,
            viewport={"width": look.width, "height": look.height},
            color_scheme=look.scheme,
            locale=language,
            reduced_motion="reduce",
        )
        contexts.append(context)
        context.set_default_timeout(20_000)
        context.on("console", hear)
        context.on("weberror", lambda error: complaints.append(str(error.error)))
        if user is not None:
            sign_in(context, user, url or live_server.url)
        return context.new_page()

    requests = InFlight()
    yield make
    for context in contexts:
        context.close()
    # The database is emptied next: what a closed page had asked for must not be at work in it then.
    wait_until(requests.are_over)
    assert complaints == []


class InFlight:
    """The requests that the server in this process is working on."""

    def __init__(self) -> None:
        self.threads: set[int] = set()
        request_started.connect(self.begin)
        request_finished.connect(self.end)

    def begin(self, **_: object) -> None:
        self.threads.add(threading.get_ident())

    def end(self, **_: object) -> None:
        self.threads.discard(threading.get_ident())

    def are_over(self) -> bool:
        alive = {thread.ident for thread in threading.enumerate()} - {threading.get_ident()}
        return not self.threads & alive


def sign_in(context: BrowserContext, user: User, url: str) -> None:
    """Give the browser a session, as the login page would."""
    client = Client()
    client.force_login(user)
    cookie = client.cookies[settings.SESSION_COOKIE_NAME]
    context.add_cookies([{"name": cookie.key, "value": cookie.value, "url": url}])


def wear(page: Page, look: Look) -> None:
    """Look at an open page with something else."""
    page.set_viewport_size({"width": look.width, "height": look.height})
    page.emulate_media(color_scheme=look.scheme)


def settled(page: Page) -> None:
    """Wait until a page shows all that it opens with: nothing of it is still being fetched or drawn."""
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(page.locator("[data-loading], [aria-busy=true]")).to_have_count(0)


def too_wide(page: Page) -> int:
    """By how many pixels a page scrolls sideways."""
    width: int = page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth")
    return width


def work_off() -> None:
    """Wait for a job, and do in this process what a worker would: for journeys that look at what a page says of it."""

    def waiting() -> list[BackgroundJob]:
        return [job for model in job_models() for job in model._default_manager.filter(state=JobState.QUEUED)]

    wait_until(lambda: bool(waiting()))
    while jobs := waiting():
        for job in jobs:
            run_job(job._meta.label, str(job.pk))


@contextmanager
def step(promise: str) -> Iterator[None]:
    """A promise that a journey keeps on its way. What fails in here names it."""
    try:
        yield
    except BaseException as error:
        error.add_note(f"In the step: {promise}")
        raise


@pytest.fixture(scope="session")
def axe() -> Axe:
    """Look for barriers on a page: every finding that is serious or worse, with where it is."""
    source = (ROOT / "frontend" / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")

    def look(page: Page) -> list[str]:
        if not page.evaluate("() => 'axe' in window"):
            page.evaluate(source)
        # Colours on their way from one state to the next are nobody's.
        found = page.evaluate(
            """async () => {
                await new Promise((frame) => requestAnimationFrame(() => requestAnimationFrame(frame)));
                const moving = document.getAnimations().filter((one) => one.effect?.getComputedTiming().endTime < 1e5);
                await Promise.allSettled(moving.map((one) => one.finished));
                return (await axe.run(document, {
                    resultTypes: ["violations"],
                    runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
                })).violations;
            }"""
        )
        return [
            f"{one['id']} ({one['impact']}): {node['target']} {node['failureSummary']}"
            for one in found
            if one["impact"] in {"serious", "critical"}
            for node in one["nodes"]
        ]

    return look


def flaws(page: Page, axe: Axe, *looks: Look) -> list[str]:
    """What is wrong with a page in each of these looks, or as it is: barriers, and how far it scrolls sideways.

    It stays in the last of them.
    """
    found = []
    for look in looks or (None,):
        where = ""
        if look is not None:
            wear(page, look)
            where = f"{look.scheme} {look.width}: "
        found += [f"{where}{barrier}" for barrier in axe(page)]
        if (sideways := too_wide(page)) > 0:
            found.append(f"{where}scrolls {sideways} pixels sideways")
    return found


def every_look(last: Look) -> list[Look]:
    """Both widths in both colours."""
    return [*(look for look in (LAPTOP, DARK_LAPTOP, PHONE, DARK_PHONE) if look != last), last]
