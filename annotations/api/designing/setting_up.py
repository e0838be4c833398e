"""Creating a study and changing its settings: step by step, as the pages save them, or all at once from a preset."""

from dataclasses import asdict
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from annotations import designing
from annotations.api.paging import filters_of, page_of, paged
from annotations.api.parsing import valid
from annotations.api.people.profiles import ProfileQuestionSerializer
from annotations.api.studies import ShownStudyView, StudyListView, StudySerializer, whole_study
from annotations.api.views import (
    APIView,
    CanCreateStudies,
    ResearchView,
    SetsUpStudies,
    administered_study,
    person,
    unblinded_study,
)
from annotations.designing.lifecycle import archive, delete_study, unarchive
from annotations.designing.presets import PRESETS, Preset, spoken, wordings
from annotations.designing.starting import InvalidSettings, begin_study, settings_of_preset
from annotations.erasing.retention import MOST_MONTHS, identities_go_at, keep_identities
from annotations.ground.bounds import RENDERED
from annotations.models import Assigning, Compares, Dataset, GiveAways, Instance, Layout, Leaving, Runs, Study, Task
from annotations.shown.instructions import sanitised

MOST_TEXT = RENDERED["markdown"].most_in


class SettingsSerializer(serializers.Serializer[Any]):
    """A study's settings; any that are omitted stay as they are."""

    title = serializers.CharField(max_length=200, required=False, help_text="What the study is called.")
    instructions = serializers.CharField(max_length=MOST_TEXT, required=False, allow_blank=True, help_text="Markdown.")
    consent = serializers.CharField(
        max_length=MOST_TEXT, required=False, allow_blank=True, help_text="Markdown; empty: the app's own text."
    )
    question_labels = serializers.CharField(max_length=300, required=False)
    question_preference = serializers.CharField(max_length=300, required=False)
    share_meaning = serializers.CharField(
        max_length=120,
        required=False,
        allow_blank=True,
        help_text="What a bar on either side means. Empty: the app's own words.",
    )
    question_certainty = serializers.CharField(
        max_length=160,
        required=False,
        allow_blank=True,
        help_text="The question how certain an expert is of step 2. Empty: the app's own words.",
    )
    language = serializers.CharField(max_length=20, required=False, allow_blank=True)
    direction = serializers.ChoiceField(choices=Instance.Direction.choices, allow_blank=True, required=False)
    compares = serializers.ChoiceField(
        choices=Compares.choices, required=False, help_text="What the two sides of a comparison are."
    )
    runs = serializers.ChoiceField(choices=Runs.choices, required=False)
    systems = serializers.ListField(
        child=serializers.CharField(max_length=310),
        required=False,
        max_length=10_000,
        help_text="Names of the systems to compare. Empty: all.",
    )
    assigning = serializers.ChoiceField(
        choices=Assigning.choices, required=False, help_text="How experts get their comparisons."
    )
    asks_guess = serializers.BooleanField(
        required=False, help_text="Whether experts guess at the end which side came from people."
    )
    opens_at = serializers.DateTimeField(required=False, allow_null=True)
    display_threshold = serializers.FloatField(required=False)
    display_step = serializers.FloatField(
        required=False,
        allow_null=True,
        help_text="Bars are multiples of it. Null: of the shares that a text's people can give. 0.01: exact.",
    )
    layout = serializers.ChoiceField(
        choices=Layout.choices, required=False, help_text="How step 2 draws its two sides."
    )
    give_aways = serializers.ChoiceField(choices=GiveAways.choices, required=False)
    instances_per_system = serializers.IntegerField(
        min_value=1, max_value=2**31 - 1, required=False, help_text="How many texts each system is shown on."
    )
    experts_per_comparison = serializers.IntegerField(
        min_value=1, max_value=32_767, required=False, help_text="How many experts judge each comparison."
    )
    repeats_per_expert = serializers.IntegerField(
        min_value=0,
        max_value=1000,
        required=False,
        help_text="Texts that each expert answers a second time, at the end.",
    )
    leaving = serializers.ChoiceField(
        choices=Leaving.choices, required=False, help_text="What happens to the answers of an expert who leaves."
    )
    known_texts = serializers.CharField(
        required=False,
        allow_blank=True,
        max_length=500,
        help_text="Why experts may get texts that they had in another study, once that one is closed; reports quote "
        "it. Empty: they never do.",
    )
    profile_questions = ProfileQuestionSerializer(
        many=True, required=False, help_text="What experts are asked about themselves before they begin."
    )
    seed = serializers.IntegerField(min_value=0, max_value=2**63 - 1, required=False)


