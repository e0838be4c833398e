"""A bundle can be read and analysed without Django settings, as docs/library.md promises."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]

READ = """
import sys
from pathlib import Path
from metaeval.analyses.base.work import Work
from metaeval.analyses.preference_correlation.analysis import preference_correlation
from metaeval.analyses.preference_correlation.parameters import PreferenceCorrelation
from metaeval.bundles.archive import Archive
from metaeval.bundles.rebuilding import rebuilt

with Archive(Path(sys.argv[1])) as bundle:
    inputs = rebuilt(bundle)
    found = preference_correlation(inputs, PreferenceCorrelation(permutations=100), 1, Work())
print(inputs.showing.rule.mode, len(inputs.showing.people), len(found.correlations), len(found.sensitivity) > 0)
"""


def test_a_bundle_is_read_and_analysed_without_settings(bundle):
    kept = {key: value for key, value in os.environ.items() if not key.startswith("DJANGO")}
    done = subprocess.run(
        [sys.executable, "-c", READ, str(bundle)],
        env=kept | {"PYTHONPATH": str(ROOT)},
        cwd=bundle.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    mode, instances, correlations, varied = done.stdout.split()
    assert (mode, varied) == ("grid", "True")
    assert int(instances) > 0
    assert int(correlations) == 18
