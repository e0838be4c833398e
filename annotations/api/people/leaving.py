"""Taking a role that somebody gave, leaving a study and coming back: nobody takes part without their own yes."""

from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.api.paging import page_of, paged
from annotations.api.people.members import StudyMemberSerializer, member_of, one_told, refuse_token
from annotations.api.people.signed_in import SignedInView
from annotations.api.permissions import NotOnlyExpert, administered_study, person
from annotations.api.views import APIView
from annotations.models import Leaving, Membership, Role, TokenScope
from annotations.people.invitations.declarations import expert_asked
from annotations.people.membership.leaving import (
    accept_role,
    come_back,
    decline_role,
    former_studies,
    leave,
    leave_oneself,
)
from annotations.shown.instructions import as_html


class LeavingConfirmedSerializer(serializers.Serializer[Any]):
    confirm = serializers.BooleanField(help_text="True: the person has been told what happens to their answers.")

    def validate_confirm(self, value: bool) -> bool:
        if not value:
            raise serializers.ValidationError(_("Please confirm that you want to leave."))
        return value


class LeftSerializer(serializers.Serializer[Any]):
    left_at = serializers.DateTimeField()
    leaving = serializers.ChoiceField(choices=Leaving.choices, help_text="What happens to their answers.")


class OwnLeavingView(APIView):
    """Leave a study in which you are an expert. Your answers are treated as you agreed."""

    @extend_schema(operation_id="expert_leave", request=LeavingConfirmedSerializer, responses=LeftSerializer)
    def post(self, request: Request, slug: str) -> Response:
        expert_asked(user=person(request), slug=slug)  # for anyone else this address does not exist
        asked = LeavingConfirmedSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        member = leave_oneself(user=person(request), slug=slug)
        leaving = Leaving.LEFT_OUT if member.answers_left_out else Leaving.KEPT
        return Response(LeftSerializer({"left_at": member.left_at, "leaving": leaving}).data)


class ContactSerializer(serializers.Serializer[Any]):
    name = serializers.CharField(allow_blank=True)
    email = serializers.EmailField()


class AgreedSerializer(serializers.Serializer[Any]):
    at = serializers.DateTimeField()
    html = serializers.CharField(help_text="The text of then, as sanitised HTML.")


class FormerStudySerializer(serializers.Serializer[Any]):
    slug = serializers.CharField(source="study.slug")
    title = serializers.CharField(source="study.title")
    role = serializers.ChoiceField(choices=Role.choices, help_text="The role that you had.")
    ended_at = serializers.DateTimeField(source="left_at")
    by_themselves = serializers.BooleanField(help_text="True: you left. False: you were removed.")
    answers = serializers.IntegerField(help_text="How many of your answers are stored.")
    answers_left_out = serializers.BooleanField(help_text="Whether results and exports leave your answers out.")
    consent = serializers.SerializerMethodField(help_text="What you agreed to last. Null: you were never asked.")
    contact = ContactSerializer(
        allow_null=True, help_text="Who invited you, or else another admin of the study. Null: it has none any more."
    )

    def get_consent(self, former: Any) -> AgreedSerializer(allow_null=True):  # type: ignore[valid-type]  # for the schema
        if former.agreed_at is None:
            return None
        return AgreedSerializer({"at": former.agreed_at, "html": as_html(former.agreed_to)}).data


class FormerStudiesView(APIView):
    """The studies that you have left or were removed from, the latest first."""

    @extend_schema(operation_id="former_studies", responses=page_of(FormerStudySerializer))
    def get(self, request: Request) -> Response:
        return paged(request, former_studies(person(request)), FormerStudySerializer)


class LeaveView(APIView):
    """Remove somebody from the study: the places they have not answered become free. Nothing is deleted."""

    token_scope = TokenScope.MEMBERS

    permission_classes = [NotOnlyExpert]

    @extend_schema(operation_id="members_leave", request=None, responses=StudyMemberSerializer)
    def post(self, request: Request, slug: str, number: int) -> Response:
        study = administered_study(request, slug)
        member = member_of(study, number)
        if member.role != Role.EXPERT:
            refuse_token(request)
        left = leave(member=member, actor=person(request))
        return Response(StudyMemberSerializer(one_told(study, left, to=person(request))).data)


class ReturnView(APIView):
    """Ask somebody who has left to come back. Once they accept, answers that were left out count again."""

    token_scope = TokenScope.MEMBERS

    permission_classes = [NotOnlyExpert]

    @extend_schema(operation_id="members_return", request=None, responses=StudyMemberSerializer)
    def post(self, request: Request, slug: str, number: int) -> Response:
        study = administered_study(request, slug)
        member = member_of(study, number)
        if member.role != Role.EXPERT:
            refuse_token(request)
        back = come_back(member=member, actor=person(request))
        return Response(StudyMemberSerializer(one_told(study, back, to=person(request))).data)


class OfferedRoleSerializer(serializers.Serializer[Any]):
    slug = serializers.CharField(source="study.slug")
    title = serializers.CharField(source="study.title")
    role = serializers.ChoiceField(choices=Role.choices)
    is_return = serializers.SerializerMethodField(help_text="Whether the person had left the study and is asked back.")

    def get_is_return(self, member: Membership) -> bool:
        return member.left_at is not None


class OfferedRolesView(SignedInView):
    """The roles that others gave the person, and that wait for their yes."""

    permission_classes = [IsAuthenticated]

    @extend_schema(operation_id="offered_roles_list", responses=page_of(OfferedRoleSerializer))
    def get(self, request: Request) -> Response:
        offered = Membership.objects.filter(user=person(request), is_pending=True).select_related("study")
        return paged(request, offered.order_by("-created_at"), OfferedRoleSerializer)


class AcceptRoleView(SignedInView):
    """Take the role that somebody gave you. Experts then read what they agree to before their first text."""

    permission_classes = [IsAuthenticated]

    @extend_schema(operation_id="offered_roles_accept", request=None, responses=OfferedRoleSerializer)
    def post(self, request: Request, slug: str) -> Response:
        return Response(OfferedRoleSerializer(accept_role(user=person(request), slug=slug)).data)


class DeclineRoleView(SignedInView):
    """Do not take the role that somebody gave you: nothing changes for you."""

    permission_classes = [IsAuthenticated]

    @extend_schema(operation_id="offered_roles_decline", request=None, responses=OfferedRoleSerializer)
    def post(self, request: Request, slug: str) -> Response:
        return Response(OfferedRoleSerializer(decline_role(user=person(request), slug=slug)).data)
