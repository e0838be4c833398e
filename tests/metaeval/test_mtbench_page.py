"""docs/mtbench.md is true: its tables and figures are those of the real votes."""

import html
import re
from pathlib import Path

import pytest

from annotations.importing.datasets import import_dataset
from annotations.importing.reading.files import SourceFile
from annotations.models import Dataset
from metaeval.analyses.base.printing import as_markdown
from metaeval.analyses.base.table import Table
from metaeval.analyses.inputs import SubjectKind
from metaeval.analyses.inputs.gathering import Subject
from metaeval.figures.style import number
from metaeval.jobs.runs import compute
from tests.clean_shell import blocks
from tests.mtbench import TABLE

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "mtbench.md").read_text()
RENEW = "the page is no longer true: python -m tests.mtbench FOLDER, with that of the real data, renews it"


@pytest.mark.django_db
@pytest.mark.shared_data
def test_its_tables_and_figures_are_those_of_the_real_votes(shared_data):
    files = [SourceFile.at(shared_data / "mtbench" / name) for name in ("human.jsonl", "gpt4_pair.jsonl")]
    import_dataset(files=files, slug="mtbench")
    about = Subject.of_dataset(Dataset.objects.get(slug="mtbench"), kind=SubjectKind.VOTES)

    def result(analysis, **parameters):
        return compute(subject=about, analysis=analysis, parameters=parameters, seed=0, progress=lambda *_: None)

    ranking, agreement = result("method_ranking"), result("agreement")
    uncertainty = result("uncertainty", least_annotations=3)
    curves = result("uncertainty_simulation", least_annotations=3)
    published = result(
        "uncertainty",
        systems=["alpaca-13b", "gpt-3.5-turbo"],
        least_annotations=3,
        ties="first given",
        constant="1",
        partitions=["agreement"],
    )
    printed = (
        (ranking, "ranking"),
        (agreement, "measures"),
        (uncertainty, "stratified"),
        (published, "stratified"),
        (curves, "crossing"),
    )
    for found, name in printed:
        table = next(table for table in found["tables"] if table["name"] == name)
        assert as_markdown(Table.model_validate(table)) in PAGE, RENEW
    strengths = [
        number(system["strength"])
        for row in ranking["rankings"]
        if row["method"] in {"bradley_terry", "davidson"}
        for system in row["systems"]
    ]
    assert set(strengths) <= texts("mtbench-strengths.svg")
    measures = agreement["judged"][0]["measures"]
    assert {number(row["value"]) for row in measures} <= texts("mtbench-agreement.svg")
    bins = uncertainty["perception"][0]["bins"]
    assert {f"JS {number(row['value'])}" for row in bins} <= texts("mtbench-perception.svg")
    shares = {
        f"{100 * row['share']:.0f}% of comparisons ({row['items']})" for row in published["perception"][0]["bins"]
    }
    assert shares <= texts("mtbench-alpaca.svg")
    everything, certain = uncertainty["strata"][:2]
    assert {f"All ({everything['items']})", f"PA = 100% ({certain['items']})"} <= texts("mtbench-strata.svg")


def test_its_figures_are_there():
    named = re.findall(r"\]\((images/mtbench-[a-z]+\.svg)\)", PAGE)
    assert len(named) == 8
    for image in named:
        assert (DOCS / image).read_text().startswith("<svg")


def test_every_table_and_figure_is_written_by_a_command_of_the_page():
    written = set(re.findall(r"\$OUT/([\w.-]+)", "\n".join(blocks(DOCS / "mtbench.md"))))
    assert {name for _, name, _ in TABLE.findall(PAGE)} == {name for name in written if name.endswith(".md")}
    assert set(re.findall(r"images/([\w.-]+)\)", PAGE)) == {name for name in written if name.endswith(".svg")}
    assert len(TABLE.findall(PAGE)) == PAGE.count("\n| ---")


def texts(image):
    """The words of a figure."""
    svg = (DOCS / "images" / image).read_text()
    return set(map(html.unescape, re.findall(r"<t(?:ext|span)[^>]*>([^<]*)</t(?:ext|span)>", svg)))
