"""Leaving a study and coming back: experts can leave by themselves, anybody can be removed by an admin."""

from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.api.people.members import StudyMemberSerializer, member_of, one_told, refuse_token
from annotations.api.permissions import NotOnlyExpert, administered_study, person
from annotations.api.views import APIView
from annotations.models import Leaving, Role, TokenScope
from annotations.people.leaving import come_back, leave, leave_oneself
from annotations.people.profiling import expert_asked


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
    """Readmit somebody who has left. Answers that were left out count again."""

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
