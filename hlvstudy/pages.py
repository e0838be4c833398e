"""The shell of the single-page app, and the response for API addresses that do not exist."""

import sys

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.template import TemplateDoesNotExist
from django.utils import translation
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.views.decorators.csrf import ensure_csrf_cookie

from annotations.api.errors import body_of, no_database
from annotations.storing.outage import RETRY_AFTER, is_away, outages


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


def bad_request(_request: HttpRequest, exception: Exception) -> JsonResponse:
    detail = _("The request could not be read. It may be incomplete, or its content type may be wrong.")
    return JsonResponse(body_of("bad_request", detail), status=400)


def server_error(request: HttpRequest) -> HttpResponse:
    """Whatever was not caught anywhere; also what middleware raises while the database is away."""
    error = sys.exception()
    if error is not None and is_away(error):
        outages.note(error, who="request")
        return database_away(request)
    detail = _("The server could not do this. The reason is in its log. Please tell the person who runs the server.")
    return JsonResponse(body_of("server_error", detail), status=500)


def database_away(request: HttpRequest) -> HttpResponse:
    """503: as JSON for scripts and pages that run already, and as a page that needs nothing else for people."""
    with translation.override(translation.get_language_from_request(request)):
        response: HttpResponse
        if request.path.startswith(("/api/", "/health/", "/metrics")):
            response = JsonResponse(no_database(), status=503)
        else:
            response = HttpResponse(_away_page(request), status=503)
    response["Retry-After"] = RETRY_AFTER
    response._has_been_logged = True  # type: ignore[attr-defined]  # Django's log would add a traceback each time
    return response


AWAY = """<!doctype html>
<html lang="{language}" dir="{direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="20">
<title>{title}</title>
<style nonce="{nonce}">
:root {{ color-scheme: light dark; font: 1.1rem/1.5 sans-serif; }}
body {{ max-width: 36rem; margin: 4rem auto; padding: 0 1rem; }}
</style>
</head>
<body><main>
<h1>{title}</h1>
<p>{reason}</p>
<p>{kept}</p>
</main></body>
</html>
"""


def _away_page(request: HttpRequest) -> SafeString:
    """A page without files of its own, in the language that the browser asks for."""
    language = translation.get_language() or "en"
    return format_html(
        AWAY,
        language=language,
        direction="rtl" if translation.get_language_bidi() else "ltr",
        nonce=str(getattr(request, "csp_nonce", "")),
        title=_("The server cannot respond at the moment"),
        reason=_("Its database cannot be reached. This page tries again by itself."),
        kept=_("No answers are lost: what was not saved yet is kept in your browser and sent later."),
    )


def no_such_address(_request: HttpRequest) -> JsonResponse:
    return JsonResponse(body_of("not_found", _("There is nothing at this address.")), status=404)
