"""The report of every kind of study: it reads well whatever there is, and says what to do if there is nothing."""

import re

import pytest
from django.db import transaction
from weasyprint import HTML
from weasyprint.formatting_structure.boxes import ReplacedBox, TextBox

from annotations.models import Assignment, Study, StudyState
from metaeval.analyses.base.registry import analyses
from metaeval.documents.report.blocks import FigureBlock, Items, KeyFacts, Paragraph, TableBlock
from metaeval.documents.report.gathering import OTHERWISE_ONLY, report_of
from metaeval.documents.report.material import ORDER
from metaeval.documents.report.rendering import page_of, printed
from tests.metaeval.finished import finished_run, whole_study, with_results
from tests.metaeval.studies import answered_study
from tests.worlds.datasets import make_dataset
from tests.worlds.full import make_full_study
from tests.worlds.studies import make_open_study, make_study

pytestmark = pytest.mark.django_db
ASKED = [
    *("Question", "Unit of analysis", "Multiplicity", "Effect size", "Interval"),
    *("Power", "Exclusions", "Sensitivity", "Limits"),
]
"""What referees ask, in this order."""


def words_of(report, anchor=""):
    """All plain text of the report, or of the section with that anchor."""

    def said(section):
        for block in section.blocks:
            if isinstance(block, Paragraph):
                yield f"{block.lead} {block.text}"
            elif isinstance(block, Items):
                yield from block.items
            elif isinstance(block, KeyFacts):
                yield from (f"{name}: {value}" for name, value in block.facts)
            elif isinstance(block, TableBlock):
                yield from (str(cell) for row in block.table.rows for cell in row.values())
        for inner in section.sections:
            yield from said(inner)

    sections = [one for one in (*report.sections, *report.appendix) if anchor in {"", one.anchor}]
    return " ".join(text for section in sections for text in said(section))


def test_without_answers_it_says_that_there_are_none_and_what_to_do():
    found = report_of(make_study())
    summary = words_of(found, "summary")
    assert "No expert has answered yet, so there is nothing to analyse. Plan the study, invite experts" in summary
    assert "no answers yet" in summary
    assert "No analysis was planned" in words_of(found, "integrity")
    assert "There are no answers yet" in words_of(
        report_of(make_open_study(slug="open", dataset=make_dataset(slug="d")))
    )
    assert "<h1>" in page_of(found)


def test_with_answers_and_no_result_it_names_the_command_and_still_counts_what_was_chosen():
    study = answered_study().study
    found = report_of(study)
    assert f"`manage.py analyse {study.slug} preference_correlation`" in words_of(found, "summary")
    assert "Experts chose what people said in" in words_of(found, "results")
    assert "no unit of analysis and no test" in words_of(found, "methods")


def test_of_a_pilot_it_says_that_its_answers_do_not_count():
    study = answered_study(state=StudyState.PILOT).study
    Assignment.objects.filter(comparison__study=study).update(is_pilot=True)
    found = report_of(study)
    assert re.search(r"only the \d+ answers of the pilot, which do not count", words_of(found, "summary"))
    assert "No answers count yet" in words_of(found, "results")
    assert "nan" not in page_of(found).lower().replace("nance", "")


def test_of_systems_against_systems_no_side_is_peoples():
    study = make_full_study(compares="system_vs_system")
    found = report_of(with_results(study, "method_ranking"))
    assert "compared what two of 4 systems predicted" in words_of(found, "summary")
    assert "Neither side is people’s" in words_of(found, "integrity")
    assert "all pairs of systems meet about equally often" in words_of(found, "methods")
    assert "what people said" not in words_of(found, "results").lower()
    assert words_of(found, "summary").count(analyses.get("method_ranking").words.question) == 1


def test_a_scale_is_called_what_it_is():
    study = make_open_study(dataset=make_dataset(task="ordinal", labels=5))
    assert "scale of 5 " in words_of(report_of(study), "methods")


def test_a_closed_study_warns_of_nothing_that_may_still_change():
    study = answered_study(state=StudyState.CLOSED).study
    assert "answers may still come in" not in words_of(report_of(study), "limits")
    Study.objects.filter(pk=study.pk).update(state=StudyState.OPEN)
    study.refresh_from_db()
    assert "answers may still come in" in words_of(report_of(study), "limits")


def test_the_first_page_answers_what_was_planned_whatever_else_was_computed():
    study = with_results(whole_study(), "preference_correlation", "system_scores")
    found = report_of(study)
    run = study.analysis_runs.get(analysis="preference_correlation")
    entry = analyses.get("preference_correlation")
    assert entry.words.question in words_of(found, "summary")
    headline, _, details = entry.answer(run.result).partition("\n")
    paragraphs = [block for block in found.sections[0].blocks if isinstance(block, Paragraph)]
    answer = next(place for place, block in enumerate(paragraphs) if block.tone == "answer")
    assert details
    assert [(block.tone, block.text) for block in paragraphs[answer : answer + 2]] == [
        ("answer", headline),
        ("plain", details),
    ]
    kinds = [type(block) for block in found.sections[0].blocks]
    assert kinds.count(FigureBlock) == kinds.count(TableBlock) == 1


