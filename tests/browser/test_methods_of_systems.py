"""From the systems of a dataset to the comparison of their methods and to a study of them, one click each."""

import re

import pytest
from playwright.sync_api import expect

from metaeval.jobs.models import AnalysisRun
from tests.browser.conftest import PHONE, WORKER_TIME, OpenPage
from tests.browser.study import BrowserStudy
from tests.metaeval.analyses.system_scores.training_runs import trained_dataset
from tests.worlds.full import make_full_dataset

METHODS = ("MV", "SL", "SmF1")


@pytest.mark.usefixtures("celery_worker_process")
def test_methods_are_compared_with_one_click_and_a_study_of_the_systems_is_begun(
    open_page: OpenPage, study: BrowserStudy
) -> None:
    trained_dataset("trained", methods=METHODS, task="multilabel")
    study.admin.is_superuser = True
    study.admin.save()
    page = open_page(study.admin)
    page.goto("/datasets/trained/systems")
    page.get_by_role("button", name="Compare the methods", exact=True).click()
    page.wait_for_url("**/runs/*")
    answer = page.get_by_text(re.compile("SmF1 of TwHIN predicts no label for any text in 2 of 3 runs: it collapsed"))
    expect(answer.first).to_be_visible(timeout=WORKER_TIME)
    table = page.get_by_role("region", name="Metrics of the systems: means over runs", exact=True)
    expect(table.get_by_role("cell", name=re.compile(r"^0\.\d{3} ± 0\.\d{3}$")).first).to_be_visible()
    figure = page.get_by_role("region", name="Differences from the baseline", exact=True)
    expect(figure.locator("svg.marks")).to_be_visible(timeout=WORKER_TIME)
    page.goto("/datasets/trained/systems")  # the same question again is answered by the stored result
    page.get_by_role("button", name="Compare the methods", exact=True).click()
    page.wait_for_url("**/runs/*")
    expect(answer.first).to_be_visible(timeout=WORKER_TIME)
    assert AnalysisRun.objects.exclude(answered_by=None).count() == 1
    page.get_by_role("link", name="Plan a study of these systems", exact=True).click()
    page.wait_for_url("**/studies/new?dataset=trained")
    expect(page.get_by_label("Dataset", exact=True)).to_have_value("trained")


def test_without_majority_vote_or_with_one_method_there_is_nothing_to_compare(
    open_page: OpenPage, study: BrowserStudy
) -> None:
    make_full_dataset("mine")
    trained_dataset("alone", methods=("MV",))
    trained_dataset("without", methods=("SL", "SmF1"))
    study.admin.is_superuser = True
    study.admin.save()
    page = open_page(study.admin, look=PHONE)
    for slug in ("alone", "without"):
        page.goto(f"/datasets/{slug}/systems")
        expect(page.get_by_role("link", name="Plan a study of these systems", exact=True)).to_be_visible()
        expect(page.get_by_role("button", name="Compare the methods", exact=True)).to_have_count(0)
    page.goto("/datasets/mine/systems")
    expect(page.get_by_role("button", name="Compare the methods", exact=True)).to_be_visible()


def test_an_address_with_an_unknown_dataset_leaves_the_choice_open(open_page: OpenPage, study: BrowserStudy) -> None:
    trained_dataset("trained", methods=("MV",))
    study.admin.is_superuser = True
    study.admin.save()
    page = open_page(study.admin)
    page.goto("/studies/new?dataset=nowhere")
    expect(page.get_by_label("Dataset", exact=True)).to_have_value("")
