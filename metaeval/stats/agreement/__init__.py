"""Agreement of human annotations: Krippendorff's alpha on every scale and for sets of labels, percentage and pairwise
agreement, Fleiss', Randolph's and Cohen's kappa (also weighted), each with bootstrap intervals over items; and the
intraclass correlations of ratings.

Annotations are columns (item, annotator, label) in any order; nothing is aligned by position. Every measure is also a
class (`KrippendorffAlpha` for `krippendorff_alpha`), whose bootstrap `AgreementBootstrap` divides into blocks for
several workers.
"""

from .alpha import (
    LABEL_DISTANCES,
    SET_DISTANCES,
    AgreementWithRest,
    KrippendorffAlpha,
    LabelDistance,
    SetDistance,
    agreement_with_rest,
    krippendorff_alpha,
)
from .annotations import Annotations, SetAnnotations
from .binary import BinaryAlphas, LabelCounts, MeanBinaryAlpha, mean_binary_alpha
from .chance import (
    FleissKappa,
    LabelVariation,
    PairwiseAgreement,
    PercentageAgreement,
    RandolphKappa,
    fleiss_kappa,
    label_variation,
    pairwise_agreement,
    percentage_agreement,
    randolph_kappa,
)
from .intraclass import INTRACLASS_FORMS, IntraclassCorrelation, IntraclassForm, intraclass_correlation
from .kappa import (
    AnnotatorPairs,
    CohenKappa,
    KappaWeighting,
    PairAgreement,
    WeightedCohenKappa,
    cohen_kappa,
    cohen_kappas,
)
from .measure import AgreementBootstrap, Bootstrap, Measure, MeasuredAgreement

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
