"""Which distribution is A: over ten thousand turns half the time each, and nothing that is shown has a say."""

from collections import defaultdict
from collections.abc import Iterator

import numpy as np
import pytest
from django.db import transaction
from pytest_django import DjangoDbBlocker
from scipy import stats

from annotations import designing
from annotations.answering.turns import Turns
from annotations.ground.display_rule import percentages
from annotations.ground.sides import LIMIT
from annotations.models import Dataset, Instance, SideOrder, Study
from annotations.shown.displaying import parts_of
from tests.worlds.datasets import make_dataset
from tests.worlds.studies import make_study

pytestmark = pytest.mark.django_db

INSTANCES, SYSTEMS, EXPERTS_EACH = 250, 10, 4
FALSE_ALARM = 1e-4  # the seed is fixed, so this is how improbable a result may look before we believe it


@pytest.fixture(scope="module")
def shown(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[np.ndarray]:
    """One row an assignment: expert, turn, whether people are A, and what is to be seen of it."""

    with django_db_blocker.unblock(), transaction.atomic():
        yield assignments_of(planned())
        transaction.set_rollback(True)


def planned() -> Study:
    dataset = make_dataset(instances=INSTANCES, systems=SYSTEMS, labels=5)
    rng = np.random.default_rng(1)
    for instance in dataset.instances.all():
        instance.segments = [{"name": "", "text": "x" * int(rng.integers(10, 8000))}]
        instance.parts = int(rng.integers(3, 9))
        instance.save()
    study = make_study(
        dataset=dataset,
        experts=SYSTEMS * EXPERTS_EACH,
        assigning="named",
        instances_per_system=INSTANCES,
        experts_per_comparison=EXPERTS_EACH,
        seed=2026,
    )
    designing.apply_plan(study=study)
    return study


def assignments_of(study: Study) -> np.ndarray:
    P = Dataset.objects.get(pk=study.dataset_id).gold
    instances: dict[int, Instance] = {one.pk: one for one in study.dataset.instances.all()}
    rows = []
    turns = {expert.number: Turns.of(expert) for expert in study.memberships.experts().select_related("study")}
    given = study.assignments.order_by("expert", "position").select_related("expert", "comparison")
    for one in given:
        number, turn = one.expert.number, turns[one.expert.number].next(one.comparison)
        instance = instances[one.instance_id]
        human = percentages(
            np.asarray(P)[instance.position], parts=parts_of(study, instance), threshold=0.1, task="multilabel"
        )
        rows.append(
            (
                number,
                turn.number,
                turn.side_order == SideOrder.FIRST_IS_A,
                len(instance.segments[0]["text"]),
                instance.position,
                human.max(),
                human.argmax(),
                np.count_nonzero(human),
                human.sum(),
                one.comparison.second_system_id,
            )
        )
    return np.array(rows, dtype=float)


SEEN = ("turn", "length of the text", "instance", "largest share", "first label", "bars", "sum", "system")
COLUMNS = (1, 3, 4, 5, 6, 7, 8, 9)


def telling(people_are_a: np.ndarray, seen: np.ndarray) -> float:
    """How improbable so strong a relation would be by chance (Mann-Whitney)."""
    a = people_are_a.astype(bool)
    return float(stats.mannwhitneyu(seen[a], seen[~a]).pvalue)


def test_in_ten_thousand_turns_no_order_leads_by_more_than_three_at_any_moment(shown):
    assert len(shown) == INSTANCES * SYSTEMS * EXPERTS_EACH == 10_000
    by_expert = defaultdict(list)
    for number, turn, people_are_a, *_ in shown:
        assert turn == len(by_expert[number])
        by_expert[number].append(people_are_a)
    assert len(by_expert) == SYSTEMS * EXPERTS_EACH
    for sides in by_expert.values():
        lead = np.cumsum(2 * np.array(sides) - 1)
        assert np.abs(lead).max() == LIMIT


@pytest.mark.parametrize(("what", "column"), list(zip(SEEN, COLUMNS, strict=True)))
def test_the_side_does_not_depend_on_anything_that_is_seen(shown, what, column):
    assert telling(shown[:, 2], shown[:, column]) > FALSE_ALARM, what
    # nor on two things at once that alone would cancel out
    parity = (shown[:, column] + shown[:, 1]) % 2
    assert stats.chi2_contingency(np.histogram2d(shown[:, 2], parity, bins=2)[0] + 1).pvalue > FALSE_ALARM


def test_every_turn_has_either_order_as_often_and_the_one_before_tells_little(shown):
    """Of two turns the second one is the same as the first in 5/12: only a lead of three is ever turned back."""
    for place in range(4):
        here = shown[shown[:, 1] % 4 == place]
        assert abs(here[:, 2].mean() - 0.5) < 0.04  # four standard errors
    before = {(number, turn): side for number, turn, side, *_ in shown}
    same = [side == before[number, turn - 1] for number, turn, side, *_ in shown if turn > 0]
    assert abs(np.mean(same) - 5 / 12) < 0.02


@pytest.mark.parametrize("column", COLUMNS[1:4])
def test_a_side_that_depended_slightly_on_what_is_seen_would_be_found(shown, column):
    rng = np.random.default_rng(3)
    seen = shown[:, column]
    leaning = rng.random(len(seen)) < 0.45 + 0.1 * (seen > np.median(seen))
    assert telling(leaning, seen) < FALSE_ALARM
