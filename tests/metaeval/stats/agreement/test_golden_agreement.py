"""Agreement on the real datasets, as independent tools computed it."""

import json

import numpy as np
import pytest

from metaeval.stats.agreement import (
    Annotations,
    SetAnnotations,
    cohen_kappas,
    fleiss_kappa,
    krippendorff_alpha,
    label_variation,
    mean_binary_alpha,
    pairwise_agreement,
    randolph_kappa,
)

from . import loading

pytestmark = pytest.mark.shared_data

SCALE_11, SCALE_6 = [str(i) for i in range(-5, 6)], [str(i) for i in range(1, 7)]
ALL = ["train", "dev", "test"]
LOADERS = {
    **{
        f"{name}.{part}": lambda folder, name=name, part=part: loading.lewidi_2023(
            folder, name, ALL if part == "all" else [part]
        )
        for name in ("HS-Brexit", "ArMIS")
        for part in (*ALL, "all")
    },
    **{
        f"Par.{part}": lambda folder, part=part: loading.lewidi_2025(
            folder, "Paraphrase", ALL if part == "all" else [part], SCALE_11
        )
        for part in (*ALL, "all")
    },
    "CSC.dev": lambda folder: loading.lewidi_2025(folder, "CSC", ["dev"], SCALE_6),
    **{
        f"VEN.dev.binary_{label}": lambda folder, label=label: loading.varierr_binary(folder, label)
        for label in loading.WORDS.values()
    },
    "ChaosNLI-snli.100labels": loading.chaosnli,
    "ChaosNLI-snli.old_5labels": loading.chaosnli_old,
    "DICES-350_crowdsourced": loading.dices,
    **{
        f"TopicalChat360.{criterion}": lambda folder, criterion=criterion: loading.topical_chat(folder, criterion)
        for criterion in ("Understandable", "Uses Knowledge", "Engaging", "Maintains Context", "Natural", "Overall")
    },
    "MT-Bench.human.all_items": lambda folder: loading.mt_bench(folder, "human"),
    "MT-Bench.human.items_with_3_or_more": lambda folder: at_least_three(loading.mt_bench(folder, "human")),
}


def at_least_three(annotations: Annotations) -> Annotations:
    return annotations.only(np.flatnonzero(annotations.table.sizes >= 3))


@pytest.fixture(scope="module")
def agreement(golden):
    return json.loads((golden / "agreement.json").read_text())


def test_every_golden_dataset_is_tested(agreement):
    assert set(LOADERS) == set(agreement["datasets"])


@pytest.mark.parametrize("name", list(LOADERS))
def test_agreement_and_variation_of_the_real_datasets(name, agreement, shared_data):
    expected = agreement["datasets"][name]
    annotations = LOADERS[name](shared_data)
    summary = label_variation(annotations)
    found = {
        "n_items": summary.n_items,
        "n_annotations": summary.n_annotations,
        "J_mean": summary.annotations_mean,
        "J_min": summary.annotations_min,
        "J_max": summary.annotations_max,
        "items_with_fewer_than_2": summary.fewer_than_two,
        "pairwise_agreement_mean_over_items": pairwise_agreement(annotations).value,
        "pairwise_agreement_pooled_over_pairs": pairwise_agreement(annotations, pooling="pairs").value,
        "mean_modal_share": summary.mean_modal_share,
        "percent_unanimous": 100 * summary.unanimous_share,
        "items_with_tied_mode": summary.tied_items,
        "mean_entropy_bits": summary.mean_entropy,
        "krippendorff_alpha_nominal": krippendorff_alpha(annotations).value,
        "fleiss_kappa": fleiss_kappa(annotations).value,
        "randolph_kappa": randolph_kappa(annotations).value,
    }
    for distance in ("ordinal", "interval"):
        if f"krippendorff_alpha_{distance}" in expected:
            found[f"krippendorff_alpha_{distance}"] = krippendorff_alpha(annotations, distance).value
    for key, value in found.items():
        if key in expected:
            assert value == pytest.approx(expected[key], rel=1e-12, abs=1e-12), key
    assert sorted(n for n in summary.label_counts if n) == sorted(expected["label_counts"].values())
    assert krippendorff_alpha(annotations).excluded == expected["items_with_fewer_than_2"]


@pytest.mark.parametrize("name", ["HS-Brexit", "ArMIS", "Paraphrase"])
def test_cohens_kappa_of_every_pair_of_annotators(name, agreement, shared_data):
    expected = agreement["annotator_pairs"][name]
    annotations = LOADERS[{"Paraphrase": "Par"}.get(name, name) + ".all"](shared_data)
    found = cohen_kappas(annotations)
    assert {f"{pair.first}|{pair.second}" for pair in found.pairs} == set(expected["pairs"])
    for pair in found.pairs:
        golden = expected["pairs"][f"{pair.first}|{pair.second}"]
        assert pair.kappa.n_items == golden["n"]
        assert pair.observed_agreement == pytest.approx(golden["observed_agreement"], abs=1e-12)
        assert pair.kappa.value == pytest.approx(golden["cohen_kappa"], abs=1e-12)
    assert found.mean_kappa == pytest.approx(expected["mean_cohen_kappa"], abs=1e-12)
    assert found.mean_observed_agreement == pytest.approx(expected["mean_observed_agreement"], abs=1e-12)


@pytest.fixture(scope="module")
def alphas(golden):
    return json.loads((golden / "statistics.json").read_text())["krippendorff_alpha"]


@pytest.mark.parametrize("distance", ["nominal", "ordinal", "interval", "ratio"])
def test_the_textbook_reliability_matrix(alphas, distance):
    annotations = Annotations.from_matrix(np.array(alphas["reliability_4x12"], dtype=float))
    assert krippendorff_alpha(annotations, distance).value == pytest.approx(alphas[distance], abs=1e-12)


@pytest.mark.parametrize(("distance", "key"), [("masi", "MASI"), ("jaccard", "Jaccard"), ("nominal", "binary")])
def test_alpha_of_sets_equals_the_reference(alphas, distance, key):
    annotations = sets_of(alphas)
    assert krippendorff_alpha(annotations, distance).value == pytest.approx(
        alphas["set_valued"][f"nltk_{key}"], abs=1e-12
    )
    assert krippendorff_alpha(annotations, distance).excluded == 1


def test_the_mean_of_binary_alphas_equals_the_reference(alphas):
    found = mean_binary_alpha(sets_of(alphas))
    expected = alphas["set_valued"]["grrrr_binary_alpha_per_label"]
    assert found.value == pytest.approx(alphas["set_valued"]["grrrr_mean_over_labels"], abs=1e-12)
    assert dict(zip(map(str, found.labels), found.alphas, strict=True)) == pytest.approx(expected, abs=1e-12)


def sets_of(alphas) -> SetAnnotations:
    person, item, chosen = zip(*alphas["set_valued"]["triples"], strict=True)
    return SetAnnotations.from_columns(item, person, chosen)