class NewStudySerializer(SettingsSerializer):
    """A study to create. Settings given here override the preset's."""

    title = serializers.CharField(max_length=200)
    dataset = serializers.SlugField(max_length=80)
    slug = serializers.SlugField(max_length=80, required=False, help_text="Derived from the title if missing.")
    preset = serializers.ChoiceField(choices=sorted(PRESETS), default="safe")


class ChangedSettingsSerializer(SettingsSerializer):
    """The settings to change."""

    version = serializers.IntegerField(
        required=False,
        help_text="The version of the settings that were seen; any other is refused as `edited_meanwhile`.",
    )


class ConfirmedSerializer(serializers.Serializer[Any]):
    """A deliberate confirmation."""

    confirm = serializers.CharField(max_length=80, help_text="The study's slug, typed again.")


class PresetSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    title = serializers.CharField()
    sentence = serializers.CharField()
    settings = SettingsSerializer()


class WordingSerializer(serializers.Serializer[Any]):
    name = serializers.CharField(help_text="What is special about it, in English.")
    question_labels = serializers.CharField()
    question_preference = serializers.CharField()
    share_meaning = serializers.CharField(help_text="What a bar means. Empty: the app's own words.")
    question_certainty = serializers.CharField(help_text="Empty: the app's own words.")
    is_default = serializers.BooleanField()
    is_original = serializers.BooleanField(help_text="Whether these are the original study's.")
    language = serializers.CharField()


class PresetsQuerySerializer(serializers.Serializer[Any]):
    dataset = serializers.SlugField(max_length=80, required=False)
    language = serializers.CharField(max_length=20, default="", help_text="The pages' language; if empty, the texts'.")


class WordingsQuerySerializer(serializers.Serializer[Any]):
    task = serializers.ChoiceField(choices=Task.choices)
    language = serializers.CharField(
        max_length=20, default="en", help_text="A language tag; if it has no wordings: English."
    )


class StudiesView(StudyListView):
    """Your studies, in any role; and creating one."""

    @extend_schema(operation_id="study_create", request=NewStudySerializer, responses={201: StudySerializer})
    def post(self, request: Request) -> Response:
        CanCreateStudies().has_permission(request, self)
        body = valid(NewStudySerializer(data=request.data))
        dataset = seen_dataset(request, body.pop("dataset"))
        study = begin_study(dataset=dataset, actor=person(request), **body)
        study = unblinded_study(request, study.slug)
        return Response(StudySerializer(whole_study(study, person(request))).data, status=status.HTTP_201_CREATED)


class StudyView(ShownStudyView):
    """The whole study, for researchers and admins, and its settings while it is a draft."""

    @extend_schema(operation_id="study_change", request=ChangedSettingsSerializer, responses=StudySerializer)
    def patch(self, request: Request, slug: str) -> Response:
        study = unblinded_study(request, slug)
        body = valid(ChangedSettingsSerializer(data=request.data))
        designing.change_settings(study=study, actor=person(request), **body)
        return Response(StudySerializer(whole_study(unblinded_study(request, slug), person(request))).data)

    @extend_schema(operation_id="study_delete", parameters=[ConfirmedSerializer], responses={204: None})
    def delete(self, request: Request, slug: str) -> Response:
        study = administered_study(request, slug)
        confirmed = filters_of(request, ConfirmedSerializer)["confirm"]
        if confirmed != study.slug:
            raise InvalidSettings(
                _("To delete the study, send its short name as `confirm`."),
                fields={"confirm": [_("This must be {study}.").format(study=study.slug)]},
            )
        delete_study(study=study, actor=person(request))
        return Response(status=status.HTTP_204_NO_CONTENT)


class ArchiveView(APIView):
    """Archive a study: lists omit it, it assigns no places and accepts no answers."""

    @extend_schema(operation_id="study_archive", request=None, responses=StudySerializer)
    def post(self, request: Request, slug: str) -> Response:
        archive(study=administered_study(request, slug), actor=person(request))
        return Response(StudySerializer(whole_study(unblinded_study(request, slug), person(request))).data)


