"""The pages of results: they open with the answer, are short before anything is unfolded, and compare two runs."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotations.background import jobs
from annotations.models import Assignment, Event, EventKind, Role, Study, User
from annotations.simulating.responses import simulate_study
from metaeval.analyses.base.registry import analyses
from metaeval.analyses.inputs import SubjectKind
from metaeval.analyses.inputs.gathering import Subject
from metaeval.jobs.models import AnalysisRun
from metaeval.jobs.runs import rerun, start_run
from tests.browser.conftest import DARK_PHONE, LAPTOP, PHONE, WORKER_TIME, Look, OpenPage, Scheme
from tests.browser.study import BrowserStudy
from tests.metaeval.analyses.test_all import CASES, OF_SEVERAL
from tests.metaeval.datasets import annotated_dataset, voted_dataset
from tests.metaeval.studies import answered_study
from tests.worlds.studies import make_member

SCREENS = 3
"""How long a page may be before something is unfolded, in heights of the window."""
SIZES: tuple[tuple[int, int, Scheme], ...] = ((1280, 800, "light"), (390, 844, "dark"))
SIDEWAYS = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
HEIGHT = "() => document.documentElement.scrollHeight"
IN_SIGHT = "() => document.querySelector('main').innerText"
SECRETS = re.compile(r"[0-9a-f]{12,}|[0-9a-f]{8}-[0-9a-f]{4}|SHA-?256", re.IGNORECASE)
"""Hashes and UUIDs: nobody reads them, and whoever needs one unfolds it."""

OPENS_WITH_ITS_SENTENCE = """() => {
    const top = (one) => one === null ? Infinity : one.getBoundingClientRect().top;
    const main = document.querySelector("main");
    const answer = main.querySelector("[data-answer]");
    if (!answer) return "no answer";
    const figure = top(main.querySelector("[role=img]")), table = top(main.querySelector("table"));
    const first = main.querySelector("h1").getBoundingClientRect().bottom;
    if (top(answer) < first || top(answer) > Math.min(figure, table)) return "the answer is not first";
    return answer.getBoundingClientRect().bottom <= window.innerHeight ? "" : "the answer is not all in sight";
}"""


@pytest.fixture(autouse=True)
def _no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs.run_job, "apply_async", lambda *_, **_options: None)


def done(run: AnalysisRun) -> AnalysisRun:
    jobs.run(AnalysisRun, run.pk)
    found: AnalysisRun = AnalysisRun.objects.get(pk=run.pk)
    assert found.state == "succeeded", found.error
    return found


def asked(study: Study, **change: Any) -> AnalysisRun:
    asked_for: dict[str, Any] = {"analysis": "preference_correlation", "parameters": {"permutations": 200}, **change}
    return done(start_run(subject=Subject.of_study(study), **asked_for))


def of_the_demos_size() -> Study:
    """As many systems and experts as the demo's, its title, and the mark of simulated data: these take the room."""
    study: Study = answered_study(systems=26, instances=30, experts=25, is_simulated=True).study
    study.title = "Areas of law in everyday problems (demo)"
    study.save(update_fields=["title"])
    return study


def of_every_kind() -> Iterator[AnalysisRun]:
    """A run of every analysis about everything that it can be about; the study has as many systems as a real one."""
    of = {
        SubjectKind.STUDY: Subject.of_study(of_the_demos_size()),
        SubjectKind.DATASET: Subject.of_dataset(annotated_dataset()),
        SubjectKind.VOTES: Subject.of_dataset(voted_dataset(), kind=SubjectKind.VOTES),
        SubjectKind.DATASETS: Subject.of_datasets([annotated_dataset("one"), annotated_dataset("two", seed=4)]),
        SubjectKind.NOTHING: Subject.nothing(),
    }
    for name, kind in CASES:
        more = OF_SEVERAL.get(name, {}) if kind == SubjectKind.DATASETS else {}
        parameters = {**analyses.get(name).example, **more}
        yield done(start_run(subject=of[kind], analysis=name, parameters=parameters, seed=1))


def test_every_page_opens_with_its_sentence_and_is_short(
    open_page: OpenPage, axe: Callable[[Page], list[str]], transactional_db: None
) -> None:
    root = User.objects.create_superuser("root@example.org", "a long password")
    page = open_page(root)
    page.set_default_timeout(WORKER_TIME)
    found: dict[str, object] = {}
    for run in of_every_kind():
        name = f"{run.analysis} of {run.subject}"
        for width, height, scheme in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            page.emulate_media(color_scheme=scheme)
            page.goto(f"/runs/{run.pk}")
            expect(page.locator("[data-answer]")).to_be_visible()
            if run.figures:
                expect(page.locator("section[aria-busy=false] svg.marks")).to_have_count(1, timeout=WORKER_TIME)
            at = f"{name} {width}"
            if (tall := page.evaluate(HEIGHT)) > SCREENS * height:
                found[f"{at}: height"] = tall
            if trouble := page.evaluate(OPENS_WITH_ITS_SENTENCE):
                found[f"{at}: opens"] = trouble
            if secrets := SECRETS.findall(page.evaluate(IN_SIGHT)):
                found[f"{at}: in sight"] = secrets
            if sideways := page.evaluate(SIDEWAYS):
                found[f"{at}: sideways"] = sideways
            if barriers := axe(page):
                found[f"{at}: axe"] = barriers
    assert found == {}


