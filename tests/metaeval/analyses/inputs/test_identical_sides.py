"""If both sides looked the same, neither could be preferred: such answers count neither for agreement nor for the
sides."""

import numpy as np
import pytest

from metaeval.analyses.base.computing import result_of
from metaeval.analyses.base.registry import analyses
from metaeval.analyses.base.work import Work
from metaeval.analyses.inputs.gathering import gather_study
from tests.metaeval.studies import answered_study

pytestmark = pytest.mark.django_db

ALIKE = {3, 7, 11}


@pytest.fixture
def inputs():
    return gather_study(answered_study("alike", identical=ALIKE).study)


def analysed(inputs, name, **parameters):
    entry = analyses.get(name)
    asked = {**entry.example, **parameters}
    return result_of(inputs=inputs, entry=entry, parameters=entry.validated(asked), seed=1, work=Work())


def test_experts_are_not_said_to_agree_on_them(inputs):
    result = analysed(inputs, "agreement")
    (left,) = [one for one in result["exclusions"] if one["reason"] == "both sides looked the same"]
    assert (left["count"], left["of"]) == (4 * len(ALIKE), "Step 2: preferences")


def test_they_have_no_side_that_could_be_preferred(inputs):
    sides = analysed(inputs, "study_quality")["sides"]
    answers = inputs.answers
    differ = ~answers.identical
    assert sides[0]["answers"] == int(differ.sum()) == 96 - 4 * len(ALIKE)
    assert sides[0]["both"] == int((answers.a_chosen & answers.b_chosen)[differ].sum())


def test_a_metric_is_no_judge_of_them(inputs):
    known = len(np.unique(inputs.answers.comparison[~inputs.answers.identical]))
    assert known == 24 - len(ALIKE)
    result = analysed(inputs, "uncertainty", metrics=["po_jsd"])
    assert result["counts"]["items"] == known
