"""Views that no API token opens: what they do would outlive the token."""

from rest_framework.authentication import SessionAuthentication
from rest_framework.views import APIView


class SignedInView(APIView):
    """For who is signed in with a browser. Making tokens, making links that let somebody in (also oneself, under a new
    password), and accepting such a link: with any of these a stolen token would become a login."""

    authentication_classes = [SessionAuthentication]