def test_only_what_was_computed_with_the_planned_parameters_and_seed_counts_as_done():
    study = whole_study()
    assert "yes no" in words_of(report_of(study), "integrity")
    run = finished_run(study, analyses.get("preference_correlation"))
    assert OTHERWISE_ONLY in words_of(report_of(study), "integrity")
    planned = study.stamped_plan.content[0]
    run.parameters = planned["parameters"]
    run.save(update_fields=["parameters"])
    assert "yes section 3.2" in words_of(report_of(study), "integrity")


def test_results_stand_in_the_order_of_a_paper_with_simulations_in_the_appendix(whole):
    results = next(section for section in whole.sections if section.anchor == "results")
    asked = [analyses.get(name).words.question for name in ORDER]
    titles = [section.title for section in results.sections[1:]]
    assert titles == [title for title in asked if title in titles]
    assert len(titles) > 5
    assert [section.number for section in results.sections] == [f"3.{n + 1}" for n in range(len(titles) + 1)]
    aside = analyses.get("uncertainty_simulation").words.question
    assert aside in [section.title for section in whole.appendix]


def test_two_runs_of_one_analysis_are_told_apart_by_what_differs():
    study = answered_study().study
    entry = analyses.get("system_scores")
    finished_run(study, entry)
    other = finished_run(study, entry)
    other.seed = 8
    other.save(update_fields=["seed"])
    titles = report_of(study).headings.values()
    assert sum("(seed 7)" in title for title in titles) >= 1
    assert sum("(seed 8)" in title for title in titles) >= 1


@pytest.fixture(scope="module")
def whole(django_db_setup, django_db_blocker):
    """A study with a result of every analysis, made once."""
    with django_db_blocker.unblock(), transaction.atomic():
        made = report_of(with_results(whole_study()))
        transaction.set_rollback(True)
    return made


@pytest.fixture(scope="module")
def paper(whole):
    return printed(whole)


def test_everything_a_referee_asks_is_in_the_report_and_on_a_page_of_its_body(whole, paper):
    listed = next(block for block in whole.blocks() if type(block).__name__ == "Pointers")
    assert [finding.asked for finding in listed.findings] == ASKED
    anchors = {finding.anchor for finding in listed.findings}
    assert anchors <= set(whole.headings)
    said = words_of(whole) + page_of(whole)
    for words in (
        "Unit.",
        "Multiplicity.",
        "Effect size.",
        "interval",
        "Corrected p-values decide",
        "Does the answer hold?",
    ):
        assert words in said, words
    page_of_anchor = {}
    for number, page in enumerate(paper.pages, 1):
        for anchor in page.anchors:
            page_of_anchor.setdefault(anchor, number)
    body = page_of_anchor["appendix"] - 1
    assert body <= 12
    assert all(page_of_anchor[anchor] <= body for anchor in anchors)
    first = set(paper.pages[0].anchors)
    assert {"summary", "figure-1", "table-1"} <= first


def filled(page):
    """How far down a page something is printed, as a share of the room between its margins."""
    sheet = page._page_box
    printed = [box for box in sheet.children[0].descendants() if isinstance(box, TextBox | ReplacedBox)]
    lowest = max((box.position_y + box.height for box in printed), default=0.0)
    return (lowest - sheet.content_box_y()) / sheet.height


def test_no_page_of_the_body_but_its_last_is_left_half_empty(paper):
    appendix = next(place for place, page in enumerate(paper.pages) if "appendix" in page.anchors)
    shares = [filled(page) for page in paper.pages[: appendix - 1]]
    assert len(shares) > 5
    assert max(shares) <= 1.01
    assert {number: share for number, share in enumerate(shares, 1) if share < 0.55} == {}


def test_what_waits_for_the_next_page_is_seen_as_an_empty_page():
    style = "@page { size: 100mm 100mm; margin: 10mm } p { margin: 0 } .late { break-before: page }"
    pages = HTML(string=f"<style>{style}</style><p>A line.</p><p class='late'>Another.</p>").render().pages
    assert [filled(page) < 0.1 for page in pages] == [True, True]


def test_every_table_and_figure_has_a_number_of_its_own_and_a_caption(whole):
    blocks = [block for block in whole.blocks() if isinstance(block, FigureBlock | TableBlock)]
    labels = [block.label for block in blocks]
    assert len(labels) == len(set(labels)) > 20
    assert all(block.caption for block in blocks)
    assert all(block.alt for block in blocks if isinstance(block, FigureBlock))


def test_every_table_that_a_sentence_names_is_there(whole):
    labels = {block.label for block in whole.blocks() if isinstance(block, TableBlock)}
    notes = " ".join(note for block in whole.blocks() if isinstance(block, TableBlock) for note in block.notes)
    named = set(re.findall(r"Table A?\d+", f"{words_of(whole)} {notes}"))
    assert len(named) > 5
    assert named <= labels
