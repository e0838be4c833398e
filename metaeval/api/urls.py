"""The addresses of judging, under /api/. One line a module of views."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
