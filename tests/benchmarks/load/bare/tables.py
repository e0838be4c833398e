"""Makes the tables and the places, or says what is stored: `python -m tests.benchmarks.load.bare.tables make|keys`."""

import json
import os
import sys

import django


def main() -> int:
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.benchmarks.load.bare.settings"
    django.setup()
    from django.core.management import call_command

    from tests.benchmarks.load.bare.models import Place, Step1, Step2

    if sys.argv[1] == "make":
        call_command("migrate", run_syncdb=True, verbosity=0)
        count = json.load(sys.stdin)
        Place.objects.bulk_create((Place(comparison=k // 4, place=k % 4) for k in range(count)), batch_size=5_000)
        json.dump([Place.objects.order_by("pk")[0].pk], sys.stdout)
    else:
        keys = [
            [str(key) for key in model.objects.filter(place__completed_at__isnull=False).values_list("key", flat=True)]
            for model in (Step1, Step2)
        ]
        json.dump(keys, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
