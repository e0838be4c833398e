"""What each way of drawing costs on real judgements: the figures of the page, checked against each other."""

from pathlib import Path

import numpy as np
import pytest

from annotations.importing.memory.tables import AnnotationRow, AnnotationTable, DatasetTable, InstanceRow, LabelSet
from annotations.models import Task
from metaeval.validity.sections import Effort, NeedsData
from metaeval.validity.ways_to_draw import COLUMNS, STEPS_OF_TABLE, SYSTEMS, pairs_of, perturbed, ways_to_draw


def small(task: Task) -> DatasetTable:
    votes = [AnnotationRow(0, (0,)), AnnotationRow(0, (1,)), AnnotationRow(2, (2,)), AnnotationRow(2, (2,))]
    return DatasetTable(
        labels=LabelSet(("x", "y", "z"), task),
        instances=[InstanceRow(f"text-{number}", ()) for number in range(3)],
        annotations=AnnotationTable.from_rows(votes),
    )


@pytest.mark.parametrize("task", [Task.MULTICLASS, Task.MULTILABEL])
def test_perturbed_shares_are_shares_and_stay_near_to_peoples(task: Task) -> None:
    found = perturbed(small(task), np.random.default_rng(1))
    assert len(found) == SYSTEMS
    for Q in found:
        assert ((Q > 0) & (Q < 1)).all()
        if task == Task.MULTICLASS:
            assert Q.sum(axis=1) == pytest.approx(1)
    mean = np.mean([perturbed(small(task), np.random.default_rng(seed)) for seed in range(200)], axis=(0, 1))
    assert mean[2].argmax() == 2
    assert mean[0, 0] == pytest.approx(mean[0, 1], abs=0.03)


def test_every_judged_text_stands_beside_every_system() -> None:
    table = small(Task.MULTICLASS)
    pairs = pairs_of(table, perturbed(table, np.random.default_rng(1)))
    assert len(pairs) == 2 * SYSTEMS
    assert pairs.people.tolist() == [2] * 6
    assert pairs.first.tolist() == [[0.5, 0.5, 0.0], [0.0, 0.0, 1.0]] * SYSTEMS


def test_without_the_files_it_says_what_it_needs() -> None:
    with pytest.raises(NeedsData, match="--data"):
        ways_to_draw(Effort())


@pytest.mark.shared_data
def test_on_real_judgements_the_grid_tells_nothing_and_finer_steps_are_truer(shared_data: Path) -> None:
    tables = ways_to_draw(Effort(data=shared_data))
    assert [len(table.rows) for table in tables] == [len(STEPS_OF_TABLE)] * 4
    column = {name: number for number, name in enumerate(COLUMNS)}
    for table in tables:
        grid, *steps, exact = table.rows
        assert grid[column["named by the grid"]] == "50"
        means = [float(row[column["off on average"]]) for row in (*steps, exact)]
        assert means == sorted(means, reverse=True)
        assert float(exact[column["off at most"]]) < 1
        assert float(grid[column["people off at most"]]) <= 0.5
    hundred, five, *_ = tables
    assert "4,542 comparisons, 100 people a text" in hundred.caption
    assert hundred.rows[0][1:] == hundred.rows[-1][1:]  # with a hundred people, the grid is whole percentages
    assert int(five.rows[-1][column["named by the grid"]]) > 95
