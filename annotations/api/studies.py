"""Studies: everybody's own list; and, for researchers and admins, the whole study and its state."""

from typing import Any

from django.db.models import Count, F, IntegerField, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations import designing
from annotations.answering.progress import total_for, with_pool
from annotations.api.paging import filters_of, page_of, paged
from annotations.api.permissions import administered_study, person, unblinded_study
from annotations.designing import lifecycle
from annotations.designing.averaging import compared_names
from annotations.displaying import DisplayRule
from annotations.models import (
    Assigning,
    Assignment,
    Compares,
    GiveAways,
    Membership,
    Report,
    Role,
    Runs,
    Study,
    StudyState,
    Task,
    User,
)
from annotations.models.comparisons import in_plan, of_main

FACTS = ("slug", "state", "is_simulated", "version", "archived_at", "paused_systems")
KEPT = in_plan()
MAIN = KEPT & of_main()
COMPLETED = Q(released_at=None, completed_at__isnull=False)
BEGUN = KEPT & Q(claimed_at__isnull=False, completed_at=None)


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
        help_text="Answers of the pilot. Once the study has opened, no other count has them."
    )
    experts = serializers.IntegerField()
    open_reports = serializers.IntegerField(help_text="Reports that no admin has decided about.")


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
    consent = serializers.CharField(help_text="Empty: the text that comes with the app.")
    question_labels = serializers.CharField()
    question_preference = serializers.CharField()
    language = serializers.CharField(help_text="Of the experts' pages; empty: the texts'.")
    direction = serializers.CharField(help_text="`ltr` or `rtl`; empty: the language's.")
    compares = serializers.ChoiceField(choices=Compares.choices)
    runs = serializers.ChoiceField(
        choices=Runs.choices, help_text="Whether the runs of one model and method are averaged, or compared each."
    )
    display_threshold = serializers.FloatField()
    display_step = serializers.FloatField(
        allow_null=True, help_text="Null: follows how many people judged a text. 0.01: whole percentages (exact)."
    )
    display_mode = serializers.ChoiceField(choices=["grid", "step", "exact"], help_text="What the step means.")
    display_rule = serializers.IntegerField(
        help_text="1: a label is drawn if its rounded share is above the threshold; 2: and its exact share, too."
    )
    give_aways = serializers.ChoiceField(choices=GiveAways.choices)
    instances_per_system = serializers.IntegerField()
    experts_per_comparison = serializers.IntegerField()
    seed = serializers.IntegerField()
    assigning = serializers.ChoiceField(choices=Assigning.choices)
    asks_guess = serializers.BooleanField()
    opens_at = serializers.DateTimeField(allow_null=True, help_text="When it is meant to open: told to experts.")
    state = serializers.ChoiceField(choices=StudyState.choices)
    dataset = StudyDatasetSerializer()
    systems = serializers.ListField(
        child=serializers.CharField(), help_text="What is compared. The mean of runs has the name of model and method."
    )
    chosen_systems = serializers.ListField(
        child=serializers.CharField(), help_text="The setting `systems`: those to compare. Empty: all."
    )
    paused_systems = serializers.ListField(child=serializers.CharField())
    version = serializers.IntegerField(help_text="Of the settings: grows with every saved change.")
    archived_at = serializers.DateTimeField(allow_null=True)
    is_simulated = serializers.BooleanField()
    counts = CountsSerializer()
    members = MemberSerializer(many=True)


class TransitionSerializer(serializers.Serializer[Any]):
    to = serializers.ChoiceField(choices=[state for state in StudyState.values if state != StudyState.DRAFT])


def _assignments(outer: str, condition: Q) -> Coalesce:
    """How many assignments of the outer row meet a condition, as a subquery."""
    counted = Assignment.objects.filter(condition, **{outer: OuterRef("study" if outer == "study" else "pk")})
    counted = counted.order_by().values(outer).annotate(number=Count("pk")).values("number")
    return Coalesce(Subquery(counted, output_field=IntegerField()), 0)


