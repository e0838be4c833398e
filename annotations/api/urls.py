"""The addresses of collecting, under /api/. One line a module of views."""

from django.urls import path

from annotations.api import datasets, events, expert, exports, imports, session, studies

urlpatterns = [
    path("studies/", studies.StudiesView.as_view()),
    path("studies/<slug:slug>/", studies.StudyView.as_view()),
    path("studies/<slug:slug>/plan/", studies.PlanView.as_view()),
    path("studies/<slug:slug>/transition/", studies.TransitionView.as_view()),
    path("studies/<slug:slug>/events/", events.EventsView.as_view()),
    path("studies/<slug:slug>/next/", expert.NextView.as_view()),
    path("studies/<slug:slug>/exports/", exports.ExportFormatsView.as_view()),
    path("studies/<slug:slug>/exports/<slug:format_name>/", exports.ExportView.as_view()),
    path("assignments/<uuid:token>/labels/", expert.LabelsView.as_view()),
    path("assignments/<uuid:token>/preference/", expert.PreferenceView.as_view()),
    path("assignments/<uuid:token>/report/", expert.ReportView.as_view()),
    path("datasets/", datasets.DatasetsView.as_view()),
    path("datasets/<slug:slug>/", datasets.DatasetView.as_view()),
    path("import-formats/", imports.ImportFormatsView.as_view()),
    path("imports/", imports.ImportsView.as_view()),
    path("imports/<uuid:pk>/", imports.ImportView.as_view()),
    path("imports/<uuid:pk>/cancel/", imports.ImportCancelView.as_view()),
    path("session/", session.SessionView.as_view()),
]
