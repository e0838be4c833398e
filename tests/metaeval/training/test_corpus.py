"""Which texts can be used, and which of them are the same text."""

import pytest

from tests.metaeval.training.corpora import corpus


def test_a_text_can_be_used_if_it_is_there_and_somebody_judged_it():
    found = corpus([[(0,)], [(1,)], [], [(0,)]], texts=["a", " \n", "c", "d"], withdrawn=[3])
    assert found.usable.tolist() == [True, False, False, False]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("It rains.", " It\n\train s.".replace("rain s", "rains"), True),
        ("caf\u00e9", "cafe\u0301", True),
        ("1\u00a0000 \ufb01nes", "1 000 fines", True),
        ("It rains.", "it rains.", False),
        (("premise", "hypothesis"), ("hypothesis", "premise"), False),
        (("a b",), ("a", "b"), False),
    ],
)
def test_texts_that_look_the_same_are_the_same_text(one, other, same):
    first, second = corpus([[(0,)], [(0,)]], texts=[one, other]).texts_apart
    assert (first == second) == same


def test_ids_are_different_and_everything_has_one_length():
    with pytest.raises(ValueError, match="named twice"):
        corpus([[(0,)], [(0,)]], ids=["a", "a"])
    with pytest.raises(ValueError, match="differ in length"):
        corpus([[(0,)], [(0,)]], given=["train"])
