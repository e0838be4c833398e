"""Fitting with soft labels, against the same model trained by transformers' own Trainer.

    python -m tests.benchmarks.training [--rounds 5]

Both make the encoder, read the same texts, train with the same batch size, epochs, optimiser, schedule and clipping,
and predict the same texts, each time in a process of its own that computes with one thread. Time is that thread's own:
the wall's depends on what else the machine does. Memory is the most that the process had in use, libraries included.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from metaeval.training.extra import NOT_INSTALLED, is_installed

from ._timing import machine

ROOT = Path(__file__).resolve().parents[2]
MOST = 1.1
TEXTS, UNSEEN, EPOCHS, BATCH = 768, 192, 3, 32
TOLD = "measured "
WORK = {
    "the small encoder (2 layers, 64 wide)": {"width": 0, "layers": 0},
    "an encoder from a folder (2 layers, 128 wide)": {"width": 128, "layers": 2},
}


@dataclass(frozen=True)
class Measured:
    """What one process took."""

    seconds: float
    peak_bytes: int
    loss: float


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--run", choices=sorted(CONTESTANTS), help=argparse.SUPPRESS)
    parser.add_argument("--folder", default="", help=argparse.SUPPRESS)
    options = parser.parse_args()
    print(f"\nFitting models\n{machine()}\n")
    if not is_installed():
        print(NOT_INSTALLED)
        return 0
    if options.run:
        print(TOLD + json.dumps(measured(CONTESTANTS[options.run], options.folder)))
        return 0
    print("| work | examples per second: Trainer | ours | ratio | peak memory: Trainer | ours | ratio | at most |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    holds = True
    with tempfile.TemporaryDirectory(prefix="hlvstudy-training-") as folder:
        for work, size in WORK.items():
            if size["layers"]:
                save_encoder(Path(folder), **size)
            pairs = [
                (run("trainer", folder if size["layers"] else ""), run("ours", folder if size["layers"] else ""))
                for _ in range(options.rounds)
            ]
            holds &= tell(work, pairs)
    print(
        f"\n{TEXTS} texts of about 30 words, {EPOCHS} epochs, batches of {BATCH}, {UNSEEN} texts predicted; "
        f"medians of {options.rounds} pairs. A ratio is Trainer's examples per second divided by ours, or our memory "
        "divided by Trainer's: less is better."
    )
    return 0 if holds else 1


def tell(work: str, pairs: list[tuple[Measured, Measured]]) -> bool:
    """One line of the table; False if a ratio is above `MOST`."""
    slower = statistics.median(ours.seconds / theirs.seconds for theirs, ours in pairs)
    larger = statistics.median(ours.peak_bytes / theirs.peak_bytes for theirs, ours in pairs)
    rates = [EPOCHS * TEXTS / statistics.median(one.seconds for one in side) for side in zip(*pairs, strict=True)]
    peaks = [statistics.median(one.peak_bytes for one in side) / 1e6 for side in zip(*pairs, strict=True)]
    # Both learn the same: other dropout, but the same loss in the end.
    learnt = [statistics.median(one.loss for one in side) for side in zip(*pairs, strict=True)]
    assert abs(learnt[0] - learnt[1]) < 0.1, learnt
    holds = max(slower, larger) <= MOST
    print(
        f"| {work} | {rates[0]:.0f} | {rates[1]:.0f} | {slower:.2f} | {peaks[0]:.0f} MB | {peaks[1]:.0f} MB "
        f"| {larger:.2f} | {MOST:g}{'' if holds else ' MISSED'} |",
        flush=True,
    )
    return holds


def run(name: str, folder: str) -> Measured:
    """One contestant in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks.training", "--run", name, "--folder", folder],
        cwd=ROOT,
        check=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=os.environ | {"OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"},
    )
    told = next(line for line in done.stdout.splitlines() if line.startswith(TOLD))
    return Measured(**json.loads(told.removeprefix(TOLD)))


def measured(fit: Callable[[Any], float], folder: str) -> dict[str, float]:
    """What one contestant takes, in this process, without what it imports."""
    import resource
    import time

    import torch
    from transformers import BertModel, DataCollatorWithPadding, Trainer  # noqa: F401 - not to be timed

    import metaeval.training.fitting.fit  # noqa: F401 - not to be timed

    torch.set_num_threads(1)
    taught = lesson(folder)
    start = time.process_time()
    loss = fit(taught)
    seconds = time.process_time() - start
    return {
        "seconds": seconds,
        "peak_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        "loss": loss,
    }


