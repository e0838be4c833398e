"""What every view of the API is made from."""

from typing import Any

from rest_framework import views
from rest_framework.request import Request

from annotations.api.parsing import WRITES, declared_body


class APIView(views.APIView):
    """Reads the body of a request that should have none: what it says would otherwise be ignored (parsing.py)."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        if request.method in WRITES and hasattr(self, request.method.lower()) and declared_body(self) is None:
            parser = self.get_content_negotiator().select_parser(request, self.get_parsers())
            _ = request.data if parser else None
