"""Rankings through the analysis: golden strengths from imported votes, MT-Bench, and both kinds of study."""

import json
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from annotations.models import Assignment
from metaeval.analyses.base.computing import result_of
from metaeval.analyses.base.registry import AnalysisError, analyses
from metaeval.analyses.base.work import Work
from metaeval.analyses.inputs.gathering import Subject, gather_study
from metaeval.jobs.runs import compute
from tests.metaeval.golden_runs import about, imported, stored_result

pytestmark = pytest.mark.django_db

MT_BENCH = ("mtbench/human.jsonl", "mtbench/gpt4_pair.jsonl")


def rank(subject, *, seed=1, **parameters):
    parameters = {"resamples": 100, **parameters}
    return compute(
        subject=subject, analysis="method_ranking", parameters=parameters, seed=seed, progress=lambda *_: None
    )


def rank_stored(subject, **parameters):
    """As a user gets it: from the database, where the job stored it."""
    return stored_result(subject, "method_ranking", **{"resamples": 100, **parameters})


def rank_inputs(inputs, **parameters):
    """Run on existing arrays, as in a notebook."""
    entry = analyses.get("method_ranking")
    chosen = entry.validated({"resamples": 100, **parameters})
    return result_of(inputs=inputs, entry=entry, parameters=chosen, seed=1, work=Work())


def strengths(result, method, scope="pooled"):
    row = next(row for row in result["rankings"] if row["method"] == method and row["scope"] == scope)
    return {system["name"]: system["strength"] for system in row["systems"]}


@pytest.fixture(scope="module")
def golden_ranking(golden):
    return json.loads((golden / "ranking.json").read_text())


@pytest.fixture
def golden_votes(golden_ranking, tmp_path):
    """The golden counts as a file of votes, imported like any other."""
    names, wins, ties = (golden_ranking[key] for key in ("names", "W_i_beats_j", "ties"))
    lines = ["instance,first,second,judge,outcome"]
    for i, one in enumerate(names):
        for j, other in enumerate(names):
            rows = [(one, other, "first")] * wins[i][j]
            rows += [(other, one, "tie" if len(lines) % 2 else "tie_inconsistent")] * ties[i][j] if i < j else []
            lines += [f"q{len(lines) + k},{a},{b},ann,{said}" for k, (a, b, said) in enumerate(rows)]
    file = tmp_path / "votes.csv"
    file.write_text("\n".join(lines) + "\n")
    return about(imported(tmp_path, [file.name], slug="golden"))


@pytest.fixture
def mt_bench(shared_data):
    return about(imported(shared_data, MT_BENCH, slug="mtbench"))


@pytest.mark.shared_data
class TestGolden:
    @pytest.mark.parametrize(
        ("ties", "key"), [("decisive", "decisive_only"), ("all", "wins_over_all_comps"), ("half", "half_ties")]
    )
    def test_rank_centrality_with_every_treatment_of_ties(self, golden_votes, golden_ranking, ties, key):
        found = strengths(rank_stored(golden_votes, rankings=["rank_centrality"], ties=ties), "rank_centrality")
        expected = dict(zip(golden_ranking["names"], golden_ranking["rank_centrality"][f"pi_{key}"], strict=True))
        assert found == pytest.approx(expected, abs=1e-9)

    def test_bradley_terry_and_davidson(self, golden_votes, golden_ranking):
        result = rank_stored(golden_votes)
        names, davidson = golden_ranking["names"], golden_ranking["davidson"]
        expected = golden_ranking["bradley_terry_no_ties"]["statsmodels_GLM_centered"]
        found = strengths(result, "bradley_terry")
        assert [found[name] for name in names] == pytest.approx(expected, abs=1e-8)
        found = strengths(result, "davidson")
        assert [found[name] for name in names] == pytest.approx(davidson["log_pi_centered"], abs=1e-5)
        rows = {row["method"]: row for row in result["rankings"]}
        assert rows["bradley_terry"]["log_likelihood"] == pytest.approx(
            golden_ranking["bradley_terry_no_ties"]["loglik"], abs=1e-8
        )
        assert rows["davidson"]["tie_parameter"] == pytest.approx(davidson["nu"], abs=1e-5)
        assert rows["davidson"]["tie_error"] == pytest.approx(davidson["se_log_nu"], abs=1e-5)
        assert rows["davidson"]["log_likelihood"] == pytest.approx(davidson["loglik"], abs=1e-6)
        covariance = np.array(rows["davidson"]["covariance"])
        errors = [np.sqrt(covariance[0, 0] + covariance[k, k] - 2 * covariance[0, k]) for k in range(1, 5)]
        assert errors == pytest.approx(davidson["se_log_pi_relative_M0"], abs=1e-5)
        assert [round(value) for value in np.ravel(result["outcomes"][0]["wins"])] == list(
            np.ravel(golden_ranking["W_i_beats_j"])
        )