def lesson(folder: str) -> Any:
    """Made-up texts, whose last word tells what most people say."""
    import numpy as np

    from metaeval.training.judgements import HumanJudgements
    from metaeval.training.lessons import EncoderChoice, FitSettings, Lesson

    rng = np.random.default_rng(1)
    words = np.array([f"word{number}" for number in range(3000)])
    chances = 1 / np.arange(1, len(words) + 1)
    chances /= chances.sum()

    def texts(count: int) -> list[tuple[str]]:
        drawn = (rng.choice(words, rng.integers(10, 50), p=chances) for _ in range(count))
        return [(" ".join([*some, ("good", "bad")[rng.integers(2)]]),) for some in drawn]

    read = texts(TEXTS)
    first = np.array([text.endswith("good") for (text,) in read])
    chosen = np.repeat(first, 5) ^ (rng.random(5 * TEXTS) < 0.2)
    judgements = HumanJudgements(
        task="multiclass",
        labels=("yes", "no"),
        size=TEXTS,
        instance=np.repeat(np.arange(TEXTS), 5),
        person=np.tile(np.arange(5), TEXTS),
        chosen=np.eye(2)[chosen.astype(int)],
        count=np.ones(5 * TEXTS, dtype=np.int64),
        people=("a", "b", "c", "d", "e"),
    )
    encoder = EncoderChoice("pretrained", path=folder) if folder else EncoderChoice()
    settings = FitSettings(learning_rate=1e-3, batch_size=BATCH, epochs=EPOCHS)
    return Lesson("SL", read, judgements, texts(UNSEEN), encoder=encoder, settings=settings)


def ours(taught: Any) -> float:
    """With this project's trainer; returns the last epoch's loss."""
    from metaeval.training.lessons import trainers

    return trainers.get("torch").fit(taught).epochs[-1].loss


def by_trainer(taught: Any) -> float:
    """With transformers' Trainer, as its documentation shows: a dataset, a collator that pads, a model with a loss."""
    import torch
    import transformers

    from metaeval.training.encoders.registry import encoders

    transformers.set_seed(0)
    reader = encoders.get(taught.encoder.name).make(taught.encoder, taught.texts)

    class Classifier(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.reader = reader
            self.dropout = torch.nn.Dropout(reader.dropout)
            self.output = torch.nn.Linear(reader.width, 2)

        def forward(self, labels: Any = None, **batch: Any) -> dict[str, Any]:
            logits = self.output(self.dropout(reader(**batch)))
            if labels is None:
                return {"logits": logits}
            return {"loss": torch.nn.functional.cross_entropy(logits, labels), "logits": logits}

    def dataset(texts: list[tuple[str]], shares: Any = None) -> list[dict[str, Any]]:
        read = reader.tokenizer([text for (text,) in texts], truncation=True, max_length=512)
        rows = [{name: column[row] for name, column in read.items()} for row in range(len(texts))]
        return [row | ({} if shares is None else {"labels": shares[place]}) for place, row in enumerate(rows)]

    with tempfile.TemporaryDirectory() as folder:
        arguments = transformers.TrainingArguments(
            output_dir=folder,
            per_device_train_batch_size=BATCH,
            per_device_eval_batch_size=128,
            num_train_epochs=EPOCHS,
            learning_rate=taught.settings.learning_rate,
            weight_decay=0.01,
            optim="adamw_torch_fused",
            lr_scheduler_type="linear",
            warmup_steps=0.1,
            max_grad_norm=5.0,
            logging_strategy="epoch",
            save_strategy="no",
            report_to=[],
            use_cpu=True,
            disable_tqdm=True,
            remove_unused_columns=False,
        )
        trainer = transformers.Trainer(
            model=Classifier(),
            args=arguments,
            train_dataset=dataset(taught.texts, taught.judgements.shares.astype("float32")),
            data_collator=transformers.DataCollatorWithPadding(reader.tokenizer),
        )
        trainer.train()
        trainer.predict(dataset(taught.unseen))
        return float([one["loss"] for one in trainer.state.log_history if "loss" in one][-1])


def save_encoder(folder: Path, *, width: int, layers: int) -> None:
    """An encoder of the given size with random weights, and a tokenizer of the benchmark's texts."""
    from transformers import BertConfig, BertModel

    from metaeval.training.encoders.small import trained_tokenizer

    tokenizer = trained_tokenizer(lesson("").texts, max_tokens=512)
    tokenizer.save_pretrained(folder)
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=width,
        num_hidden_layers=layers,
        num_attention_heads=width // 64,
        intermediate_size=4 * width,
    )
    BertModel(config).save_pretrained(folder)


CONTESTANTS: dict[str, Callable[[Any], float]] = {"ours": ours, "trainer": by_trainer}

if __name__ == "__main__":
    sys.exit(main())
