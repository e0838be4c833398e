"""docs/reference/reproductions.md is what the command writes: every figure is computed again from real files."""

import pytest

from metaeval.jobs.models import AnalysisRun
from tests.lab.reproductions import __main__ as command
from tests.lab.reproductions.__main__ import PAGE, REPRODUCTIONS, main, write_page
from tests.lab.reproductions.bench import Bench
from tests.lab.reproductions.figures import PublishedFigure, Reproduction, page, section
from tests.lab.reproductions.uncertainty import binned_divergence, certainty_on_mt_bench, random_labeller

pytestmark = pytest.mark.long  # a minute of computing; each value has golden tests of its own


@pytest.fixture
def bench(transactional_db, shared_data, golden, tmp_path):
    return Bench(data=shared_data, golden=golden, work=tmp_path)


@pytest.mark.shared_data
def test_the_page_is_what_the_command_writes_and_every_difference_has_its_reason(bench):
    figures_of = {entry: entry.figures(bench) for entry in REPRODUCTIONS}
    assert page(figures_of) == PAGE.read_text()
    figures = [figure for group in figures_of.values() for figure in group if figure.published]
    assert len(figures) == 238 + len([figure for figure in figures_of[random_labeller] if figure.published])
    assert [len(figures_of[entry]) for entry in (random_labeller, certainty_on_mt_bench)] == [48, 21]
    assert [figure for figure in figures if not figure.agrees and not figure.why] == []
    assert sum(not figure.agrees for figure in figures) == 9
    assert AnalysisRun.objects.filter(state="succeeded").count() >= 12


@pytest.mark.parametrize(
    ("ours", "written"),
    [
        (0.0, "0.0000 | 0.0000"),
        (-1e-17, "0.0000 | 0.0000"),
        (0.00125 - 1e-17, "0.0013 | +0.0013"),
        (0.00125 + 1e-17, "0.0013 | +0.0013"),
    ],
)
def test_last_bits_that_processors_compute_differently_change_no_digit_of_it(ours, written):
    entry = Reproduction("tau", "Tau", "A paper", (), "agreement", "", lambda _: [])
    assert f"| 0.00 | {written} |" in section(entry, [PublishedFigure.printed("tau", "Table 6", "0.00", ours)])


def test_a_point_that_is_only_drawn_stands_alone_and_is_not_counted():
    entry = Reproduction("line", "Line", "A paper", (), "agreement", "", lambda _: [])
    figures = [
        PublishedFigure.printed("tau", "Table 6", "0.00", 0.001),
        PublishedFigure.drawn("line", "Figure 1", -0.25),
    ]
    assert "| line | Figure 1 |  | −0.2500 |  |  |" in section(entry, figures)
    assert "| A paper | 1 | 0 |" in page({entry: figures})


@pytest.mark.shared_data
def test_the_command_writes_the_page_of_the_groups(bench, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(command, "REPRODUCTIONS", (binned_divergence,))
    write_page(bench, tmp_path / "page.md")
    assert "11 figures, 3 differ" in capsys.readouterr().out
    section = (tmp_path / "page.md").read_text().partition('<a id="binned_divergence">')[2].partition("\n## What")[0]
    assert section.strip() in PAGE.read_text()


def test_a_folder_that_is_not_there_is_named(tmp_path, capsys):
    with pytest.raises(SystemExit):
        main(["--data", str(tmp_path / "absent")])
    assert str(tmp_path / "absent") in capsys.readouterr().err


@pytest.mark.shared_data
def test_a_run_that_fails_is_no_figure(bench):
    dataset = bench.dataset("dices", ["dices350/dices_350_crowdsourced.json"])
    with pytest.raises(RuntimeError, match=r"\bsystem_scores .*failed"):
        bench.of_dataset(dataset, "system_scores")
