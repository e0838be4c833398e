"""Permissions. What a person may not see does not exist for them: 404, never 403."""

from typing import cast

from django.utils.translation import gettext as _
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.views import APIView

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


class _ExistsOnlyFor(BasePermission):
    """For anybody else who is signed in, these addresses do not exist."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        if not isinstance(request.user, User):
            return False
        if not self.includes(request.user):
            raise NotFound
        return True

    def includes(self, user: User) -> bool:
        raise NotImplementedError


class NotOnlyExpert(_ExistsOnlyFor):
    """People who research, administer, import or create studies: everybody but those who are only experts."""

    def includes(self, user: User) -> bool:
        return user.memberships.unblinded().exists() or user.can_import or user.can_create_studies


class SetsUpStudies(_ExistsOnlyFor):
    """People who may create studies, or who research or administer one."""

    def includes(self, user: User) -> bool:
        return user.can_create_studies or user.memberships.unblinded().exists()


class CanCreateStudies(_ExistsOnlyFor):
    """People who may create studies (`annotations.add_study`)."""

    def includes(self, user: User) -> bool:
        return user.can_create_studies


class Administers(_ExistsOnlyFor):
    """Admins of the server."""

    def includes(self, user: User) -> bool:
        return user.is_superuser


class CanImport(_ExistsOnlyFor):
    """People who may import datasets (`annotations.add_dataset`)."""

    def includes(self, user: User) -> bool:
        return user.can_import
