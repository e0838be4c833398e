"""Exact or shown values, all or judged instances: two questions, and what is always reported with the first."""

import numpy as np
import pytest

from annotations.ground.display_rule import DisplayRule
from annotations.models import Instance, Study
from metaeval import metrics
from metaeval.analyses.base.computing import result_of
from metaeval.analyses.base.registry import analyses
from metaeval.analyses.base.work import Work
from metaeval.analyses.inputs.gathering import gather_study
from metaeval.analyses.inputs.studies import Showing
from metaeval.analyses.preference_correlation.analysis import NOT_KNOWN
from tests.metaeval.planted import planted_study
from tests.metaeval.studies import answered_study

FEW = {"permutations": 100, "resamples": 0, "exchanges": 0, "coefficients": ["pearson"]}


def analysed(inputs, **parameters):
    entry = analyses.get("preference_correlation")
    return result_of(inputs=inputs, entry=entry, parameters=entry.validated(FEW | parameters), seed=1, work=Work())


def shown_with(inputs, people, **rule):
    """The same study, shown by a rule, with this many people per text."""
    from dataclasses import replace

    return replace(inputs, showing=Showing(DisplayRule(**rule), np.full(len(inputs.P), people)))


def others(result):
    return {(one["values"], one["instances"]): one for one in result["others"]}


@pytest.mark.django_db
class TestWhatIsReported:
    def test_exact_values_on_all_instances_come_first_and_shown_ones_beside_them(self, study):
        result = analysed(gather_study(study))
        assert (result["values"], result["instances"]) == ("exact", "all")
        assert list(others(result)) == [("shown", "all")]
        assert [table["name"] for table in result["tables"]][:2] == ["correlations", "correlations_shown_all"]
        assert "Metrics were computed on the exact predictions, over the whole dataset." in result["tables"][0]["notes"]

    @pytest.mark.parametrize(
        ("values", "instances", "beside"),
        [
            ("shown", "all", [("exact", "all")]),
            ("exact", "judged", [("exact", "all"), ("shown", "all")]),
            ("shown", "judged", [("exact", "all"), ("shown", "all")]),
        ],
    )
    def test_whatever_is_asked_exact_and_shown_values_on_all_instances_are_there(
        self, study, values, instances, beside
    ):
        plain = analysed(gather_study(study))
        result = analysed(gather_study(study), values=values, instances=instances)
        assert (result["values"], result["instances"]) == (values, instances)
        assert list(others(result)) == beside
        assert others(result)["exact", "all"]["correlations"] == plain["correlations"]

    def test_each_question_is_a_family_of_its_own(self, study):
        result = analysed(gather_study(study))
        for rows in (result["correlations"], others(result)["shown", "all"]["correlations"]):
            p = sorted(row["p_value"] for row in rows)
            assert min(row["p_holm"] for row in rows) == pytest.approx(min(1, len(p) * p[0]))

    def test_judged_instances_are_said_to_be_confounded(self, study):
        result = analysed(gather_study(study), instances="judged")
        assert any("which texts a system happened to get" in note for note in result["notes"])
        assert any("which texts a system happened to get" in note for note in result["tables"][0]["notes"])
        plain = analysed(gather_study(study))
        assert not any("happened to get" in note for note in [*plain["notes"], *plain["tables"][1]["notes"]])
        assert not others(plain)["shown", "all"]["is_confounded"]


