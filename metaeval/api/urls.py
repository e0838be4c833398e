"""The addresses under /api/ for analyses. One line per view."""

from django.urls import path

from metaeval.api import analyses, comparing, datasets, documents, files, plans, power, runs, setups

urlpatterns = [
    path("analyses/", analyses.AnalysesView.as_view()),
    path("analyses/free/", analyses.FreeAnalysesView.as_view()),
    path("analyses/result-schema/", analyses.ResultSchemaView.as_view()),
    path("studies/<slug:slug>/analyses/", analyses.StudyAnalysesView.as_view()),
    path("datasets/<slug:slug>/analyses/", analyses.DatasetAnalysesView.as_view()),
    path("studies/<slug:slug>/analysis-plan/", plans.AnalysisPlanView.as_view()),
    path("studies/<slug:slug>/analysis-plan/words/", plans.PlanInWordsView.as_view()),
    path("studies/<slug:slug>/power/", power.PowerView.as_view()),
    path("studies/<slug:slug>/power/figure/", power.PowerFigureView.as_view()),
    path("studies/<slug:slug>/copy/", setups.StudyCopyView.as_view()),
    path("studies/<slug:slug>/setup/file/", setups.SetupFileView.as_view()),
    path("study-setups/", setups.StudySetupsView.as_view()),
    path("studies/<slug:slug>/runs/", runs.StudyRunsView.as_view()),
    path("studies/<slug:slug>/results/<slug:analysis>/<int:number>/", runs.StudyResultView.as_view()),
    path("studies/<slug:slug>/documents/", documents.DocumentsView.as_view()),
    path("documents/<uuid:pk>/", documents.DocumentView.as_view()),
    path("documents/<uuid:pk>/cancel/", documents.CancelDocumentView.as_view()),
    path("documents/<uuid:pk>/file/", documents.DocumentFileView.as_view()),
    path("datasets/<slug:slug>/systems/", datasets.ScoredSystemsView.as_view()),
    path("datasets/<slug:slug>/glance/", datasets.GlanceView.as_view()),
    path("datasets/<slug:slug>/uses/", datasets.UsesView.as_view()),
    path("datasets/<slug:slug>/runs/", runs.DatasetRunsView.as_view()),
    path("runs/", runs.FreeRunsView.as_view()),
    path("runs/<uuid:pk>/", runs.RunView.as_view()),
    path("runs/<uuid:pk>/citation/", comparing.CitationView.as_view()),
    path("runs/<uuid:pk>/comparison/<uuid:other>/", comparing.ComparisonView.as_view()),
    path("runs/<uuid:pk>/cancel/", runs.CancelView.as_view()),
    path("runs/<uuid:pk>/retry/", runs.RetryView.as_view()),
    path("runs/<uuid:pk>/rerun/", runs.RerunView.as_view()),
    path("runs/<uuid:pk>/figures/<str:name>/", files.FigureView.as_view()),
    path("runs/<uuid:pk>/tables/", files.TablesView.as_view()),
    path("runs/<uuid:pk>/tables/<str:name>/", files.TableView.as_view()),
]
