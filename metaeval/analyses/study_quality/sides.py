"""Which side experts chose: how often A, B, both and neither, and the share of A, which is one half without bias."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from metaeval import stats
from metaeval.analyses.inputs import StudyInputs
from metaeval.analyses.study_quality.naming import ALL, all_and_each, expert_name
from metaeval.analyses.study_quality.result import QualityEstimate, QualityMeasure, SideChoices
from metaeval.sampling import Seed

ONE_EXPERT = "one expert: the interval treats answers as independent"
NO_SIDE = "no answer chose exactly one side"


def side_rows(
    study: StudyInputs, *, level: float, resamples: int, seed: Seed
) -> tuple[list[SideChoices], QualityMeasure]:
    """One row for all and one for each expert: how often A, B, both and neither were chosen, and the share of A among
    the answers that chose one side; and that share over all with its interval over experts. Neither repeats nor
    comparisons whose sides looked the same count."""
    answers = study.answers
    given = answers.counting(answers.is_answered, include_pilot=True).kept & ~answers.identical
    experts = answers.expert[given]
    a, b = answers.a_chosen[given], answers.b_chosen[given]
    found = stats.position_bias(
        [expert_name(number) for number in experts], a, b, confidence_level=level, n_resamples=resamples, seed=seed
    )
    shares = {share.name: share for share in found.experts}
    certainty, first_is_a = answers.certainty[given], answers.first_is_a[given]
    rows = []
    for name, mine in all_and_each(study.experts, experts):
        share = _share(found.overall if name == ALL else shares.get(name))
        sure = certainty[mine][np.isfinite(certainty[mine])]
        rows.append(
            SideChoices(
                expert=name,
                answers=int(mine.sum()),
                a=int((mine & a & ~b).sum()),
                b=int((mine & b & ~a).sum()),
                both=int((mine & a & b).sum()),
                neither=int((mine & ~a & ~b).sum()),
                value=share.value,
                low=share.low,
                high=share.high,
                n=share.n,
                p_value=share.pvalue,
                p_holm=share.p_holm,
                reason=share.reason,
                first_is_a=float(first_is_a[mine].mean()) if mine.any() else None,
                certainty=float(sure.mean()) if len(sure) else None,
                without_certainty=int(mine.sum()) - len(sure),
            )
        )
    return rows, _over_experts(found, len(np.unique(experts)))


def _share(share: stats.Share | None) -> stats.Share:
    """A share of nothing is undefined throughout, with our reason."""
    nothing = stats.Share("", np.nan, np.nan, np.nan, 0)
    if share is None:
        return replace(nothing, reason="no answer")
    return replace(nothing, reason=NO_SIDE) if share.reason else share


def _over_experts(found: stats.PositionBias, experts: int) -> QualityMeasure:
    name, title, overall = "position_bias", "Share of A when one side was chosen", found.overall
    if overall.reason:
        return QualityMeasure.undefined(name, title, NO_SIDE)
    limits = overall if experts < 2 else found.interval
    estimate = QualityEstimate(value=overall.value, low=limits.low, high=limits.high, n=overall.n, reason="")
    return QualityMeasure.of(name, title, estimate, notes=[ONE_EXPERT] if experts < 2 else [])
