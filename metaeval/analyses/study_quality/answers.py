"""What experts answered: how long it took, whether they repeat themselves, which side they chose and which one they
guessed to be people's, and what the shapes reveal of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np

from annotations.ground.arrays import Counts, Integers, Mask, Vector
from annotations.ground.leaks import TOO_FEW, Tells, learned_leak
from metaeval import stats
from metaeval.analyses.inputs import StudyInputs
from metaeval.analyses.inputs.studies import looked_alike
from metaeval.analyses.study_quality.result import (
    ALL,
    STEPS,
    AnswerTimes,
    GuessedSides,
    QualityEstimate,
    QualityMeasure,
    RepeatedAnswers,
    ShapeLeak,
    SideChoices,
    Step,
    all_and_each,
    expert_name,
)
from metaeval.sampling import Seed

NO_REPEATS = "nobody was given a comparison again: the study has no deliberate repeats"
"""Nor, for step 1, a text."""

SAME: dict[Step, str] = {"labels": "the same labels", "preferences": "the same preference"}


def time_rows(study: StudyInputs, quick_seconds: float) -> list[AnswerTimes]:
    """Seconds in which the page of each step was used, one row for all and one for each expert."""
    answers, rows = study.answers, []
    steps: dict[Step, tuple[Mask, Vector]] = {
        "labels": (answers.is_labelled, answers.labels_ms),
        "preferences": (answers.is_answered, answers.preference_ms),
    }
    for step, (is_answered, milliseconds) in steps.items():
        for name, mine in all_and_each(study.experts, answers.expert):
            answered = milliseconds[is_answered & ~answers.is_skipped & mine] / 1000
            seconds = answered[np.isfinite(answered)]
            quick = int((seconds < quick_seconds).sum())
            q1, middle, q3 = np.quantile(seconds, [0.25, 0.5, 0.75]).tolist() if len(seconds) else (None, None, None)
            rows.append(
                AnswerTimes(
                    step=step,
                    expert=name,
                    answers=len(answered),
                    unknown=len(answered) - len(seconds),
                    median=middle,
                    q1=q1,
                    q3=q3,
                    total=float(seconds.sum()),
                    quick=quick,
                    quick_share=quick / len(seconds) if len(seconds) else None,
                    reason="" if len(seconds) else "no answer has a known time" if len(answered) else "no answer",
                )
            )
    return rows


def time_measures(rows: Sequence[AnswerTimes]) -> list[QualityMeasure]:
    """The medians of all experts."""
    return [
        QualityMeasure.of(
            f"seconds_{row.step}",
            f"Median seconds, {STEPS[row.step].lower()}",
            QualityEstimate(value=row.median, low=row.q1, high=row.q3, n=row.answers - row.unknown, reason=row.reason),
            notes=[] if row.reason else ["limits: quartiles"],
        )
        for row in rows
        if row.expert == ALL
    ]


def repeat_rows(study: StudyInputs, *, level: float) -> list[RepeatedAnswers]:
    """For each step, one row for all and one for each expert who answered something again.

    Step 1 is about a text: whoever judged it beside two systems has labelled it twice. Step 2 is about a comparison;
    the same answer means the same choice of the two sources, whichever sides they were on.
    """
    answers = study.answers
    labels: list[Hashable] = [tuple(np.flatnonzero(row).tolist()) for row in answers.labels]
    choices: list[Hashable] = list(zip(answers.first_chosen.tolist(), answers.second_chosen.tolist(), strict=True))
    return [
        *_repeats("labels", study, answers.instance, answers.is_labelled, labels, level=level),
        *_repeats("preferences", study, answers.comparison, answers.is_answered, choices, level=level),
    ]


def _repeats(
    step: Step, study: StudyInputs, subjects: Integers, is_answered: Mask, choices: Sequence[Hashable], *, level: float
) -> list[RepeatedAnswers]:
    """`subjects`: the text or comparison of every place; `choices`: what was answered there."""
    answers = study.answers
    places = np.flatnonzero(~answers.is_skipped).tolist()
    turns = {place: (int(answers.expert[place]), int(subjects[place])) for place in places}
    times = Counter(turns[place] for place in places if is_answered[place])
    repeated = [place for place in places if is_answered[place] and times[turns[place]] > 1]
    consistency = stats.self_consistency(
        [expert_name(turns[place][0]) for place in repeated],
        [turns[place] for place in repeated],
        [choices[place] for place in repeated],
        confidence_level=level,
    )
    count = len(places) - len(set(turns.values()))
    no_repeats = f"none of the {count} repeats is answered yet" if count else NO_REPEATS
    return [
        RepeatedAnswers(
            step=step,
            expert=name,
            value=share.value,
            low=share.low,
            high=share.high,
            n=share.n,
            kappa=kappa,
            reason=no_repeats if share.reason else "",
            kappa_reason="" if share.reason else kappa_reason,
        )
        for name, share, kappa, kappa_reason in [
            (ALL, consistency.overall, consistency.kappa, consistency.reason),
            *((share.name, share, None, "") for share in consistency.experts),
        ]
    ]


def repeat_measures(rows: Sequence[RepeatedAnswers]) -> list[QualityMeasure]:
    """The shares over all experts."""
    return [
        QualityMeasure.of(f"consistency_{row.step}", f"Repeats with {SAME[row.step]}", row)
        for row in rows
        if row.expert == ALL
    ]


ONE_EXPERT = "one expert: the interval treats answers as independent"
NO_SIDE = "no answer chose exactly one side"
NOT_ASKED = "the study does not ask for guesses"
BETWEEN_SYSTEMS = "in a study of systems against systems, neither side is people’s"
NOT_KNOWN = "how the study showed its distributions is not known"


def side_rows(
    study: StudyInputs, *, level: float, resamples: int, seed: Seed
) -> tuple[list[SideChoices], QualityMeasure]:
    """One row for all and one for each expert: how often A, B, both and neither were chosen, and the share of A among
    the answers that chose one side; and that share over all with its interval over experts. Neither repeats nor
    comparisons whose sides looked the same count."""
    answers = study.answers
    counting = answers.counting(answers.is_answered, include_pilot=True).kept & ~answers.identical
    experts = answers.expert[counting]
    a, b = answers.a_chosen[counting], answers.b_chosen[counting]
    bias = stats.position_bias(
        [expert_name(number) for number in experts], a, b, confidence_level=level, n_resamples=resamples, seed=seed
    )
    shares = {ALL: bias.overall} | {share.name: share for share in bias.experts}
    certainty, first_is_a = answers.certainty[counting], answers.first_is_a[counting]
    rows = []
    for name, mine in all_and_each(study.experts, experts):
        share = shares.get(name)
        if share is None or share.reason:  # a share of nothing is undefined throughout
            share = stats.Share(name, np.nan, np.nan, np.nan, 0, reason=NO_SIDE if share else "no answer")
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
    several = len(np.unique(experts)) > 1
    limits = bias.interval if several else bias.overall
    estimate = (
        QualityEstimate.undefined(NO_SIDE)
        if bias.overall.reason
        else QualityEstimate(value=bias.overall.value, low=limits.low, high=limits.high, n=bias.overall.n, reason="")
    )
    notes = [] if several or estimate.reason else [ONE_EXPERT]
    return rows, QualityMeasure.of("position_bias", "Share of A when one side was chosen", estimate, notes=notes)


def guess_rows(
    study: StudyInputs, *, level: float, resamples: int, seed: Seed
) -> tuple[list[GuessedSides], QualityMeasure]:
    """Bang's index of experts' guesses about people's side: for all, and for each expert who guessed; and that for all
    with its interval over experts."""
    measure, title = "blinding", "Bang’s blinding index"
    answers = study.answers
    places = np.flatnonzero(answers.guess >= 0)
    if reason := _no_guesses(study, len(places)):
        return [], QualityMeasure.of(measure, title, QualityEstimate.undefined(reason))
    experts = answers.expert[places]
    guesses = np.array(["a", "b", "unknown"])[answers.guess[places]]
    is_right = ((answers.guess == 0) == answers.first_is_a)[places]
    blinding = stats.guessed_blinding(
        experts.tolist(),
        guesses.tolist(),
        is_right.tolist(),
        confidence_level=level,
        n_resamples=resamples,
        seed=seed,
    )
    indices = {ALL: blinding.index}
    for number in dict.fromkeys(experts.tolist()):
        mine = experts == number
        unsure = int((mine & (guesses == "unknown")).sum())
        right = int((mine & is_right & (guesses != "unknown")).sum())
        wrong = int(mine.sum()) - unsure - right
        indices[expert_name(number)] = stats.blinding_index(right, wrong, unsure, confidence_level=level)
    rows = [
        GuessedSides(
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
        for name, index in indices.items()
    ]
    several = blinding.experts > 1
    limits = blinding.interval if several else blinding.index
    estimate = QualityEstimate(value=blinding.index.value, low=limits.low, high=limits.high, n=len(places), reason="")
    notes = [*blinding.index.notes, *([] if several else [ONE_EXPERT])]
    return rows, QualityMeasure.of(measure, title, estimate, p_value=blinding.index.pvalue, notes=notes)


def _no_guesses(study: StudyInputs, count: int) -> str:
    if study.compares != "human_vs_system":
        return BETWEEN_SYSTEMS
    if count:
        return ""
    return "nobody has guessed yet; experts are asked after their last answer" if study.asks_guess else NOT_ASKED


class SeenPair(NamedTuple):
    """A comparison as it was seen: the drawn percentages of both sides, the text, and the rounding steps."""

    instance: int
    people: int
    parts: int
    human: Counts
    system: Counts


def shape_leak(study: StudyInputs) -> ShapeLeak:
    """The learned leak of the comparisons that were answered, each once, and how many give themselves away.

    For a plan, the leak says what experts could learn; here, it is about what they have answered so far.
    """
    showing = study.showing
    if study.compares != "human_vs_system" or showing is None:
        reason = NOT_KNOWN if study.compares == "human_vs_system" else BETWEEN_SYSTEMS
        unknown = QualityEstimate.undefined(reason)
        return ShapeLeak(**unknown.plain(), surest=None, comparisons=0, given_away=0)
    answers = study.answers
    counting = answers.counting(answers.is_answered, include_pilot=True).kept & ~looked_alike(study)
    shown = np.unique(np.stack([answers.second[counting], answers.instance[counting]]), axis=1)
    parts, rule = showing.parts, showing.rule
    human = rule.percentages(study.P, people=showing.people, task=study.task)
    tells = Tells.of(human)
    pairs, given_away = [], 0
    for system in np.unique(shown[0]):
        instances = shown[1][shown[0] == system]
        rows = study.Q[study.systems[system]][instances]
        drawn = rule.percentages(rows, people=showing.people[instances], task=study.task)
        given_away += int(tells.give_away(drawn).sum())
        pairs += [
            SeenPair(
                place, int(showing.people[place]), int(parts[place]), human[place][human[place] > 0], side[side > 0]
            )
            for place, side in zip(instances.tolist(), drawn, strict=True)
        ]
    leak = learned_leak(pairs)
    texts = len({pair.instance for pair in pairs})
    too_few = f"{len(pairs)} comparisons on {texts} texts are too few to say what their shapes tell"
    return ShapeLeak(
        value=leak.right,
        low=leak.low,
        high=leak.high,
        n=leak.comparisons,
        reason=too_few if leak.reason == TOO_FEW else leak.reason,
        surest=leak.right_when_sure,
        comparisons=len(pairs),
        given_away=given_away,
    )
