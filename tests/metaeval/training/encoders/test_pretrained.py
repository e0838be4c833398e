"""Pretrained encoders: from folders, without pickles, foreign code or the network."""

from __future__ import annotations

import json
import socket
from pathlib import Path

import numpy as np
import pytest

from metaeval.training.encoders.registry import encoders
from metaeval.training.errors import EncoderUnusable, NotEnoughMemory
from metaeval.training.lessons import EncoderChoice, FitSettings, trainers
from tests.metaeval.training import tiny
from tests.metaeval.training.needing import Imported, needs_training
from tests.metaeval.training.taught import Kept, lesson

torch = Imported("torch")
transformers = Imported("transformers")

pytestmark = needs_training
FOLDERS = {"small": tiny.small, "roberta": tiny.roberta, "llama": tiny.llama}


def choice(path: Path, **changes) -> EncoderChoice:
    return EncoderChoice("pretrained", path=str(path), **{"max_tokens": 64} | changes)


def made(path: Path, **changes):
    torch.manual_seed(0)
    return encoders.get("pretrained").make(choice(path, **changes), [])


@pytest.mark.parametrize("kind", FOLDERS)
@pytest.mark.parametrize("lora", [False, True])
def test_every_kind_is_fitted_whole_or_with_adapters(tmp_path: Path, kind: str, lora: bool) -> None:
    folder = FOLDERS[kind](tmp_path)
    fitted = trainers.get("torch").fit(lesson(encoder=choice(folder, lora=lora)))
    assert np.isfinite(fitted.logits).all()
    assert fitted.trained < fitted.parameters if lora else fitted.trained == fitted.parameters
    assert fitted.learning_rate == (5e-5 if lora else 2e-5)
    assert len(fitted.encoder_sha256) == 64


def test_adapters_sit_on_every_linear_layer_and_all_else_stays(tmp_path: Path) -> None:
    reader = made(tiny.llama(tmp_path), lora=True)
    adapted = {name.split(".lora_")[0] for name, one in reader.named_parameters() if one.requires_grad}
    linear = {name for name, one in reader.named_modules() if type(one).__module__.startswith("peft.tuners.lora")}
    linear = {name for name in linear if hasattr(reader.get_submodule(name), "lora_A")}
    assert adapted == linear
    assert len(linear) == 7  # query, key, value, output; gate, up, down


def test_a_fit_with_adapters_goes_on_with_the_same_digits_and_keeps_them_alone(tmp_path: Path) -> None:
    taught = lesson(encoder=choice(tiny.roberta(tmp_path), lora=True), settings=FitSettings(batch_size=8, epochs=3))
    trainer, kept = trainers.get("torch"), Kept()
    whole = trainer.fit(taught, checkpoints=kept)
    kept.states = kept.states[:1]
    np.testing.assert_array_equal(trainer.fit(taught, checkpoints=kept).logits, whole.logits)
    assert len(kept.states[0]) < 20 * whole.trained + 10_000


def test_decoders_are_read_at_their_last_token_and_encoders_at_their_first(tmp_path: Path) -> None:
    (tmp_path / "llama").mkdir()
    (tmp_path / "roberta").mkdir()
    texts = [("good train left",), ("bad",)]
    for kind, place in (("llama", -1), ("roberta", 0)):
        reader = made(FOLDERS[kind](tmp_path / kind)).eval()
        reading = reader.read(texts)
        vectors = reader(**reading.batch(np.arange(2)))
        for number in range(2):
            states = reader.model(**reading.batch(np.array([number]))).last_hidden_state
            torch.testing.assert_close(vectors[number], states[0, place], rtol=0, atol=1e-5)


def test_more_tokens_than_there_are_places_are_cut_and_told(tmp_path: Path) -> None:
    taught = lesson(encoder=choice(tiny.roberta(tmp_path), max_tokens=512), texts=[("good " * 30,)] * 24)
    fitted = trainers.get("torch").fit(taught)
    assert fitted.max_tokens == 18
    assert fitted.cut == 24


