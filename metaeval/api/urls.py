"""The addresses of judging, under /api/. One line a module of views."""

from django.urls import path

from metaeval.api import analyses, runs

urlpatterns = [
    path("analyses/", analyses.AnalysesView.as_view()),
    path("studies/<slug:slug>/runs/", runs.StudyRunsView.as_view()),
    path("runs/<uuid:pk>/", runs.RunView.as_view()),
    path("runs/<uuid:pk>/cancel/", runs.CancelView.as_view()),
    path("runs/<uuid:pk>/retry/", runs.RetryView.as_view()),
    path("runs/<uuid:pk>/figures/<str:name>/", runs.FigureView.as_view()),
    path("runs/<uuid:pk>/table/", runs.TableView.as_view()),
]
