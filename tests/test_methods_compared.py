"""The comparison of trained methods says what its scores say."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from django.core.management import call_command

from annotations.importing.memory.tables import PredictionTable, SystemTable
from annotations.importing.writing.predictions import write_predictions
from metaeval.training.registry import methods
from tests.benchmarks.methods_compared.__main__ import named
from tests.benchmarks.methods_compared.datasets import DATASETS, Trained
from tests.benchmarks.methods_compared.page import PAGE, answers, page, table
from tests.metaeval.datasets import annotated_dataset

NOISE = {"MV": 0.5, "ReL": 0.1, "SL": 0.9, "LA-min": 0.95}
"""Of the predictions of each method: less than the majority vote's is better."""

SEVERAL_LABELS = {"AL"}
LACKING = {"ChaosNLI-SNLI": {"AR", "ARh", "AE", "AEh"}, "VariErrNLI": SEVERAL_LABELS, "Demo": SEVERAL_LABELS}
"""Methods that do not apply: where nobody knows the annotators, or a text may have several labels."""


def trained(slug, task="multiclass"):
    """A dataset with three runs of each method, and of SmF1, which says the same of every text."""
    dataset = annotated_dataset(slug, task=task, items=60, systems=0)
    gold, rng = np.asarray(dataset.gold), np.random.default_rng(7)
    systems = []
    for run in ("1", "2", "3"):
        for method, share in NOISE.items():
            Q = (1 - share) * gold + share * rng.dirichlet(np.ones(3), 60)
            systems.append(SystemTable("small transformer", Q, method, run))
        systems.append(SystemTable("small transformer", np.full((60, 3), 1 / 3), "SmF1", run))
    write_predictions(dataset=dataset, table=PredictionTable(tuple(systems)))


def compared(path, *names):
    datasets = [part for name in names for part in ("--dataset", name)]
    call_command("analyse", *datasets, "system_scores", "--baseline", "MV", "--no-store", "--quiet", "--json", path)
    return json.loads(Path(path).read_text(encoding="utf-8"))


@pytest.mark.django_db
def test_each_answer_is_counted_from_the_scores(tmp_path):
    trained("hs-brexit")
    trained("varierrnli", task="multilabel")
    result = compared(tmp_path / "found.json", "hs-brexit", "varierrnli")
    rel, sl, la_min, smf1, steady, others, ranks = answers(result, ["hs-brexit", "varierrnli"])
    assert rel.startswith("ReL is above MV in 8 of 8 soft scores, clearly in ")
    assert rel.endswith("and clearly below it in 0: 4 of 4 on HS-Brexit, 4 of 4 on VariErrNLI.")
    assert sl.startswith("SL is above MV in 0 of 8 soft scores, clearly in 0, and clearly below it in ")
    assert la_min.startswith("LA-min is below MV in 12 of 12 scores, clearly in ")
    assert smf1 == (
        "SmF1 collapsed in 3 of 3 runs on HS-Brexit (always the same), 3 of 3 runs on VariErrNLI (always the same)."
    )
    assert steady == "SMF1 collapsed in no run."
    assert others == "No run of any other method collapsed."
    assert ranks.startswith("By mean rank over datasets and all metrics: ReL 1.0, MV ")


@pytest.mark.django_db
def test_a_comparison_of_one_dataset_has_a_table_of_the_same_kind(tmp_path):
    trained("armis")
    result = named(compared(tmp_path / "found.json", "armis"), "armis")
    written = page(result, [Trained("armis", seconds=90.0, systems=15)])
    assert "15 systems in 1.5 minutes." in written
    rows = table(result, "armis")
    assert [row.split(" | ")[0] for row in rows[2:]] == ["| ReL", "| MV", "| SL", "| SmF1", "| LA-min"]
    assert all(line in written for line in rows)
    assert "<br>" not in rows[3], "nothing is compared with itself"
    assert re.search(r"\| \.\d{3} ± \.\d{3}<br>\*\*\+\.\d{3}\*\* \|", rows[2])


class TestThePage:
    """What was measured once: its sentences agree with its tables."""

    def test_every_dataset_has_every_method_that_applies(self):
        assert [title for title, _ in tables_of(PAGE)] == [one.title for one in DATASETS.values()]
        for title, rows in tables_of(PAGE):
            assert [row[0] for row in rows] == [
                name for name in methods.names() if name not in LACKING.get(title, set())
            ]

    @pytest.mark.parametrize("method", ["ReL", "SL"])
    def test_what_is_said_of_soft_scores_is_in_the_tables(self, method):
        text = PAGE.read_text(encoding="utf-8")
        said = re.search(
            rf"^- {method} is above MV in (\d+) of (\d+) soft scores, clearly in (\d+), and clearly below it in (\d+):",
            text,
            re.MULTILINE,
        )
        cells = [cell for _, rows in tables_of(PAGE) for row in rows if row[0] == method for cell in row[3:]]
        differences = [cell.split("<br>")[1] for cell in cells if "<br>" in cell]
        assert said
        found = (
            sum("+" in one and one.strip("*") != "+.000" for one in differences),
            len(differences),
            sum(one.startswith("**+") for one in differences),
            sum(one.startswith("**−") for one in differences),
        )
        exact = sum(one.strip("*") in {"+.000", "−.000"} for one in differences)
        assert found[0] <= int(said[1]) <= found[0] + exact
        assert tuple(map(int, said.groups()[1:])) == found[1:]

    @pytest.mark.parametrize("method", ["ReL", "SL"])
    def test_the_page_of_evidence_says_the_same_of_the_real_datasets(self, method):
        rows = [row for title, rows in tables_of(PAGE) if title != "Demo" for row in rows if row[0] == method]
        cells = [cell for row in rows for cell in row[3:]]
        clearly = sum("<br>**+" in cell for cell in cells)
        evidence = " ".join((PAGE.parents[1] / "evidence.md").read_text(encoding="utf-8").split())
        assert f"raises {clearly} of {len(cells)} soft scores over the majority vote, and so do soft labels" in evidence


def tables_of(path):
    """The tables by title, each as rows of cells."""
    for part in path.read_text(encoding="utf-8").split("\n### ")[1:]:
        lines = [line for line in part.splitlines() if line.startswith("|")][2:]
        yield part.splitlines()[0], [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