@pytest.mark.parametrize("look", [LAPTOP, DARK_PHONE], ids=["laptop", "dark-phone"])
def test_two_runs_stand_side_by_side(
    open_page: OpenPage, study: BrowserStudy, axe: Callable[[Page], list[str]], look: Look
) -> None:
    simulate_study(study=study.study, beside_people=True)
    asked(study.study, seed=1)
    asked(study.study, seed=2, parameters={"permutations": 300})
    page = open_page(study.researcher, look=look)
    page.goto("/studies/areas/results/preference_correlation/2")
    page.get_by_role("button", name="Compare", exact=True).press("Enter")
    choice = page.get_by_role("dialog")
    expect(choice.get_by_role("link")).to_have_count(1)
    assert axe(page) == []
    choice.get_by_role("link", name=re.compile("^Result 1, ")).press("Enter")
    page.wait_for_url("**/studies/areas/results/preference_correlation/2/compare/1")
    expect(
        page.get_by_text(re.compile("^[0-9,]+ table cells differ\\. These changed in between: .the settings"))
    ).to_be_visible()
    settings = page.get_by_role("region", name="Different settings", exact=True)
    expect(settings.get_by_role("row", name="Random orders to compare with 200 300", exact=True)).to_be_visible()
    expect(settings.get_by_role("row", name="Seed 1 2", exact=True)).to_be_visible()
    expect(page.get_by_text("Both use the same data.", exact=True)).to_be_visible()
    table = page.get_by_role("region", name=re.compile("^Correlation of each metric with "))
    expect(table.get_by_role("rowheader")).to_have_count(6)
    expect(table.get_by_role("columnheader", name="Difference", exact=True).first).to_be_visible()
    assert axe(page) == []
    assert page.evaluate(SIDEWAYS) == 0


def test_a_comparison_says_when_every_number_is_the_same_and_when_the_data_changed(
    open_page: OpenPage, study: BrowserStudy
) -> None:
    simulate_study(study=study.study, beside_people=True)
    first = asked(study.study, seed=1)
    again = done(rerun(run=first))
    page = open_page(study.researcher)
    page.goto(f"/runs/{first.pk}/compare/{again.pk}")
    expect(page.get_by_text(re.compile("^All numbers are the same: [0-9,]+ table cells were compared"))).to_be_visible()
    answered = study.study.assignments.filter(is_pilot=False, preferenceresponses__isnull=False).first()
    assert answered is not None
    Assignment.objects.filter(pk=answered.pk).update(is_pilot=True)
    changed = asked(study.study, seed=1)
    page.goto(f"/runs/{again.pk}/compare/{changed.pk}")
    expect(page.get_by_text("The data changed in between.", exact=True)).to_be_visible()
    expect(page.get_by_role("region", name="Different counts", exact=True)).to_be_visible()


def test_a_link_is_copied_says_who_can_open_it_and_opens_for_nobody_else(
    open_page: OpenPage, study: BrowserStudy
) -> None:
    simulate_study(study=study.study, beside_people=True)
    run = asked(study.study, seed=1)
    page = open_page(study.researcher)
    page.context.grant_permissions(["clipboard-write"])
    page.goto(f"/runs/{run.pk}")
    page.get_by_role("button", name="Copy link", exact=True).press("Enter")
    said = page.get_by_role("status").filter(has_text="Researchers and admins of this study can open it.")
    expect(said).to_contain_text("Copied.")
    link = pasted(page)
    assert link.endswith("/studies/areas/results/preference_correlation/1")
    page.goto(link)
    expect(page.locator("[data-answer]")).to_be_visible()
    assert Event.objects.filter(kind=EventKind.UNBLINDED_VIEW).count() == 1
    stranger = User.objects.create_user("stranger@example.org", "a long password")
    for user in (stranger, study.expert.user):
        other = open_page(user, look=PHONE)
        other.goto(link)
        expect(other.get_by_role("alert")).to_be_visible()
        expect(other.locator("[data-answer]")).to_have_count(0)


def pasted(page: Page) -> str:
    """What was copied, as somebody pastes it: the pages' own policy lets no script read the clipboard."""
    page.evaluate("() => document.body.append(Object.assign(document.createElement('textarea'), { id: 'paste-here' }))")
    page.locator("#paste-here").press("Control+v")
    return page.locator("#paste-here").input_value()


def test_what_is_folded_opens_by_keyboard_and_fetches_its_figure_then(
    open_page: OpenPage, study: BrowserStudy, axe: Callable[[Page], list[str]]
) -> None:
    simulate_study(study=study.study, beside_people=True)
    make_member(study.study, Role.ADMIN, "second@example.org")
    asked(study.study, seed=1)
    page = open_page(study.researcher, look=DARK_PHONE)
    page.goto("/studies/areas/results/preference_correlation/1")
    chart = page.locator("section[aria-busy=false] svg.marks")
    expect(chart).to_have_count(1)
    folds = page.locator("main details > summary")
    for place in range(folds.count()):
        folds.nth(place).press("Enter")
    expect(page.get_by_text("Fingerprint of the inputs (SHA-256)", exact=True)).to_be_visible()
    expect(page.get_by_role("region", name="What happened to this run", exact=True)).to_be_visible()
    expect(chart).to_have_count(len({name.split("-")[0] for name in AnalysisRun.objects.get().figures}))
    assert axe(page) == []
    assert page.evaluate(SIDEWAYS) == 0
