"""The demo's three roles, and stepping into one with a click. Except in a demo on this machine: 404."""

from typing import Any

from django.contrib.auth import login, logout
from django.utils.decorators import method_decorator
from django.views.decorators.csrf import ensure_csrf_cookie
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, views
from rest_framework.authentication import SessionAuthentication
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.api.parsing import valid
from annotations.api.people.guarding import BACKEND
from annotations.api.people.session import SessionSerializer, session_of
from annotations.api.people.this_machine import is_demo_here, is_from_own_page
from annotations.api.views import SignedInView
from annotations.ground.errors import NotFound
from annotations.models import Role
from annotations.simulating.demo.people import memberships, step_into


class OnlyInTheDemo(BasePermission):
    """People at the machine on which a demo runs. For everybody else, this address does not exist."""

    def has_permission(self, request: Request, view: views.APIView) -> bool:
        if not is_demo_here(request._request):
            raise NotFound
        if request.method == "POST":
            if not is_from_own_page(request._request):
                raise NotFound
            # The framework itself does not require a CSRF token from people who are not signed in.
            SessionAuthentication().enforce_csrf(request)
        return True


class DemoSerializer(serializers.Serializer[Any]):
    roles = serializers.ListField(child=serializers.ChoiceField(choices=Role.choices))
    stepped_into = serializers.ChoiceField(
        choices=Role.choices, allow_null=True, help_text="The role of the person who is signed in."
    )
    study = serializers.SlugField()
    title = serializers.CharField(help_text="The study's title.")
    dataset = serializers.CharField(
        allow_blank=True, help_text="The dataset's slug; empty for people who may not see its texts."
    )


class StepIntoSerializer(serializers.Serializer[Any]):
    role = serializers.ChoiceField(choices=Role.choices)


@method_decorator(ensure_csrf_cookie, name="dispatch")
class DemoView(SignedInView):
    """The roles to step into, and what there is to look at."""

    permission_classes = [OnlyInTheDemo]

    @extend_schema(operation_id="demo_show", responses=DemoSerializer)
    def get(self, request: Request) -> Response:
        members = memberships()
        if not members:
            raise NotFound
        study = next(iter(members.values())).study
        role = next((role for role, member in members.items() if member.user_id == request.user.pk), None)
        answer = {
            "roles": [choice for choice in Role if choice in members],
            "stepped_into": role,
            "study": study.slug,
            "title": study.title,
            "dataset": study.dataset.slug if role in {Role.RESEARCHER, Role.ADMIN} else "",
        }
        return Response(DemoSerializer(answer).data)


class StepIntoView(SignedInView):
    """Become one of the demo's people."""

    permission_classes = [OnlyInTheDemo]

    @extend_schema(operation_id="demo_step_into", request=StepIntoSerializer, responses=SessionSerializer)
    def post(self, request: Request) -> Response:
        member = step_into(role=Role(valid(StepIntoSerializer(data=request.data))["role"]))
        # Nothing of the previous role remains, and no earlier session carries over to the new one.
        logout(request._request)
        login(request._request, member.user, backend=BACKEND)
        request.user = member.user
        return Response(session_of(request))
