"""Who a request comes from: the user that its session was loaded with, without a second query."""

from functools import partial

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY, get_user
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest
from django.utils.crypto import constant_time_compare
from django.utils.functional import SimpleLazyObject

from annotations.models import User
from annotations.people.sign_in.second_factor import is_pending
from annotations.people.sign_in.sessions import SessionStore, touch


class OneQueryAuthentication(AuthenticationMiddleware):
    """Django's authentication, with the same checks, for sessions that bring their user along."""

    def process_request(self, request: HttpRequest) -> None:
        super().process_request(request)
        request.user = SimpleLazyObject(partial(_cached, request))  # type: ignore[assignment]  # as Django does


def user_of(request: HttpRequest) -> User | AnonymousUser:
    """The signed-in user of a request; nobody while the second step is to be done.

    Whatever is out of the ordinary (a session that began under an earlier SECRET_KEY, say) is left to Django.
    """
    found = person_of(request)
    return AnonymousUser() if is_pending(request.session) else found


def person_of(request: HttpRequest) -> User | AnonymousUser:
    """Who a session belongs to, even if the second step is still to be done."""
    session = request.session
    key = session.get(SESSION_KEY)
    row = session.row if isinstance(session, SessionStore) else None
    if key is None or row is None or row.user is None or str(row.user_id) != key:
        return get_user(request)
    if row.is_too_old:
        session.flush()
        return AnonymousUser()
    if session.get(BACKEND_SESSION_KEY) not in settings.AUTHENTICATION_BACKENDS or not row.user.is_active:
        return AnonymousUser()
    if not constant_time_compare(session.get(HASH_SESSION_KEY, ""), row.user.get_session_auth_hash()):
        return get_user(request)
    touch(row)
    return row.user


def _cached(request: HttpRequest) -> User | AnonymousUser:
    if not hasattr(request, "_cached_user"):
        request._cached_user = user_of(request)  # type: ignore[attr-defined]  # where Django keeps it, too
    return request._cached_user  # type: ignore[attr-defined,no-any-return]  # as above
