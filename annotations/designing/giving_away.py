"""Where a system's side can only be a system's: texts that a plan may draw anew.

A tell (leaking.py) is certain once it is noticed: a sum below, or more bars than, what any people's side of the
dataset shows. Dropping such comparisons would favour odd systems, whose worst predictions they are; so they are kept,
counted and looked at in the results, or, where the study says so, another text of the same deck is drawn for the
system, and the plan says from how many texts each system was kept away.
"""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from annotations.arrays import Mask, absent_rows
from annotations.blinding.tells import Tells
from annotations.designing.averaging import read_systems
from annotations.displaying import DisplayRule
from annotations.models import Compares, GiveAways, Instance, Study
from annotations.models.datasets import matrix_or_error


def to_avoid(study: Study, systems: Sequence[int]) -> Mask | None:
    """systems (by their keys) x instances: what is drawn anew; None where the study keeps everything, or shows no
    people."""
    if study.give_aways != GiveAways.REDRAW or study.compares != Compares.HUMAN_VS_SYSTEM:
        return None
    found = dict(tell_tales(study, systems))
    return np.array([found[key] for key in systems])


def tell_tales(study: Study, systems: Iterable[int]) -> Iterator[tuple[int, Mask]]:
    """For every system, by its key, on which instances its side, as the study draws it, can only be a system's."""
    rule, task = DisplayRule.of(study), study.dataset.task
    instances = Instance.objects.filter(dataset=study.dataset).order_by("position")
    people = np.array(list(instances.values_list("parts", flat=True)), dtype=np.int64)
    tells = Tells.of(rule.percentages(matrix_or_error(study.dataset.gold), people=people, task=task))
    for one in read_systems(study, systems):  # a matrix at a time
        Q = matrix_or_error(one.predictions)
        # What a system does not predict is never drawn for it, and tells nothing.
        yield one.pk, tells.give_away(rule.percentages(Q, people=people, task=task)) & ~absent_rows(Q)
