"""How experts answered: which side they chose, whether they repeat themselves, and what they guess at the end."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from metaeval import stats
from metaeval.analyses.inputs import Flags, StudyInputs
from metaeval.analyses.study_quality.people import ALL, expert_name
from metaeval.sampling import Seed

OUTCOMES = ("a", "b", "both", "neither")


def side_rows(
    study: StudyInputs, *, level: float, resamples: int, seed: Seed
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """One row for all and one for each expert: how often A, B, both and neither were chosen, and the share of A among
    the answers that chose one side; and that share over all with its interval over experts. Repeats do not count."""
    answers = study.answers
    given = answers.is_answered & ~answers.is_skipped & (answers.repeat_of < 0)
    experts = answers.expert[given]
    a, b = answers.a_chosen[given], answers.b_chosen[given]
    found = stats.position_bias(
        [expert_name(number) for number in experts], a, b, level=level, resamples=resamples, seed=seed
    )
    shares = {share.name: share for share in found.experts}
    certainty, first_is_a = answers.certainty[given], answers.first_is_a[given]
    rows = []
    for name, mine in [
        (ALL, np.ones(len(experts), dtype=np.bool_)),
        *((expert_name(number), experts == number) for number in study.experts),
    ]:
        share = found.overall if name == ALL else shares.get(name)
        rows.append(
            {
                "expert": name,
                "answers": int(mine.sum()),
                **_outcomes(a[mine], b[mine]),
                **_share(share),
                "first_is_a": float(first_is_a[mine].mean()) if mine.any() else math.nan,
                **_certainty(certainty[mine]),
            }
        )
    return rows, _over_experts(found, len(np.unique(experts)))


def _outcomes(a: Flags, b: Flags) -> dict[str, int]:
    counts = (a & ~b, b & ~a, a & b, ~a & ~b)
    return {name: int(count.sum()) for name, count in zip(OUTCOMES, counts, strict=True)}


def _share(share: stats.Share | None) -> dict[str, Any]:
    if share is None or share.reason:
        reason = "no answer" if share is None else "no answer chose exactly one side"
        return dict.fromkeys(("value", "low", "high", "p_value", "p_holm"), math.nan) | {"n": 0, "reason": reason}
    known = {key: getattr(share, key) for key in ("value", "low", "high", "n", "p_value")}
    return known | {"p_holm": math.nan if share.p_holm is None else share.p_holm, "reason": ""}


def _certainty(values: np.ndarray[Any, np.dtype[np.float64]]) -> dict[str, Any]:
    known = values[np.isfinite(values)]
    return {
        "certainty": float(known.mean()) if len(known) else math.nan,
        "without_certainty": len(values) - len(known),
    }


def _over_experts(found: stats.PositionBias, experts: int) -> dict[str, Any]:
    overall = found.overall
    if overall.reason:
        reason = "no answer chose exactly one side"
        return {"value": math.nan, "low": math.nan, "high": math.nan, "n": 0, "reason": reason, "notes": []}
    row = {"value": overall.value, "n": overall.n, "reason": ""}
    if experts < 2:
        return row | {"low": overall.low, "high": overall.high, "notes": [_ONE_EXPERT]}
    return row | {"low": found.interval.low, "high": found.interval.high, "notes": []}


_ONE_EXPERT = "one expert: the interval takes answers as independent"


def consistency_rows(study: StudyInputs, *, level: float) -> list[dict[str, Any]]:
    """For each step one row for all and one for each expert who answered something again.

    In step 2 the same answer is the same choice of the two sources, whichever sides they stood on.
    """
    answers = study.answers
    again = np.flatnonzero((answers.repeat_of >= 0) & ~answers.is_skipped)
    rows = []
    for step, there in (("labels", answers.is_labelled), ("preferences", answers.is_answered)):
        pairs = [(place, int(answers.repeat_of[place])) for place in again.tolist()]
        both = [(place, first) for place, first in pairs if there[place] and there[first]]
        said = [_said(study, step, place) for pair in both for place in pair]
        who = [expert_name(int(answers.expert[place])) for pair in both for place in pair]
        asked = [first for _, first in both for _ in range(2)]
        found = stats.self_consistency(who, asked, said, level=level)
        for share in (found.overall, *found.experts):
            is_all = share is found.overall
            rows.append(
                {
                    "step": step,
                    "expert": ALL if is_all else share.name,
                    "value": share.value,
                    "low": share.low,
                    "high": share.high,
                    "n": share.n,
                    "kappa": found.kappa if is_all else math.nan,
                    "reason": _no_repeats(len(again)) if share.reason else "",
                    "kappa_reason": "" if not is_all or share.reason else found.reason,
                }
            )
    return rows


def _said(study: StudyInputs, step: str, place: int) -> tuple[Any, ...]:
    answers = study.answers
    if step == "labels":
        return tuple(np.flatnonzero(answers.labels[place]).tolist())
    return (bool(answers.first_chosen[place]), bool(answers.second_chosen[place]))


def _no_repeats(places: int) -> str:
    if not places:
        return "nobody was given a comparison again: the study has no deliberate repeats"
    return f"none of the {places} repeats is answered yet"


def guesses(
    study: StudyInputs, *, level: float, resamples: int, seed: Seed
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Bang's index of what experts guessed to be people's side: of all and of each expert who guessed; and that of all
    with its interval over experts."""
    answers = study.answers
    asked = np.flatnonzero(answers.guess >= 0)
    names = ("a", "b", "unknown")
    right = (answers.guess == 0) == answers.first_is_a
    who = answers.expert[asked].tolist()
    said = [names[answers.guess[place]] for place in asked]
    is_right = [bool(right[place]) for place in asked]
    reason = _no_guesses(study, len(asked))
    if reason:
        nothing = {"value": math.nan, "low": math.nan, "high": math.nan, "p_value": math.nan, "n": 0, "notes": []}
        return [], nothing | {"reason": reason}
    found = stats.guessed_blinding(who, said, is_right, level=level, resamples=resamples, seed=seed)
    rows = [_guess_row(ALL, found.index)]
    for number in dict.fromkeys(who):
        mine = [place for place, expert in enumerate(who) if expert == number]
        unsure = sum(said[place] == "unknown" for place in mine)
        hits = sum(is_right[place] for place in mine if said[place] != "unknown")
        index = stats.blinding_index(hits, len(mine) - unsure - hits, unsure, level=level)
        rows.append(_guess_row(expert_name(number), index))
    several = found.experts > 1
    overall = {
        "value": found.index.value,
        "low": found.interval.low if several else found.index.low,
        "high": found.interval.high if several else found.index.high,
        "p_value": found.index.p_value,
        "n": len(asked),
        "reason": "",
        "notes": [*found.index.notes, *([] if several else [_ONE_EXPERT])],
    }
    return rows, overall


def _guess_row(name: str, index: stats.BlindingIndex) -> dict[str, Any]:
    keys = ("right", "wrong", "unsure", "value", "low", "high", "p_value")
    return {"expert": name} | {key: getattr(index, key) for key in keys} | {"notes": "; ".join(index.notes)}


def _no_guesses(study: StudyInputs, count: int) -> str:
    if study.compares != "human_vs_system":
        return "in a study of systems against systems no side is people’s"
    if count:
        return ""
    if not study.asks_guess:
        return "the study does not ask for guesses"
    return "nobody has guessed yet; experts are asked after their last answer"
