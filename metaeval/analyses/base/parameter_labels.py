"""Parameters and their values in plain words, for the form of a page; commands and files keep the short names.

A name stands for the parameter in every analysis, `analysis.name` for that of one analysis.
"""

from __future__ import annotations

from collections.abc import Mapping

from annotations.ground.messages import marked
from metaeval.analyses.base.parameters import TITLES, values_of
from metaeval.analyses.inputs.parts import Json

LABEL = "x-label"
"""The key in a parameter's JSON Schema for its name in plain words."""

LABELS: Mapping[str, str] = marked(
    {
        "alpha": "Significance level of p-values",
        "alternative": "Direction of the test",
        "annotators": "People who label each text",
        "average": "How answers are weighted",
        "baseline": "Compare with this method",
        "both": "An answer of “both” counts",
        "bounds": "Bounds of the agreement groups",
        "cluster": "Resample together",
        "coefficient": "Kind of correlation",
        "coefficients": "Kinds of correlation",
        "confidence": "Confidence of the intervals",
        "constant": "If everybody always gives the same answer",
        "correlation": "True correlation to find",
        "draws": "Random labellers to compare with",
        "exchanges": "Random exchanges of two metrics",
        "experts_per_comparison": "Experts per text",
        "human_calibration.samples": "How many times people are resampled",
        "identical": "If both sides looked the same",
        "instances": "Texts",
        "interval": "How intervals are computed",
        "items": "Texts",
        "judges": "Whose votes",
        "label_count": "Number of labels",
        "label_counts": "Numbers of labels",
        "leaderboard.items": "Add a table of every text",
        "leaderboard.level": "Systems differ if p is below",
        "least_annotations": "Leave out texts judged by fewer people than",
        "least_common": "Texts that two people must have in common",
        "level": "Confidence of the intervals",
        "metric_relationship.instances": "Texts of a simulated dataset",
        "metric_relationship.pairs": "Simulated datasets",
        "nearness": "A metric prefers what is nearer to",
        "over": "What the intervals generalise over",
        "paired": "How two metrics are compared",
        "partitions": "Groups of texts",
        "percentage_minimum": "Judgements a text needs for percentage agreement",
        "permutations": "Random orders to compare with",
        "power.instances": "Texts per system",
        "preference_correlation.instances": "Metrics computed on",
        "quick_seconds": "Quick means fewer seconds than",
        "rankings": "Ways to rank",
        "repeats": "Repetitions",
        "resamples": "Random samples for intervals",
        "sample_size": "Votes drawn per text",
        "scopes": "Rank within",
        "steps": "What was judged",
        "study_quality.pilot": "Answers of the pilot",
        "subset": "Texts drawn",
        "target": "Wanted power",
        "two_sided": "How two-sided p-values are computed",
        "uncertainty_simulation.steps": "Points of the curve",
        "uncertainty.units": "Which systems count as one machine",
        "uncertainty_simulation.units": "Which systems count as one machine",
        "units": "What is ranked",
        "values": "Metrics computed from",
        "weights": "Weight of an answer",
        "zero_division": "If a label is never used (0/0)",
    }
)

