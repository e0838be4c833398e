"""Agreement of human annotations: Krippendorff's alpha on every scale and for sets of labels, percentage and pairwise
agreement, Fleiss', Randolph's and Cohen's kappa (also weighted), each with bootstrap intervals over items; and the
intraclass correlations of ratings.

Annotations are columns (item, annotator, label) in any order; nothing is aligned by position. Every measure is also a
class (`KrippendorffAlpha` for `krippendorff_alpha`), whose bootstrap `AgreementBootstrap` divides into blocks for
several workers.
"""

from .alpha import LABEL_DISTANCES, SET_DISTANCES, KrippendorffAlpha, LabelDistance, SetDistance, krippendorff_alpha
from .annotations import Annotations, SetAnnotations
from .binary import BinaryAlphas, LabelCounts, MeanBinaryAlpha, mean_binary_alpha
from .bootstrap import AgreementBootstrap, Bootstrap
from .chance import (
    FleissKappa,
    PairwiseAgreement,
    PercentageAgreement,
    RandolphKappa,
    fleiss_kappa,
    pairwise_agreement,
    percentage_agreement,
    randolph_kappa,
)
from .intraclass import INTRACLASS_FORMS, IntraclassCorrelation, IntraclassForm, intraclass_correlation
from .measure import Measure, MeasuredAgreement
from .one_person import AgreementWithRest, agreement_with_rest
from .pairs import (
    AnnotatorPairs,
    CohenKappa,
    KappaWeighting,
    PairAgreement,
    WeightedCohenKappa,
    cohen_kappa,
    cohen_kappas,
)
from .variation import LabelVariation, label_variation

__all__ = [
    "INTRACLASS_FORMS",
    "LABEL_DISTANCES",
    "SET_DISTANCES",
    "AgreementBootstrap",
    "AgreementWithRest",
    "Annotations",
    "AnnotatorPairs",
    "BinaryAlphas",
    "Bootstrap",
    "CohenKappa",
    "FleissKappa",
    "IntraclassCorrelation",
    "IntraclassForm",
    "KappaWeighting",
    "KrippendorffAlpha",
    "LabelCounts",
    "LabelDistance",
    "LabelVariation",
    "MeanBinaryAlpha",
    "Measure",
    "MeasuredAgreement",
    "PairAgreement",
    "PairwiseAgreement",
    "PercentageAgreement",
    "RandolphKappa",
    "SetAnnotations",
    "SetDistance",
    "WeightedCohenKappa",
    "agreement_with_rest",
    "cohen_kappa",
    "cohen_kappas",
    "fleiss_kappa",
    "intraclass_correlation",
    "krippendorff_alpha",
    "label_variation",
    "mean_binary_alpha",
    "pairwise_agreement",
    "percentage_agreement",
    "randolph_kappa",
]
