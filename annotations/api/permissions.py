"""Permissions. What a person may not see does not exist for them: 404, never 403."""

from typing import cast

from django.utils.translation import gettext as _
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from annotations.api.views import APIView
from annotations.ground.errors import NotAllowed, NotFound
from annotations.models import Study, User


def person(request: Request) -> User:
    """The signed-in user of a request (views require one)."""
    return cast(User, request.user)


def unblinded_study(request: Request, slug: str) -> Study:
    """A study that the person may see unblinded; for anyone else it does not exist."""
    studies = Study.objects.unblinded_for(person(request)).select_related("dataset").defer("dataset__gold")
    study: Study | None = studies.filter(slug=slug).first()
    if study is None:
        raise NotFound
    return study


def administered_study(request: Request, slug: str) -> Study:
    """A study that the person administers; its researchers are told that this is for admins."""
    study = unblinded_study(request, slug)
    if not Study.objects.administered_by(person(request)).filter(pk=study.pk).exists():
        raise NotAllowed(_("Only an admin of the study can do this."))
    return study


class NotOnlyExpert(BasePermission):
    """People who research, administer, import or create studies. For people who are only experts, these addresses do
    not exist.
    """

    def has_permission(self, request: Request, view: APIView) -> bool:
        user = request.user
        if not isinstance(user, User):
            return False
        if not (user.memberships.unblinded().exists() or user.can_import or user.can_create_studies):
            raise NotFound
        return True


class ResearchView(APIView):
    permission_classes = [NotOnlyExpert]


class SetsUpStudies(BasePermission):
    """People who may create studies, or who research or administer one; for anyone else this address does not exist."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        user = request.user
        if not isinstance(user, User):
            return False
        if not (user.can_create_studies or user.memberships.unblinded().exists()):
            raise NotFound
        return True


class CanCreateStudies(BasePermission):
    """People who may create studies (`annotations.add_study`); for anyone else this address does not exist."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        user = request.user
        if not isinstance(user, User):
            return False
        if not user.can_create_studies:
            raise NotFound
        return True


class Administers(BasePermission):
    """Admins of the server; for anyone else this address does not exist."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        if not isinstance(request.user, User):
            return False
        if not request.user.is_superuser:
            raise NotFound
        return True


class CanImport(BasePermission):
    """People who may import datasets (`annotations.add_dataset`); for anyone else this address does not exist."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        user = request.user
        if not isinstance(user, User):
            return False
        if not user.can_import:
            raise NotFound
        return True