@pytest.mark.shared_data
class TestMTBench:
    def test_wins_and_ties_are_those_of_the_file_and_the_strengths_fit_them(self, mt_bench, shared_data):
        result = rank_stored(mt_bench)
        lines = (shared_data / "mtbench" / "human.jsonl").read_text().splitlines()
        votes = [json.loads(line) for line in lines]
        names = result["outcomes"][0]["names"]
        wins = np.array(result["outcomes"][0]["wins"])
        counted = Counter()
        for vote in votes:
            if not vote["winner"].startswith("tie"):
                loser = vote["model_b" if vote["winner"] == "model_a" else "model_a"]
                counted[vote[vote["winner"]], loser] += 1
        assert {(names[i], names[j]): n for (i, j), n in np.ndenumerate(wins) if n} == counted
        ties = sum(vote["winner"].startswith("tie") for vote in votes)
        assert np.sum(result["outcomes"][0]["ties"]) / 2 == ties
        assert result["counts"]["preferences"] == len(votes) == 3355
        found = strengths(result, "bradley_terry")
        t = np.array([found[name] for name in names])
        decided = wins + wins.T
        chance = 1 / (1 + np.exp(t[None, :] - t[:, None]))
        assert (decided * chance).sum(axis=1) == pytest.approx(wins.sum(axis=1), abs=1e-6)  # the maximum's condition
        fractions = strengths(result, "preference_fraction")
        assert fractions["gpt-4"] == pytest.approx(
            wins[names.index("gpt-4")].sum() / decided[names.index("gpt-4")].sum()
        )

    def test_people_and_the_machine_are_apart(self, mt_bench):
        people = rank_stored(mt_bench, rankings=["bradley_terry"])
        machine = rank_stored(mt_bench, rankings=["bradley_terry"], judges="machines")
        assert machine["counts"]["preferences"] == 2400
        assert [next(iter(strengths(found, "bradley_terry"))) for found in (people, machine)] == ["gpt-4"] * 2
        assert {"what": "votes", "count": 3355, "reason": "votes of people"} in machine["exclusions"]


