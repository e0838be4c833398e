"""What an expert's pages send and receive, field by field: the documented shape, and the checks of what is sent.

An assignment is sent in one shape only. Its only id is the assignment's random token, and it names no sources. What is
received is put together as plain values (shapes.py), for a serializer takes longer than everything else that an answer
does; a test holds both together.
"""

from typing import Any

from rest_framework import serializers

from annotations.models import (
    Instance,
    Label,
    Layout,
    Leaving,
    ReportReason,
    Task,
)
from annotations.shown.displaying import Bar

MAX_MS = 2**31 - 1


class LabelSerializer(serializers.Serializer[Label]):
    position = serializers.IntegerField()
    name = serializers.CharField()
    search_words = serializers.ListField(
        child=serializers.CharField(), help_text="Other words that find it in a search. They are not shown as labels."
    )
    exclusive = serializers.BooleanField()


class TaskStudySerializer(serializers.Serializer[Any]):
    slug = serializers.CharField()
    title = serializers.CharField()
    instructions_html = serializers.CharField(help_text="Sanitised HTML.")
    task = serializers.ChoiceField(choices=Task.choices)
    question_labels = serializers.CharField()
    question_preference = serializers.CharField()
    share_meaning = serializers.CharField(help_text="What a bar on either side means. Empty: the page's own words.")
    instrument_version = serializers.IntegerField(
        allow_null=True, help_text="The version of the study's and the pages' wording; sent back with an answer."
    )
    question_certainty = serializers.CharField(help_text="Empty: the page asks in its own words.")
    layout = serializers.ChoiceField(choices=Layout.choices, help_text="How step 2 draws its two sides.")
    language = serializers.CharField()
    direction = serializers.ChoiceField(choices=Instance.Direction.choices)
    asks_guess = serializers.BooleanField(help_text="Whether experts are asked for guesses after the last answer.")
    leaving = serializers.ChoiceField(
        choices=Leaving.choices, help_text="What happens to the expert's answers on leaving."
    )
    repeats = serializers.BooleanField(help_text="Whether some texts come twice, but never which.")
    labels = LabelSerializer(many=True, help_text="In the order shown.")


class ProgressSerializer(serializers.Serializer[Any]):
    done = serializers.IntegerField()
    total = serializers.IntegerField()
    minutes_left = serializers.IntegerField(allow_null=True)


class SegmentSerializer(serializers.Serializer[Any]):
    name = serializers.CharField(allow_blank=True)
    text = serializers.CharField(allow_blank=True)


class BarSerializer(serializers.Serializer[Bar]):
    label = serializers.CharField()  # type: ignore[assignment]  # the field's name, not the serializer's label
    value = serializers.FloatField()


class SidesSerializer(serializers.Serializer[Any]):
    a = BarSerializer(many=True)
    b = BarSerializer(many=True)
    identical = serializers.BooleanField(
        help_text="Both sides look the same: they are shown once, and the answer is both or neither."
    )


class AnsweredSerializer(serializers.Serializer[Any]):
    a_chosen = serializers.BooleanField()
    b_chosen = serializers.BooleanField()
    certainty = serializers.FloatField(allow_null=True)


class TaskAssignmentSerializer(serializers.Serializer[Any]):
    token = serializers.UUIDField()
    step = serializers.ChoiceField(choices=[1, 2])
    direction = serializers.ChoiceField(choices=Instance.Direction.choices)
    language = serializers.CharField()
    segments = SegmentSerializer(many=True)
    selected = serializers.ListField(child=serializers.IntegerField(), allow_null=True)
    comparison = SidesSerializer(allow_null=True, help_text="Only in step 2.")
    answered = AnsweredSerializer(allow_null=True, help_text="The expert's own answer, if it is being changed.")


class NextSerializer(serializers.Serializer[Any]):
    assignment = TaskAssignmentSerializer(allow_null=True)
    finished = serializers.ChoiceField(
        choices=["", "asked_first", "has_looked", "all_done", "nothing_available", "not_open_yet", "paused", "closed"],
        help_text="`asked_first`: the expert must first consent or answer questions about themselves (see profile).",
    )
    more = serializers.IntegerField(help_text="How many more texts the expert may ask for, if they have none in hand.")
    opens_at = serializers.DateTimeField(
        allow_null=True, help_text="When the study is due to open, if that is announced."
    )


class TaskSerializer(NextSerializer):
    study = TaskStudySerializer()
    progress = ProgressSerializer()
    saved_at = serializers.DateTimeField(allow_null=True, help_text="When the newest answer was stored.")
    practised = serializers.BooleanField(help_text="Whether the expert has finished or skipped the practice.")


class SavedSerializer(serializers.Serializer[Any]):
    saved_at = serializers.DateTimeField()
    progress = ProgressSerializer()


class TakenSerializer(SavedSerializer):
    instrument_version = serializers.IntegerField(
        allow_null=True, help_text="If it differs from the study's that the page has, `next/` gives the new words."
    )


class LabelsTakenSerializer(TakenSerializer):
    assignment = TaskAssignmentSerializer(help_text="The same one, at step 2.")
    next = NextSerializer(
        help_text="What comes after it, at step 1. With neither an assignment nor a reason: `next/` has another one."
    )


class WithNextSerializer(TakenSerializer):
    next = NextSerializer(
        allow_null=True,
        help_text="The same as with the labels. Null if the page has it (`ahead`), or nothing was finished.",
    )


class AnswerSerializer(serializers.Serializer[Any]):
    """An answer that a browser keeps until it is stored, perhaps since an earlier version of the pages."""

    takes_other_keys = True

    key = serializers.UUIDField(help_text="Generated in the browser; sending it twice stores one answer.")


class AheadSerializer(AnswerSerializer):
    ahead = serializers.UUIDField(
        allow_null=True,
        required=False,
        help_text="The token of the next assignment, if the page has it; then none is sent.",
    )


class StepAnswerSerializer(AnswerSerializer):
    instrument_version = serializers.IntegerField(
        min_value=1,
        max_value=MAX_MS,
        allow_null=True,
        required=False,
        help_text="The version given with the task, which the expert read. If omitted: the newest.",
    )
    page_language = serializers.RegexField(
        r"^[A-Za-z0-9-]*$",
        max_length=20,
        allow_blank=True,
        required=False,
        help_text="The language of the page, as a language tag.",
    )


class LabelsAnswerSerializer(StepAnswerSerializer):
    labels = serializers.ListField(child=serializers.IntegerField(min_value=0), max_length=10_000)
    active_ms = serializers.IntegerField(min_value=0, max_value=MAX_MS)


class PreferenceAnswerSerializer(StepAnswerSerializer):
    a_chosen = serializers.BooleanField()
    b_chosen = serializers.BooleanField()
    certainty = serializers.FloatField(min_value=0, max_value=1)
    active_ms = serializers.IntegerField(min_value=0, max_value=MAX_MS)


class Step2AnswerSerializer(PreferenceAnswerSerializer, AheadSerializer):
    pass


class ReportSerializer(AheadSerializer):
    reason = serializers.ChoiceField(choices=ReportReason.choices)
    text = serializers.CharField(allow_blank=True, max_length=4000)
    skip = serializers.BooleanField()
