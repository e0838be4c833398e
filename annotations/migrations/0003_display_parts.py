"""Every instance knows how many people its shares come from; a study's display step may be automatic."""

from django.db import migrations, models
from django.db.models import Q, Sum


def count_people(apps, schema_editor):
    from annotations.importing.checking.grids import parts_of_shares

    Dataset = apps.get_model("annotations", "Dataset")
    Instance = apps.get_model("annotations", "Instance")
    Annotation = apps.get_model("annotations", "HumanAnnotation")
    for dataset in Dataset.objects.only("pk").iterator():
        instances = list(Instance.objects.filter(dataset=dataset).order_by("position"))
        annotations = Annotation.objects.filter(instance__dataset=dataset).order_by()
        people = dict(annotations.values_list("instance").annotate(people=Sum("count")))
        inferred = [0] * len(instances) if people else parts_of_shares(dataset.gold).tolist()
        for instance, number in zip(instances, inferred, strict=True):
            instance.parts = people.get(instance.pk) or number or 100
        Instance.objects.bulk_update(instances, ["parts"], batch_size=500)


class Migration(migrations.Migration):
    dependencies = [("annotations", "0002_triggers")]

    operations = [
        migrations.AddField(
            "instance",
            "parts",
            models.PositiveIntegerField(
                default=100,
                help_text="Its human shares are multiples of 1/parts: how many people judged it, or might have.",
            ),
        ),
        migrations.AddConstraint(
            "instance", models.CheckConstraint(condition=Q(parts__gte=1), name="instance_has_parts")
        ),
        migrations.AlterField(
            "study",
            "display_step",
            models.FloatField(
                null=True,
                blank=True,
                help_text="Shown values are multiples of it; empty: multiples of one person's share in each instance.",
            ),
        ),
        migrations.RunPython(count_people, migrations.RunPython.noop),
    ]
