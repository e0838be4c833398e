"""The small encoder: made from the training texts alone, the same each time, saved as others are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from metaeval.training.encoders.registry import encoders
from metaeval.training.errors import EncoderUnusable
from metaeval.training.lessons import EncoderChoice
from tests.metaeval.training.needing import Imported, needs_training
from tests.metaeval.training.taught import texts_of

torch = Imported("torch")

pytestmark = needs_training
ARABIC = [("النسويه يعني نصير رجل",), ("وبعدين اذا الوحده تبا تسرح وتمرح",)] * 3


def made(texts=None, *, max_tokens: int = 64):
    torch.manual_seed(0)
    return encoders.get("small").make(EncoderChoice(max_tokens=max_tokens), texts or texts_of(20)).eval()


@pytest.mark.parametrize("texts", [texts_of(20), ARABIC])
def test_the_same_texts_and_seed_make_the_same_encoder(texts) -> None:
    first, second = made(texts), made(texts)
    assert first.tokenizer.get_vocab() == second.tokenizer.get_vocab()
    for one, other in zip(first.parameters(), second.parameters(), strict=True):
        assert torch.equal(one, other)


def test_no_text_is_unknown_to_it() -> None:
    reader = made()
    unknown = reader.tokenizer.unk_token_id
    text = "Ünknown: النسويه 🙂 日本語 \x00"
    assert unknown not in reader.tokenizer(text)["input_ids"]
    assert reader.tokenizer(text)["input_ids"] != reader.tokenizer("other")["input_ids"]


def test_words_of_the_training_texts_become_single_tokens_in_any_script() -> None:
    reader = made(ARABIC)
    assert len(reader.tokenizer.tokenize("وبعدين")) == 1
    assert len(reader.tokenizer.tokenize("مختلف")) > 1


def test_a_saved_one_is_a_pretrained_one_with_the_same_output(tmp_path: Path) -> None:
    reader = made()
    reader.save(tmp_path)
    choice = EncoderChoice("pretrained", path=str(tmp_path), max_tokens=64)
    encoders.get("pretrained").check(choice)
    loaded = encoders.get("pretrained").make(choice, []).eval()
    texts = [("the good train",), ("late", "bad"), ("late", "bad", "left")]
    rows = np.arange(3)
    ours, theirs = (one.read(texts).batch(rows) for one in (reader, loaded))
    assert all(torch.equal(ours[name], theirs[name]) for name in ours)
    torch.testing.assert_close(loaded(**theirs), reader(**ours), rtol=0, atol=0)


def test_two_segments_are_a_pair_and_of_three_the_others_are_joined() -> None:
    reader = made()
    marks = reader.tokenizer
    one, two, three = (
        reader.read([text]).batch(np.array([0])) for text in [("good",), ("good", "bad"), ("good", "bad", "left")]
    )
    cls, sep = marks.cls_token_id, marks.sep_token_id
    good, bad, left = (marks(word, add_special_tokens=False)["input_ids"] for word in ("good", "bad", "left"))
    assert one["input_ids"][0].tolist() == [cls, *good, sep]
    assert two["input_ids"][0].tolist() == [cls, *good, sep, *bad, sep]
    assert two["token_type_ids"][0].tolist() == [0] * (2 + len(good)) + [1] * (1 + len(bad))
    assert three["input_ids"][0].tolist() == [cls, *good, sep, *bad, *left, sep]


def test_longer_texts_are_cut_and_counted_and_the_end_of_a_text_stays_marked() -> None:
    reader = made(max_tokens=8)
    reading = reader.read([("good" + " good" * 5,), ("good" + " good" * 6,), ("good" + " good" * 20, "bad")])
    assert reading.lengths.tolist() == [8, 8, 8]
    assert reading.cut == 2
    ids = reading.batch(np.arange(3))["input_ids"]
    assert ids[:, -1].tolist() == [reader.tokenizer.sep_token_id] * 3
    assert reader.tokenizer("bad", add_special_tokens=False)["input_ids"][0] in ids[2].tolist()


def test_padding_does_not_change_what_is_read() -> None:
    reader = made()
    reading = reader.read([("good",), ("the train left late and nobody knew why",)])
    alone = reader(**reading.batch(np.array([0])))
    beside = reader(**reading.batch(np.array([0, 1])))
    torch.testing.assert_close(alone[0], beside[0], rtol=0, atol=1e-5)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"max_tokens": 7}, "max_tokens is 7"),
        ({"lora": True}, "LoRA is for pretrained encoders"),
        ({"path": "somewhere"}, "takes no path"),
    ],
)
def test_what_it_cannot_do_is_said(changes, sentence) -> None:
    with pytest.raises(EncoderUnusable, match=sentence):
        encoders.get("small").check(EncoderChoice(**changes))
