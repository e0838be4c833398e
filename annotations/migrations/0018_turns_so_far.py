"""What was shown keeps its side and gets its turn; every other side is drawn when it is shown.

Until now sides were drawn from the study's seed when places were given, so that whoever knew the seed knew them all.
Those that were shown count as turns of the earlier rule, by which the later ones go on balanced.
"""

from collections import defaultdict

from django.db import migrations

BATCH = 500
EARLIER = 1


def number_turns(apps, schema_editor):
    Assignment = apps.get_model("annotations", "Assignment")
    Assignment.objects.filter(comparison_shown_at=None).exclude(side_order="").update(side_order="")
    shown = Assignment.objects.filter(comparison_shown_at__isnull=False, turn=None)
    shown = shown.exclude(comparison__identical=True)  # where there is no side to be told
    following = defaultdict(int)
    batch = []
    for one in shown.order_by("expert_id", "comparison_shown_at", "position").iterator(chunk_size=BATCH):
        one.phase = "pilot" if one.is_pilot else "main"
        one.turn = following[one.expert_id, one.phase]
        one.side_rule = EARLIER
        following[one.expert_id, one.phase] += 1
        batch.append(one)
        if len(batch) == BATCH:
            Assignment.objects.bulk_update(batch, ["turn", "phase", "side_rule"])
            batch = []
    Assignment.objects.bulk_update(batch, ["turn", "phase", "side_rule"])


class Migration(migrations.Migration):
    dependencies = [("annotations", "0017_keys_and_turns")]
    operations = [migrations.RunPython(number_turns, migrations.RunPython.noop)]
