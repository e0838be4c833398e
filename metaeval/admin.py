"""What Django's admin pages show about analyses: their progress, and why they failed. Results have their own pages."""

from django.contrib import admin

from annotations.admin import JobAdmin
from metaeval.jobs.models import AnalysisRun


@admin.register(AnalysisRun)
class AnalysisRunAdmin(JobAdmin):
    list_display = ("analysis", "study", "state", "owner", "created_at", "finished_at")
    list_filter = ("state", "analysis")
    fields = ("analysis", "study", "dataset", *JobAdmin.fields)
