"""The pages of results: they open with the answer, are short before anything is unfolded, and compare two runs."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotations.background import jobs
from annotations.models import Assignment, Event, EventKind, Study, User
from annotations.simulating.responses import simulate_study
from metaeval.analyses.base.registry import analyses
from metaeval.analyses.inputs import SubjectKind
from metaeval.analyses.inputs.gathering import Subject
from metaeval.jobs.models import AnalysisRun
from metaeval.jobs.runs import rerun, start_run
from tests.browser.conftest import (
    DARK_PHONE,
    LAPTOP,
    PHONE,
    WORKER_TIME,
    Axe,
    Look,
    OpenPage,
    step,
    too_wide,
    wear,
)
from tests.browser.study import BrowserStudy
from tests.metaeval.analyses.test_all import CASES, OF_SEVERAL
from tests.metaeval.datasets import annotated_dataset, voted_dataset
from tests.metaeval.studies import answered_study

SCREENS = 3
"""How long a page may be before something is unfolded, in heights of the window."""
LOOKS = (Look(1280, 800), DARK_PHONE)
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


@pytest.mark.long
def test_every_page_opens_with_its_sentence_and_is_short(open_page: OpenPage, axe: Axe, transactional_db: None) -> None:
    root = User.objects.create_superuser("root@example.org", "a long password")
    page = open_page(root)
    page.set_default_timeout(WORKER_TIME)
    flaws: dict[str, object] = {}
    for run in of_every_kind():
        for look in LOOKS:
            wear(page, look)
            page.goto(f"/runs/{run.pk}")
            flaws |= flaws_of(page, run, axe, look)
    assert flaws == {}


def flaws_of(page: Page, run: AnalysisRun, axe: Axe, look: Look) -> dict[str, object]:
    """What is not as it was promised on the page of a run."""
    expect(page.locator("[data-answer]")).to_be_visible()
    if run.figures:
        expect(page.locator("section[aria-busy=false] svg.marks")).to_have_count(1, timeout=WORKER_TIME)
    tall = page.evaluate(HEIGHT)
    flaws = {
        "height": tall if tall > SCREENS * look.height else 0,
        "opens": page.evaluate(OPENS_WITH_ITS_SENTENCE),
        "in sight": SECRETS.findall(page.evaluate(IN_SIGHT)),
        "sideways": too_wide(page),
        "axe": axe(page),
    }
    return {f"{run.analysis} of {run.subject} {look.width}: {name}": flaw for name, flaw in flaws.items() if flaw}


def test_a_result_is_short_until_unfolded_and_its_link_opens_for_nobody_else(
    open_page: OpenPage, study: BrowserStudy, axe: Axe
) -> None:
    simulate_study(study=study.study, beside_people=True)
    run = asked(study.study, seed=1)
    page = open_page(study.researcher)
    page.context.grant_permissions(["clipboard-write"])
    page.goto(f"/runs/{run.pk}")
    with step("a page opens with its sentence and is short"):
        assert flaws_of(page, run, axe, LAPTOP) == {}
    with step("what is folded opens by keyboard and fetches its figure then"):
        wear(page, DARK_PHONE)
        chart = page.locator("section[aria-busy=false] svg.marks")
        expect(chart).to_have_count(1, timeout=WORKER_TIME)
        folds = page.locator("main details > summary")
        for place in range(folds.count()):
            folds.nth(place).press("Enter")
        expect(page.get_by_text(run.fingerprint, exact=True)).to_be_visible()
        expect(page.get_by_role("region", name=re.compile("^What happened"))).to_be_visible()
        expect(chart).to_have_count(len({name.split("-")[0] for name in run.figures}), timeout=WORKER_TIME)
        assert axe(page) == []
        assert too_wide(page) == 0
        wear(page, LAPTOP)
    with step("a link is copied, and says who can open it"):
        page.get_by_role("button", name="Copy link", exact=True).press("Enter")
        expect(page.get_by_role("status").filter(has_text=re.compile("[Rr]esearchers.* admins"))).to_be_visible()
        link = pasted(page)
        assert link.endswith("/studies/areas/results/preference_correlation/1")
        page.goto(link)
        expect(page.locator("[data-answer]")).to_be_visible()
        assert Event.objects.filter(kind=EventKind.UNBLINDED_VIEW).count() == 1
    stranger = User.objects.create_user("stranger@example.org", "a long password")
    for user in (stranger, study.expert.user):
        with step(f"{user.email} does not get in with it"):
            other = open_page(user, look=PHONE)
            other.goto(link)
            expect(other.get_by_role("alert")).to_be_visible()
            expect(other.locator("[data-answer]")).to_have_count(0)


def test_two_runs_stand_side_by_side(open_page: OpenPage, study: BrowserStudy, axe: Axe) -> None:
    simulate_study(study=study.study, beside_people=True)
    first = asked(study.study, seed=1)
    asked(study.study, seed=2, parameters={"permutations": 300})
    page = open_page(study.researcher)
    with step("a run is compared with an earlier one, chosen by keyboard"):
        page.goto("/studies/areas/results/preference_correlation/2")
        page.get_by_role("button", name="Compare", exact=True).press("Enter")
        choice = page.get_by_role("dialog")
        expect(choice.get_by_role("link")).to_have_count(1)
        assert axe(page) == []
        choice.get_by_role("link", name=re.compile("^Result 1, ")).press("Enter")
        page.wait_for_url("**/studies/areas/results/preference_correlation/2/compare/1")
    settings = page.get_by_role("region", name="Different settings", exact=True)
    table = page.get_by_role("region", name=re.compile("^Correlation of each metric with "))
    with step("it says which settings differ, and each number beside the other"):
        expect(page.get_by_text(re.compile(r"^[0-9,]+ table cells differ"))).to_be_visible()
        expect(settings.get_by_role("row", name=re.compile("^Random orders .* 200 300$"))).to_be_visible()
        expect(settings.get_by_role("row", name="Seed 1 2", exact=True)).to_be_visible()
        expect(table.get_by_role("rowheader")).to_have_count(6)
        expect(table.get_by_role("columnheader", name="Difference", exact=True).first).to_be_visible()
        expect(page.get_by_role("region", name="Different counts", exact=True)).to_have_count(0)
    for look in (LAPTOP, DARK_PHONE):
        with step(f"without barriers, {look.width} pixels wide"):
            wear(page, look)
            assert axe(page) == []
            assert too_wide(page) == 0
    with step("it says when every number is the same"):
        again = done(rerun(run=first))
        page.goto(f"/runs/{first.pk}/compare/{again.pk}")
        expect(page.get_by_text(re.compile("^All numbers.*[0-9]"))).to_be_visible()
        expect(settings).to_have_count(0)
    with step("it says when the data changed"):
        answered = study.study.assignments.filter(is_pilot=False, preferenceresponses__isnull=False).first()
        assert answered is not None
        Assignment.objects.filter(pk=answered.pk).update(is_pilot=True)
        changed = asked(study.study, seed=1)
        page.goto(f"/runs/{again.pk}/compare/{changed.pk}")
        expect(page.get_by_role("region", name="Different counts", exact=True)).to_be_visible()


def pasted(page: Page) -> str:
    """What was copied, as somebody pastes it: the pages' own policy lets no script read the clipboard."""
    page.evaluate("() => document.body.append(Object.assign(document.createElement('textarea'), { id: 'paste-here' }))")
    page.locator("#paste-here").press("Control+v")
    return page.locator("#paste-here").input_value()
