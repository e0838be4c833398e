"""Studies: each person's own list; and, for researchers and admins, the whole study and its state."""

from typing import Any

from django.db.models import Count
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotations import designing
from annotations.answering.progress import ExpertWorkload
from annotations.api.paging import filters_of, page_of, paged
from annotations.api.parsing import valid
from annotations.api.people.profiles import ProfileQuestionSerializer
from annotations.api.views import APIView, administered_study, person, unblinded_study
from annotations.designing import lifecycle
from annotations.designing.averaging import compared_names
from annotations.designing.lifecycle import consequences
from annotations.ground.display_rule import DisplayRule
from annotations.models import (
    Assigning,
    Compares,
    GiveAways,
    Layout,
    Leaving,
    Membership,
    Report,
    Role,
    Runs,
    Study,
    StudyState,
    Task,
    User,
)
from annotations.shown.people import ShownPeople
from annotations.shown.place_counts import PlaceCounts, by_expert, by_study, kept_places, main_of

FACTS = ("slug", "state", "is_simulated", "version", "archived_at", "paused_systems")


class DoneSerializer(serializers.Serializer[Any]):
    done = serializers.IntegerField()
    total = serializers.IntegerField()


class StudyCardSerializer(serializers.Serializer[Any]):
    slug = serializers.CharField()
    title = serializers.CharField()
    role = serializers.ChoiceField(choices=Role.choices)
    state = serializers.ChoiceField(choices=StudyState.choices)
    is_simulated = serializers.BooleanField()
    progress = DoneSerializer()


class StudyDatasetSerializer(serializers.Serializer[Any]):
    slug = serializers.CharField()
    title = serializers.CharField()
    task = serializers.ChoiceField(choices=Task.choices)
    labels = serializers.ListField(child=serializers.CharField())


class CountsSerializer(serializers.Serializer[Any]):
    comparisons = serializers.IntegerField()
    places = serializers.IntegerField()
    claimed = serializers.IntegerField()
    completed = serializers.IntegerField()
    pilot = serializers.IntegerField(
        help_text="Answers given in the pilot. Once the study has opened, no other count includes them."
    )
    experts = serializers.IntegerField()
    open_reports = serializers.IntegerField(help_text="Reports that no admin has decided on yet.")


class MemberSerializer(serializers.Serializer[Any]):
    number = serializers.IntegerField()
    name = serializers.CharField()
    role = serializers.ChoiceField(choices=Role.choices)
    is_simulated = serializers.BooleanField()
    claimed = serializers.IntegerField()
    completed = serializers.IntegerField()


