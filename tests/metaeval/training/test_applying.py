"""Why a method cannot be used, and what is worth knowing before it is, in sentences."""

import numpy as np
import pytest

from metaeval.training.applying import troubles, why_not
from metaeval.training.judgements import UNKNOWN, HumanJudgements
from metaeval.training.registry import methods
from tests.metaeval.training.methods.given import judgements

NAMES = methods.names()
BY_PEOPLE = ["AR", "ARh", "AE", "AEh"]


@pytest.mark.parametrize("name", NAMES)
def test_every_method_applies_to_one_label_per_text_by_known_people(name: str) -> None:
    assert why_not(methods.get(name), judgements("1A 2B", "1B 2B")) == ""


def test_all_but_ambiguous_labelling_apply_to_several_labels() -> None:
    given = judgements("1AB 2", "1B 2B", task="multilabel")
    refused = {entry.name: why for entry in methods if (why := why_not(entry, given))}
    assert {name: (reason[:3], "SL" in reason) for name, reason in refused.items()} == {"AL": ("AL ", True)}


def test_methods_that_look_at_people_need_every_one_of_them() -> None:
    given = HumanJudgements(
        task="multiclass",
        labels=("a", "b"),
        size=1,
        instance=np.zeros(3, dtype=np.int64),
        person=np.array([0, UNKNOWN, UNKNOWN]),
        chosen=np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]),
        count=np.array([1, 1000, 234]),
        people=("p1",),
    )
    refused = {entry.name: why for entry in methods if (why := why_not(entry, given))}
    assert list(refused) == BY_PEOPLE
    assert (refused["AE"][:3], "1,234 of 1,235" in refused["AE"], "SL" in refused["AE"]) == ("AE ", True, True)


@pytest.mark.parametrize("name", NAMES)
def test_one_label_only_teaches_nothing(name: str) -> None:
    assert "“B”" in why_not(methods.get(name), judgements("1B 2B", "1B"))


@pytest.mark.parametrize(("text", "said"), [("1AB 2AB", "is “A”, “B”"), ("1 2", "names no label")])
def test_one_set_of_labels_only_teaches_nothing(text: str, said: str) -> None:
    why = why_not(methods.get("SL"), judgements(text, task="multilabel"))
    assert why.startswith(f"Every annotation {said}, so there is nothing to learn.")


def test_one_label_that_some_give_and_some_do_not_can_be_learnt() -> None:
    assert why_not(methods.get("SL"), judgements("1A 2", task="multilabel")) == ""


@pytest.mark.parametrize("name", NAMES)
def test_no_annotations_teach_nothing(name: str) -> None:
    given = judgements("", "")
    assert why_not(methods.get(name), given).startswith("None of the texts has an annotation")
    assert troubles(given) == []


def test_what_is_in_order_has_no_troubles() -> None:
    assert troubles(judgements("1A 2B", "1B 2B")) == []


def test_texts_without_annotations_are_counted() -> None:
    assert [trouble[:12] for trouble in troubles(judgements("1A 2B", "1B 2B", ""))] == ["1 of 3 texts"]
    assert troubles(judgements("1A 2B", "", "", "1B 2B"))[0].startswith("2 of 4 texts have no annotation and are left")


def test_labels_that_nobody_gave_are_named() -> None:
    (said,) = troubles(judgements("1A 2B", "1B 2B", labels="ABCD"))
    assert "“C”, “D”" in said
    (said,) = troubles(judgements("1A 2C", "1C 2C", labels="ABC"))
    assert said.startswith("Nobody gave the label “B”, so that no model can learn when to predict it.")


def test_agreement_everywhere_is_said() -> None:
    (said,) = troubles(judgements("1A 2A", "1B 2B"))
    assert said.startswith("No text has two different annotations, so that the methods have no variation to learn from")


def test_people_with_one_text_are_named_and_after_five_counted() -> None:
    (said,) = troubles(judgements("1A 1A 2B 3A", "2B 3B"))
    assert said.startswith("1 of 3 annotators annotated a single text (1), and AR, ARh, AE and AEh judge or imitate")
    (said,) = troubles(judgements("1A 2B 3A 4A 5A 6B 7B"))
    assert ("7 of 7" in said, "(1, 2, 3, 4, 5 and 2 more)" in said) == (True, True)


def test_unknown_people_are_nobody_with_one_text() -> None:
    assert troubles(judgements("1A 2B", known=False)) == []