def test_nothing_is_asked_of_the_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tiny.small(tmp_path)

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a connection was opened")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    trainers.get("torch").fit(lesson(encoder=choice(folder)))


def test_nothing_is_printed(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    folder = tiny.roberta(tmp_path)
    capfd.readouterr()
    trainers.get("torch").fit(lesson(encoder=choice(folder, lora=True)))
    assert capfd.readouterr() == ("", "")


def config(folder: Path, **said: object) -> Path:
    (folder / "config.json").write_text(json.dumps(said))
    return folder


def pickled(folder: Path) -> Path:
    (folder / "pytorch_model.bin").write_bytes(b"pickle")
    return config(folder, model_type="bert")


def with_code(folder: Path) -> Path:
    tiny.small(folder)
    said = json.loads((folder / "config.json").read_text())
    (folder / "mine.py").write_text("raise SystemExit('foreign code ran')")
    return config(folder, **said | {"model_type": "mine", "auto_map": {"AutoConfig": "mine.C", "AutoModel": "mine.M"}})


def both(folder: Path) -> Path:
    transformers.T5Config().save_pretrained(tiny.small(folder))
    return folder


def without_tokenizer(folder: Path) -> Path:
    tiny.small(folder)
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (folder / name).unlink()
    return folder


def with_fewer_tokens(folder: Path) -> Path:
    tiny.small(folder)
    transformers.BertModel(transformers.BertConfig(**tiny.SIZES, vocab_size=5)).save_pretrained(folder)
    return folder


def with_weights_of_another(folder: Path) -> Path:
    tiny.small(folder)
    said = json.loads((folder / "config.json").read_text())
    return config(folder, **said | {"num_hidden_layers": 3})


@pytest.mark.parametrize(
    ("broken", "sentence"),
    [
        (lambda folder: folder / "none", "There is no folder"),
        (lambda folder: folder, "holds no config.json"),
        (lambda folder: config(folder, what="else"), "names no model_type"),
        (lambda folder: config(folder, model_type="bert"), "holds no weights"),
        (pickled, "are pickled"),
        (with_code, "cannot be loaded"),
        (both, "an encoder and a decoder"),
        (without_tokenizer, "has no tokenizer"),
        (with_fewer_tokens, "do not belong together"),
        (with_weights_of_another, "are not this model's weights"),
    ],
)
def test_what_is_wrong_with_a_folder_is_said_before_anything_starts(tmp_path: Path, broken, sentence: str) -> None:
    seen = []
    with pytest.raises(EncoderUnusable, match=sentence):
        trainers.get("torch").fit(lesson(encoder=choice(broken(tmp_path))), progress=lambda *told: seen.append(told))
    assert not seen


def test_a_name_on_a_hub_is_refused_unless_that_is_allowed() -> None:
    pretrained = encoders.get("pretrained")
    with pytest.raises(EncoderUnusable, match="only where the administrator has allowed it"):
        pretrained.check(EncoderChoice("pretrained", path="roberta-base"))
    pretrained.check(EncoderChoice("pretrained", path="roberta-base", hub=True))
    with pytest.raises(EncoderUnusable, match="needs a path"):
        pretrained.check(EncoderChoice("pretrained"))


def test_weights_that_the_machine_cannot_hold_are_not_even_loaded(tmp_path: Path) -> None:
    folder = tiny.small(tmp_path)
    header = json.dumps({"huge": {"dtype": "F32", "shape": [10**7, 10**7], "data_offsets": [0, 0]}}).encode()
    (folder / "more.safetensors").write_bytes(len(header).to_bytes(8, "little") + header)
    with pytest.raises(NotEnoughMemory, match="or train it with LoRA"):
        trainers.get("torch").forecast(lesson(encoder=choice(folder)))


def test_the_fingerprint_is_of_all_files(tmp_path: Path) -> None:
    folder = tiny.small(tmp_path)
    pretrained = encoders.get("pretrained")
    before = pretrained.fingerprint(choice(folder))
    assert before == pretrained.fingerprint(choice(folder))
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1] + b"\1")
    assert pretrained.fingerprint(choice(folder)) != before
