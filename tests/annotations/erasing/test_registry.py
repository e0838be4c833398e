"""Every stored field is classified: what is personal, a text, an answer, a secret."""

from django.apps import apps

from annotations.erasing.registry import Fate, holdings, unclassified


def test_every_field_of_every_model_is_classified():
    problems = unclassified()
    assert not problems, "\n".join(problems)


def test_no_field_is_classified_twice():
    for one in holdings:
        named = [*one.personal, *one.text, *one.answer, *one.secret, *one.neither]
        assert len(named) == len(set(named)), one.model


def test_what_an_erasure_empties_or_follows_exists():
    for one in holdings:
        model = apps.get_model(one.model)
        if one.person:
            model._default_manager.filter(**{f"{one.person}__pk": 1}).query.sql_with_params()
        assert set(one.blank) <= set(one.sorts), one.model
        assert bool(one.blank) == (one.fate == Fate.BLANKED), one.model
        assert not one.address or one.address in one.sorts, one.model