class StudySerializer(serializers.Serializer[Any]):
    slug = serializers.CharField()
    title = serializers.CharField()
    role = serializers.ChoiceField(choices=Role.choices)
    instructions = serializers.CharField()
    consent = serializers.CharField(help_text="Empty: the app's own text.")
    question_labels = serializers.CharField()
    question_preference = serializers.CharField()
    share_meaning = serializers.CharField(help_text="What a bar on either side means. Empty: the app's own words.")
    question_certainty = serializers.CharField(help_text="Empty: the app's own words.")
    language = serializers.CharField(help_text="The language of the experts' pages; empty: the texts'.")
    direction = serializers.CharField(help_text="`ltr` or `rtl`; empty: the language's.")
    compares = serializers.ChoiceField(choices=Compares.choices)
    runs = serializers.ChoiceField(
        choices=Runs.choices, help_text="Whether runs of one model and method are averaged or each compared."
    )
    display_threshold = serializers.FloatField()
    display_step = serializers.FloatField(
        allow_null=True, help_text="Null: depends on how many people judged a text. 0.01: whole percentages (exact)."
    )
    display_mode = serializers.ChoiceField(choices=["grid", "step", "exact"], help_text="What the step means.")
    display_rule = serializers.IntegerField(
        help_text="1: a label is drawn if its rounded share is above the threshold; 2: only if its exact share is, too."
    )
    layout = serializers.ChoiceField(choices=Layout.choices, help_text="How step 2 draws its two sides.")
    give_aways = serializers.ChoiceField(choices=GiveAways.choices)
    instances_per_system = serializers.IntegerField()
    experts_per_comparison = serializers.IntegerField()
    leaving = serializers.ChoiceField(
        choices=Leaving.choices, help_text="What happens to the answers of an expert who leaves."
    )
    known_texts = serializers.CharField(
        help_text="Why experts may get texts that they had in another study, once it is closed. Empty: they never do."
    )
    profile_questions = ProfileQuestionSerializer(many=True)
    repeats_per_expert = serializers.IntegerField(help_text="Texts that each expert answers a second time, at the end.")
    seed = serializers.IntegerField()
    assigning = serializers.ChoiceField(choices=Assigning.choices)
    asks_guess = serializers.BooleanField()
    opens_at = serializers.DateTimeField(
        allow_null=True, help_text="When the study is due to open, as announced to experts."
    )
    state = serializers.ChoiceField(choices=StudyState.choices)
    dataset = StudyDatasetSerializer()
    systems = serializers.ListField(
        child=serializers.CharField(),
        help_text="The systems compared. A mean of runs is named after its model and method.",
    )
    chosen_systems = serializers.ListField(
        child=serializers.CharField(), help_text="The setting `systems`: the names to compare. Empty: all."
    )
    paused_systems = serializers.ListField(child=serializers.CharField())
    version = serializers.IntegerField(help_text="The settings' version, which grows with every saved change.")
    archived_at = serializers.DateTimeField(allow_null=True)
    is_simulated = serializers.BooleanField()
    counts = CountsSerializer()
    members = MemberSerializer(many=True)


class TransitionSerializer(serializers.Serializer[Any]):
    to = serializers.ChoiceField(choices=[state for state in StudyState.values if state != StudyState.DRAFT])


class ConsequencesSerializer(serializers.Serializer[Any]):
    to = serializers.ChoiceField(choices=[state for state in StudyState.values if state != StudyState.DRAFT])
    means = serializers.CharField()
    fixes = serializers.ListField(child=serializers.CharField(), help_text="What cannot be changed from then on.")
    afterwards = serializers.ListField(child=serializers.CharField(), help_text="What can still be done.")
    told = serializers.CharField(help_text="Who is told about it.")
    missing = serializers.CharField(
        help_text="Why it cannot be done yet, and what to do about it. Empty: it can be done."
    )


class NextStatesSerializer(serializers.Serializer[Any]):
    state = serializers.ChoiceField(choices=StudyState.choices)
    next = ConsequencesSerializer(many=True)


def cards(user: User, *, archived: bool = False) -> list[dict[str, Any]]:
    """The user's studies, each with their own progress as an expert or with the whole study's.

    At most three queries, and a few more for each study in which they are an expert.
    `archived`: only those in the archive.
    """
    mine = (
        Membership.objects.filter(user=user, is_active=True, study__archived_at__isnull=not archived)
        .select_related("study")
        .order_by("-study__created_at", "study__slug")
    )
    whole = by_study(member.study_id for member in mine if member.role != Role.EXPERT)
    listed = []
    membership: Any
    for membership in mine:
        progress = _progress(whole.get(membership.study_id))
        if membership.role == Role.EXPERT:
            own = ExpertWorkload(membership).progress()
            progress = {"done": own.done, "total": own.total}
        listed.append(_card(membership.study, membership.role, progress))
    if user.is_superuser:
        shown = Study.objects.filter(archived_at__isnull=not archived)
        others = list(shown.exclude(memberships__user=user, memberships__is_active=True))
        whole = by_study(study.pk for study in others)
        listed += [_card(study, Role.ADMIN, _progress(whole.get(study.pk))) for study in others]
    return listed


def _progress(counts: PlaceCounts | None) -> dict[str, int]:
    return {"done": counts.answered, "total": counts.places} if counts else {"done": 0, "total": 0}


