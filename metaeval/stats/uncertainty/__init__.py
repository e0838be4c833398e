"""Human uncertainty in the evaluation of machines: partitions of the items by how much people agree, the stratified
table, binned Jensen-Shannon divergence, and the simulations that show why they are needed (Elangovan et al. 2025)."""

from .items import (
    NOBODY,
    Paired,
    Partition,
    Scale,
    Ties,
    TypicalLabels,
    first_given,
    paired,
    partitions_by_agreement,
    partitions_by_labels,
    side_by_side,
    typical_labels,
    typical_shares,
)
from .simulation import CurvePoint, Uncertain, random_labeller, simulated_curve, subset_curve
from .table import (
    Bin,
    BinnedDivergence,
    Correlations,
    MeasureComparison,
    Stratum,
    binned_jsd,
    jensen_shannon,
    stratified_table,
)

__all__ = [
    "NOBODY",
    "Bin",
    "BinnedDivergence",
    "Correlations",
    "CurvePoint",
    "MeasureComparison",
    "Paired",
    "Partition",
    "Scale",
    "Stratum",
    "Ties",
    "TypicalLabels",
    "Uncertain",
    "binned_jsd",
    "first_given",
    "jensen_shannon",
    "paired",
    "partitions_by_agreement",
    "partitions_by_labels",
    "random_labeller",
    "side_by_side",
    "simulated_curve",
    "stratified_table",
    "subset_curve",
    "typical_labels",
    "typical_shares",
]
