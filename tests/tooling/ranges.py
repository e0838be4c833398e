"""Which versions of the packages pinned in requirements.txt an installed HLV Study accepts.

Our own servers and tests run on the pins. People who install the wheel have other packages, and their own SciPy and
pandas: exact pins would break those or refuse to install. So the wheel requires the pinned version's minor series or
a later one, below the next major version, which may remove deprecated features. LOWEST lists the library's packages
that people in the field already have: an older version of these is enough, and was tested with the library's tests.
"""

import re

LOWEST = {"numpy": "2.0", "scipy": "1.15", "pandas": "2.2", "numba": "0.60", "pyarrow": "18.1", "tqdm": "4.66"}
"""Tried with NumPy 2.0.2, SciPy 1.15.0, pandas 2.2.2 and Numba 0.60.0 on Python 3.11.7, everything else as pinned. All
passed of tests/metaeval/{metrics,stats,reference}, test_frames, test_compiled, test_light_import, test_library_*,
test_generator, test_randomness and tests/hlvstudy/test_client.py. Lower ones failed: with NumPy 1.26 PyArrow cannot be
imported, and the relative entropy of SciPy 1.14 has too few digits where two distributions are nearly the same.
Then with PyArrow 18.1.0 and tqdm 4.66.4 also tests/annotations/{importing,exporting} and tests/metaeval/bundles."""


def ranges(requirements: str) -> list[str]:
    """The requirements with ranges instead of pins.

    >>> ranges("Django==5.2.19  # the framework\\nwhitenoise[brotli]==6.12.0\\n\\n# a comment\\nnh3==0.3.7")
    ['Django>=5.2,<6', 'whitenoise[brotli]>=6.12,<7', 'nh3>=0.3,<1']
    >>> ranges("numpy==2.4.6")
    ['numpy>=2.0,<3']
    """
    lines = (line.partition("#")[0].strip() for line in requirements.splitlines())
    return [_range(line) for line in lines if line]


def _range(pin: str) -> str:
    found = re.fullmatch(r"([A-Za-z0-9._-]+)(\[[a-z,]+\])?==(\d+)\.(\d+)\S*", pin)
    if found is None:
        raise ValueError(f"requirements.txt: {pin!r} is not a pin like name==1.2.3.")
    name, extras, major, minor = found.groups()
    return f"{name}{extras or ''}>={LOWEST.get(name, f'{major}.{minor}')},<{int(major) + 1}"
