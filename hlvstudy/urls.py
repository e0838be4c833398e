"""The addresses: the API, health, and the single-page app for everything else."""

from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path, re_path

from hlvstudy import api_docs, health, monitoring, pages

API: list[URLPattern | URLResolver] = [
    path("", include("annotations.api.urls")),  # first: with it every answer
    path("", include("metaeval.api.urls")),
    path("system/health/", health.HealthView.as_view()),
    path("schema/", api_docs.SchemaView.as_view()),
    path("docs/", api_docs.ApiDocsView.as_view()),
]

handler400 = pages.bad_request
handler500 = pages.server_error

urlpatterns = [
    path("api/v1/", include(API)),
    path("health/live", monitoring.live),
    path("health/ready", monitoring.ready),
    path("metrics", monitoring.metrics),
    # As before the API had versions, so that scripts with these addresses keep working.
    path("api/", include(API)),
    re_path(r"^api/", pages.no_such_address),
    path("django-admin/", admin.site.urls),
    re_path(r"^(?!static/|health/|metrics$|django-admin/).*$", pages.app),
]
