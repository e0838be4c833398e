"""What the command and the notes say of a training reads well for one and for many."""

import pytest

from metaeval.training_jobs.models import Training
from metaeval.training_jobs.progress import forecast_in_words, outcome_in_words
from tests.metaeval.training_jobs.world import FORECAST, judged_dataset, under_way


def forecast(**changes):
    return forecast_in_words(
        Training(methods=["MV", "SL"], parameters={"max_tokens": 512}, forecast={**FORECAST, **changes})
    )


def test_time_memory_and_texts_that_are_too_long_are_forecast():
    assert forecast() == (
        "2 fits of 2 methods take about 2 minutes, one after another, and each up to 0.4 GB of memory "
        "(8.0 GB are free)."
    )
    assert forecast(cut=1).endswith(" 1 of 40 texts is longer than 512 tokens and will be cut.")
    assert forecast(cut=3).endswith(" 3 of 40 texts are longer than 512 tokens and will be cut.")


def test_weights_that_are_not_trained_are_counted():
    assert "1,000 of the model's 300,000" in forecast(trained=1000)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("methods", "said"),
    [
        (["SL"], "1 system of the model small transformer was trained in 1 second of work: SL, 1 run each."),
        (
            ["MV", "SL"],
            "2 systems of the model small transformer were trained in 1 second of work: MV, SL, 1 run each.",
        ),
    ],
)
def test_what_came_of_a_training_is_counted(methods, said):
    assert outcome_in_words(under_way(judged_dataset(), methods=methods)) == said
