"""Which side experts guess to be people's at the end, and whether the blinding holds: Bang's index."""

from __future__ import annotations

import numpy as np

from metaeval import stats
from metaeval.analyses.inputs import StudyInputs
from metaeval.analyses.study_quality.naming import ALL, expert_name
from metaeval.analyses.study_quality.result import GuessedSides, QualityEstimate, QualityMeasure
from metaeval.analyses.study_quality.sides import ONE_EXPERT
from metaeval.sampling import Seed

NOT_ASKED = "the study does not ask for guesses"

NAME, TITLE = "blinding", "Bang’s blinding index"


def guess_rows(
    study: StudyInputs, *, level: float, resamples: int, seed: Seed
) -> tuple[list[GuessedSides], QualityMeasure]:
    """Bang's index of experts' guesses about people's side: for all, and for each expert who guessed; and that for all
    with its interval over experts."""
    answers = study.answers
    asked = np.flatnonzero(answers.guess >= 0)
    names = ("a", "b", "unknown")
    right = (answers.guess == 0) == answers.first_is_a
    who = answers.expert[asked].tolist()
    said = [names[answers.guess[place]] for place in asked]
    is_right = [bool(right[place]) for place in asked]
    if reason := _no_guesses(study, len(asked)):
        return [], QualityMeasure.undefined(NAME, TITLE, reason)
    found = stats.guessed_blinding(who, said, is_right, confidence_level=level, n_resamples=resamples, seed=seed)
    rows = [_row(ALL, found.index)]
    for number in dict.fromkeys(who):
        mine = [place for place, expert in enumerate(who) if expert == number]
        unsure = sum(said[place] == "unknown" for place in mine)
        hits = sum(is_right[place] for place in mine if said[place] != "unknown")
        index = stats.blinding_index(hits, len(mine) - unsure - hits, unsure, confidence_level=level)
        rows.append(_row(expert_name(number), index))
    several = found.experts > 1
    limits = found.interval if several else found.index
    estimate = QualityEstimate(value=found.index.value, low=limits.low, high=limits.high, n=len(asked), reason="")
    notes = [*found.index.notes, *([] if several else [ONE_EXPERT])]
    return rows, QualityMeasure.of(NAME, TITLE, estimate, p_value=found.index.pvalue, notes=notes)


def _row(name: str, index: stats.BlindingIndex) -> GuessedSides:
    return GuessedSides(
        expert=name,
        right=index.right,
        wrong=index.wrong,
        unsure=index.unsure,
        value=index.value,
        low=index.low,
        high=index.high,
        p_value=index.pvalue,
        notes="; ".join(index.notes),
    )


def _no_guesses(study: StudyInputs, count: int) -> str:
    if study.compares != "human_vs_system":
        return "in a study of systems against systems, neither side is people’s"
    if count:
        return ""
    if not study.asks_guess:
        return NOT_ASKED
    return "nobody has guessed yet; experts are asked after their last answer"
