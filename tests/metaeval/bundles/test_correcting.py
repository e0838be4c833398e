"""A bundle of earlier rules: what a corrected rule changes is listed with the reason, and nothing else may differ."""

import copy
import json

import numpy as np
import pytest

from metaeval.analyses.base.computing import result_of
from metaeval.analyses.base.rules import CORRECTIONS, RULES, Correction
from metaeval.bundles import layout, verifying
from metaeval.bundles.archive import Archive
from metaeval.bundles.rebuilding import rebuilt
from metaeval.bundles.verifying import Equality, explained, verify

pytestmark = pytest.mark.django_db

WHY = "Ties were broken by rounding."
TIES = Correction(
    analysis="preference_correlation",
    paths=("correlations[*].p_value", "tables.correlations.rows[*].pearson_p"),
    why=WHY,
)


computed = {}


@pytest.fixture
def once(monkeypatch):
    """What is computed anew is the same for every change of what was stored, and computed once for all of them."""

    def remembered(*, inputs, entry, parameters, seed, work):
        key = (entry.name, inputs.fingerprint, parameters.model_dump_json(), seed)
        if key not in computed:
            computed[key] = result_of(inputs=inputs, entry=entry, parameters=parameters, seed=seed, work=work)
        return copy.deepcopy(computed[key])

    monkeypatch.setattr(verifying, "result_of", remembered)


@pytest.fixture
def verified(changed, content, once):
    """Verify a bundle whose result of the correlation was changed by a function."""
    [name] = [name for name in content if name.endswith("preference_correlation.json")]

    def verify_changed(change, *, corrections=()):
        result = json.loads(content[name])
        change(result)
        path = changed({name: json.dumps(result).encode()}, rehash=True)
        found = verify(path, only=["preference_correlation"], corrections=corrections)
        return next(one for one in found if one.what == name)

    return verify_changed


def earlier(result):
    del result["rules"]
    result["correlations"][0]["p_value"] += 0.25


def test_a_result_states_the_rules_and_so_does_the_bundle(content):
    results = [json.loads(data) for name, data in content.items() if name.startswith("results/")]
    assert {result["rules"] for result in results} == {RULES}
    assert json.loads(content[layout.VERSIONS])["rules"] == RULES


def test_an_earlier_result_that_is_the_same_is_equal_and_may_say_less(verified):
    def said_less(result):
        del result["rules"], result["comparisons"], result["parameters"]["two_sided"]
        result["version"] -= 1
        result["notes"].clear()
        result["tables"].pop()

    assert verified(said_less).verdict == Equality.EQUAL


def test_what_a_corrected_rule_changes_is_listed_with_the_reason(verified):
    found = verified(earlier, corrections=[TIES])
    assert found.verdict == Equality.CORRECTED
    assert found.details[0] == f"corrected (1 places): {WHY}"
    assert found.details[1].startswith("correlations[0].p_value: stored")


def test_nothing_else_may_differ(verified):
    assert verified(earlier).verdict == Equality.DIFFERS

    def and_more(result):
        earlier(result)
        result["correlations"][1]["value"] = 0.125

    found = verified(and_more, corrections=[TIES])
    assert found.verdict == Equality.DIFFERS
    assert found.details[0].startswith("correlations[1].value: stored 0.125")
    assert "which no corrected rule explains" in found.details[1]


def test_a_correction_excuses_no_result_of_its_own_rules_nor_one_that_it_does_not_concern(verified):
    def as_today(result):
        result["correlations"][0]["p_value"] += 0.25

    assert verified(as_today, corrections=[TIES]).verdict == Equality.DIFFERS
    elsewhere = Correction(
        analysis="preference_correlation",
        paths=TIES.paths,
        why=WHY,
        concerns=lambda stored: stored["parameters"]["average"] == "comparisons",
    )
    assert verified(earlier, corrections=[elsewhere]).verdict == Equality.DIFFERS
    other = Correction(analysis="agreement", paths=TIES.paths, why=WHY)
    assert verified(earlier, corrections=[other]).verdict == Equality.DIFFERS


def test_a_result_of_earlier_words_may_be_said_otherwise_but_not_be_another(verified):
    def said_otherwise(result):
        result["rules"] = RULES - 1
        result["title"] = "Once it was called that"
        result["tables"][0]["notes"] = ["Once it was said like that."]

    found = verified(said_otherwise, corrections=CORRECTIONS)
    assert found.verdict == Equality.CORRECTED
    assert "said in other words" in found.details[0]

    def and_another(result):
        said_otherwise(result)
        result["correlations"][0]["p_value"] += 0.25

    assert verified(and_another, corrections=CORRECTIONS).verdict == Equality.DIFFERS


def test_a_result_of_later_rules_cannot_be_judged_here(verified):
    assert verified(lambda result: result.update(rules=RULES + 1)).verdict == Equality.UNKNOWN


def test_parts_with_names_are_found_by_them_and_lost_ones_are_seen():
    table = {"name": "ranks", "title": "Ranks", "columns": [{"key": "p"}], "rows": [{"p": 0.1}], "notes": ["One."]}
    stored = {"analysis": "x", "version": 1, "tables": [table], "notes": ["Few."], "exclusions": [], "list": [1]}
    new = {**table, "name": "new"}
    found = {
        **stored,
        "tables": [new, {**table, "rows": [{"p": 0.2, "q": 1}], "notes": []}],
        "notes": [],
        "list": [1, 2],
    }
    seen = explained(stored, found, corrections=[Correction(analysis="x", paths=("tables.ranks.rows[*].p",), why=WHY)])
    assert [str(one) for _, places in seen.corrected for one in places] == [
        "tables.ranks.rows[0].p: stored 0.1, found 0.2"
    ]
    assert [one.path for one in seen.unexplained] == ["tables.ranks.notes.One.", "notes.Few.", "list[1]"]


def test_a_path_covers_what_is_in_it_and_no_other_name_that_begins_alike():
    one = Correction(analysis="x", paths=("systems[*].metrics.*", "notes"), why=WHY)
    assert one.allows("systems[12].metrics.po_jsd.value")
    assert one.allows("notes.No item has two annotations.")
    assert not one.allows("systems[12].metrics_of_others.po_jsd")
    assert not one.allows("notes_of_others")
    assert not one.allows("systems.metrics.po_jsd")


def test_columns_that_were_added_later_may_be_missing_and_mean_what_their_absence_meant(bundle, monkeypatch):
    monkeypatch.setattr(layout, "LATER", frozenset({"guess", *layout.LATER}))
    with Archive(bundle) as archive:
        header = [column.name for column in layout.ANSWER_FIELDS]
        rows = archive.table(layout.ANSWERS, header, later=layout.LATER)
        assert "identical" not in rows[0]
        assert not rebuilt(archive).answers.identical.any()
        assert len(rows) == len(rebuilt(archive).answers)
        assert np.unique(rebuilt(archive).answers.first_is_a).size == 2
