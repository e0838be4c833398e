"""The API's schema, and its documentation pages: Swagger UI, served locally, for the current version's schema."""

from django.http import HttpResponse
from django.templatetags.static import static
from drf_spectacular.renderers import OpenApiJsonRenderer
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.views import APIView

from annotations.api.paging import CURRENT
from annotations.api.schema import schema_json
from annotations.api.views import NotOnlyExpert

FILES = "drf_spectacular_sidecar/swagger-ui-dist"
PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>The API of HLV Study</title>
<link rel="stylesheet" href="{style}">
</head>
<body>
<main id="api"></main>
<script src="{library}"></script>
<script src="?script=1"></script>
</body>
</html>
"""
# A separate file, because the policy of these pages allows no inline scripts. Requests tried out are sent with the
# reader's login, and no other host is asked to validate the schema.
SCRIPT = """"use strict";
SwaggerUIBundle({
  url: "%(schema)s",
  dom_id: "#api",
  deepLinking: true,
  docExpansion: "list",
  filter: true,
  validatorUrl: null,
  requestInterceptor: (request) => {
    const token = /(?:^|; )csrftoken=([^;]*)/.exec(document.cookie);
    if (token) request.headers["X-CSRFToken"] = decodeURIComponent(token[1]);
    return request;
  },
});
"""


class SchemaView(APIView):
    """Every operation of the API, for everybody who is not only an expert."""

    permission_classes = [NotOnlyExpert]

    @extend_schema(exclude=True)
    def get(self, request: Request) -> HttpResponse:
        return HttpResponse(schema_json(), content_type=OpenApiJsonRenderer.media_type)


class ApiDocsView(APIView):
    """Open to everybody who may see the schema."""

    permission_classes = [NotOnlyExpert]

    @extend_schema(exclude=True)
    def get(self, request: Request) -> HttpResponse:
        if "script" in request.query_params:
            return HttpResponse(SCRIPT % {"schema": f"{CURRENT}schema/"}, content_type="text/javascript; charset=utf-8")
        parts = {"style": static(f"{FILES}/swagger-ui.css"), "library": static(f"{FILES}/swagger-ui-bundle.js")}
        return HttpResponse(PAGE.format(**parts))
