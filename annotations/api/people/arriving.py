"""What somebody with a link can do: see what it is for, and accept it. Nobody else can reach this.

The token is sent in the body, never in the address (annotations/people/invitations/links.py says why), and never
sent back.
"""

from typing import Any

from django.contrib.auth import authenticate, login
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.views.decorators.csrf import ensure_csrf_cookie
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.api.parsing import valid
from annotations.api.people.guarding import BACKEND, count
from annotations.api.people.session import BadLogin, PasswordField, SessionUserSerializer
from annotations.api.views import OpenView, SignedInView
from annotations.models import Instance, Invitation, LinkPurpose, Role, User
from annotations.people.access import limits
from annotations.people.invitations import arrivals
from annotations.people.sign_in.provider_sign_in import join_waiting
from annotations.people.sign_in.second_factor import is_pending
from annotations.shown.consent import consent_text, version_of
from annotations.shown.instructions import as_html
from annotations.shown.languages import of_study
from annotations.storing.origins import client_address


class LinkSerializer(serializers.Serializer[Any]):
    token = serializers.CharField(max_length=200, help_text="The part of the link after the #.")


class AcceptSerializer(LinkSerializer):
    password = PasswordField(
        required=False,
        allow_blank=True,
        help_text="A new password or, for an address that has an account, that account's.",
    )
    consent = serializers.CharField(
        max_length=64,
        required=False,
        allow_blank=True,
        help_text="The version of the consent text that the person agreed to.",
    )


class ConsentTextSerializer(serializers.Serializer[Any]):
    version = serializers.CharField()
    html = serializers.CharField(help_text="Sanitised HTML.")


class InvitedSerializer(serializers.Serializer[Any]):
    purpose = serializers.ChoiceField(choices=LinkPurpose.choices)
    email = serializers.EmailField()
    role = serializers.ChoiceField(choices=Role.choices, allow_blank=True)
    study = serializers.CharField(help_text="The study's title; empty: the link is to the server.", allow_blank=True)
    may_import = serializers.BooleanField()
    may_create = serializers.BooleanField()
    may_administer = serializers.BooleanField()
    language = serializers.CharField()
    direction = serializers.ChoiceField(choices=Instance.Direction.choices)
    invited_by = serializers.CharField(allow_blank=True)
    expires_at = serializers.DateTimeField()
    has_account = serializers.BooleanField(help_text="Whether the person must sign in instead of choosing a password.")
    consent = ConsentTextSerializer(allow_null=True, help_text="What an expert agrees to.")


class ArrivedSerializer(serializers.Serializer[Any]):
    user = SessionUserSerializer()
    slug = serializers.CharField(help_text="The study's slug; empty: the link was to the server.", allow_blank=True)
    role = serializers.ChoiceField(choices=Role.choices, allow_blank=True)


def _found(request: Request, token: str) -> Invitation:
    """The invitation; a wrong link is counted."""
    try:
        return arrivals.find(token)
    except arrivals.UnknownLink:
        count(limits.of_links(client_address(request._request)))
        raise


def _described(invitation: Invitation) -> dict[str, Any]:
    study, by = invitation.study, invitation.created_by
    language, direction = of_study(study) if study else ("en", "ltr")
    consent = None
    if study and invitation.purpose == LinkPurpose.JOIN and invitation.role == Role.EXPERT:
        text = consent_text(study)
        consent = {"version": version_of(text), "html": as_html(text)}
    return {
        "purpose": invitation.purpose,
        "email": invitation.email,
        "role": invitation.role,
        "study": study.title if study else "",
        "may_import": invitation.may_import,
        "may_create": invitation.may_create,
        "may_administer": invitation.may_administer,
        "language": language,
        "direction": direction,
        "invited_by": (by.name or by.email) if by else "",
        "expires_at": invitation.expires_at,
        "has_account": arrivals.account_of(invitation) is not None,
        "consent": consent,
    }


@method_decorator(ensure_csrf_cookie, name="dispatch")
class LookView(OpenView, SignedInView):
    """What a link is for."""

    @extend_schema(operation_id="invitation_look", request=LinkSerializer, responses=InvitedSerializer)
    def post(self, request: Request) -> Response:
        token = valid(LinkSerializer(data=request.data))["token"]
        return Response(InvitedSerializer(_described(_found(request, token))).data)


@method_decorator(ensure_csrf_cookie, name="dispatch")
class AcceptView(OpenView, SignedInView):
    """Accept a link and be signed in."""

    @extend_schema(operation_id="invitation_accept", request=AcceptSerializer, responses=ArrivedSerializer)
    def post(self, request: Request) -> Response:
        given = valid(AcceptSerializer(data=request.data))
        invitation = _found(request, given["token"])
        arrived = arrivals.accept(
            token=given["token"],
            signed_in=_who(request, invitation, given.get("password", "")),
            password=given.get("password"),
            consent=given.get("consent"),
        )
        login(request._request, arrived.user, backend=BACKEND)
        if not is_pending(request._request.session):
            join_waiting(user=arrived.user, session=request._request.session)
        answer = {
            "user": arrived.user,
            "slug": invitation.study.slug if invitation.study else "",
            "role": arrived.membership.role if arrived.membership else "",
        }
        return Response(ArrivedSerializer(answer).data)


def _who(request: Request, invitation: Invitation, password: str) -> User | None:
    """The user, if they prove who they are: by their session, or by the password of the address's account."""
    if isinstance(request.user, User):
        return request.user
    if arrivals.account_of(invitation) is None:
        return None
    # Wrong passwords lock out here as they do at sign-in.
    user = authenticate(request=request._request, email=invitation.address, password=password)
    if user is None:
        raise BadLogin(_("The password is wrong."))
    return user if isinstance(user, User) else None
