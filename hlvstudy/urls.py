"""The addresses: the API, health, and the single-page app for everything else."""

from django.urls import include, path, re_path
from drf_spectacular.views import SpectacularJSONAPIView

from hlvstudy import health, pages

urlpatterns = [
    path("health/live", health.live),
    path("health/ready", health.ready),
    path("api/schema/", SpectacularJSONAPIView.as_view(), name="schema"),
    path("api/", include("annotations.api.urls")),
    path("api/", include("metaeval.api.urls")),
    re_path(r"^api/", pages.no_such_address),
    re_path(r"^(?!static/|health/).*$", pages.app),
]
