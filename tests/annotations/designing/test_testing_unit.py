"""Before there is an answer, a plan says what a test will exchange and how small p can become."""

import pytest

from annotations import designing
from annotations.designing.testing_unit import unit_of
from tests.worlds.datasets import make_dataset
from tests.worlds.studies import make_study


def crossed(models, methods):
    return [(model, f"m{number}", "") for model in models for number in range(methods)]


@pytest.mark.parametrize(("methods", "p"), [(5, 2 / 120), (6, 2 / 720)])
def test_the_smallest_p_is_twice_one_over_the_permutations(methods, p):
    unit = unit_of(crossed("A", methods))
    assert unit.smallest_p == pytest.approx(p, rel=1e-12)
    assert unit.warning == ""


def test_four_methods_of_one_model_cannot_show_anything_and_the_plan_says_so():
    unit = unit_of(crossed("A", 4))
    assert "smallest p-value that a test can give here is .083." in unit.statement
    assert unit.warning == (
        "With 4 systems, the smallest p-value that this study can reach is .083, "
        "so it cannot show anything at the 5% level. "
        "Add more systems."
    )


def test_two_models_with_thirteen_methods_exchange_whole_methods():
    unit = unit_of(crossed("AB", 13))
    assert unit.exchangeable == "methods jointly"
    assert unit.smallest_p == 2 / 100_001
    assert (unit.warning, "2 models, 13 methods" in unit.statement) == ("", True)


def test_single_runs_are_warned_of():
    runs = [(model, method, run) for model, method, _ in crossed("AB", 6) for run in "123"]
    assert unit_of(runs).warning.startswith("3 runs each of 2 models x 6 methods are compared as 36 separate systems. ")


def test_one_system_has_no_unit():
    assert unit_of([("A", "x", "")]) is None


@pytest.mark.django_db
def test_the_plan_has_it_before_and_after_it_is_stored():
    study = make_study(dataset=make_dataset(systems=4))
    before = designing.overview(study=study)
    designing.apply_plan(study=study)
    after = designing.overview(study=study)
    assert before.unit == after.unit
    assert after.unit.statement in after.statement
    assert after.unit.warning in after.warnings
