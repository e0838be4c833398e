"""Where a system's side can only be a system's: texts that a plan may draw anew.

A tell (leaking.py) is certain once it is noticed: a smaller sum or more bars than on any human side in the dataset.
Dropping such comparisons would favour odd systems, whose worst predictions they are; so they are kept, counted and
examined in the results. If the study says so, another text from the same deck is drawn for the system instead, and
the plan says how many texts were avoided for each system.
"""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from annotations.designing.averaging import read_systems
from annotations.ground.arrays import Mask, absent_rows
from annotations.ground.display_rule import DisplayRule
from annotations.ground.leaks import Tells
from annotations.models import Compares, GiveAways, Instance, Study
from annotations.models.datasets import matrix_or_error


def to_avoid(study: Study, systems: Sequence[int]) -> Mask | None:
    """systems (by key) x instances: which texts are drawn anew; None if the study keeps everything or has no human
    sides."""
    if study.give_aways != GiveAways.REDRAW or study.compares != Compares.HUMAN_VS_SYSTEM:
        return None
    found = dict(tell_tales(study, systems))
    return np.array([found[key] for key in systems])


def tell_tales(study: Study, systems: Iterable[int]) -> Iterator[tuple[int, Mask]]:
    """For every system, by key, the instances on which its side, as drawn in the study, can only be a system's."""
    rule, task = DisplayRule.of(study), study.dataset.task
    instances = Instance.objects.filter(dataset=study.dataset).order_by("position")
    people = np.array(list(instances.values_list("parts", flat=True)), dtype=np.int64)
    tells = Tells.of(rule.percentages(matrix_or_error(study.dataset.gold), people=people, task=task))
    for one in read_systems(study, systems):  # one matrix at a time
        Q = matrix_or_error(one.predictions)
        # Instances that a system does not predict are never drawn for it, so they reveal nothing.
        yield one.pk, tells.give_away(rule.percentages(Q, people=people, task=task)) & ~absent_rows(Q)
