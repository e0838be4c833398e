"""Names of points do not cover each other while there is room."""

import numpy as np

from metaeval.figures.labels import HEIGHT, place_labels
from metaeval.figures.sizes import text_width

WIDTH, HEIGHT_OF_CANVAS = 620, 440


def boxes(placed, texts):
    for place, text in zip(placed, texts, strict=True):
        size = text_width(text, 10)
        left = {"left": place.x, "center": place.x - size / 2, "right": place.x - size}[place.align]
        yield left, place.y - HEIGHT / 2, left + size, place.y + HEIGHT / 2


def overlaps(one, two):
    return min(one[2], two[2]) > max(one[0], two[0]) and min(one[3], two[3]) > max(one[1], two[1])


def test_twenty_six_names_on_one_chart_do_not_overlap():
    rng = np.random.default_rng(3)
    for _ in range(20):
        points = [(float(x), float(y)) for x, y in rng.uniform((60, 30), (560, 410), (26, 2))]
        texts = [f"method {i}" for i in range(26)]
        placed = list(boxes(place_labels(points, texts, width=WIDTH, height=HEIGHT_OF_CANVAS), texts))
        pairs = [(i, j) for i in range(26) for j in range(i) if overlaps(placed[i], placed[j])]
        assert not pairs


def test_names_stay_on_the_canvas():
    points = [(1.0, 1.0), (619.0, 1.0), (1.0, 439.0), (619.0, 439.0)]
    texts = ["a long name"] * 4
    for left, top, right, bottom in boxes(place_labels(points, texts, width=WIDTH, height=HEIGHT_OF_CANVAS), texts):
        assert left >= 0
        assert right <= WIDTH
        assert top >= 0
        assert bottom <= HEIGHT_OF_CANVAS


def test_a_name_that_had_to_move_away_is_led_back_to_its_point():
    crowd = [(300.0, 200.0 + i) for i in range(9)]
    placed = place_labels(crowd, ["a name"] * 9, width=WIDTH, height=HEIGHT_OF_CANVAS)
    assert any(place.led for place in placed)
    assert not place_labels(crowd[:1], ["a name"], width=WIDTH, height=HEIGHT_OF_CANVAS)[0].led


def test_placing_is_repeatable():
    points = [(300.0, 200.0), (305.0, 201.0), (301.0, 204.0)]
    texts = ["one", "two", "three"]
    assert place_labels(points, texts, width=620, height=440) == place_labels(points, texts, width=620, height=440)
