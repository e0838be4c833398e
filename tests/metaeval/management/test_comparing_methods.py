"""The table of methods x datasets x six metrics with the spread of their runs, from one command."""

from io import StringIO

import pytest
from django.core.management import call_command

from tests.metaeval.analyses.system_scores.training_runs import trained_dataset

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_command_prints_methods_by_datasets_by_six_metrics_with_their_spread(tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    trained_dataset("one-label", methods=("MV", "SL", "SmF1"))
    trained_dataset("several", task="multilabel", methods=("MV", "SL", "SmF1"), seed=2)
    out = StringIO()
    files = {ending: tmp_path / f"means.{ending}" for ending in ("md", "tex", "csv")}
    tables = [argument for file in files.values() for argument in ("--table", f"means={file}")]
    call_command(
        "analyse",
        *("--dataset", "one-label", "--dataset", "several", "system_scores", "--baseline", "MV"),
        *tables,
        *("--figure", str(tmp_path / "first.svg")),
        stdout=out,
    )
    printed = out.getvalue()
    aligned = [line for line in printed.splitlines() if line.startswith(("Dataset", "one-label", "several"))]
    assert max(map(len, aligned)) <= 200
    heads = next(line for line in printed.splitlines() if line.startswith("Dataset"))
    for title in ("Accuracy or micro F1", "Macro F1", "Soft macro F1", "PO-JSD", "Entropy correlation"):
        assert f"{title} ± SD" in heads
    row = next(line for line in printed.splitlines() if line.startswith("several") and "SL" in line)
    assert row.count("±") == heads.count("±") >= 6
    assert "| several | TwHIN | SL | 3 |" in files["md"].read_text(encoding="utf-8")
    assert r"$\pm$" in files["tex"].read_text(encoding="utf-8")
    assert "accuracy,accuracy_sd," in files["csv"].read_text(encoding="utf-8")
    assert (tmp_path / "first.txt").read_text(encoding="utf-8").startswith("Differences from MV.")
