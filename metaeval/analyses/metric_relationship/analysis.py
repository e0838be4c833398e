"""How metrics relate to one another: Kurniawan et al. (2026), Table 2 and Figure 1, and the same on real systems."""

from __future__ import annotations

from metaeval.analyses.base.registry import analysis
from metaeval.analyses.base.work import Work
from metaeval.analyses.inputs import DatasetInputs, NoInputs
from metaeval.analyses.metric_relationship.parameters import MetricRelationship
from metaeval.analyses.metric_relationship.real_systems import of_systems
from metaeval.analyses.metric_relationship.result import MetricRelationshipFindings, MetricRelationshipResult
from metaeval.analyses.metric_relationship.simulated_pairs import of_simulated_pairs
from metaeval.analyses.metric_relationship.wording import WORDS


@analysis(
    title="How do metrics relate to one another?",
    subjects=["nothing", "dataset"],
    parameters=MetricRelationship,
    result=MetricRelationshipResult,
    figures=["relationship_map", "relationship_points", "relationship_binary"],
    example={"pairs": 8, "instances": 40, "label_counts": [4], "concentrations": ["10,10", "0.1,10"]},
    words=WORDS,
)
def metric_relationship(
    inputs: NoInputs | DatasetInputs, parameters: MetricRelationship, seed: int, work: Work
) -> MetricRelationshipFindings:
    """Correlates metrics with one another: over simulated pairs of distributions, or over the systems of a dataset.

    In a simulation, P_i ~ Dirichlet(alpha, ..., alpha) and Q_i ~ Dirichlet(beta, ..., beta); the standard error of a
    coefficient r is about (1 - r^2) / sqrt(pairs).
    """
    if isinstance(inputs, DatasetInputs):
        return of_systems(inputs, parameters, work)
    return of_simulated_pairs(parameters, seed, work)
