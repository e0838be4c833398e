"""What the distances of alpha are called in figures."""

NAMES = {"masi": "MASI", "jaccard": "Jaccard"}


def distance_title(distance: str) -> str:
    """The distance as the field writes it.

    >>> distance_title("masi"), distance_title("nominal")
    ('MASI', 'nominal')
    """
    return NAMES.get(distance, distance)