class TestAStudyAgainstPeople:
    def test_fractions_are_those_of_the_responses_pooled_and_by_model(self, answered):
        inputs = gather_study(answered.study)
        responses = inputs.responses()
        result = rank(Subject.of_study(answered.study), units="models")
        for model, fraction in strengths(result, "preference_fraction").items():
            own = [place for place, origin in enumerate(inputs.origins) if origin["model"] == model]
            assert fraction == pytest.approx(responses.chosen[np.isin(responses.system, own)].mean())
        result = rank(Subject.of_study(answered.study))
        assert [row["scope"] for row in result["rankings"][::4]] == ["pooled", "Alpha", "Beta"]
        alone = strengths(result, "preference_fraction", "Beta")
        assert set(alone) == {"M1", "M3", "M5", "M7"}
        place = inputs.systems.index("Beta / M3")
        assert alone["M3"] == pytest.approx(responses.chosen[responses.system == place].mean())
        table = next(table for table in result["tables"] if table["name"] == "by_model")
        row = next(row for row in table["rows"] if row["name"] == "M3")
        assert row["strength_0"] == row["strength_2"] == pytest.approx(alone["M3"])
        assert row["strength_1"] is None

    def test_the_human_distributions_compete_in_the_models_of_pairs(self, answered):
        result = rank(Subject.of_study(answered.study), scopes=["pooled"])
        assert "Human" in strengths(result, "davidson")
        assert "Human" not in strengths(result, "preference_fraction")
        outcomes = result["outcomes"][0]
        human = outcomes["names"].index("Human")
        systems = np.delete(np.delete(np.array(outcomes["wins"]), human, 0), human, 1)
        assert not systems.any()
        total = np.sum(outcomes["wins"]) + np.sum(outcomes["ties"]) / 2
        assert total == result["counts"]["preferences"] == 96

    def test_a_method_that_never_won_has_no_strength_and_the_row_says_why(self, answered):
        inputs = gather_study(answered.study)
        answers, lost = inputs.answers, inputs.answers.second == 0
        a_chosen = np.where(lost, answers.first_is_a, answers.a_chosen)
        b_chosen = np.where(lost, ~answers.first_is_a, answers.b_chosen)
        result = rank_inputs(
            replace(inputs, answers=replace(answers, a_chosen=a_chosen, b_chosen=b_chosen)), scopes=["pooled"]
        )
        row = next(row for row in result["rankings"] if row["method"] == "bradley_terry")
        assert row["systems"] == []
        assert "one-sided" in row["reason"]
        table = next(table for table in result["tables"] if table["name"] == "models")
        assert any("undefined: one-sided" in (line["notes"] or "") for line in table["rows"])
        assert strengths(result, "preference_fraction")["M0"] == 0
        with_prior = rank_inputs(
            replace(inputs, answers=replace(answers, a_chosen=a_chosen, b_chosen=b_chosen)),
            scopes=["pooled"],
            rankings=["bradley_terry_map"],
            prior=2,
        )
        assert list(strengths(with_prior, "bradley_terry_map"))[-1] == "M0"
        assert any("won 2 and lost 2 comparisons with an average one" in note for note in with_prior["notes"])
        drawn = json.dumps(analyses.get("method_ranking").draw("ranking_strengths", result).to_dict())
        assert "Bradley-Terry is undefined" in drawn.replace('", "', " ")

    def test_the_same_seed_gives_the_same_and_a_method_does_not_depend_on_the_others(self, answered):
        about = Subject.of_study(answered.study)
        everything, alone = rank(about, seed=3), rank(about, seed=3, rankings=["davidson"])
        rows = [row for row in everything["rankings"] if row["method"] == "davidson"]
        assert json.dumps(rows) == json.dumps(alone["rankings"])
        assert rows != [row for row in rank(about, seed=4)["rankings"] if row["method"] == "davidson"]

    def test_without_responses_it_says_what_to_do(self, answered):
        Assignment.objects.update(is_pilot=True)
        with pytest.raises(AnalysisError, match="No preferences count yet"):
            rank(Subject.of_study(answered.study))


def test_a_study_of_systems_against_systems_ranks_them_and_lists_what_compares_two_models(answered):
    inputs = gather_study(answered.study)
    other = (inputs.answers.second + 2) % len(inputs.systems)
    inputs = replace(inputs, compares="system_vs_system", answers=replace(inputs.answers, first=other))
    result = rank_inputs(inputs, units="systems")
    assert set(result["outcomes"][0]["names"]) == set(inputs.systems)
    assert np.sum(result["outcomes"][0]["wins"]) + np.sum(result["outcomes"][0]["ties"]) / 2 == 96
    fractions = strengths(result, "preference_fraction")
    responses = inputs.responses()
    for place, name in enumerate(inputs.systems):
        assert fractions[name] == pytest.approx(responses.chosen[responses.system == place].mean())
    across = [entry for entry in result["exclusions"] if entry["reason"] == "compare two models"]
    models = np.array([origin["model"] for origin in inputs.origins])
    expected = int((models[inputs.answers.first] != models[inputs.answers.second]).sum())
    assert [entry["count"] for entry in across] == [expected, expected]
