"""The published tables of Elangovan et al. (2025), on the data that they used."""

import json

import numpy as np
import pytest

from metaeval.stats.agreement import (
    Annotations,
    fleiss_kappa,
    krippendorff_alpha,
    pairwise_agreement,
    percentage_agreement,
    randolph_kappa,
)
from metaeval.stats.uncertainty import (
    Partition,
    binned_jsd,
    partitions_by_agreement,
    stratified_table,
    typical_labels,
)
from metaeval.stats.uncertainty.table import NO_SUCH_ITEM
from tests.lab.reproductions.uncertainty import PARTITIONS
from tests.metaeval.stats.agreement import loading

pytestmark = pytest.mark.shared_data

TOPICAL_CHAT = {
    "table10.TC.understandable": "Understandable",
    "table10.TC.uses_knowledge": "Uses Knowledge",
    "table11.TC.engaging": "Engaging",
    "table11.TC.maintains_context": "Maintains Context",
    "table11.TC.natural": "Natural",
    "table11.TC.overall": "Overall",
}
DEFINITIONS = {
    "distance_nats": {},
    "distance_bits": {"base": 2},
    "divergence_nats": {"squared": True},
    "divergence_bits": {"base": 2, "squared": True},
}


@pytest.fixture(scope="module")
def tables(golden):
    return json.loads((golden / "uncertainty.json").read_text())


@pytest.mark.parametrize("name", [*TOPICAL_CHAT, "table10.DICES350.safety"])
def test_agreement_among_people_in_every_partition_is_as_published(name, tables, shared_data):
    if name in TOPICAL_CHAT:
        annotations = loading.topical_chat(shared_data, TOPICAL_CHAT[name], only="New Human Generated")
    else:
        annotations = loading.dices(shared_data)
    scale = "ordinal" if "table11" in name else "nominal"
    parts = {p.name: p for p in partitions_by_agreement(annotations, scale, bounds=(0.4, 0.6, 0.8, 1.0))}
    for row in tables["tables"][name]:
        part = parts[PARTITIONS[row["partition"]]]
        inside = annotations.only(part.items)
        assert len(part.items) == row["n"]
        expected = row["all_values"]
        alpha = krippendorff_alpha(inside, scale)
        assert alpha.value == pytest.approx(or_nan(expected["alpha"]), abs=1e-12, nan_ok=True)
        assert percentage_agreement(inside).value == pytest.approx(expected["percentage_agreement"], abs=1e-12)
        assert pairwise_agreement(inside).value == pytest.approx(expected["pairwise_agreement"], abs=1e-12)
        assert alpha.n_labels == expected["n_labels_observed"]
        randolph = or_nan(expected["randolph_k_observed"])
        assert randolph_kappa(inside, labels="observed").value == pytest.approx(randolph, abs=1e-12, nan_ok=True)
        if "fleiss" in expected:
            assert fleiss_kappa(inside).value == pytest.approx(expected["fleiss"], abs=1e-12)
        printed = {
            "size_percent": 100 * part.share,
            f"krippendorff_alpha_{scale}": krippendorff_alpha(inside, scale, constant=1.0).value,
            "percentage_agreement": percentage_agreement(inside).value,
            "randolph_kappa": randolph_kappa(inside, labels="observed", constant=1.0).value,
        }
        for check in row["checks"]:
            assert printed[check["name"]] == pytest.approx(check["value"], abs=1e-12)
            if check["agrees"]:
                assert as_printed(printed[check["name"]], check["published"])


