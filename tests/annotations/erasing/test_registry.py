"""Every stored field is classified: what is personal, a text, an answer, a secret."""

from collections.abc import Iterator

from django.apps import apps
from django.db.models import Model

from annotations.erasing.registry import holdings


def stored(model: type[Model]) -> Iterator[str]:
    """The names of a model's own fields but for keys and references."""
    for one in model._meta.local_fields:
        if not one.primary_key and not one.is_relation:
            yield one.name


def unclassified() -> list[str]:
    """What is not classified yet: for each, a sentence that says what to write where."""
    found = []
    known = {one.model: one for one in holdings}
    models = {model._meta.label: model for model in apps.get_models(include_auto_created=True)}
    for label, model in sorted(models.items()):
        names = set(stored(model))
        if not names:
            continue
        where = "metaeval/holdings.py" if label.startswith("metaeval.") else "annotations/erasing/holdings.py"
        example = " ".join(sorted(names))
        if label not in known:
            found.append(
                f'{label} is not classified. Add to {where}: holds("{label}", purpose="...", until="...", '
                f'neither="{example}"), moving each field that is not harmless to personal=, text=, answer= or '
                "secret=; if its rows name a person also person= (the lookup to the user), and blank= if they stay "
                "(annotations/erasing/registry.py)."
            )
            continue
        classified = known[label].sorts
        found += [
            f"{label}.{name} is not classified. In {where}, add {name} to personal=, text=, answer=, secret= or "
            f'neither= of holds("{label}", ...).'
            for name in sorted(names - set(classified))
        ]
        found += [
            f"{label} has no field {name!r} any more. Remove it from {where}."
            for name in sorted(set(classified) - names - set(_keys(model)))
        ]
    gone = sorted(set(known) - set(models))
    return found + [f"There is no model {label} any more. Remove it from the holdings." for label in gone]


def _keys(model: type[Model]) -> Iterator[str]:
    return (one.name for one in model._meta.local_fields if one.primary_key)


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
        assert one.person or not one.blank, one.model
        assert not one.address or one.address in one.sorts, one.model
