"""Which versions of the packages pinned in requirements.txt an installed HLV Study accepts.

Our own servers and tests run on the pins. People who install the wheel have other packages, and their own SciPy and
pandas: exact pins would break those or refuse to install. So the wheel requires the pinned version's minor series or
a later one, below the next major version, which may remove deprecated features. Where older versions of a package also
have everything that is used here, the table LOWEST says so; each was tested with the library's tests.
"""

import re

LOWEST: dict[str, str] = {}


def ranges(requirements: str) -> list[str]:
    """The requirements with ranges instead of pins.

    >>> ranges("Django==5.2.19  # the framework\\nwhitenoise[brotli]==6.12.0\\n\\n# a comment\\nnh3==0.3.7")
    ['Django>=5.2,<6', 'whitenoise[brotli]>=6.12,<7', 'nh3>=0.3,<1']
    """
    lines = (line.partition("#")[0].strip() for line in requirements.splitlines())
    return [_range(line) for line in lines if line]


def _range(pin: str) -> str:
    found = re.fullmatch(r"([A-Za-z0-9._-]+)(\[[a-z,]+\])?==(\d+)\.(\d+)\S*", pin)
    if found is None:
        raise ValueError(f"requirements.txt: {pin!r} is not a pin like name==1.2.3.")
    name, extras, major, minor = found.groups()
    return f"{name}{extras or ''}>={LOWEST.get(name, f'{major}.{minor}')},<{int(major) + 1}"
