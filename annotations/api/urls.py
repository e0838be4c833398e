"""The addresses of collecting, under /api/. One line a module of views."""

from django.urls import path

from annotations.api import session

urlpatterns = [
    path("session/", session.SessionView.as_view()),
]
