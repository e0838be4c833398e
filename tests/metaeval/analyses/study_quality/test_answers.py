"""Self-consistency in a study with planned repeats."""

import pytest

from annotations.answering.assigning import next_assignment
from tests.metaeval.analyses.study_quality.quality import measure, quality
from tests.worlds.answering import complete
from tests.worlds.datasets import make_dataset
from tests.worlds.studies import make_open_study

pytestmark = pytest.mark.django_db


def test_self_consistency_is_computed_from_what_each_expert_was_given_twice():
    study = make_open_study(dataset=make_dataset(instances=6), experts=3, repeats_per_expert=2)
    for member in study.memberships.experts():
        while assignment := next_assignment(user=member.user, slug=study.slug).assignment:
            complete(assignment)
    result = quality(study)
    labels, preferences = (measure(result, f"consistency_{step}") for step in ("labels", "preferences"))
    assert labels["n"] == preferences["n"] == 6
    assert labels["value"] == 1.0
