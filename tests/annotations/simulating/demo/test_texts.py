"""The demo's texts are worth showing: varied, complete, and free of anything private."""

import re
from statistics import median

from annotations.simulating.demo.texts import EXCLUSIVE_LABEL, LABELS, latent_shares, load_texts


def test_there_are_about_120_texts_and_none_twice():
    texts = load_texts()
    assert 110 <= len(texts) <= 135
    assert len({text.id for text in texts}) == len(texts)
    assert len({" ".join(text.text.lower().split())[:40] for text in texts}) == len(texts)


def test_lengths_run_from_a_line_to_a_few_hundred_words():
    lengths = sorted(len(text.text.split()) for text in load_texts())
    assert lengths[9] <= 20
    assert 30 <= median(lengths) <= 80
    assert lengths[-3] >= 250
    assert lengths[-1] <= 450


def test_all_33_areas_of_law_are_the_main_matter_of_some_text():
    assert len(set(LABELS)) == 33
    assert list(LABELS[:-1]) == sorted(LABELS[:-1])
    shares = latent_shares()
    assert (shares >= 0.6).sum(axis=0).min() >= 2


def test_most_texts_touch_several_areas_and_some_are_no_legal_issue():
    shares = latent_shares()
    areas = shares[:, [k for k, label in enumerate(LABELS) if label != EXCLUSIVE_LABEL]]
    assert ((areas >= 0.2).sum(axis=1) >= 2).mean() > 0.75
    assert (shares[:, LABELS.index(EXCLUSIVE_LABEL)] >= 0.5).sum() >= 5


def test_shares_are_shares():
    for text in load_texts():
        assert text.areas, text.id
        assert all(0 < share < 1 for share in text.areas.values()), text.id


def test_nothing_in_the_texts_could_reach_a_person():
    for text in load_texts():
        assert "@" not in text.text, text.id
        assert "http" not in text.text, text.id
        assert not re.search(r"\d[\d ]{6,}\d", text.text), text.id  # telephone numbers
        assert text.text == text.text.strip()
