"""A whole study on real files, from an empty database to the report: by keyboard, and nothing typed at a shell.

`make pictures` keeps a picture of every station at both widths: the pages of docs show them.
"""

import os
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Locator, Page, expect

from annotations.models import PreferenceResponse, Study, StudyState, User
from tests.browser.answering import past_a_double_click
from tests.browser.conftest import WORKER_TIME, OpenPage
from tests.browser.pictures import small
from tests.browser.study import PASSWORD
from tests.conftest import wait_until

PEOPLE = ("erin@example.org", "farid@example.org", "grace@example.org")
SIDEWAYS = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
Role = Literal["button", "link", "checkbox", "radio", "switch", "menuitem", "tab"]


class Hand:
    """One person at a keyboard. Every control that they use, and every field that they fill, is one act."""

    acts = 0

    def __init__(self, page: Page, axe: Callable[[Page], list[str]]) -> None:
        self.page = page
        self.axe = axe
        self.barriers: dict[str, list[str]] = {}

    def press(
        self,
        role: Role,
        name: str | re.Pattern[str],
        *,
        within: Locator | None = None,
        wait: int = 0,
        first: bool = False,
    ) -> None:
        """Focus a control and use it with the key that it takes."""
        inside = within or self.page.locator("body")
        wanted = name if isinstance(name, re.Pattern) else re.compile(f"^{re.escape(name)}$")
        control = inside.get_by_role(role, name=re.compile(wanted))
        control = control.first if first else control
        expect(control).to_be_enabled(timeout=wait or 20_000)
        control.focus()
        self.page.keyboard.press("Space" if role in {"checkbox", "radio", "switch"} else "Enter")
        Hand.acts += 1

    def fill(self, label: str, text: str, *, within: Locator | None = None) -> None:
        (within or self.page.locator("body")).get_by_label(label, exact=True).fill(text)
        Hand.acts += 1

    def pick(self, label: str, option: str | re.Pattern[str], *, within: Locator | None = None) -> None:
        field = (within or self.page.locator("body")).get_by_label(label, exact=True)
        chosen = field.locator("option").filter(has_text=option).first
        expect(chosen).to_be_attached()
        field.select_option(value=chosen.get_attribute("value") or "")
        Hand.acts += 1

    def upload(self, files: list[Path]) -> None:
        with self.page.expect_file_chooser() as chooser:
            self.page.get_by_label("Files", exact=True).focus()
            self.page.keyboard.press("Enter")
        Hand.acts += 1
        chooser.value.set_files(files)

    def sees(self, what: str | re.Pattern[str], *, wait: int = 20_000) -> None:
        wanted = what if isinstance(what, re.Pattern) else re.compile(f"^{re.escape(what)}$")
        found = self.page.get_by_text(re.compile(wanted))
        expect(found.first).to_be_visible(timeout=wait)

    def stands(self, station: str) -> None:
        """Look at the page as it is: barriers, at both widths, and a picture if one is wanted."""
        folder = os.environ.get("HLV_TOUR")
        found = self.axe(self.page)
        self.page.evaluate("() => window.scrollTo(0, 0)")
        for width, height in ((390, 844), (1280, 900)):
            self.page.set_viewport_size({"width": width, "height": height})
            expect(self.page.get_by_text("Fetching the figure…", exact=True)).to_have_count(0, timeout=WORKER_TIME)
            sideways = self.page.evaluate(SIDEWAYS)
            found += [f"scrolls {sideways} pixels sideways at {width}"] if sideways > 0 else []
            if folder:
                picture = small(self.page.screenshot(animations="disabled"))
                (Path(folder) / f"tour-{station}-{width}.webp").write_bytes(picture)
        self.barriers |= {station: found} if found else {}

    def goes_on(self, to: str) -> None:
        """To the next step of the set-up."""
        self.press("link", f"Next: {to}")
        expect(self.page.locator("#step")).to_have_text(to)


