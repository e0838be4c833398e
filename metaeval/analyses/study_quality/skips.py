"""Texts that were skipped after step 2 was shown: by whom, of which systems, and what they could change."""

from __future__ import annotations

import numpy as np

from annotations.ground.arrays import Mask
from metaeval.analyses.inputs import StudyInputs
from metaeval.analyses.study_quality.naming import all_and_each
from metaeval.analyses.study_quality.result import SkippedOfExpert, SkippedOfSystem


def skipped_after_step_2(study: StudyInputs) -> Mask:
    """The places whose step 2 was shown and which the expert then skipped; without deliberate repeats."""
    answers = study.answers
    return answers.is_skipped & answers.was_shown & ~answers.is_answered & (answers.repeat_of < 0)


def skip_rows(study: StudyInputs) -> tuple[list[SkippedOfExpert], list[SkippedOfSystem]]:
    """How often each expert skipped what they had seen, and each system's preference fraction at worst and at best.

    At worst the system would not have been chosen in any of its skipped comparisons, at best in all:
    chosen / (answers + skipped) and (chosen + skipped) / (answers + skipped). Empty if nothing was skipped like this.
    """
    skipped = skipped_after_step_2(study)
    if not skipped.any():
        return [], []
    answers = study.answers
    shown = answers.was_shown & (answers.repeat_of < 0)
    experts = [
        SkippedOfExpert(
            expert=name,
            shown=int((mine & shown).sum()),
            skipped=int((mine & skipped).sum()),
            share=_share(int((mine & skipped).sum()), int((mine & shown).sum())),
        )
        for name, mine in all_and_each(study.experts, answers.expert)
    ]
    return experts, [_system(study, place, name, skipped) for place, name in enumerate(study.systems)]


def _system(study: StudyInputs, place: int, name: str, skipped: Mask) -> SkippedOfSystem:
    answers = study.answers
    given = answers.counting(answers.is_answered, include_pilot=True).kept
    here = [(answers.first == place, answers.first_chosen), (answers.second == place, answers.second_chosen)]
    count = int(sum((given & mine).sum() for mine, _ in here))
    chosen = int(sum((given & mine & was_chosen).sum() for mine, was_chosen in here))
    left = int((skipped & np.logical_or(here[0][0], here[1][0])).sum())
    return SkippedOfSystem(
        system=name,
        answers=count,
        chosen=chosen,
        skipped=left,
        fraction=_share(chosen, count),
        worst=_share(chosen, count + left),
        best=_share(chosen + left, count + left),
    )


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
