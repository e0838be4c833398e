"""Presets that choose every setting at once, for people who do not want to decide each one, or who repeat a study."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.utils import translation
from django.utils.translation import gettext_noop

from annotations.designing.wordings import default_questions, wordings
from annotations.models import Assigning, Compares, Dataset, GiveAways, Runs, Task


@dataclass(frozen=True, slots=True)
class Preset:
    """A named preset. `settings` are those that do not depend on a dataset; `in_words` describes it to the reader."""

    name: str
    title: str
    sentence: str
    settings: dict[str, Any]

    def in_words(self) -> tuple[str, str]:
        """Title and sentence."""
        return translation.gettext(self.title), translation.gettext(self.sentence).format(
            texts=ORIGINAL_TEXTS, experts=ORIGINAL_EXPERTS
        )


ORIGINAL_TEXTS, ORIGINAL_EXPERTS = 28, 4

_SHARED = {
    "compares": Compares.HUMAN_VS_SYSTEM.value,
    "runs": Runs.AVERAGED.value,
    "assigning": Assigning.OPEN_POOL.value,
    "display_threshold": 0.1,
    "display_step": None,
    "instances_per_system": ORIGINAL_TEXTS,
    "experts_per_comparison": ORIGINAL_EXPERTS,
}

PRESETS = {
    one.name: one
    for one in (
        Preset(
            "safe",
            gettext_noop("Safe defaults"),
            gettext_noop(
                "Compares what people said with what each system predicted, drawn so that the "
                "numbers do not reveal which is which. At the end, experts guess which side came "
                "from people, so that you can show that they did not know."
            ),
            _SHARED | {"give_aways": GiveAways.KEEP.value, "asks_guess": True},
        ),
        Preset(
            "original",
            gettext_noop("As in the original study"),
            gettext_noop(
                "Compares what people said with what each system predicted, on {texts} texts per system and with "
                "{experts} experts per comparison. Labels with a share above 10% are drawn, and experts who may choose "
                "any labels are asked the original questions."
            ),
            _SHARED | {"give_aways": GiveAways.KEEP.value, "asks_guess": False},
        ),
    )
}


def preset_settings(name: str, *, dataset: Dataset, language: str) -> dict[str, Any]:
    """A preset's settings for a dataset, with no more texts than there are.

    >>> preset_settings("original", dataset=Dataset(task="ordinal"), language="de")["question_labels"]
    'Wo auf dieser Skala liegt dieser Text?'
    """
    settings = dict(PRESETS[name].settings)
    texts = dataset.instances.count() if dataset.pk else ORIGINAL_TEXTS
    settings["instances_per_system"] = max(1, min(ORIGINAL_TEXTS, texts))
    settings |= default_questions(dataset.task, language)
    if name == "original" and dataset.task == Task.MULTILABEL:
        settings |= next(one for one in wordings(dataset.task, language) if one.is_original).questions
    return settings
