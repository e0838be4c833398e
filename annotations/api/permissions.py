"""Who may ask. Whatever a person may not see does not exist for them: 404, never 403."""

from typing import cast

from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.views import APIView

from annotations.errors import NotFound
from annotations.models import User


def person(request: Request) -> User:
    """The signed-in user of a request (views require one)."""
    return cast(User, request.user)


class NotOnlyExpert(BasePermission):
    """People who research, administer or import somewhere; who only answers studies sees no such address."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        user = request.user
        if not isinstance(user, User):
            return False
        if not (user.can_import or user.memberships.unblinded().exists()):
            raise NotFound
        return True


class CanImport(BasePermission):
    """People who may bring datasets (permission `annotations.add_dataset`); for others there is no such address."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        user = request.user
        if not isinstance(user, User):
            return False
        if not user.can_import:
            raise NotFound
        return True