def import_what_is_needed(ann: Hand, chaos: Path) -> None:
    """The texts with what people said, then one model at three temperatures: three systems."""
    ann.press("link", "Import a dataset")
    ann.fill("Short name", "snli")
    ann.fill("Title (optional)", "ChaosNLI")
    ann.upload([chaos / "chaosNLI_snli.jsonl"])
    ann.press("button", "Check the files")
    ann.press("button", "Import", wait=WORKER_TIME)
    ann.sees("Imported.", wait=WORKER_TIME)
    ann.stands("imported")
    ann.press("link", "import system predictions for them")
    for temperature in ("0.5", "1", "3"):
        ann.pick("Format", "ChaosNLI predictions")
        ann.fill("Temperature", temperature)
        ann.upload(sorted(chaos.glob("SNLI_*_roberta-base_0.json")))
        ann.press("button", "Check the files")
        ann.press("button", "Import", wait=WORKER_TIME)
        ann.sees("Imported.", wait=WORKER_TIME)


def look_at_the_texts(ann: Hand) -> None:
    ann.press("link", "Texts")
    ann.sees("Texts 1 to 25 of 1,514")
    ann.stands("texts")
    ann.pick("Order", "Worst predictions first")
    ann.press("button", "Find")
    expect(ann.page).to_have_url(re.compile("order=worst"))
    ann.sees(re.compile("systems off by"))  # the list in the new order: until it has come, the old one stays
    ann.press("link", re.compile(r"[.]jpg#"), first=True)
    ann.page.wait_for_url("**/texts/*")
    expect(ann.page.get_by_role("heading", name=re.compile(r"[.]jpg#"))).to_be_visible()
    ann.stands("text")


def set_up(ann: Hand) -> None:
    ann.page.goto("/")
    ann.press("link", "Start a study")
    ann.fill("Title", "Does it follow?")
    ann.press("radio", "As in the original study")
    ann.press("button", "Create the draft")
    ann.page.wait_for_url("**/design")
    ann.goes_on("What is compared")
    ann.stands("set-up-compared")
    ann.goes_on("What experts are asked")
    ann.fill("Instructions", "Read **both** sentences.\n\n- Does the second follow from the first?")
    ann.goes_on("How much")
    ann.fill("Texts per system", "4")
    ann.fill("Experts per comparison", "2")
    ann.sees(re.compile("12 comparisons, 24 answers"))
    ann.stands("set-up-amount")
    ann.goes_on("People")
    ann.goes_on("Analysis plan")
    ann.goes_on("Check and open")
    ann.press("button", "Create the plan")
    expect(ann.page.get_by_role("button", name="Create a new plan", exact=True)).to_be_visible()
    ann.stands("set-up-check")


def try_it(ann: Hand) -> None:
    """The experts' pages with a real text, storing nothing."""
    ann.press("link", "Try it as an expert")
    ann.press("checkbox", re.compile("agree|take part"))
    ann.press("button", "Agree and continue")
    ann.press("button", "Begin without practice")
    ann.press("radio", "neutral")
    past_a_double_click(ann.page)
    ann.press("button", "Continue")
    expect(ann.page.get_by_role("slider")).to_be_visible()
    ann.stands("preview")
    ann.press("link", "Back to the design")
    assert not PreferenceResponse.objects.exists()


def invite(ann: Hand) -> list[str]:
    """Three experts; gives the links that the page shows, once."""
    ann.press("link", "People")
    ann.press("button", "Invite people")
    form = ann.page.get_by_role("form", name="Invite people", exact=True)
    ann.fill("E-mail addresses", "\n".join(PEOPLE), within=form)
    ann.press("button", "Create links", within=form)
    links = ann.page.get_by_role("region", name="3 links", exact=True)
    expect(links).to_be_visible()
    found = links.locator("code").all_inner_texts()
    ann.stands("invited")
    ann.press("button", "I have sent them")
    return [address[address.index("/invitation#") :] for address in found if "/invitation#" in address]


def move(ann: Hand, button: str, then: str = "") -> None:
    """Pilot, open or close: asked once."""
    ann.press("button", button)
    dialog = ann.page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    ann.stands(then) if then else None
    ann.press("button", button, within=dialog)
    expect(dialog).to_have_count(0)


def arrive(expert: Hand, link: str) -> None:
    expert.page.goto(link)
    expert.press("checkbox", re.compile("agree|take part"))
    expert.fill("Choose a password", PASSWORD)
    expert.press("button", "Agree and continue")
    expert.press("button", "Begin without practice")


