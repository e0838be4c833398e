"""What every view of the API is made from: who asks, for which study, and for whom its address exists.

What a person may not see does not exist for them: 404, never 403.
"""

from typing import Any, NoReturn, cast

from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_protect
from rest_framework import views
from rest_framework.authentication import SessionAuthentication, get_authorization_header
from rest_framework.permissions import AllowAny, BasePermission
from rest_framework.request import Request

from annotations.api.parsing import WRITES, declared_body
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

    def has_permission(self, request: Request, view: views.APIView) -> bool:
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


class APIView(views.APIView):
    """Reads the body of a request that should have none: what it says would otherwise be ignored (parsing.py)."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        if request.method in WRITES and hasattr(self, request.method.lower()) and declared_body(self) is None:
            parser = self.get_content_negotiator().select_parser(request, self.get_parsers())
            _ = request.data if parser else None


class ResearchView(APIView):
    permission_classes = [NotOnlyExpert]


class NeedsLogin(NotAllowed):
    """A token was sent to a view that needs a login."""


class SignedInView(APIView):
    """For people signed in with a browser: making tokens, making links that let somebody in (even oneself, with a new
    password), and accepting such links. Any of these would turn a stolen token into a login."""

    authentication_classes = [SessionAuthentication]

    def permission_denied(self, request: Request, message: str | None = None, code: str | None = None) -> NoReturn:
        if request.user.is_anonymous and get_authorization_header(request):
            raise NeedsLogin(_("You need to sign in with a browser to do this. An API token is not enough."))
        super().permission_denied(request, message, code)


@method_decorator(csrf_protect, name="dispatch")
class OpenView(APIView):
    """For everybody. The framework itself asks for a CSRF token only from people who are signed in."""

    permission_classes = [AllowAny]
