"""The shell of the single-page app, and the response for API addresses that do not exist."""

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.template import TemplateDoesNotExist
from django.utils.translation import gettext as _
from django.views.decorators.csrf import ensure_csrf_cookie

from annotations.api.errors import body_of


@ensure_csrf_cookie
def app(request: HttpRequest) -> HttpResponse:
    """The page that Vite built; React Router takes it from there."""
    try:
        return render(request, "index.html")
    except TemplateDoesNotExist:
        return HttpResponse("The pages are not built yet: run `make frontend`.", status=503, content_type="text/plain")


def csrf_failure(_request: HttpRequest, reason: str = "") -> JsonResponse:
    """Gives no reason, which would only help people who forge requests."""
    detail = _("This page is too old to send anything. Please reload it and try again.")
    return JsonResponse(body_of("csrf_failed", detail), status=403)


def bad_request(_request: HttpRequest, _error: Exception) -> JsonResponse:
    detail = _("The request could not be read. It may be incomplete, or its content type may be wrong.")
    return JsonResponse(body_of("bad_request", detail), status=400)


def server_error(_request: HttpRequest) -> JsonResponse:
    detail = _("The server could not do this. The reason is in its log. Please tell the person who runs the server.")
    return JsonResponse(body_of("server_error", detail), status=500)


def no_such_address(_request: HttpRequest) -> JsonResponse:
    return JsonResponse(body_of("not_found", _("There is nothing at this address.")), status=404)
