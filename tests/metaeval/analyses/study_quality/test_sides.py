"""What the shapes reveal about people's side is shown beside Bang's index, for the comparisons that were answered."""

import numpy as np
import pytest

from annotations.designing.concealing import DrawnPair
from annotations.ground.display_rule import DisplayRule
from annotations.ground.leaks import Tells, learned_leak
from annotations.models import Study
from tests.metaeval.analyses.study_quality.quality import quality
from tests.metaeval.studies import Answered, answered_study
from tests.worlds.full import make_full_study

pytestmark = pytest.mark.django_db


def seen(found: Answered) -> list[DrawnPair]:
    """Every comparison that was answered, once, as it was drawn; those that look the same on both sides too."""
    rule = DisplayRule.of(found.study)
    shown = {(one.comparison.second_system_id, one.instance.position): one for one in found.assignments}
    pairs = []
    for (system, position), one in sorted(shown.items()):
        Q = next(q for key, q in zip(found.systems, found.Q, strict=True) if key.pk == system)
        human, drawn = (
            rule.percentages(row, people=one.instance.parts, task="multilabel")
            for row in (found.P[position], Q[position])
        )
        same = bool((human == drawn).all())
        parts = int(rule.parts(one.instance.parts))
        pairs.append(DrawnPair(position, one.instance.parts, parts, human[human > 0], drawn[drawn > 0], same))
    return pairs


def test_the_leak_is_that_of_the_answered_comparisons_each_once():
    found = answered_study(systems=9, instances=330, experts=2)
    leak = quality(found.study)["leak"]
    pairs = [pair for pair in seen(found) if not pair.identical]
    expected = learned_leak(pairs)
    assert expected.right is not None
    assert leak["value"] == pytest.approx(expected.right, abs=0.02)  # the order of the comparisons changes the folds
    assert leak["low"] < leak["value"] < leak["high"]
    assert leak["surest"] > 0.5
    assert leak["comparisons"] == leak["n"] == len(pairs)
    rule = DisplayRule.of(found.study)
    people = np.array(found.study.dataset.instances.order_by("position").values_list("parts", flat=True))
    tells = Tells.of(rule.percentages(found.P, people=people, task="multilabel"))
    assert leak["given_away"] == sum(
        pair.system.sum() < tells.lowest_sum or len(pair.system) > tells.most_bars for pair in pairs
    )


def test_few_comparisons_are_too_few_to_say_and_only_tells_are_counted():
    study = make_full_study()
    result = quality(study, pilot="include")
    assert result["leak"]["value"] is None
    assert "are too few to say" in result["leak"]["reason"]
    table = next(one for one in result["tables"] if one["name"] == "leak")
    assert table["rows"][0]["notes"].startswith("undefined: ")
    assert table["rows"][0]["given_away"] == result["leak"]["given_away"]


def test_between_systems_no_side_is_peoples():
    study = make_full_study(compares="system_vs_system")
    leak = quality(Study.objects.get(pk=study.pk), pilot="include")["leak"]
    assert (leak["value"], leak["comparisons"]) == (None, 0)
    assert "neither side is people’s" in leak["reason"]
