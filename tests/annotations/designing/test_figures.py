"""What is measured of a stored plan is measured once, until the plan or the drawing changes."""

import pytest

from annotations import designing
from annotations.designing import displays
from annotations.designing.concealing import concealment
from annotations.designing.lifecycle import change_state
from annotations.models import PlanFigures, Study, StudyState
from tests.worlds.datasets import make_dataset
from tests.worlds.studies import make_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def study() -> Study:
    study = make_study(dataset=make_dataset(instances=8, systems=3), experts=3, instances_per_system=5)
    designing.apply_plan(study=study)
    return study


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A word for each time that a plan is measured."""
    times: list[str] = []
    measure = concealment

    def counted(**arguments: object) -> object:
        times.append("measured")
        return measure(**arguments)  # type: ignore[arg-type]  # passed on as they came

    monkeypatch.setattr(displays, "concealment", counted)
    return times


def test_looking_again_measures_nothing_and_tells_the_same_to_the_last_digit(study, measured):
    first = designing.overview(study=study)
    again = designing.overview(study=study)
    assert len(measured) == 1
    assert (again.concealment, again.choices, again.statement) == (first.concealment, first.choices, first.statement)


def test_a_new_plan_or_another_way_to_draw_is_measured_anew(study, measured):
    designing.overview(study=study)
    designing.change_settings(study=study, display_step=0.2)
    study.refresh_from_db()
    coarse = designing.overview(study=study)
    assert [one.step for one in coarse.choices if one.is_chosen] == [0.2]
    designing.apply_plan(study=study)
    designing.overview(study=study)
    assert len(measured) == 3
    assert PlanFigures.objects.count() == 1


def test_after_the_draft_only_the_studys_own_way_to_draw_is_told(study, measured):
    assert len(designing.overview(study=study).choices) > 1
    opened = change_state(study=study, to=StudyState.OPEN)
    assert [one.is_chosen for one in designing.overview(study=opened).choices] == [True]
    assert len(measured) == 1