def test_the_mt_bench_table_is_as_published(tables, shared_data):
    """Alpaca against GPT-3.5, people against GPT-4; tied majorities by the first vote in the file, as published."""
    people, machine = mt_bench(shared_data, "alpaca-13b", "gpt-3.5-turbo")
    first = first_majority(people)
    published = tables["tables"]["table3_8.MT-Bench"]["Alp-Gp3"]
    strata = {row.partition: row for row in stratified_table(people, machine, typical=first, constant=1.0)}
    for row in published:
        stratum = strata[PARTITIONS[row["partition"]]]
        assert stratum.undecided == row["items_with_tied_majority"]
        found = {
            "n_items": stratum.n_items,
            "human_majority_winrate": stratum.human_win_rates[1],
            "gpt4_winrate": stratum.machine_win_rates[1],
            "HH_alpha": stratum.alpha.among_humans.value,
            "HH_percentage_agreement": stratum.percentage.among_humans.value,
            "HwMw_percentage_agreement": stratum.percentage.typical.value,
            "HwMw_alpha": stratum.alpha.typical.value,
            "HwMw_fleiss": stratum.fleiss.typical.value,
            "HwMw_randolph_k_observed": stratum.randolph.typical.value,
            "JS_unbinned_natural_log_sqrt": stratum.divergence.pooled,
            "JSb_as_defined_in_the_paper_code": stratum.divergence.value,
        }
        for check in row["checks"]:
            value = found[check["name"]]
            assert value == pytest.approx(check["value"], abs=1e-12), (row["partition"], check["name"])
            assert as_printed(value, check["published"]) == check["agrees"]


def test_our_rule_for_tied_majorities_moves_only_what_depends_on_them(tables, shared_data):
    people, machine = mt_bench(shared_data, "alpaca-13b", "gpt-3.5-turbo")
    ours, theirs = stratified_table(people, machine), stratified_table(people, machine, typical=first_majority(people))
    assert ours[0].alpha.among_humans == theirs[0].alpha.among_humans
    assert ours[0].divergence.pooled == theirs[0].divergence.pooled
    assert ours[1].to_dict() == theirs[1].to_dict()  # PA = 100%: no ties


@pytest.fixture(scope="module")
def binned(golden):
    return json.loads((golden / "binned_jsd.json").read_text())


@pytest.mark.parametrize("key", list(DEFINITIONS))
def test_the_example_of_appendix_a7_in_all_definitions(binned, tables, key):
    parameters = DEFINITIONS[key]
    toy = tables["toy_A7"]
    people, machine = (
        Annotations.from_matrix(np.array(toy[who], dtype=float).T, labels=[1.0, 2.0, 3.0])
        for who in ("human", "machine")
    )
    found = binned_jsd(people, machine, "ordinal", **parameters)
    expected = binned["A7_all_definitions"][key]
    assert found.bins[0].reason == NO_SUCH_ITEM
    assert found.bins[1].value == pytest.approx(expected["bin2"], abs=1e-12)
    assert found.bins[2].value == pytest.approx(expected["bin3"], abs=1e-12)
    assert found.value == pytest.approx(expected["weighted"], abs=1e-12)
    if not parameters:
        assert as_printed(found.bins[1].value, str(binned["A7_paper"]["bin2"]))
        assert as_printed(found.bins[2].value, str(binned["A7_paper"]["bin3"]))
        assert found.value == pytest.approx(toy["checks"][2]["value"], abs=1e-12)


@pytest.mark.parametrize(("model", "labels"), [("good", [3, 1, 2]), ("poor", [1, 3, 4])])
def test_rank_correlation_prefers_the_poor_model_and_the_binned_distance_the_good_one(binned, tables, model, labels):
    """Tables 5 and 6: the people of A.7, and the one label an item that gives every figure of the two models."""
    expected = binned["toy_repo"][model]
    people = Annotations.from_matrix(np.array(tables["toy_A7"]["human"]).T, labels=[1, 2, 3, 4])
    machine = Annotations.from_matrix([labels])
    row = stratified_table(people, machine, "ordinal")[0]
    for bin_ in row.divergence.bins:
        assert bin_.value == pytest.approx(or_nan(expected["bins"][str(bin_.label)]), abs=1e-12, nan_ok=True)
    assert row.divergence.value == pytest.approx(expected["JS_b"], abs=1e-12)
    assert row.correlations.kendall_median.value == pytest.approx(expected["kendall"], abs=1e-12)
    assert row.correlations.spearman_median.value == pytest.approx(expected["spearman"], abs=1e-12)
    assert row.alpha.typical.value == pytest.approx(expected["alpha"]["ordinal"], abs=1e-12)
    for definition, parameters in DEFINITIONS.items():
        if definition != "distance_nats":
            value = binned_jsd(people, machine, "ordinal", **parameters).value
            assert value == pytest.approx(expected["JS_b_other_definitions"][definition], abs=1e-12)


