"""Intraclass correlations: the published table, and which forms which ratings have."""

import pytest

from metaeval.analyses.agreement.measures import NO_TWO_RATINGS, ONE_ITEM
from metaeval.analyses.agreement.result import AgreementResult
from metaeval.analyses.base import table_formats
from metaeval.analyses.base.table import Table
from metaeval.stats.agreement import INTRACLASS_FORMS, intraclass_correlation
from tests.metaeval.analyses.agreement.ratings import SHROUT_FLEISS, agreement_of, rated, rated_by_all, table_of


def forms_of(result):
    (judged,) = result["judged"]
    return {row["form"]: row for row in judged["intraclass"]}


def test_the_six_forms_are_those_of_the_published_table():
    found = forms_of(agreement_of(rated_by_all(SHROUT_FLEISS)))
    published = {"1,1": 0.17, "2,1": 0.29, "3,1": 0.71, "1,k": 0.44, "2,k": 0.62, "3,k": 0.91}
    assert {form: round(row["value"], 2) for form, row in found.items()} == published


@pytest.mark.parametrize("form", INTRACLASS_FORMS)
def test_every_number_is_that_of_the_library(form):
    row = forms_of(agreement_of(rated_by_all(SHROUT_FLEISS), level=0.9))[form]
    expected = intraclass_correlation(SHROUT_FLEISS, form, confidence_level=0.9)
    for name in ("value", "low", "high", "f", "p_value", "n_targets", "n_judges", "excluded", "reason"):
        assert row[name] == getattr(expected, "pvalue" if name == "p_value" else name), name
    assert (row["degrees_targets"], row["degrees_rest"]) == expected.degrees


def test_an_item_that_one_did_not_rate_is_left_out_and_counted():
    found = forms_of(agreement_of(rated_by_all([*SHROUT_FLEISS, [3, None, 4, 4], [None, 1, 1, 1]])))
    assert list(found) == list(INTRACLASS_FORMS)
    for form, row in found.items():
        assert row["value"] == intraclass_correlation(SHROUT_FLEISS, form).value
        assert (row["n_targets"], row["n_judges"], row["excluded"]) == (6, 4, 2)


def test_who_rates_an_item_twice_counts_once_and_not_at_all_with_two_ratings():
    cells = [(i, f"p{j}", point) for i, row in enumerate(SHROUT_FLEISS) for j, point in enumerate(row)]
    again = [*cells, (0, "p0", 9), (1, "p2", 5)]  # the same once more; another rating
    found = forms_of(agreement_of(rated(*map(list, zip(*again, strict=True)))))
    expected = intraclass_correlation([row for i, row in enumerate(SHROUT_FLEISS) if i != 1], "2,1")
    assert found["2,1"]["value"] == pytest.approx(expected.value, abs=1e-12)
    assert (found["2,1"]["n_targets"], found["2,1"]["excluded"]) == (5, 1)


def different_judges(*, known=True):
    cells = [(i, f"p{4 * (i % 2) + j}", point) for i, row in enumerate(SHROUT_FLEISS) for j, point in enumerate(row)]
    item, annotator, label = map(list, zip(*cells, strict=True))
    return rated(item, annotator if known else None, label)


@pytest.mark.parametrize(
    ("known", "note"),
    [
        (True, "every item has 4 ratings, but not of the same annotators: only the one-way forms hold"),
        (False, "every item has 4 ratings, and whose they are is not known: only the one-way forms hold"),
    ],
)
def test_items_that_have_judges_of_their_own_have_the_one_way_forms(known, note):
    found = forms_of(agreement_of(different_judges(known=known)))
    assert list(found) == ["1,1", "1,k"]
    for form, row in found.items():
        assert row["value"] == pytest.approx(intraclass_correlation(SHROUT_FLEISS, form).value, abs=1e-12)
        assert row["notes"] == [note]


def test_without_as_many_ratings_of_every_item_there_is_a_reason():
    ratings = [[1, 2, None], [None, 2, 3], [None, 1, None]]
    found = forms_of(agreement_of(rated_by_all(ratings)))
    assert {row["value"] for row in found.values()} == {None}
    assert {row["reason"] for row in found.values()} == {
        "fewer than two items were rated by all 3 annotators, and items have between 1 and 2 ratings"
    }
    alone = forms_of(agreement_of(rated_by_all([[1], [2], [3]])))
    assert {row["reason"] for row in alone.values()} == {NO_TWO_RATINGS}
    one_item = forms_of(agreement_of(rated_by_all([[1, 2, 2]])))
    assert {row["reason"] for row in one_item.values()} == {ONE_ITEM}


def test_items_that_are_left_out_for_few_judgements_take_their_annotators_with_them():
    ratings = [[*row, None] for row in SHROUT_FLEISS] + [[None, None, None, None, 5]]
    found = forms_of(agreement_of(rated_by_all(ratings), least_annotations=2))
    assert (found["2,1"]["n_judges"], found["2,1"]["excluded"]) == (4, 0)


def test_perfect_ratings_have_an_infinite_f_and_say_so():
    row = forms_of(agreement_of(rated_by_all([[1, 1], [2, 2], [5, 5]])))["1,1"]
    assert (row["value"], row["f"], row["p_value"]) == (1.0, None, 0.0)
    assert row["notes"] == ["F is infinite"]


@pytest.mark.parametrize(
    ("points", "task"), [(("low", "mid", "high"), "ordinal"), (("cat", "dog", "emu"), "multiclass")]
)
def test_labels_that_are_no_numbers_of_a_scale_have_none(points, task):
    ratings = [[points[0], points[1]], [points[2], points[2]], [points[1], points[1]]]
    result = agreement_of(rated_by_all(ratings, points=points, task=task))
    assert result["judged"][0]["intraclass"] == []
    assert table_of(result, "intraclass") is None


def test_the_table_has_the_forms_and_can_be_taken_out():
    table = table_of(agreement_of(rated_by_all(SHROUT_FLEISS)), "intraclass")
    assert [row["title"] for row in table["rows"]][:2] == [
        "ICC(1,1): one judge per item, a different one each time",
        "ICC(2,1): one judge from a sample of judges",
    ]
    assert table["rows"][0]["degrees"] == "5, 18"
    for kind in table_formats.FORMATS.values():
        assert kind.write(Table.model_validate(table)).strip()


def test_a_result_of_before_there_were_these_correlations_is_read():
    result = agreement_of(rated_by_all(SHROUT_FLEISS))
    del result["judged"][0]["intraclass"]
    assert AgreementResult.model_validate(result).judged[0].intraclass == []
