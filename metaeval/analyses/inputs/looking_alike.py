"""Which comparisons look the same on both sides, and which reveal the system, given how a study shows distributions."""

from __future__ import annotations

import numpy as np

from annotations.ground.arrays import Mask, Matrix
from annotations.ground.display_rule import HUMAN_VS_SYSTEM
from annotations.ground.leaks import Tells
from metaeval.analyses.inputs.studies import StudyInputs


def looked_alike(study: StudyInputs) -> Mask:
    """For every place that was taken, whether both sides looked the same: one entry per entry of `Answers`.

    Studies that began before this was stored show distributions by the same rule, so the rule decides; if the rule is
    unknown, what is stored.
    """
    answers, showing = study.answers, study.showing
    if showing is None or not len(answers):
        return answers.identical
    first: Matrix = study.P[answers.instance]
    second: Matrix = np.empty_like(first)
    for place, system in enumerate(study.systems):
        as_first, as_second = answers.first == place, answers.second == place
        if as_first.any() or as_second.any():
            Q = study.Q[system]
            first[as_first], second[as_second] = Q[answers.instance[as_first]], Q[answers.instance[as_second]]
    alike: Mask = showing.looks_alike(first, second, instance=answers.instance, task=study.task)
    return answers.identical | alike


def gave_away(study: StudyInputs) -> Mask:
    """For every place that was taken, whether a side can only be a system's (`Tells`): one entry per entry of
    `Answers`.

    Never between two systems, or if the rule is unknown.
    """
    answers, showing = study.answers, study.showing
    found: Mask = np.zeros(len(answers), dtype=np.bool_)
    if showing is None or not len(answers) or study.compares != HUMAN_VS_SYSTEM:
        return found
    rule, task = showing.rule, study.task
    tells = Tells.of(rule.percentages(study.P, people=showing.people, task=task))
    for place, system in enumerate(study.systems):
        mine = answers.second == place
        instance = answers.instance[mine]
        if len(instance):
            drawn = rule.percentages(study.Q[system][instance], people=showing.people[instance], task=task)
            found[mine] = tells.give_away(drawn)
    return found
