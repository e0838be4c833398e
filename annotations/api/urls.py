"""The addresses of collecting, under /api/. One line a module of views."""

from django.urls import path

from annotations.api import expert, exports, session

urlpatterns = [
    path("studies/<slug:slug>/next/", expert.NextView.as_view()),
    path("studies/<slug:slug>/exports/", exports.ExportFormatsView.as_view()),
    path("studies/<slug:slug>/exports/<slug:format_name>/", exports.ExportView.as_view()),
    path("assignments/<uuid:token>/labels/", expert.LabelsView.as_view()),
    path("assignments/<uuid:token>/preference/", expert.PreferenceView.as_view()),
    path("assignments/<uuid:token>/report/", expert.ReportView.as_view()),
    path("session/", session.SessionView.as_view()),
]