class UnarchiveView(APIView):
    """Take a study out of the archive: it continues as before."""

    @extend_schema(operation_id="study_unarchive", request=None, responses=StudySerializer)
    def post(self, request: Request, slug: str) -> Response:
        unarchive(study=administered_study(request, slug), actor=person(request))
        return Response(StudySerializer(whole_study(unblinded_study(request, slug), person(request))).data)


class PresetsView(ResearchView):
    """Presets that choose every setting at once; if a dataset is named, with its questions and no more texts than it
    has.
    """

    @extend_schema(
        operation_id="study_presets", parameters=[PresetsQuerySerializer], responses=page_of(PresetSerializer)
    )
    def get(self, request: Request) -> Response:
        filters = filters_of(request, PresetsQuerySerializer)
        dataset = seen_dataset(request, filters["dataset"]) if "dataset" in filters else None
        return paged(
            request, [_preset(preset, dataset, filters["language"]) for preset in PRESETS.values()], PresetSerializer
        )


class WordingsView(ResearchView):
    """Wordings of the questions for a task and a language; the first is the default and names no domain."""

    @extend_schema(
        operation_id="question_wordings", parameters=[WordingsQuerySerializer], responses=page_of(WordingSerializer)
    )
    def get(self, request: Request) -> Response:
        filters = filters_of(request, WordingsQuerySerializer)
        language = spoken(filters["language"])
        rows = [
            {**asdict(wording), "is_default": place == 0, "language": language}
            for place, wording in enumerate(wordings(filters["task"], language))
        ]
        return paged(request, rows, WordingSerializer)


def seen_dataset(request: Request, slug: str) -> Dataset:
    """A dataset that the person may see. Raises InvalidSettings, because it is one of the fields sent."""
    dataset: Dataset | None = Dataset.objects.visible_to(person(request)).filter(slug=slug).first()
    if dataset is None:
        raise InvalidSettings(
            _("This dataset does not exist."), fields={"dataset": [_("This dataset does not exist.")]}
        )
    return dataset


def _preset(preset: Preset, dataset: Dataset | None, language: str) -> dict[str, Any]:
    settings = settings_of_preset(preset.name, dataset=dataset, language=language) if dataset else preset.settings
    title, sentence = preset.in_words()
    return {"name": preset.name, "title": title, "sentence": sentence, "settings": settings}


class MarkdownSerializer(serializers.Serializer[Any]):
    markdown = serializers.CharField(max_length=MOST_TEXT, allow_blank=True, trim_whitespace=False)


class HtmlSerializer(serializers.Serializer[Any]):
    html = serializers.CharField(help_text="Sanitised HTML.")


class MarkdownView(APIView):
    """Markdown as the HTML that experts will see."""

    permission_classes = [SetsUpStudies]

    @extend_schema(operation_id="markdown", request=MarkdownSerializer, responses=HtmlSerializer)
    def post(self, request: Request) -> Response:
        text = valid(MarkdownSerializer(data=request.data))["markdown"]
        return Response({"html": sanitised(text)})


class RetentionSerializer(serializers.Serializer[Any]):
    identities_kept_months = serializers.IntegerField(
        allow_null=True,
        min_value=0,
        max_value=MOST_MONTHS,
        help_text="Months after closing; 0: until somebody erases them; null: as the server's setting says.",
    )


class RetentionReadSerializer(RetentionSerializer):
    server_months = serializers.IntegerField(help_text="The server's setting; 0: until somebody erases them.")
    identities_go_at = serializers.DateTimeField(
        allow_null=True, help_text="When they go; null if the study is not closed, or if they are kept."
    )


class RetentionView(APIView):
    """When the names of a study's experts are erased by themselves. Its admins may change it at any time."""

    @extend_schema(operation_id="study_retention", responses=RetentionReadSerializer)
    def get(self, request: Request, slug: str) -> Response:
        return _told(unblinded_study(request, slug))

    @extend_schema(
        operation_id="study_retention_change", request=RetentionSerializer, responses=RetentionReadSerializer
    )
    def put(self, request: Request, slug: str) -> Response:
        study = administered_study(request, slug)
        months = valid(RetentionSerializer(data=request.data))["identities_kept_months"]
        return _told(keep_identities(study=study, months=months, actor=person(request)))


def _told(study: Study) -> Response:
    data = {
        "identities_kept_months": study.identities_kept_months,
        "server_months": settings.HLV_IDENTITIES_KEPT_MONTHS,
        "identities_go_at": identities_go_at(study),
    }
    return Response(RetentionReadSerializer(data).data)
