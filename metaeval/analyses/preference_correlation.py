"""Which metric agrees with the experts? The analysis of Kurniawan et al. (2025), section 6."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from pydantic import Field, field_validator

from metaeval import metrics
from metaeval.analyses import seeding
from metaeval.analyses.correlation_tables import correlation_table
from metaeval.analyses.fractions import Average, Both, Fraction, Weights, preference_fractions
from metaeval.analyses.inputs import Responses, StudyInputs
from metaeval.analyses.parameters import MetricNames, StudyParameters, choices
from metaeval.analyses.plans import Permutations
from metaeval.analyses.registry import AnalysisError, analysis
from metaeval.analyses.work import Work
from metaeval.metrics import DistributionError, MetricValue, WrongTaskError
from metaeval.stats import (
    COEFFICIENTS,
    Alternative,
    Coefficient,
    CorrelationTest,
    PermutationPlan,
    TwoSided,
    benjamini_hochberg,
    holm,
    plain,
    regression_line,
)

ZERO_DIVISION = {"1": 1.0, "0": 0.0, "undefined": float("nan")}
TARGET = "the preference fractions"
Values = dict[str, dict[str, MetricValue]]


class PreferenceCorrelation(StudyParameters):
    """Parameters of `preference_correlation`."""

    metrics: MetricNames = Field(
        default=[],
        title="Metrics",
        description="Names of the metrics to compare; none named: the six of the task.",
        json_schema_extra=choices("metrics"),
    )
    coefficients: list[Coefficient] = Field(
        default=list(COEFFICIENTS), min_length=1, title="Coefficients", description="Which correlations to compute."
    )
    permutations: int = Field(
        default=100_000,
        ge=100,
        le=10_000_000,
        title="Permutations",
        description="How many permutations to draw; when there are no more than that, all of them are listed.",
    )
    both: Both = Field(
        default="1",
        title="A response of “both” counts",
        description="What it adds to a system's preference fraction when both distributions were chosen.",
    )
    weights: Weights = Field(
        default="none",
        title="Weights",
        description="Whether responses count alike or by the certainty that the expert stated.",
    )
    average: Average = Field(
        default="responses",
        title="Average over",
        description="All responses of a system alike, or first within each comparison.",
    )
    instances: Literal["all", "shown"] = Field(
        default="all",
        title="Metric values on",
        description="The whole dataset, or for each system only the instances that experts judged.",
    )
    zero_division: Literal["1", "0", "undefined"] = Field(
        default="1", title="0/0 counts as", description="The F1 of a label that neither people nor the system use."
    )
    alternative: Alternative = Field(
        default="two-sided", title="Alternative", description="The tail of the permutation test."
    )
    two_sided: TwoSided = Field(
        default="double",
        title="Two-sided by",
        description="Twice the smaller tail (as SciPy does), or by the magnitude of the correlation.",
    )

    @field_validator("coefficients")
    @classmethod
    def _are_distinct(cls, names: list[Coefficient]) -> list[Coefficient]:
        return list(dict.fromkeys(names))


@analysis(
    title="Which metric agrees with the experts?",
    subjects=["study"],
    parameters=PreferenceCorrelation,
    figures=["scatter"],
    example={"permutations": 200},
)
def preference_correlation(
    study: StudyInputs, parameters: PreferenceCorrelation, seed: int, work: Work
) -> dict[str, Any]:
    """Correlates, over systems, each metric's value with how often experts chose the system's distribution.

    Every correlation is tested by permuting the preference fractions, on one set of permutations for all metrics.
    """
    responses = study.responses(include_pilot=parameters.include_pilot)
    fractions = preference_fractions(
        responses, study.systems, both=parameters.both, weights=parameters.weights, average=parameters.average
    )
    judged = [fraction for fraction in fractions if not fraction.reason]
    _refuse_hopeless(judged)
    chosen = _metrics(study, parameters)
    work.stage("Metrics", until=0.05)
    values = _metric_values(study, responses, parameters, chosen, work)
    plan = PermutationPlan(
        {name: [values[system][name] for system in study.systems] for name in chosen},
        [fraction.fraction for fraction in fractions],
        coefficients=parameters.coefficients,
        permutations=parameters.permutations,
        seed=seeding.root(seed, seeding.Purpose.PERMUTATIONS),
        alternative=parameters.alternative,
        two_sided=parameters.two_sided,
        systems=study.systems,
        target_name=TARGET,
    )

    work.stage("Permutations")
    tests = work.run({"permutations": Permutations(plan)})["permutations"]
    correlations = _corrected(tests, parameters.coefficients)
    described = [_described(name) for name in chosen]
    return {
        "metrics": described,
        "systems": [
            {
                **fraction.to_dict(),
                **origin,
                "metrics": {name: value.to_dict() for name, value in values[fraction.system].items()},
            }
            for fraction, origin in zip(fractions, study.origins, strict=True)
        ],
        "correlations": correlations,
        "tables": [correlation_table(described, plain(correlations), parameters.coefficients)],
        "lines": {name: _line(name, fractions, values) for name in chosen},
        "counts": responses.counts,
        "exclusions": [*responses.exclusions, *_exclusions(fractions, values, chosen, responses, parameters)],
    }


def _refuse_hopeless(judged: list[Fraction]) -> None:
    if not judged:
        message = "No response counts yet, so there is nothing to correlate. Collect responses, or include the pilot."
        raise AnalysisError(message)
    if len(judged) < 3:
        message = f"Experts have judged {len(judged)} system(s); a correlation over systems needs at least 3."
        raise AnalysisError(message, systems=len(judged))


def _metrics(study: StudyInputs, parameters: PreferenceCorrelation) -> tuple[str, ...]:
    try:
        chosen = metrics.select(metrics.checked_task(study.task), parameters.metrics or None)
    except WrongTaskError as error:
        raise AnalysisError(f"{error}.") from error
    return tuple(entry.name for entry in chosen)


def _metric_values(
    study: StudyInputs,
    responses: Responses,
    parameters: PreferenceCorrelation,
    chosen: tuple[str, ...],
    work: Work,
) -> Values:
    """Every metric of every system, on all instances or on those that experts judged for that system."""
    zero_division = ZERO_DIVISION[parameters.zero_division]
    values: Values = {}

    def measured(done: int, total: int) -> None:
        work.step(done, total, f"Metrics: {done} of {total} systems")

    try:
        if parameters.instances == "all":
            table = metrics.compute(
                study.P,
                study.Q,
                study.task,
                chosen,
                zero_division=zero_division,
                labels=study.labels,
                progress=measured,
            )
            return {system: table[system] for system in study.systems}
        for place, system in enumerate(study.systems):
            measured(place, len(study.systems))
            shown = np.unique(responses.instance[responses.system == place])
            if len(shown):
                rows = {system: study.Q[system][shown]}
                table = metrics.compute(
                    study.P[shown], rows, study.task, chosen, zero_division=zero_division, labels=study.labels
                )
                values[system] = table[system]
            else:
                reason = metrics.undefined("no instance of this system was judged")
                values[system] = dict.fromkeys(chosen, reason)
    except DistributionError as error:
        raise AnalysisError(f"The metrics cannot be computed: {error}.") from error
    return values


def _described(name: str) -> dict[str, Any]:
    entry = metrics.get(name)
    return {"name": name, "title": entry.title, "orientation": entry.orientation, "range": list(entry.range)}


def _corrected(tests: tuple[CorrelationTest, ...], coefficients: list[Coefficient]) -> list[dict[str, Any]]:
    """The tests as rows, with the corrections over the metrics of each coefficient."""
    rows = []
    for coefficient in coefficients:
        family = [test for test in tests if test.coefficient == coefficient]
        p = [test.p_value for test in family]
        for test, p_holm, p_bh in zip(family, holm(p), benjamini_hochberg(p), strict=True):
            row = test.to_dict()
            row["metric"] = row.pop("row")
            rows.append({**row, "p_holm": p_holm, "p_bh": p_bh})
    return rows


def _line(name: str, fractions: list[Fraction], values: Values) -> dict[str, Any]:
    points = [
        (values[fraction.system][name], fraction.fraction)
        for fraction in fractions
        if not fraction.reason and values[fraction.system][name].is_defined
    ]
    return regression_line([x for x, _ in points], [y for _, y in points]).to_dict()


def _exclusions(
    fractions: list[Fraction],
    values: Mapping[str, Mapping[str, MetricValue]],
    chosen: tuple[str, ...],
    responses: Responses,
    parameters: PreferenceCorrelation,
) -> list[dict[str, Any]]:
    """What was left out of what, and why."""
    listed: list[dict[str, Any]] = [
        {"what": "system", "system": fraction.system, "metric": None, "count": 1, "reason": fraction.reason}
        for fraction in fractions
        if fraction.reason
    ]
    listed += [
        {"what": "system", "system": fraction.system, "metric": name, "count": 1, "reason": value.reason}
        for name in chosen
        for fraction in fractions
        if not (value := values[fraction.system][name]).is_defined and not fraction.reason
    ]
    without = int(np.isnan(responses.certainty).sum())
    if parameters.weights == "certainty" and without:
        listed.append({"what": "responses", "count": without, "reason": "no certainty was given"})
    return listed