def _card(study: Study, role: str, progress: dict[str, int]) -> dict[str, Any]:
    return {
        "slug": study.slug,
        "title": study.title,
        "role": role,
        "state": study.state,
        "is_simulated": study.is_simulated,
        "progress": progress,
    }


def whole_study(study: Study, user: User) -> dict[str, Any]:
    """Everything about a study except its answers."""
    dataset = study.dataset
    places = kept_places(study)
    counts = main_of(study, places).aggregate(
        places=Count("pk"), claimed=Count("expert"), completed=Count("completed_at")
    ) | {"pilot": places.filter(is_pilot=True, completed_at__isnull=False).count()}
    held, none = by_expert(places), PlaceCounts()
    members = list(study.memberships.filter(is_active=True).select_related("user").order_by("number"))
    own = next((member.role for member in members if member.user_id == user.pk), Role.ADMIN)
    people = ShownPeople(to=user, study=study, with_addresses=own == Role.ADMIN or user.is_superuser)
    return {
        **{name: getattr(study, name) for name in (*FACTS, *designing.SETTINGS)},
        "chosen_systems": study.systems,
        "display_mode": DisplayRule.of(study).mode,
        "display_rule": study.display_rule,
        "role": own,
        "dataset": {
            "slug": dataset.slug,
            "title": dataset.title,
            "task": dataset.task,
            "labels": [label.name for label in dataset.labels.all()],
        },
        "systems": compared_names(study),
        "counts": counts
        | {
            "comparisons": study.comparisons.count(),
            "experts": sum(member.role == Role.EXPERT for member in members),
            "open_reports": Report.objects.filter(assignment__study=study, decisions=None).count(),
        },
        "members": [
            {
                "number": member.number,
                "name": people.name(member.user, number=member.number),
                "role": member.role,
                "is_simulated": member.is_simulated,
                "claimed": held.get(member.pk, none).places,
                "completed": held.get(member.pk, none).answered,
            }
            for member in members
        ],
    }


class StudyFilters(serializers.Serializer[Any]):
    state = serializers.ChoiceField(choices=StudyState.choices, required=False)
    role = serializers.ChoiceField(choices=Role.choices, required=False, help_text="Your role in the study.")
    archived = serializers.BooleanField(
        required=False, help_text="Studies in the archive, which are otherwise left out."
    )


class StudyListView(APIView):
    """Your studies, in any role."""

    @extend_schema(operation_id="studies_list", parameters=[StudyFilters], responses=page_of(StudyCardSerializer))
    def get(self, request: Request) -> Response:
        filters = filters_of(request, StudyFilters)
        listed = cards(person(request), archived=filters.pop("archived", False))
        mine = [card for card in listed if all(card[name] == value for name, value in filters.items())]
        return paged(request, mine, StudyCardSerializer, was_plain=True)


class ShownStudyView(APIView):
    """The whole study, for researchers and admins."""

    @extend_schema(operation_id="study_show", responses=StudySerializer)
    def get(self, request: Request, slug: str) -> Response:
        study = unblinded_study(request, slug)
        return Response(StudySerializer(whole_study(study, person(request))).data)


class TransitionView(APIView):
    """The states the study can move to and what each fixes; and moving it there (admins)."""

    @extend_schema(operation_id="study_next_states", responses=NextStatesSerializer)
    def get(self, request: Request, slug: str) -> Response:
        study = unblinded_study(request, slug)
        return Response(NextStatesSerializer({"state": study.state, "next": consequences(study)}).data)

    @extend_schema(operation_id="study_transition", request=TransitionSerializer, responses=StudySerializer)
    def post(self, request: Request, slug: str) -> Response:
        study = administered_study(request, slug)
        body = valid(TransitionSerializer(data=request.data))
        lifecycle.change_state(study=study, to=StudyState(body["to"]), actor=person(request))
        study = unblinded_study(request, slug)
        return Response(StudySerializer(whole_study(study, person(request))).data)
