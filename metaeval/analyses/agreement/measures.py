"""Measures of agreement over all items: which ones a set of judgements has, with which distances."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from metaeval.analyses.agreement.parameters import AgreementParameters, Distance
from metaeval.analyses.agreement.result import AgreementByMeasure
from metaeval.analyses.inputs.judged_items import JudgedItems
from metaeval.sampling import Replicates
from metaeval.stats import Interval, bootstrap_interval
from metaeval.stats.agreement import (
    BinaryAlphas,
    FleissKappa,
    KappaWeighting,
    KrippendorffAlpha,
    LabelDistance,
    Measure,
    PairwiseAgreement,
    PercentageAgreement,
    RandolphKappa,
    SetAnnotations,
    SetDistance,
)

TITLES = {
    "alpha_nominal": "Krippendorff’s alpha, nominal",
    "alpha_ordinal": "Krippendorff’s alpha, ordinal",
    "alpha_interval": "Krippendorff’s alpha, interval",
    "alpha_ratio": "Krippendorff’s alpha, ratio",
    "alpha_jaccard": "Krippendorff’s alpha, Jaccard",
    "alpha_masi": "Krippendorff’s alpha, MASI",
    "mean_binary_alpha": "Mean of the labels’ alphas",
    "percentage_agreement": "Percentage agreement",
    "pairwise_agreement": "Pairwise agreement, mean over items",
    "pairwise_agreement_pooled": "Pairwise agreement, all pairs alike",
    "fleiss_kappa": "Fleiss’ kappa",
    "randolph_kappa": "Randolph’s kappa, labels that occur",
    "randolph_kappa_all": "Randolph’s kappa, all labels",
    "mean_cohen_kappa": "Mean of the pairs’ Cohen’s kappas",
    "mean_cohen_kappa_linear": "Mean of the pairs’ Cohen’s kappas, linear weights",
    "mean_cohen_kappa_quadratic": "Mean of the pairs’ Cohen’s kappas, quadratic weights",
}


def distances_of(found: JudgedItems) -> tuple[LabelDistance | SetDistance, ...]:
    """The distances that these labels have; interval and ratio only if the labels are numbers."""
    if isinstance(found.annotations, SetAnnotations):
        return ("nominal", "jaccard", "masi")
    if not found.is_ordered:
        return ("nominal",)
    labels = found.annotations.labels
    if not all(isinstance(label, int | float) for label in labels):
        return ("nominal", "ordinal")
    return ("nominal", "ordinal", "interval", *(("ratio",) if min(map(_number, labels), default=0) >= 0 else ()))


def main_distance(found: JudgedItems, wanted: Distance) -> LabelDistance | SetDistance:
    """The requested distance if these labels have it; else MASI for sets, ordinal for a scale, nominal otherwise."""
    known = distances_of(found)
    if wanted in known:
        return wanted
    if isinstance(found.annotations, SetAnnotations):
        return "masi"
    return "ordinal" if found.is_ordered else "nominal"


def main_weighting(found: JudgedItems, wanted: KappaWeighting) -> KappaWeighting:
    """The requested weights of Cohen's kappa if these labels are points of a scale; none otherwise."""
    return wanted if "ordinal" in distances_of(found) else "none"


def measures_of(found: JudgedItems, parameters: AgreementParameters) -> dict[str, Measure]:
    """Every measure of these judgements, by name."""
    constant = parameters.constant_value
    data = found.annotations
    measures: dict[str, Measure] = {
        f"alpha_{distance}": KrippendorffAlpha(data, distance, constant=constant) for distance in distances_of(found)
    }
    if isinstance(data, SetAnnotations):
        return measures | {"mean_binary_alpha": BinaryAlphas(data, constant=constant)}
    return measures | {
        "percentage_agreement": PercentageAgreement(data, minimum=parameters.percentage_minimum),
        "pairwise_agreement": PairwiseAgreement(data),
        "pairwise_agreement_pooled": PairwiseAgreement(data, "pairs"),
        "fleiss_kappa": FleissKappa(data, constant=constant),
        "randolph_kappa": RandolphKappa(data, labels="observed", constant=constant),
        "randolph_kappa_all": RandolphKappa(data, labels="all", constant=constant),
    }


def measured(
    measures: Mapping[str, Measure], replicates: Mapping[str, Replicates], parameters: AgreementParameters
) -> list[AgreementByMeasure]:
    """Every measure with its interval; the replicates have the measures' names."""
    return [
        AgreementByMeasure.with_interval(
            measure.result(), interval_of(measure, replicates[name], parameters), measure=name, title=TITLES[name]
        )
        for name, measure in measures.items()
    ]


def interval_of(measure: Measure, replicates: Replicates, parameters: AgreementParameters) -> Interval | None:
    """The interval over items; None if the measure is undefined."""
    found = measure.result()
    if found.reason:
        return None
    return bootstrap_interval(
        replicates,
        confidence_level=parameters.level,
        method=parameters.interval,
        observed=found.value,
        jackknife=measure.without_each() if parameters.interval == "bca" else (),
    )


def _number(label: Hashable) -> float:
    return float(label)  # type: ignore[arg-type]  # the caller has checked that it is a number