CORRELATIONS = marked(
    {
        "pearson": "Pearson: along a line",
        "spearman": "Spearman: of ranks",
        "kendall": "Kendall: of pairs in order",
    }
)
SUPERVISED = marked({"first": "the first", "last": "the last"})
MACHINES = marked({"methods": "runs of one model and method", "each": "each system alone", "all": "all together"})
FIRST_OF_TIED = marked({"label order": "the first in the order of the labels", "first given": "the one given first"})
OPTIONS: Mapping[str, Mapping[str, str]] = marked(
    {
        "accuracy_ties": SUPERVISED,
        "alternative": {"two-sided": "either direction", "greater": "only higher", "less": "only lower"},
        "average": {"responses": "every answer counts the same", "comparisons": "every text counts the same"},
        "baselines": {"most_frequent": "the most frequent label", "random": "random answers"},
        "both": {"1": "as one choice for each side", "1/2": "as half a choice for each side", "0": "as no choice"},
        "cluster": {"instances": "answers about one text", "people": "answers of one person", "responses": "nothing"},
        "coefficient": CORRELATIONS,
        "coefficients": CORRELATIONS,
        "constant": {"undefined": "agreement is undefined", "1": "agreement is 1"},
        "criterion": {
            "cross_entropy": "Cross-entropy",
            "kl_divergence": "KL divergence",
            "distribution_calibration_error": "Distribution calibration error",
            "expected_calibration_error": "Expected calibration error",
        },
        "distance": {
            "default": "the usual one for these labels",
            "nominal": "nominal",
            "ordinal": "ordinal",
            "interval": "interval",
            "ratio": "ratio",
            "jaccard": "Jaccard",
            "masi": "MASI",
        },
        "divergence": {"distance": "Jensen-Shannon distance", "divergence": "Jensen-Shannon divergence"},
        "divisor": {"points": "the number of points", "range": "the range"},
        "ece_ties": SUPERVISED,
        "exchangeable": {
            "default": "follow the systems' names",
            "systems": "any two systems",
            "within model": "systems of one model",
            "methods jointly": "whole methods",
            "models jointly": "whole models",
            "models and methods": "models and methods, each as a whole",
        },
        "identical": {
            "keep": "count as answered",
            "both": "count as “both”",
            "half": "count as half",
            "leave out": "leave them out",
        },
        "interval": {
            "jackknife": "leave out one method at a time",
            "bca by methods": "resample whole methods (BCa)",
            "bca": "resample, bias-corrected (BCa)",
            "percentile": "resample, percentiles",
        },
        "judges": {"people": "only people", "machines": "only machines", "all": "people and machines"},
        "logarithm": {"e": "natural", "2": "in bits"},
        "missing": {
            "random": "like random answers",
            "most_frequent": "like the most frequent label",
            "undefined": "leave the position undefined",
        },
        "missing_places": {"shared": "share the place of the baseline", "own": "take a place of their own"},
        "most_frequent_sets": {"labels": "the labels in most sets", "sets": "the most frequent whole set"},
        "nearness": {"experts": "the experts’ own labels", "dataset": "the people of the dataset"},
        "over": {"systems": "systems", "comparisons": "comparisons", "experts": "experts"},
        "paired": {
            "jackknife": "leave out one method at a time",
            "exchange methods": "exchange whole methods",
            "exchange systems": "exchange single systems",
        },
        "partitions": {
            "agreement": "by how far people agree",
            "different_labels": "by how many labels were given",
            "systems": "by system",
        },
        "perspectivist_metric": {"published": "as published", "error_rate": "error rate of whole answers"},
        "pilot": {
            "auto": "only while there are no others",
            "leave_out": "leave out",
            "include": "include",
            "only": "only the pilot",
        },
        "positions": {"competition": "1, 1, 3", "dense": "1, 1, 2"},
        "rankings": {
            "preference_fraction": "share of answers that chose it",
            "rank_centrality": "rank centrality",
            "bradley_terry": "Bradley-Terry",
            "davidson": "Davidson",
            "bradley_terry_map": "Bradley-Terry with a prior",
        },
        "agreement.steps": {"labels": "labels", "preferences": "which side is better"},
        "preference_correlation.instances": {"all": "the whole dataset", "judged": "only the texts that were judged"},
        "scale": {"nominal": "labels without an order", "ordinal": "points on a scale"},
        "scaling": {"none": "none", "one": "one fixed temperature", "grid": "the best one of a grid"},
        "scopes": {"pooled": "all models together", "per_model": "each model"},
        "tasks": {"soft": "predicted distributions", "perspectivist": "predicted answers of every annotator"},
        "ties": {"decisive": "left out", "all": "counted as not won", "half": "half a win for each"},
        "two_sided": {"double": "twice the smaller tail", "magnitude": "by magnitude"},
        "uncertainty.ties": FIRST_OF_TIED,
        "uncertainty.units": MACHINES,
        "uncertain": {"each draws": "each person draws a label", "all differ": "all give different labels"},
        "uncertainty_simulation.ties": FIRST_OF_TIED,
        "uncertainty_simulation.units": MACHINES,
        "units": {"methods": "methods", "systems": "systems", "models": "models"},
        "values": {"exact": "the exact predictions", "shown": "what experts were shown"},
        "weighting": {"none": "none", "linear": "the number of points", "quadratic": "its square"},
        "weights": {"none": "every answer counts the same", "certainty": "by the expert’s certainty"},
        "zero_method": {
            "wilcox": "leave them out (Wilcoxon)",
            "pratt": "rank them, then leave them out (Pratt)",
            "zsplit": "split them between both sides",
        },
        "zero_division": {"1": "its F1 is 1", "0": "its F1 is 0", "undefined": "it is left out"},
    }
)


def say_plainly(analysis: str, properties: Json) -> None:
    """Write the plain words of an analysis's parameters into their JSON Schema."""
    for name, parameter in properties.items():
        own = f"{analysis}.{name}"
        if label := LABELS.get(own, LABELS.get(name)):
            parameter[LABEL] = label
        words = OPTIONS.get(own, OPTIONS.get(name))
        value = values_of(parameter)
        if words and "enum" in value:
            value[TITLES] = [words.get(str(one), str(one)) for one in value["enum"]]
