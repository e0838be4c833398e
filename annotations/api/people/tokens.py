"""A person's own API tokens. A token cannot make or list tokens: only a person signed in with a browser can."""

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.api.paging import page_of, paged
from annotations.api.parsing import valid
from annotations.api.people.again import require_fresh
from annotations.api.permissions import person
from annotations.api.views import SignedInView
from annotations.models import ApiToken, TokenScope, TokenState
from annotations.people.access import tokens


class ApiTokenSerializer(serializers.Serializer[ApiToken]):
    id = serializers.UUIDField(source="number")
    name = serializers.CharField()
    state = serializers.ChoiceField(choices=TokenState.choices, read_only=True)
    scope = serializers.ChoiceField(choices=TokenScope.choices, help_text="What the token may write.")
    created_at = serializers.DateTimeField(source="created")
    expires_at = serializers.DateTimeField(source="expiry")
    last_used_at = serializers.DateTimeField(allow_null=True, help_text="Accurate to the minute.")


class MakeTokenSerializer(serializers.Serializer[Any]):
    name = serializers.CharField(max_length=100, help_text="What the token is for.")
    days = serializers.IntegerField(min_value=1, max_value=tokens.MAX_DAYS, default=tokens.DEFAULT_DAYS)
    scope = serializers.ChoiceField(
        choices=TokenScope.choices,
        default=TokenScope.ALL,
        help_text="What the token may write; it may read whatever you may.",
    )


class MadeTokenSerializer(serializers.Serializer[Any]):
    token = ApiTokenSerializer()
    secret = serializers.CharField(help_text="Shown only once.")


class TokensView(SignedInView):
    """Your API tokens; and creating one, which takes a sign-in that is at most five minutes old."""

    @extend_schema(operation_id="tokens_list", responses=page_of(ApiTokenSerializer))
    def get(self, request: Request) -> Response:
        mine = ApiToken.objects.visible_to(person(request))
        return paged(request, mine, ApiTokenSerializer, was_plain=True)

    @extend_schema(operation_id="tokens_make", request=MakeTokenSerializer, responses={201: MadeTokenSerializer})
    def post(self, request: Request) -> Response:
        require_fresh(request)
        wanted = valid(MakeTokenSerializer(data=request.data))
        made = tokens.make(user=person(request), actor=person(request), **wanted)
        shown = MadeTokenSerializer({"token": made.row, "secret": made.secret})
        return Response(shown.data, status=status.HTTP_201_CREATED)


class RevokeTokenView(SignedInView):
    """Revoke a token immediately."""

    @extend_schema(operation_id="tokens_revoke", request=None, responses=ApiTokenSerializer)
    def post(self, request: Request, pk: Any) -> Response:
        token = get_object_or_404(ApiToken.objects.visible_to(person(request)), number=pk)
        return Response(ApiTokenSerializer(tokens.revoke(token=token, actor=person(request))).data)
