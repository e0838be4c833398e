from typing import Any

from django.apps import AppConfig


class MetaevalConfig(AppConfig):
    name = "metaeval"
    verbose_name = "Judging"

    def ready(self) -> None:
        from annotations.background.executors import executors
        from annotations.designing.lifecycle import study_opens
        from annotations.designing.starting import study_begins
        from annotations.erasing.registry import answers_go, holdings, texts_go
        from annotations.importing.deleting import dataset_goes, predictions_go

        holdings.look_in("metaeval.holdings")
        answers_go.connect(outdate_runs, dispatch_uid="mark the runs of a study whose answers go")
        texts_go.connect(outdate_runs, dispatch_uid="mark the runs of a dataset whose text goes")
        executors.look_in("metaeval.jobs.executing", "metaeval.jobs.sharding", "metaeval.documents.making")
        executors.look_in("metaeval.training_jobs.executing")
        study_begins.connect(plan_the_analyses, dispatch_uid="plan the analyses of a new study")
        study_opens.connect(stamp_the_plan, dispatch_uid="stamp the analysis plan")
        dataset_goes.connect(delete_runs, dispatch_uid="delete the runs of a dataset")
        predictions_go.connect(delete_runs, dispatch_uid="delete the runs of predictions")


def plan_the_analyses(*, study: Any, actor: Any, **_: Any) -> None:
    """Give a new study an analysis plan, which can be changed until the study opens."""
    from metaeval.jobs.planning import plan_by_default  # apps are loaded before models

    plan_by_default(study=study, actor=actor)


def stamp_the_plan(*, study: Any, actor: Any, **_: Any) -> None:
    """Fix the analysis plan in the transaction that opens the study."""
    from metaeval.jobs.planning import stamp_plan  # apps are loaded before models

    stamp_plan(study=study, actor=actor)


def delete_runs(*, dataset: Any, **_: Any) -> None:
    """Delete what was computed from a dataset, alone or with others, together with the dataset."""
    from django.db.models import Q

    from metaeval.jobs.models import AnalysisRun  # apps are loaded before models

    runs = AnalysisRun.objects.filter(Q(dataset=dataset) | Q(datasets=dataset))
    AnalysisRun.objects.filter(pk__in=list(runs.values_list("pk", flat=True))).delete()


def outdate_runs(*, experts: Any = None, instance: Any = None, **_: Any) -> None:
    """Mark results that counted what is erased, and take out what they say of single experts or of the text."""
    from metaeval.jobs.erased import outdate  # apps are loaded before models

    outdate(experts=experts, instance=instance)
