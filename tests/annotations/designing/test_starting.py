"""A study is begun once, with settings that a study can have."""

import pytest

from annotations import designing
from annotations.designing.starting import InvalidSettings, StudyExists
from annotations.models import Study
from tests.worlds.datasets import make_dataset
from tests.worlds.studies import make_study

pytestmark = pytest.mark.django_db


def test_a_slug_is_given_once_and_the_refusal_names_it():
    first = make_study(slug="taken")
    with pytest.raises(StudyExists, match="'taken'") as refusal:
        designing.create_study(dataset=first.dataset, slug="taken")
    assert refusal.value.data == {"slug": "taken"}
    designing.create_study(dataset=first.dataset, slug="free")
    assert sorted(Study.objects.values_list("slug", flat=True)) == ["free", "taken"]


@pytest.mark.parametrize(
    ("name", "allowed", "refused"),
    [
        ("seed", [0, 2**63 - 1], [-1, 2**63, 3**63]),
        ("display_threshold", [0, 0.5, 0.999], [-0.001, 1, 2]),
        ("instances_per_system", [1], [0, -1]),
        ("experts_per_comparison", [1], [0]),
        ("direction", ["", "rtl"], ["up"]),
        ("title", ["A"], ["", "A" * 201]),
    ],
)
def test_every_setting_has_its_bounds_and_a_refusal_names_the_field(name, allowed, refused):
    dataset = make_dataset()
    for value in allowed:
        assert getattr(designing.draft(dataset=dataset, slug="s", **{name: value}), name) == value
    for value in refused:
        with pytest.raises(InvalidSettings) as refusal:
            designing.draft(dataset=dataset, slug="s", **{name: value})
        assert list(refusal.value.data["fields"]) == [name]


def test_a_guess_at_people_is_asked_only_where_one_side_is_peoples():
    dataset = make_dataset()
    assert designing.draft(dataset=dataset, slug="s", asks_guess=True).asks_guess
    with pytest.raises(InvalidSettings, match="asks_guess"):
        designing.draft(dataset=dataset, slug="s", asks_guess=True, compares="system_vs_system")
