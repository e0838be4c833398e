"""A person's own account: only they can see and change it, signed in with a browser."""

from typing import Any

from django.conf import settings
from django.contrib.auth import authenticate, logout, update_session_auth_hash
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.api.people.session import BadLogin
from annotations.api.people.signed_in import SignedInView
from annotations.api.permissions import person
from annotations.models import Role, StudyState
from annotations.people import accounts, roles, sessions


class OwnStudySerializer(serializers.Serializer[Any]):
    slug = serializers.CharField(source="study.slug")
    title = serializers.CharField(source="study.title")
    state = serializers.ChoiceField(source="study.state", choices=StudyState.choices)
    role = serializers.ChoiceField(choices=Role.choices)


class AccountSerializer(serializers.Serializer[Any]):
    email = serializers.EmailField()
    name = serializers.CharField(allow_blank=True)
    language = serializers.CharField(allow_blank=True, help_text="The pages' language; empty: the browser's.")
    is_admin = serializers.BooleanField(source="is_superuser", help_text="Whether they administer this server.")
    joined_at = serializers.DateTimeField(source="date_joined")
    studies = serializers.SerializerMethodField()

    def get_studies(self, user: Any) -> OwnStudySerializer(many=True):  # type: ignore[valid-type]  # for the schema
        mine = user.memberships.filter(is_active=True).select_related("study").order_by("study__title", "pk")
        return OwnStudySerializer(mine, many=True).data


class ChangeAccountSerializer(serializers.Serializer[Any]):
    name = serializers.CharField(max_length=200, allow_blank=True, required=False)
    language = serializers.ChoiceField(choices=settings.LANGUAGES, allow_blank=True, required=False)


class PasswordGivenSerializer(serializers.Serializer[Any]):
    password = serializers.CharField(
        max_length=1000, trim_whitespace=False, style={"input_type": "password"}, help_text="The current password."
    )


class NewPasswordSerializer(PasswordGivenSerializer):
    new_password = serializers.CharField(max_length=1000, trim_whitespace=False, style={"input_type": "password"})


class OwnView(SignedInView):
    """Open to everybody who is signed in."""

    permission_classes = [IsAuthenticated]

    def confirm(self, request: Request, password: str) -> None:
        """Raises BadLogin. Wrong passwords count towards the lockout, as they do at sign-in."""
        if authenticate(request=request._request, email=person(request).address, password=password) is None:
            raise BadLogin(_("The password is wrong."))


class AccountView(OwnView):
    """What is stored about you."""

    @extend_schema(operation_id="account_show", responses=AccountSerializer)
    def get(self, request: Request) -> Response:
        return Response(AccountSerializer(person(request)).data)

    @extend_schema(operation_id="account_change", request=ChangeAccountSerializer, responses=AccountSerializer)
    def patch(self, request: Request) -> Response:
        wanted = ChangeAccountSerializer(data=request.data)
        wanted.is_valid(raise_exception=True)
        return Response(AccountSerializer(accounts.change_account(user=person(request), **wanted.validated_data)).data)


class PasswordView(OwnView):
    """Change your password; your sessions elsewhere end."""

    @extend_schema(operation_id="account_password", request=NewPasswordSerializer, responses={204: None})
    def post(self, request: Request) -> Response:
        wanted = NewPasswordSerializer(data=request.data)
        wanted.is_valid(raise_exception=True)
        self.confirm(request, wanted.validated_data["password"])
        user = accounts.change_password(user=person(request), password=wanted.validated_data["new_password"])
        update_session_auth_hash(request._request, user)
        sessions.end_others(user=user, key=request._request.session.session_key)
        return Response(status=status.HTTP_204_NO_CONTENT)


class SignOutView(OwnView):
    """Sign out here and everywhere else."""

    @extend_schema(operation_id="account_sign_out", request=None, responses={204: None})
    def post(self, request: Request) -> Response:
        sessions.end_others(user=person(request), key=request._request.session.session_key)
        roles.end_sessions(user=person(request))
        logout(request._request)
        return Response(status=status.HTTP_204_NO_CONTENT)


class CloseView(OwnView):
    """Leave all studies and close your account."""

    @extend_schema(operation_id="account_close", request=PasswordGivenSerializer, responses={204: None})
    def post(self, request: Request) -> Response:
        wanted = PasswordGivenSerializer(data=request.data)
        wanted.is_valid(raise_exception=True)
        self.confirm(request, wanted.validated_data["password"])
        accounts.close_own_account(user=person(request))
        logout(request._request)
        return Response(status=status.HTTP_204_NO_CONTENT)