def answer(expert: Hand, texts: int) -> None:
    for number in range(texts):
        expert.press("radio", "entailment")
        past_a_double_click(expert.page)
        expert.press("button", "Continue")
        expect(expert.page.get_by_role("slider")).to_be_visible()
        past_a_double_click(expert.page)
        answers = expert.page.get_by_role("radiogroup")
        is_one = answers.get_by_role("radio").count() == 2  # both sides look the same: both or neither
        expert.press("radio", re.compile("^Both" if is_one or number % 3 else "^B is"))
        expert.page.keyboard.press("4")
        stored = PreferenceResponse.objects.count()
        expert.press("button", "Submit")
        wait_until(lambda stored=stored: PreferenceResponse.objects.count() == stored + 1)


def one_leaves_and_another_gets_a_text(ann: Hand) -> None:
    ann.press("link", "People")
    ann.stands("people")
    ann.press("button", "Remove grace@example.org")
    leaving = ann.page.get_by_role("dialog")
    ann.press("button", "Remove", within=leaving)
    expect(leaving).to_have_count(0)
    ann.press("link", "Assignments")
    ann.press("checkbox", "Comparison 11")
    ann.pick("Expert to assign to", re.compile("^Expert 1"))
    ann.press("button", "Assign the comparisons")
    ann.sees(re.compile("^Expert 1, not started"))
    ann.stands("assignments")


def conclude(ann: Hand) -> None:
    """The paper's question, the answers as a table, and the report."""
    ann.press("link", "Results")
    ann.stands("results")
    ann.press("button", re.compile("^Run analysis: Which metric"))
    ann.sees("Finished", wait=3 * WORKER_TIME)  # all that computes is imported and compiled first
    ann.stands("result")
    ann.press("link", re.compile("Does it follow[?]$"))
    ann.press("link", "Export")
    ann.press("button", "Create the file")
    made = ann.page.get_by_role("region", name="Exported files, newest first", exact=True)
    expect(made.get_by_role("row")).to_have_count(2, timeout=WORKER_TIME)
    ann.press("button", "Create a report (PDF)")
    report = ann.page.get_by_role("region", name="Reports and bundles, newest first", exact=True)
    expect(report.get_by_role("row")).to_have_count(2, timeout=WORKER_TIME)
    ann.stands("export")
    with ann.page.expect_download() as taken:
        ann.press("link", "Download", within=report)
    assert taken.value.path().read_bytes().startswith(b"%PDF")
    ann.press("link", "History")
    ann.stands("history")


@pytest.mark.usefixtures("celery_worker_process", "transactional_db")
def test_a_study_goes_from_an_empty_database_to_its_report_without_a_command(
    open_page: OpenPage, axe: Callable[[Page], list[str]], shared_data: Path, record_property: Callable[..., None]
) -> None:
    began = time.monotonic()
    Hand.acts = 0
    User.objects.create_superuser("ann@example.org", PASSWORD)  # as `createsuperuser` does; the last thing at a shell
    ann = Hand(open_page(), axe)
    ann.page.goto("/")
    ann.fill("E-mail address", "ann@example.org")
    ann.fill("Password", PASSWORD)
    ann.press("button", "Sign in")
    expect(ann.page.get_by_role("heading", name="Import a dataset", exact=True)).to_be_visible()
    ann.stands("home")
    import_what_is_needed(ann, shared_data / "chaosnli")
    look_at_the_texts(ann)
    set_up(ann)
    try_it(ann)
    links = invite(ann)
    assert len(links) == len(PEOPLE)
    experts = [Hand(open_page(), axe) for _ in links]

    ann.press("link", "Design")
    ann.press("link", "7. Check and open")
    move(ann, "Start a pilot")
    for expert, link in zip(experts, links, strict=True):
        arrive(expert, link)
    for expert in experts[:2]:
        answer(expert, 1)
    ann.press("link", "Overview")
    move(ann, "Open the study for experts", then="open")
    one_leaves_and_another_gets_a_text(ann)
    for expert in experts[:2]:
        expert.page.reload()
        answer(expert, 6)
    ann.press("link", "Overview")
    ann.sees(re.compile("12 of 24 answers are in[.]"))
    ann.stands("overview")
    move(ann, "Close permanently")
    conclude(ann)

    study = Study.objects.get()
    assert study.state == StudyState.CLOSED
    assert {who: found.barriers for who, found in {"ann": ann}.items() if found.barriers} == {}
    record_property("acts", Hand.acts)
    record_property("minutes", round((time.monotonic() - began) / 60, 2))
