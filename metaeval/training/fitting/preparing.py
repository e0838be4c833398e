"""A lesson made ready: texts read, targets computed, the model and its optimiser on their device."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
import transformers
from accelerate import Accelerator, DistributedDataParallelKwargs
from accelerate.state import AcceleratorState
from huggingface_hub.utils.tqdm import are_progress_bars_disabled, disable_progress_bars, enable_progress_bars

from annotations.ground.arrays import Codes
from metaeval.training.applying import undefined_for
from metaeval.training.encoders.reading.reader import Reading, TextReader
from metaeval.training.encoders.registry import encoders
from metaeval.training.lessons import Lesson, Precision
from metaeval.training.losses.module import Batch
from metaeval.training.registry import TrainingMethod, methods
from metaeval.training.targets import Targets

if TYPE_CHECKING:
    from metaeval.training.registry import Loss


class HeadedModel(torch.nn.Module):
    """Logits of a batch of texts: (B texts, H heads, K labels)."""

    def __init__(self, reader: TextReader, *, heads: int, labels: int) -> None:
        super().__init__()
        self.reader = reader
        self.dropout = torch.nn.Dropout(reader.dropout)
        self.output = torch.nn.Linear(reader.width, heads * labels)
        self._shape = heads, labels

    def forward(self, **batch: torch.Tensor) -> torch.Tensor:
        vectors = self.reader(**batch)
        logits: torch.Tensor = self.output(self.dropout(vectors.to(self.output.weight.dtype)))
        return logits.view(-1, *self._shape)

    @property
    def parameter_counts(self) -> tuple[int, int]:
        """How many parameters there are, and how many of them are trained."""
        sizes = [(parameter.numel(), parameter.requires_grad) for parameter in self.parameters()]
        return sum(size for size, _ in sizes), sum(size for size, trained in sizes if trained)


class TargetRows:
    """The rows of targets, ready to be gathered for any examples."""

    def __init__(self, targets: Targets) -> None:
        self._targets = targets
        self._ends = np.searchsorted(targets.example, np.arange(len(targets)), side="right")
        self._starts = np.searchsorted(targets.example, np.arange(len(targets)))
        self._value = targets.value.astype(np.float32)
        self._weight = targets.weight.astype(np.float32)

    def batch(self, examples: Codes, device: torch.device) -> Batch:
        """The targets of some examples, of which the same may occur more than once."""
        counts = self._ends[examples] - self._starts[examples]
        place = np.repeat(np.arange(len(examples)), counts)
        rows = np.arange(len(place)) + np.repeat(self._starts[examples] - (np.cumsum(counts) - counts), counts)
        return Batch(
            value=torch.from_numpy(self._value[rows]).to(device),
            example=torch.from_numpy(place).to(device),
            head=torch.from_numpy(self._targets.head[rows]).to(device),
            weight=torch.from_numpy(self._weight[examples]).to(device),
        )


def for_heads(targets: Targets, heads: tuple[str, ...]) -> Targets | None:
    """The part of some targets that a model with these heads can predict, or None if there is none.

    A development set may have been judged by people whom the model has never seen.
    """
    if targets.heads == heads:
        return targets if len(targets) else None
    places = {head: place for place, head in enumerate(heads)}
    place = np.array([places.get(head, -1) for head in targets.heads], dtype=np.int64)
    rows = np.flatnonzero(place[targets.head] >= 0)
    if not len(rows):
        return None
    examples, example = np.unique(targets.example[rows], return_inverse=True)
    return Targets(
        instance=targets.instance[examples],
        example=example,
        head=place[targets.head[rows]],
        value=targets.value[rows],
        weight=targets.weight[examples],
        times=targets.times[examples],
        heads=heads,
    )


@dataclass
class PreparedFit:
    """What a fit works with. `wrapped` is the model as accelerate trains it: on one device or several."""

    lesson: Lesson
    method: TrainingMethod
    targets: Targets
    rows: TargetRows
    loss: Loss
    model: HeadedModel
    wrapped: torch.nn.Module
    trained: list[torch.nn.Parameter]
    optimizer: torch.optim.Optimizer
    accelerator: Accelerator
    learning_rate: float
    texts: Reading
    dev: Reading
    unseen: Reading
    dev_targets: Targets | None

    @property
    def device(self) -> torch.device:
        device: torch.device = self.accelerator.device
        return device

    @property
    def cut(self) -> int:
        return self.texts.cut + self.dev.cut + self.unseen.cut

    @property
    def per_epoch(self) -> int:
        """How many examples are read in an epoch."""
        return min(self.targets.per_epoch, self.lesson.settings.per_epoch or self.targets.per_epoch)

    @property
    def steps(self) -> int:
        """How many steps the fit has in all."""
        settings = self.lesson.settings
        return settings.epochs * -(-self.per_epoch // settings.batch_size)


def prepared(lesson: Lesson) -> PreparedFit:
    """Make everything ready. Weights are drawn from the lesson's seed; the caller keeps torch's generators safe."""
    settings = lesson.settings
    method = methods.get(lesson.method)
    targets = method.targets(lesson.judgements)
    kind = encoders.get(lesson.encoder.name)
    accelerator = accelerated(lesson.encoder.precision)
    torch.manual_seed(drawn_seed(lesson.seed, "weights"))
    with quiet():
        reader = kind.make(lesson.encoder, lesson.texts)
        model = HeadedModel(reader, heads=len(targets.heads), labels=len(lesson.judgements.labels))
        texts, dev, unseen = (reader.read(texts) for texts in (lesson.texts, lesson.dev_texts, lesson.unseen))
    rate = kind.learning_rate(lesson.encoder) if settings.learning_rate is None else settings.learning_rate
    model.to(accelerator.device)
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=rate, fused=accelerator.device.type in ("cpu", "cuda"))
    wrapped, optimizer = accelerator.prepare(model, optimizer)
    return PreparedFit(
        lesson=lesson,
        method=method,
        targets=targets,
        rows=TargetRows(targets),
        loss=method.loss(lesson.judgements.task),
        model=model,
        wrapped=wrapped,
        trained=trained,
        optimizer=optimizer,
        accelerator=accelerator,
        learning_rate=rate,
        texts=texts,
        dev=dev,
        unseen=unseen,
        dev_targets=_dev_targets(lesson, method, targets.heads),
    )


def _dev_targets(lesson: Lesson, method: TrainingMethod, heads: tuple[str, ...]) -> Targets | None:
    """Of the loss curve only: where the method is not defined for the development set, there is none."""
    if lesson.dev_judgements is None or undefined_for(method, lesson.dev_judgements):
        return None
    return for_heads(method.targets(lesson.dev_judgements), heads)


def accelerated(precision: Precision) -> Accelerator:
    """For one fit: as many processes as were launched together, on the devices that it finds, in bf16 if asked."""
    # A process has one state, which keeps the precision of its first fit and refuses any other.
    AcceleratorState._reset_state(reset_partial_state=False)
    fast = torch.cuda.is_available() and torch.cuda.is_bf16_supported(including_emulation=False)
    half = precision == "bf16" or (precision == "auto" and fast)
    # A third-party encoder may have parameters that a text does not reach.
    parallel = DistributedDataParallelKwargs(find_unused_parameters=True)
    return Accelerator(mixed_precision="bf16" if half else "no", kwargs_handlers=[parallel])


def drawn_seed(seed: int, purpose: str, *place: int) -> int:
    """The seed of torch's generator for one purpose, such as the dropout of one epoch."""
    words = np.random.SeedSequence((seed, *purpose.encode(), *place)).generate_state(1, np.uint64)
    return int(words[0] >> np.uint64(1))


@contextmanager
def torch_kept(lesson: Lesson) -> Iterator[None]:
    """Compute with the encoder's number of threads, and leave it and torch's generators as they were found."""
    devices = range(torch.cuda.device_count()) if torch.cuda.is_available() else ()
    threads = torch.get_num_threads()
    with torch.random.fork_rng(devices=devices):
        torch.set_num_threads(encoders.get(lesson.encoder.name).threads or threads)
        try:
            yield
        finally:
            torch.set_num_threads(threads)


@contextmanager
def quiet() -> Iterator[None]:
    """No progress bars and no advice on the terminal while encoders are made: what matters is said as an error."""
    level, bars = transformers.logging.get_verbosity(), transformers.logging.is_progress_bar_enabled()
    hub_bars = not are_progress_bars_disabled()
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    disable_progress_bars()
    try:
        yield
    finally:
        transformers.logging.set_verbosity(level)
        if bars:
            transformers.logging.enable_progress_bar()
        if hub_bars:
            enable_progress_bars()
