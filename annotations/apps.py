from django.apps import AppConfig


class AnnotationsConfig(AppConfig):
    name = "annotations"
    verbose_name = "Collecting"

    def ready(self) -> None:
        from annotations.background.executors import executors

        executors.look_in("annotations.importing.jobs")
        executors.look_in("annotations.exporting.jobs")
        executors.look_in("annotations.people.invitations.letters")
        executors.look_in("annotations.people.notifications")
        executors.look_in("annotations.erasing.executing")
