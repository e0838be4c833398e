"""The demo's invented lawyers and simulated systems: seeded, valid, and clearly different from each other."""

import hashlib

import numpy as np
import pytest

from annotations.importing.memory.tables import AnnotationRow, AnnotationTable
from annotations.simulating.demo.judgements import (
    METHODS,
    MODELS,
    POOL_SIZE,
    annotate,
    simulate_systems,
)
from annotations.simulating.demo.texts import EXCLUSIVE_LABEL, LABELS, latent_shares

EXCLUSIVE = LABELS.index(EXCLUSIVE_LABEL)


@pytest.fixture(scope="module")
def shares():
    return latent_shares()


@pytest.fixture(scope="module")
def annotations(shares):
    return annotate(shares, seed=2026)


@pytest.fixture(scope="module", name="P")
def judgements(annotations, shares):
    rows = (AnnotationRow(one.text, one.labels, one.lawyer) for one in annotations)
    return AnnotationTable.from_rows(rows).distributions(instances=len(shares), labels=len(LABELS))


@pytest.fixture(scope="module")
def systems(shares):
    return simulate_systems(shares, seed=2026)


def test_the_same_seed_gives_the_same_demo_and_another_seed_another(shares, annotations, systems):
    def digest(found):
        return hashlib.sha256(b"".join(system.Q.tobytes() for system in found)).hexdigest()

    assert annotate(shares, seed=2026) == annotations
    assert digest(simulate_systems(shares, seed=2026)) == digest(systems)
    assert annotate(shares, seed=2027) != annotations
    assert digest(simulate_systems(shares, seed=2027)) != digest(systems)


def test_every_text_has_about_five_and_a_half_different_lawyers(annotations, shares):
    per_text = [[a.lawyer for a in annotations if a.text == i] for i in range(len(shares))]
    assert all(len(set(lawyers)) == len(lawyers) for lawyers in per_text)
    assert {len(lawyers) for lawyers in per_text} == {4, 5, 6, 7}
    assert np.mean([len(lawyers) for lawyers in per_text]) == pytest.approx(5.5, abs=0.2)
    assert len({a.lawyer for a in annotations}) == POOL_SIZE


def test_not_a_legal_issue_excludes_every_other_area(annotations):
    outside = [a.labels for a in annotations if EXCLUSIVE in a.labels]
    assert outside
    assert set(outside) == {(EXCLUSIVE,)}


def test_every_lawyer_names_at_least_one_area(annotations):
    assert all(a.labels for a in annotations)


def test_the_lawyers_disagree_but_follow_the_text(P, shares):
    assert 0.85 < np.corrcoef(P.ravel(), shares.ravel())[0, 1] < 0.99
    # Were some label never disputed, its entropy would be constant and entropy correlation undefined.
    assert ((P > 0) & (P < 1)).any(axis=0).all()


def test_there_are_26_systems_of_2_models_and_13_methods(systems, shares):
    assert (len(MODELS), len(METHODS)) == (2, 13)
    assert len({(s.model, s.method, s.run) for s in systems}) == 26
    for system in systems:
        assert system.Q.shape == shares.shape
        assert system.Q.dtype == np.float64
        assert system.Q.min() >= 0
        assert system.Q.max() <= 1


def test_the_methods_are_those_of_the_published_study_of_a_multilabel_task():
    """Fourteen methods without AL, which is not defined where several labels may apply; soft F1 both ways."""
    published = "ReL MV AR ARh AE AEh SL SLMV JSD SmF1 SMF1 LA-min LA-max"
    assert [method.name for method in METHODS] == published.split()


def test_a_simulated_system_says_so_in_its_name(systems):
    assert all(system.model.startswith("sim-") for system in systems)


def test_the_systems_are_of_clearly_different_quality(systems, P):
    overlap = [float(2 * np.minimum(P, s.Q).sum() / (P + s.Q).sum()) for s in systems]
    assert max(overlap) > 0.75
    assert min(overlap) < 0.6
    assert len({round(value, 3) for value in overlap}) >= 20


def test_the_methods_err_in_different_ways(systems, P):
    by_method = {s.method: s.Q for s in systems if s.model == MODELS[0].name}
    mass = {method: Q.sum() / P.sum() for method, Q in by_method.items()}
    decided = {method: np.abs(Q - 0.5).mean() for method, Q in by_method.items()}
    rare = P.mean(axis=0) < 0.04
    kept = {method: Q[:, rare].sum() / P[:, rare].sum() for method, Q in by_method.items()}
    assert kept["SmF1"] < 0.5  # drops rare areas
    assert kept["SMF1"] > 1.2  # sees them too often
    assert mass["LA-max"] > 1.2  # sees too many areas
    assert mass["LA-min"] < 0.85  # sees too few
    assert set(np.unique(by_method["ARh"])) == {0.0, 1.0}
    assert decided["MV"] > decided["ReL"] > decided["SL"]


def test_hard_and_soft_metrics_rank_the_systems_differently(systems, P):
    soft = [2 * np.minimum(P, s.Q).sum() / (P + s.Q).sum() for s in systems]
    hard = [2 * ((P > 0.5) & (s.Q > 0.5)).sum() / ((P > 0.5).sum() + (s.Q > 0.5).sum()) for s in systems]
    assert 0.2 < np.corrcoef(soft, hard)[0, 1] < 0.9
