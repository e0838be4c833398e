"""A plan in a terminal: every system a line, every expert a line."""

import pytest

from annotations.designing.overview import Cell, ExpertRow, Overview, SystemRow
from annotations.management.commands.plan_study import as_text

EXPERT = ExpertRow(7, 12, 3)


def plan(*, instances=4, cells=((0, 2, 1), (3, 2, 0)), experts=(EXPERT,)):
    rows = (SystemRow("Model", tuple(Cell(*cell) for cell in cells)), SystemRow("A longer name", ()))
    return Overview(True, rows, experts, instances, 0, "The statement.")


def test_a_line_a_system_says_where_it_is_shown_and_how_much_is_done():
    assert as_text(plan()).split("\n") == [
        "system         instances  done  where (one instance per column, 4 in all)",
        "Model                  2   1/4  1..1",
        "A longer name          0   0/0  ....",
        "",
        "expert  load  done",
        "     7    12     3",
        "",
        "The statement.",
    ]


def test_where_there_are_many_instances_neighbours_share_a_column_and_ten_are_a_plus():
    cells = [(instance, 1, 0) for instance in range(12)] + [(29, 1, 0)]
    lines = as_text(plan(instances=1001, cells=cells)).split("\n")
    assert "11 instances per column, 1001 in all" in lines[0]
    assert lines[1].split()[-1] == "+11" + "." * 88
    assert as_text(plan(instances=100)).split("\n")[0].endswith("(one instance per column, 100 in all)")
    assert "(2 instances per column, 101 in all)" in as_text(plan(instances=101))


def test_without_experts_it_says_so():
    text = as_text(plan(experts=()))
    assert "No expert has anything yet." in text
    assert "load" not in text


@pytest.mark.parametrize("count", [9, 10])
def test_nine_are_a_digit_and_ten_a_plus(count):
    cells = [(instance, 1, 0) for instance in range(count)]
    assert as_text(plan(instances=1000, cells=cells)).split("\n")[1].split()[-1][0] == "9+"[count - 9]