@pytest.mark.parametrize(("model", "labels"), [("good", [3, 1, 2]), ("poor", [1, 3, 4])])
def test_table_6_is_as_published_and_its_alphas_are_labels_misread_as_counts(tables, model, labels):
    printed = {row["name"].removeprefix(f"{model}."): row for row in tables["toy_table6"] if model in row["name"]}
    people = Annotations.from_matrix(np.array(tables["toy_A7"]["human"]).T, labels=[1, 2, 3, 4])
    row = stratified_table(people, Annotations.from_matrix([labels]), "ordinal")[0]
    median = [people.labels[code] for code in typical_labels(people, "ordinal").codes]
    found = {
        "kendall_tau_b": row.correlations.kendall_median.value,
        "spearman": row.correlations.spearman_median.value,
        "alpha_ordinal_median_vs_model": row.alpha.typical.value,
        "alpha_ordinal_with_raw_labels_misread_as_value_counts": krippendorff_alpha(
            Annotations.from_counts([median, labels]), "ordinal"
        ).value,
        "JSb": row.divergence.value,
    }
    assert found.keys() == printed.keys()
    for name, value in found.items():
        assert value == pytest.approx(printed[name]["value"], abs=1e-12)
        assert as_printed(value, printed[name]["published"]) == printed[name]["agrees"]


def test_an_even_number_of_raters_drops_no_item(binned):
    """If a median of 2.5 matched no bin, half of the items vanished silently."""
    people = Annotations.from_matrix(np.array(binned["pitfalls"]["even_number_of_raters"]["labels"], dtype=float).T)
    found = binned_jsd(people, people, "ordinal")
    assert sum(bin_.share for bin_ in found.bins) == 1.0
    assert found.undecided == 2


def mt_bench(folder, first: str, second: str) -> tuple[Annotations, Annotations]:
    """Items with three human votes or more of one pair of models, and GPT-4's verdicts."""
    people = loading.mt_bench(folder, "human")
    enough = people.table.sizes >= 3
    wanted = [at for at, name in enumerate(people.items) if name[:2] == (first, second) and enough[at]]
    return people.only(wanted), loading.mt_bench(folder, "gpt4_pair")


def first_majority(annotations: Annotations) -> np.ndarray:
    """Ties go to the label that comes first among the item's rows, which keep the file's order."""
    codes = np.full(len(annotations.items), -1)
    for item in range(len(codes)):
        votes = annotations.label[annotations.item == item].tolist()
        codes[item] = max(votes, key=lambda label: (votes.count(label), -votes.index(label)))
    return codes


def or_nan(value: float | None) -> float:
    return np.nan if value is None else value


def as_printed(value: float, published: str) -> bool:
    """Whether the value rounds to what is printed (half a unit of its last digit)."""
    digits = len(published.partition(".")[2])
    return bool(abs(value - float(published)) <= 0.5 * 10**-digits + 1e-9)


def test_partitions_may_be_given_by_hand(shared_data):
    people, machine = mt_bench(shared_data, "alpaca-13b", "gpt-3.5-turbo")
    (row,) = stratified_table(people, machine, partitions=[Partition("some", (0, 1, 2), 0.1)])
    assert (row.partition, row.n_items) == ("some", 3)
