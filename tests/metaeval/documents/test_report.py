"""The report: everything in one file, nobody named, no requests made; and the same on paper."""

import builtins
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction

from annotations.models import Event, EventKind, Look, Study, System
from metaeval.analyses.base.registry import analyses
from metaeval.analyses.base.table import column, table
from metaeval.analyses.inputs.gathering import gather_study
from metaeval.analyses.power.analysis import DesignedUnit
from metaeval.documents.report import methods
from metaeval.documents.report.gathering import limits
from metaeval.documents.report.method_section import _sampling
from metaeval.documents.report.methods import cited, works
from metaeval.documents.report.people import labels_table
from metaeval.documents.report.rendering import NoPrinter, as_html, as_pdf
from metaeval.documents.report.results_section import NOTHING_RUN
from metaeval.documents.report.tables import MOST, table_parts
from tests.metaeval.finished import REMARK, whole_study, with_results
from tests.metaeval.planted import planted_study
from tests.worlds.original import make_two_experts, restored_original

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    return whole_study()


@pytest.fixture(scope="module")
def report(django_db_setup, django_db_blocker):
    """The page of a study with two results, made once; and the SHA-256 of its plan."""
    with django_db_blocker.unblock(), transaction.atomic():
        made = with_results(whole_study(), "preference_correlation", "system_scores")
        page, plan = as_html(made).decode(), made.stamped_plan.sha256
        transaction.set_rollback(True)
    return page, plan


@pytest.fixture
def text(report):
    return report[0]


class Reading(HTMLParser):
    """Collects ids, links, sources, styles and elements, and whether they are closed in order."""

    VOID = frozenset({"meta", "img", "br"})

    def __init__(self, page):
        super().__init__()
        self.ids, self.links, self.sources, self.elements, self.open, self.alts = [], [], [], set(), [], []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.elements.add(tag)
        self.ids += [found["id"]] if "id" in found else []
        self.links += [found["href"]] if "href" in found else []
        self.sources += [found["src"]] if "src" in found else []
        self.alts += [found.get("alt")] if tag == "img" else []
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_texts_that_experts_had_beside_two_systems_are_counted_where_the_sampling_is_described(tmp_path):
    study = restored_original(make_two_experts(tmp_path))
    inputs = gather_study(study)
    assert "3 responses" in _sampling(study, inputs)
    assert sum(row["count"] for row in labels_table(inputs).rows) == 8
    again = inputs.answers.repeat_of >= 0
    once = replace(inputs, answers=inputs.answers.of((inputs.answers.position < 4) & ~again))
    assert "3 responses" not in _sampling(study, once)


def test_the_researchers_reason_for_known_texts_is_quoted_and_answers_after_looking_are_counted(study):
    assert "Known texts" not in as_html(study).decode()
    Study.objects.filter(pk=study.pk).update(known_texts="The same lawyers, a year later.")
    expert = study.memberships.experts().first()
    Look.objects.create(user=expert.user, text_set=study.dataset.text_set, at=study.created_at, what="role")
    study = Study.objects.get(pk=study.pk)
    (note,) = gather_study(study).notes
    page = as_html(study).decode()
    assert study.known_texts in page
    assert note in page


def test_it_holds_summary_methods_results_people_integrity_limits_and_references(report):
    page, plan = report
    read = Reading(page)
    assert read.open == []
    assert len(set(read.ids)) == len(read.ids)
    parts = ("summary", "methods", "results", "people", "integrity", "limits", "where", "references", "appendix")
    assert [found for found in read.ids if found in parts] == list(parts)
    named = "Expert 3,Preference fractions,planned,exploratory,What was left out,Westfall,9 systems are few"
    for words in named.split(","):
        assert words in page, words
    assert plan in page
    for name in ("preference_correlation", "system_scores"):
        assert page.count(analyses.get(name).words.question) >= 3
        assert analyses.get(name).title in page
    assert len(read.alts) > 5
    assert all(read.alts)


def test_it_says_which_unit_was_exchanged_and_whether_the_answer_holds(text):
    words = re.sub(r"\s+", " ", text)
    assert "Unit." in words
    assert "change places" in words
    assert "Does the answer hold?" in words
    assert "the values that experts were shown" in words
    assert "two sides that looked the same" in words


def unit(**changes):
    told = {"exchangeable": "methods jointly", "by_default": True, "cannot_reject": "", "words": "Words."}
    return {"unit": told | changes}


def test_its_limits_say_what_the_unit_of_analysis_does_not_allow():
    inputs = planted_study(1, 0.5)
    few = "Only 24 arrangements are possible, so that no p-value can be below 0.083: this design cannot reject at 5%."
    found = limits(inputs, [unit(cannot_reject=few)], stale=0, shares_dataset=False)
    assert f"{few} So if a test does not reject, that says nothing." in found
    free = limits(inputs, [unit(exchangeable="systems", by_default=False)], stale=0, shares_dataset=False)
    assert "In one result, systems were exchanged freely because this was requested. Words." in free
    plain = limits(inputs, [unit(), {}], stale=0, shares_dataset=False)
    assert not any("exchanged freely" in one or "cannot reject" in one for one in plain)


def unit_of_power(**design):
    """As the analysis states it."""
    asked = analyses.get("power").validated(design)
    return {"warning": DesignedUnit.planned(None, asked).described(asked).warning}


