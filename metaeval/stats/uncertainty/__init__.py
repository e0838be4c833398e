"""Human uncertainty in the evaluation of machines: partitions of the items by how much people agree, the stratified
table, binned Jensen-Shannon divergence, and the simulations that show why they are needed (Elangovan et al. 2025)."""

from .binned import Bin, BinnedDivergence, binned_jsd, jensen_shannon
from .pairing import Paired, paired, side_by_side
from .partitions import Partition, partitions_by_agreement, partitions_by_labels
from .simulation import CurvePoint, Uncertain, random_labeller, simulated_curve, subset_curve
from .table import Correlations, MeasureComparison, Stratum, stratified_table
from .typical import NOBODY, Scale, Ties, TypicalLabels, first_given, typical_labels, typical_shares

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