@pytest.mark.django_db
class TestShownValues:
    def test_they_are_thresholded_and_rounded_to_each_text_s_own_grid(self):
        made = answered_study("grids")
        for number, instance in enumerate(Instance.objects.filter(dataset=made.study.dataset).order_by("position")):
            Instance.objects.filter(pk=instance.pk).update(parts=(3, 4, 5, 10)[number % 4])
        inputs = gather_study(made.study)
        rule = DisplayRule.of(made.study)
        people = np.array([(3, 4, 5, 10)[number % 4] for number in range(len(inputs.P))])
        found = others(analysed(inputs))["shown", "all"]["metrics"]
        for system in inputs.systems:
            P, Q = (rule.shown(side, people=people, task="multilabel") for side in (inputs.P, inputs.Q[system]))
            for name in ("micro_f1", "po_jsd", "soft_micro_f1"):
                expected = getattr(metrics, name)(P, Q, "multilabel")
                assert found[system][name]["value"] == pytest.approx(expected, abs=1e-15)

    def test_hard_metrics_say_how_many_decisions_rounding_moved_on_even_grids(self):
        """.55 becomes .50 if four people judged, which is not above one half."""
        made = answered_study("even")
        Instance.objects.filter(dataset=made.study.dataset).update(parts=4)
        inputs = gather_study(made.study)
        rule = DisplayRule.of(made.study)
        moved = sum(
            ((side > 0.5) != (rule.shown(side, people=4, task="multilabel") > 0.5)).sum()
            for system in inputs.systems
            for side in (inputs.P, inputs.Q[system])
        )
        rows = {row["metric"]: row for row in others(analysed(inputs))["shown", "all"]["correlations"]}
        for name in ("micro_f1", "macro_f1"):
            assert rows[name]["flag"].startswith(f"rounding moved {moved:,} of 1,728 values across one half")
            assert "even number of parts .55 becomes .50" in rows[name]["flag"]
        assert rows["soft_micro_f1"]["flag"] == ""
        assert all(row["flag"] == "" for row in analysed(inputs)["correlations"])

    def test_rows_of_single_choice_tasks_are_distributions_again_and_those_without_a_bar_are_left_out(self):
        inputs = shown_with(planted_study(1, 0.5), 5, threshold=0.45)
        result = analysed(inputs, metrics=["soft_accuracy", "po_jsd"])
        found = others(result)["shown", "all"]
        for system in inputs.systems[:3]:
            P, Q = (
                inputs.showing.rule.shown(side, people=5, task="multiclass") for side in (inputs.P, inputs.Q[system])
            )
            kept = (P.sum(axis=1) > 0) & (Q.sum(axis=1) > 0)
            assert 0 < kept.sum() < len(P)
            P, Q = (side[kept] / side[kept].sum(axis=1, keepdims=True) for side in (P, Q))
            assert found["metrics"][system]["po_jsd"]["value"] == pytest.approx(
                metrics.po_jsd(P, Q, "multiclass"), abs=1e-14
            )
            (left,) = [one for one in found["exclusions"] if one["system"] == system]
            assert (left["what"], left["count"]) == ("instances", int((~kept).sum()))
        note = next(note for note in result["tables"][1]["notes"] if "without a bar" in note)
        assert note.startswith(f"{sum(one['count'] for one in found['exclusions']):,} distributions")

    def test_a_metric_whose_definition_this_breaks_is_undefined_with_the_reason(self):
        """What is not drawn has no share, and the divergence from it is not finite."""
        inputs = shown_with(planted_study(2, 0.5), 5, threshold=0.2)
        result = analysed(inputs, metrics=["soft_accuracy", "kl_divergence"])
        exact = {row["metric"]: row for row in result["correlations"]}
        shown = {row["metric"]: row for row in others(result)["shown", "all"]["correlations"]}
        assert exact["kl_divergence"]["value"] is not None
        assert shown["kl_divergence"]["value"] is None
        assert shown["soft_accuracy"]["value"] is not None
        reasons = {left["reason"] for left in others(result)["shown", "all"]["exclusions"] if left.get("metric")}
        assert all("no probability to a label that people chose" in reason for reason in reasons)

    def test_where_it_is_not_known_how_they_were_shown_they_are_undefined(self):
        result = analysed(planted_study(3, 0.5), metrics=["soft_accuracy"])
        (row,) = others(result)["shown", "all"]["correlations"]
        assert row["value"] is None
        assert {left["reason"] for left in others(result)["shown", "all"]["exclusions"]} == {NOT_KNOWN}


@pytest.mark.django_db
class TestFingerprints:
    def test_how_values_are_shown_belongs_to_it_where_the_study_stores_the_rule(self, study):
        before = gather_study(study).fingerprint
        Study.objects.filter(pk=study.pk).update(display_step=0.05)
        step = gather_study(Study.objects.get(pk=study.pk)).fingerprint
        Instance.objects.filter(dataset=study.dataset).update(parts=7)
        people = gather_study(Study.objects.get(pk=study.pk)).fingerprint
        assert len({before, step, people}) == 3

    def test_that_of_a_study_of_the_first_rule_is_as_it_was(self, study):
        from dataclasses import replace

        from metaeval.analyses.inputs.studies import study_fingerprint

        Study.objects.filter(pk=study.pk).update(display_rule=1)
        inputs = gather_study(Study.objects.get(pk=study.pk))
        assert inputs.fingerprint == study_fingerprint(replace(inputs, showing=None))