def cards(user: User) -> list[dict[str, Any]]:
    """The user's studies with their own progress as expert, or the whole study's. Two queries."""
    mine: QuerySet[Membership, Any] = (
        with_pool(Membership.objects.filter(user=user, is_active=True))
        .select_related("study")
        .annotate(
            own=_assignments("expert", KEPT),
            own_done=_assignments("expert", COMPLETED),
            own_begun=_assignments("expert", BEGUN),
            places=_assignments("study", MAIN),
            done=_assignments("study", MAIN & COMPLETED),
        )
        .order_by("-study__created_at", "study__slug")
    )
    listed = []
    membership: Any
    for membership in mine:
        progress = {"done": membership.done, "total": membership.places}
        if membership.role == Role.EXPERT:
            total = total_for(membership, kept=membership.own, begun=membership.own_begun)
            progress = {"done": membership.own_done, "total": total}
        listed.append(_card(membership.study, membership.role, progress))
    if user.is_superuser:
        others: QuerySet[Any] = Study.objects.exclude(memberships__in=mine).annotate(
            places=Count("assignments", filter=designing.PLANNED),
            done=Count("assignments", filter=designing.ANSWERED),
        )
        listed += [_card(study, Role.ADMIN, {"done": study.done, "total": study.places}) for study in others]
    return listed


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
    """All about a study but its answers."""
    dataset = study.dataset
    counts = study.assignments.filter(KEPT).aggregate(
        places=Count("pk", filter=of_main()),
        claimed=Count("pk", filter=of_main() & Q(expert__isnull=False)),
        completed=Count("pk", filter=of_main() & COMPLETED),
        pilot=Count("pk", filter=COMPLETED & Q(is_pilot=True)),
    )
    members: list[Any] = list(
        study.memberships.filter(is_active=True)
        .annotate(
            email=F("user__email"),
            full_name=F("user__name"),
            claimed=_assignments("expert", KEPT),
            completed=_assignments("expert", COMPLETED),
        )
        .order_by("number")
    )
    own = next((member.role for member in members if member.user_id == user.pk), Role.ADMIN)
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
                "name": member.full_name or member.email,
                "role": member.role,
                "is_simulated": member.is_simulated,
                "claimed": member.claimed,
                "completed": member.completed,
            }
            for member in members
        ],
    }


class StudyFilters(serializers.Serializer[Any]):
    state = serializers.ChoiceField(choices=StudyState.choices, required=False)
    role = serializers.ChoiceField(choices=Role.choices, required=False, help_text="One's own in the study.")


class StudyListView(APIView):
    """My studies, in whatever role."""

    @extend_schema(operation_id="studies_list", parameters=[StudyFilters], responses=page_of(StudyCardSerializer))
    def get(self, request: Request) -> Response:
        wanted = filters_of(request, StudyFilters).items()
        mine = [card for card in cards(person(request)) if all(card[name] == value for name, value in wanted)]
        return paged(request, mine, StudyCardSerializer, was_plain=True)


class ShownStudyView(APIView):
    """The whole study (researchers and admins)."""

    @extend_schema(operation_id="study_show", responses=StudySerializer)
    def get(self, request: Request, slug: str) -> Response:
        study = unblinded_study(request, slug)
        return Response(StudySerializer(whole_study(study, person(request))).data)


class TransitionView(APIView):
    """Move the study through its life (admins)."""

    @extend_schema(operation_id="study_transition", request=TransitionSerializer, responses=StudySerializer)
    def post(self, request: Request, slug: str) -> Response:
        study = administered_study(request, slug)
        wanted = TransitionSerializer(data=request.data)
        wanted.is_valid(raise_exception=True)
        lifecycle.change_state(study=study, to=StudyState(wanted.validated_data["to"]), actor=person(request))
        study = unblinded_study(request, slug)
        return Response(StudySerializer(whole_study(study, person(request))).data)