def test_its_limits_say_in_the_words_of_power_that_no_answer_could_be_significant():
    inputs, few, enough = planted_study(1, 0.5), unit_of_power(models=1, systems=4), unit_of_power()
    warning = few["warning"]
    assert warning.startswith("The smallest p that such a study can reach is .083: it cannot show anything at 5%.")

    def said(**told):
        found = limits(inputs, [{"analysis": "power", **told}], stale=0, shares_dataset=False)
        return [one for one in found if one.startswith("The smallest p")]

    assert said(unit=few, observed=None) == [warning]
    assert said(unit=few, observed={"unit": few}) == [warning]
    assert said(unit=enough, observed={"unit": few}) == [warning]
    assert said(unit=enough, observed={"unit": enough}) == []
    assert said(unit=None, observed={"unit": None}) == []
    assert said() == []  # of version 1


def test_it_asks_nobody_for_anything(text):
    page = text
    read = Reading(page)
    inner = [link for link in read.links if not link.startswith("data:text/csv;base64,")]
    assert len(inner) > 10
    assert all(link.startswith("#") and link[1:] in read.ids for link in inner)
    assert all(source.startswith("data:image/svg+xml;base64,") for source in read.sources)
    assert not read.elements & {"script", "link", "iframe", "object", "embed", "form", "base", "video", "audio"}
    styles = re.search(r"<style>(.*?)</style>", page, re.DOTALL)[1]
    assert "url(" not in styles
    assert "@import" not in styles
    assert "default-src 'none'" in page


def test_nobody_is_named_and_no_text_or_remark_is_in_it(text):
    page = text
    assert "@example.org" not in page
    assert REMARK not in page
    assert "text 5" not in page


def test_names_from_outside_are_text_and_nothing_else(study):
    evil = '"><script>alert(1)</script>'
    Study.objects.filter(pk=study.pk).update(title=evil, question_labels=evil)
    System.objects.filter(dataset=study.dataset, method="M1").update(model=evil)
    study.refresh_from_db()
    page = as_html(with_results(study, "power")).decode()
    assert "script" not in Reading(page).elements
    assert "&lt;script&gt;" in page


def test_it_says_what_is_simulated_and_what_was_computed_from_earlier_data(study):
    with_results(study, "power")
    assert "Simulated data." not in as_html(study).decode()
    study.memberships.filter(number=0).update(is_active=False)
    Study.objects.filter(pk=study.pk).update(is_simulated=True)
    study.refresh_from_db()
    page = as_html(study).decode()
    assert page.count("Simulated data.") >= 1
    assert "from data that have changed since" in page
    assert "1 of the results were computed from earlier data" in page


def test_a_study_without_answers_or_results_has_a_report_too(study):
    page = as_html(study).decode()
    assert NOTHING_RUN in page
    Reading(page)


def test_it_is_printed(study):
    paper = as_pdf(with_results(study, "power"))
    assert paper.startswith(b"%PDF-")
    assert paper.rstrip().endswith(b"%%EOF")
    assert len(paper) > 50_000


def test_without_the_libraries_of_the_machine_it_says_what_to_install(study, monkeypatch):
    real = builtins.__import__

    def refuse(name, *more, **options):
        if name.startswith("weasyprint"):
            raise OSError("cannot load library 'libpango-1.0-0'")
        return real(name, *more, **options)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(NoPrinter, match="libpango"):
        as_pdf(study)


def test_the_command_writes_it_and_leaves_its_trace(study, tmp_path):
    call_command("report", "demo", "--out", str(tmp_path / "r.html"))
    assert (tmp_path / "r.html").read_text().startswith("<!doctype html>")
    kinds = list(Event.objects.filter(study=study).order_by("-pk").values_list("kind", flat=True)[:2])
    assert kinds == [EventKind.UNBLINDED_VIEW, EventKind.EXPORTED]
    with pytest.raises(CommandError, match=r"r\.doc .*\.html, \.pdf, \.zip, \.docx"):
        call_command("report", "demo", "--out", str(tmp_path / "r.doc"))
    with pytest.raises(CommandError, match="no study"):
        call_command("report", "none", "--out", str(tmp_path / "r.html"))
    call_command("bundle", "demo", "--out", str(tmp_path / "b.zip"))
    call_command("verify_bundle", str(tmp_path / "b.zip"))


def test_every_analysis_has_words_and_every_work_that_they_name_is_known():
    for entry in analyses:
        assert len(methods.methods_text(entry.name)) > 60
    named = " ".join(methods.methods_text(entry.name) for entry in analyses) + methods.design()
    years = re.findall(r"[A-Z][\w’]+(?: et al\.| and [A-Z]\w+)? \(?(?:19|20)\d\d", named)
    for work in years:
        assert any(key in work.replace("(", "") or work.replace("(", "") in key for key in works()), work
    assert len(cited(named)) > 8


def test_wide_tables_come_in_parts_and_lose_nothing():
    columns = [column("system", "System"), *(column(f"c{n}", f"C{n}", group=f"G{n // 4}") for n in range(24))]
    row = {c.key: 1.5 for c in columns} | {"system": "A"}
    parts = table_parts(table("t", "T", columns, [row]))
    assert all(len(part.heads) <= MOST for part in parts)
    assert [part.heads[0].title for part in parts] == ["System"] * len(parts)
    assert sum(len(part.heads) - 1 for part in parts) == 24
